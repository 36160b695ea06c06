import { Readable } from "node:stream";
import { unescapeHtml } from "../article/html.js";
import type { Locale } from "../article/locale.js";
import { titleOf, type Article } from "./render.js";
import { address, path, type Site } from "./surroundings.js";

/** The articles in one language as an Atom and a JSON feed. Dates are those of the run, so that the same run gives the same feed. */
export async function feeds(articles: readonly Article[], locale: Locale, site: Site): Promise<{ readonly atom: string; readonly json: string }> {
  const { Feed } = await import("feed");
  const { tag } = locale;
  const updated = new Date(site.source?.manifest.startedAt ?? 0);
  const author = { name: site.name, link: site.base };
  const feed = new Feed({
    id: address(site, path.index(tag)), title: site.name, description: locale.text("index.description"), language: tag, link: address(site, path.index(tag)), updated, author, generator: "Nullius",
    feedLinks: { atom: address(site, path.feed(tag, "atom")), json: address(site, path.feed(tag, "json")) },
  });
  for (const article of articles.filter(({ setup }) => setup.locales.includes(tag))) {
    const { title, description } = titleOf(article, tag);
    const url = address(site, path.article(article.setup.article, tag));
    feed.addItem({ id: url, link: url, title: unescapeHtml(title), description: unescapeHtml(description), date: updated, published: updated, author: [author], image: address(site, path.card(path.article(article.setup.article, tag))) });
  }
  return { atom: feed.atom1(), json: `${feed.json1()}\n` };
}

/** Every page with its languages, for search engines. */
export async function sitemap(pages: readonly { readonly path: string; readonly languages: Readonly<Record<string, string>> }[], site: Site): Promise<string> {
  const { SitemapStream, streamToPromise } = await import("sitemap");
  const lastmod = site.source?.manifest.startedAt;
  const items = pages.map((one) => ({
    url: address(site, one.path),
    links: Object.entries(one.languages).map(([lang, to]) => ({ lang, url: address(site, to) })),
    ...(lastmod === undefined ? {} : { lastmod }),
  }));
  const stream = new SitemapStream({ hostname: site.base, xmlns: { news: false, xhtml: true, image: false, video: false } });
  return `${(await streamToPromise(Readable.from(items).pipe(stream))).toString()}\n`;
}
