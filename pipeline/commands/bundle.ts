import { join, relative } from "node:path";
import { readLocales } from "../article/locale.js";
import { writeBundles } from "../publish/bundle.js";
import { Digests } from "../publish/inputs.js";
import { renderSite } from "../publish/site.js";
import { projectSources } from "../publish/sources.js";
import { readSite } from "../publish/surroundings.js";
import { inProject, root } from "../root.js";
import { publishedRun } from "../store/run.js";

/** `nullius bundle`: the articles for other blogs, out of the pages, which are brought up to date first. */
export async function run(_words: string[], options: { run?: string; explain?: boolean; json?: boolean }): Promise<number> {
  const source = publishedRun(options.run);
  const sources = projectSources();
  const pages = inProject("build", "site");
  await renderSite({}, sources, pages, source, async () => (await import("../claims/gather.js")).gather(source));
  const site = readSite(sources, source);
  const reports = await writeBundles({ site, pages, locales: readLocales(site.tags, join(sources.common, "locales")), program: new Digests(site).program }, inProject("build", "bundle"));
  const rows = reports.map((report) => ({ ...report, file: relative(root, report.file) }));
  if (options.json) console.log(JSON.stringify(rows, null, 2));
  else {
    for (const row of rows) if (options.explain || (row.written && row.file.endsWith(".md"))) console.log(`${row.file}  ${row.written ? `written${options.explain ? `: ${row.why.join(", ")}` : ""}` : "unchanged"}`);
    console.log(`${rows.filter(({ written }) => written).length} of ${rows.length} files written under build/bundle: hugo/ARTICLE belongs in a Hugo site's content, markdown/ARTICLE anywhere; pictures are at ${site.base}`);
  }
  return 0;
}
