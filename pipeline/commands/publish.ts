import { deliver, readPlace } from "../publish/deliver.js";
import { renderSite } from "../publish/site.js";
import { projectSources } from "../publish/sources.js";
import { readSite } from "../publish/surroundings.js";
import { Fault } from "../fault.js";
import { inProject, root } from "../root.js";
import { publishedRun } from "../store/run.js";

/** `nullius publish DEST [--run R]`: brings the site up to date and puts it at a folder, at host:path or on git:branch, whole or not at all. */
export async function run([words = ""]: string[], options: { run?: string; cards?: boolean }): Promise<number> {
  const place = readPlace(words);
  const source = publishedRun(options.run);
  if (source === undefined) throw new Fault("nothing has been measured, so there is nothing to publish; measure by './nullius run'");
  if (!source.finished) throw new Fault(`${source.folder}: the run is not finished and is not published; go on with it by '${source.manifest.command}'`);
  const site = inProject("build", "site");
  const sources = projectSources();
  await renderSite({ cards: options.cards !== false, pdfs: options.cards !== false, epubs: true }, sources, site, source, async () => (await import("../claims/gather.js")).gather(source));
  const { base } = readSite(sources, source);
  if (new URL(base).hostname === "localhost") console.error(`nullius: the pages give ${base} as their address, which is nobody else's: set base in paper/site.yaml, or NULLIUS_BASE`);
  const { changed, release } = await deliver(site, place, root, new Date());
  console.log(`${words}: ${changed ? "published" : "nothing had changed"}, ${release}, from run ${source.id}`);
  return 0;
}
