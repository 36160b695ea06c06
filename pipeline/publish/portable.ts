import { Fault } from "../fault.js";

/** An article's page without what only the site has: no popovers, no controls, no second layout of a chart. The figures and the words are those of the page. */
export interface Portable {
  readonly tag: string;
  readonly direction: string;
  /** Plain text. */
  readonly title: string;
  readonly description: string;
  /** Where the page is to be read. */
  readonly address: string;
  /** When the run was measured; undefined for a page that shows none. */
  readonly date: string | undefined;
  /** One line: which run, when, on what. */
  readonly origin: string;
  /** The heading of the page's list of origins, for a link to it. */
  readonly origins: string | undefined;
  /** The text before the first section, then each section with its heading; HTML. */
  readonly lead: string;
  readonly sections: readonly { readonly id: string; readonly title: string; readonly html: string }[];
  /** The table behind each chart, by the id of its figure: first the names of the columns. */
  readonly tables: ReadonlyMap<string, readonly (readonly string[])[]>;
}

/** What differs between the places a portable article goes to. */
export interface Destination {
  /** The address of a chart's picture. */
  picture(id: string): string;
  /** Text with a link to the table behind a chart, if it goes along. */
  table?(id: string): string;
  /** Whether links to rows of the ledger find them there; else they lead to the page. */
  readonly rows: boolean;
}

/** Takes an article out of its page. @throws Fault for a file that is no page of an article */
export async function portable(html: string, file: string, to: Destination): Promise<Portable> {
  const { JSDOM } = await import("jsdom");
  const { document } = new JSDOM(html).window;
  const article = document.querySelector("main > article");
  const canonical = document.querySelector('link[rel="canonical"]')?.getAttribute("href");
  if (article === null || canonical === null || canonical === undefined) throw new Fault(`${file}: this is no page of an article; write it again by './nullius render'`);
  const header = article.querySelector("header")!;
  const origin = header.querySelector(".provenance-line")!;
  const date = origin.querySelector("time")?.getAttribute("datetime") ?? undefined;
  origin.querySelectorAll("a").forEach((link) => link.remove());
  const described = {
    tag: document.documentElement.lang, direction: document.documentElement.dir, title: text(header.querySelector("h1")!), description: text(header.querySelector(".description")!),
    address: canonical, date, origin: [...header.querySelectorAll(".provenance-line, .newer, .stale")].map((line) => text(line).replace(/[\s·]+$/, "")).join(" "),
    origins: document.querySelector("#figures > h2")?.textContent ?? undefined,
  };
  header.remove();
  article.querySelector("nav")?.remove();
  const tables = new Map<string, string[][]>();
  for (const figure of article.querySelectorAll<HTMLElement>("figure.chart")) chart(document, figure, to, tables);
  plain(document, article, canonical, to);
  const sections = [...article.querySelectorAll(":scope > section")].map((section) => {
    const heading = section.querySelector("h2")!;
    heading.remove();
    section.remove();
    return { id: section.id, title: text(heading), html: section.innerHTML.trim() };
  });
  return { ...described, lead: article.innerHTML.trim(), sections, tables };
}

/** A chart as a picture with its description; its table goes aside. */
function chart(document: Document, figure: HTMLElement, to: Destination, tables: Map<string, string[][]>): void {
  const { id } = figure;
  const svg = figure.querySelector("svg");
  if (svg === null) return;
  const table = figure.querySelector("details.behind table");
  if (table !== null) tables.set(id, [...table.querySelectorAll("tr")].map((row) => [...row.querySelectorAll("th, td")].map(text)));
  const caption = figure.querySelector("figcaption")!;
  caption.querySelector("details")?.remove();
  const image = document.createElement("img");
  image.src = to.picture(id);
  image.alt = ["title", "desc"].map((name) => svg.querySelector(name)?.textContent ?? "").filter((words) => words !== "").join(". ");
  if (to.table !== undefined && table !== null) caption.insertAdjacentHTML("beforeend", ` ${to.table(id)}`);
  figure.replaceChildren(image, caption);
}

/** Takes away what works on the site only: buttons and titles of figures, folded parts, links relative to the page. */
function plain(document: Document, article: Element, canonical: string, to: Destination): void {
  for (const details of article.querySelectorAll("details")) {
    const items = [...details.querySelectorAll("li")].map((item) => item.innerHTML).join("; ");
    details.insertAdjacentHTML("beforebegin", details.classList.contains("others") ? ` (${items})` : "");
    details.remove();
  }
  for (const hidden of article.querySelectorAll(".visually-hidden")) hidden.remove();
  for (const figure of article.querySelectorAll("button, data, span.literal, span.interval, span.unit, span.missing")) figure.replaceWith(...figure.childNodes);
  for (const verdict of article.querySelectorAll("span.verdict")) {
    const strong = document.createElement("strong");
    strong.append(...verdict.childNodes);
    verdict.replaceWith(strong);
  }
  for (const id of article.querySelectorAll("th code.id")) id.before(" ");
  for (const link of article.querySelectorAll("a[href]")) {
    const href = link.getAttribute("href")!;
    if (!href.startsWith("#") || (!to.rows && href.startsWith("#claim-"))) link.setAttribute("href", new URL(href, canonical).href);
  }
  for (const node of article.querySelectorAll("[tabindex], [data-claim], [data-chart], [data-verdict], [data-label]")) {
    for (const name of ["tabindex", "data-claim", "data-chart", "data-verdict", "data-label"]) node.removeAttribute(name);
  }
}

/** Text with its white space as a reader sees it. */
const text = (node: Element): string => (node.textContent ?? "").replaceAll(/\s+/g, " ").trim();
