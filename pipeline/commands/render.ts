import { relative } from "node:path";
import { renderSite } from "../publish/site.js";
import { projectSources } from "../publish/sources.js";
import { inProject, root } from "../root.js";
import { publishedRun } from "../store/run.js";

/** `nullius render`: writes the pages whose inputs changed: the whole site, or the pages of one article or one language. */
export async function run(_words: string[], options: { article?: string; locale?: string; run?: string; explain?: boolean; json?: boolean; cards?: boolean; pdfs?: boolean; epubs?: boolean }): Promise<number> {
  const source = publishedRun(options.run);
  const gather = async () => (await import("../claims/gather.js")).gather(source);
  const { article, locale, cards, pdfs, epubs } = options;
  const reports = await renderSite({ ...(article === undefined ? {} : { article }), ...(locale === undefined ? {} : { locale }), cards: cards === true, pdfs: pdfs === true, epubs: epubs === true }, projectSources(), inProject("build", "site"), source, gather);
  const rows = reports.map((report) => ({ ...report, file: relative(root, report.file) }));
  if (options.json) console.log(JSON.stringify(rows, null, 2));
  else {
    const written = rows.filter((row) => row.written);
    for (const row of options.explain ? rows : rows.filter((row) => row.article !== undefined || row.written)) console.log(`${row.file}  ${row.written ? "written" : "unchanged"}${options.explain ? `: ${row.written ? row.why.join(", ") : "no input changed"}` : ""}`);
    console.log(`${written.length} of ${rows.length} files written, from ${source === undefined ? "no run: nothing has been measured yet" : relative(root, source.folder)}`);
  }
  return 0;
}
