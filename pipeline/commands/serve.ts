import { Fault } from "../fault.js";
import { show, watchFolders } from "../publish/serve.js";
import { renderSite } from "../publish/site.js";
import { projectSources } from "../publish/sources.js";
import { inProject } from "../root.js";
import { publishedRun } from "../store/run.js";
import { dataFolder } from "../store/folder.js";

/**
 * `nullius serve [--port N] [--run R]`: shows the site to this machine, renders again what a changed source concerns and has open pages
 * load themselves again. A mistake in a source is told, and the page before it stays. Until Ctrl-C.
 */
export async function run(_words: string[], options: { port?: string; run?: string }): Promise<number> {
  const port = Number(options.port ?? 8000);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Fault(`--port ${options.port}: give a number from 0 to 65535`);
  const folder = inProject("build", "site");
  const render = async (): Promise<number> => {
    const source = publishedRun(options.run);
    const reports = await renderSite({}, projectSources(), folder, source, async () => (await import("../claims/gather.js")).gather(source));
    return reports.filter(({ written }) => written).length;
  };
  await render();
  const shown = await show(folder, port);
  console.log(`the site is at http://localhost:${shown.port}/, until Ctrl-C`);
  let work = Promise.resolve();
  const again = (): void => {
    work = work.then(render).then((written) => {
      if (written === 0) return;
      console.log(`${written} files written`);
      shown.reload();
    }).catch((error: unknown) => {
      if (!(error instanceof Fault)) throw error;
      console.error(`nullius: ${error.message}`);
    });
  };
  const { paper, claims } = projectSources();
  const end = watchFolders([paper, claims, dataFolder("runs")], again);
  await new Promise<void>((resolve) => {
    for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => resolve());
  });
  end();
  await work;
  await shown.close();
  return 0;
}
