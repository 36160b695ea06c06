import { localeTags } from "../article/locale.js";
import { readSetup } from "../article/setup.js";
import { acknowledge, translationsOf } from "../article/translations.js";
import { articlesNamed, projectSources } from "../publish/sources.js";
import { inProject } from "../root.js";

/**
 * `nullius translated [ARTICLE [LANGUAGE...]] [--json]`: how each translation stands to its source; with languages named, records first that they are up to
 * date with it. Exit 2 when one lags behind.
 */
export async function run([article, ...tags]: string[], options: { json?: boolean }): Promise<number> {
  const sources = projectSources();
  const setups = articlesNamed(article, sources).map((name) => readSetup(name, sources.paper, localeTags(inProject("paper", "locales"))));
  if (tags.length > 0) acknowledge(setups[0]!, tags, sources.paper);
  const rows = setups.flatMap((setup) => translationsOf(setup, sources.paper));
  if (options.json) console.log(JSON.stringify(rows, null, 2));
  else for (const { article: name, locale, from, state } of rows) console.log(`${name}  ${locale}  ${{ current: `as ${from}.md is now`, stale: `${from}.md has changed since`, unrecorded: "not recorded of which source" }[state]}`);
  return rows.every(({ state }) => state === "current") ? 0 : 2;
}
