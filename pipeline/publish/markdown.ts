import { JSDOM } from "jsdom";
import TurndownService from "turndown";
import { stringify } from "yaml";
import { Fault } from "../fault.js";
import type { Portable } from "./portable.js";

/** What the front matter of a Markdown page says, in this order. */
export type FrontMatter = Readonly<Record<string, unknown>>;

/**
 * An article as Markdown that holds no HTML: any renderer shows it, also one that leaves HTML out.
 *
 * @param closing Markdown that ends the page
 * @param headingIds whether the renderer reads `## Heading {#id}`
 */
export function markdownPage(article: Portable, front: FrontMatter, closing: string, headingIds: boolean, file: string): string {
  const service = markdownService(headingIds);
  const body = [
    `*${service.escape(article.origin)}*`,
    markdownOf(article.lead, service),
    ...article.sections.flatMap(({ id, title, html }) => [`## ${service.escape(title)}${headingIds ? ` {#${id}}` : ""}`, markdownOf(html, service)]),
    closing,
  ];
  return `---\n${stringify(front, { lineWidth: 0 })}---\n\n${withoutShortcodes(body.join("\n\n"), file)}\n`;
}

function markdownOf(html: string, service: TurndownService): string {
  return service.turndown(new JSDOM(html).window.document.body).replaceAll(/[ \t]+$/gm, "").trim();
}

function markdownService(headingIds: boolean): TurndownService {
  const service = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-", emDelimiter: "*", hr: "---" });
  service.addRule("table", { filter: "table", replacement: (_, node) => `\n\n${table(node as HTMLTableElement, service)}\n\n` });
  service.addRule("caption", { filter: "figcaption", replacement: (content) => `\n\n${content.trim()}\n\n` });
  if (headingIds) {
    service.addRule("heading", {
      filter: ["h3", "h4", "h5", "h6"],
      replacement: (content, node) => `\n\n${"#".repeat(Number(node.nodeName[1]))} ${content}${(node as HTMLElement).id === "" ? "" : ` {#${(node as HTMLElement).id}}`}\n\n`,
    });
  }
  // Few renderers know lists of definitions.
  service.addRule("term", { filter: "dt", replacement: (content) => `\n- **${content.trim()}**: ` });
  service.addRule("definition", { filter: "dd", replacement: (content) => content.trim().replaceAll("\n", "\n  ") });
  return service;
}

function table(node: HTMLTableElement, service: TurndownService): string {
  const rows = [...node.querySelectorAll("tr")].map((row) => [...row.querySelectorAll("th, td")]);
  const cell = (content: Element): string => service.turndown(content as HTMLElement).replaceAll(/\s*\n\s*/g, " ").replaceAll(/(?<!\\)\|/g, "\\|");
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const [head = [], ...body] = rows;
  const rule = head.map((one) => ({ end: "--:", center: ":-:" })[one.className] ?? "---");
  const caption = node.querySelector("caption");
  return [...(caption === null ? [] : [service.turndown(caption as HTMLElement), ""]), line(head.map(cell)), line(rule), ...body.map((cells) => line(cells.map(cell)))].join("\n");
}

/** Nothing in a text may call a shortcode of the blog. In code, where no entity can stand, that cannot be written. */
function withoutShortcodes(markdown: string, file: string): string {
  const code = /(`+)(?:(?!\1)[\s\S])*?\{\{[<%][\s\S]*?\1/.exec(markdown);
  if (code !== null) throw new Fault(`${file}: code holds "{{<" or "{{%", which a Hugo page would run: write it otherwise in the article`);
  return markdown.replaceAll(/\{\{(?=[<%])/g, "&#123;&#123;");
}
