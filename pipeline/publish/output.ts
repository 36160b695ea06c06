import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { makeFolder, writeWhole } from "../store/file.js";

/** SHA-256 of each thing that an output depends on, by the name that `--explain` calls it. */
export type Inputs = Readonly<Record<string, string>>;

/** Why an output must be made: the inputs that changed, or that it is not there. Empty when it stands as it should. */
export function reasons(before: Inputs | undefined, now: Inputs): readonly string[] {
  if (before === undefined) return ["it was not there"];
  return [...new Set([...Object.keys(now), ...Object.keys(before)])].filter((name) => before[name] !== now[name]).map((name) => `${name} changed`);
}

/** One file of the site: what it depends on and how it is made. The same inputs give the same bytes. */
export interface Output {
  /** Where it lies, relative to the site's folder. */
  readonly path: string;
  readonly inputs: Inputs;
  /** The article and the language it belongs to, when it does. */
  readonly article?: string;
  readonly locale?: string;
  make(): Promise<string | Uint8Array>;
}

/** What became of one output. */
export interface OutputReport {
  readonly path: string;
  readonly file: string;
  readonly article?: string;
  readonly locale?: string;
  readonly written: boolean;
  /** Why it was written; empty when it stood as it should. */
  readonly why: readonly string[];
}

/** What is kept beside the site of each output: from what it was made, and the digest of what came out. */
export interface OutputState {
  readonly inputs: Inputs;
  readonly output: string;
}

/** Where the states of a site's outputs lie: beside it, not in it, since they are not published. */
export const stateFolder = (site: string): string => join(dirname(site), basename(site) === "site" ? "render" : `render-${basename(site)}`);
export const sha256 = (bytes: string | Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Makes the outputs that are not there, were changed by somebody else, or have other inputs than when they were made; touches no other. */
export async function bring(outputs: readonly Output[], site: string): Promise<OutputReport[]> {
  const reports: OutputReport[] = [];
  for (const output of outputs) {
    const { path, inputs, article, locale } = output;
    const [file, state] = [join(site, path), join(stateFolder(site), `${path}.json`)];
    const why = reasons(inputsOfFile(state, file), inputs);
    if (why.length > 0) {
      const bytes = await output.make();
      // The state first goes: should writing fail half-way, the file counts as changed by somebody else.
      rmSync(state, { force: true });
      for (const folder of [dirname(file), dirname(state)]) makeFolder(folder);
      writeWhole(file, bytes);
      writeWhole(state, `${JSON.stringify({ inputs, output: sha256(bytes) } satisfies OutputState, null, 2)}\n`);
    }
    reports.push({ path, file, written: why.length > 0, why, ...(article === undefined ? {} : { article }), ...(locale === undefined ? {} : { locale }) });
  }
  return reports;
}

/** Removes what an earlier rendering made and this one has no more: the pages of an article, a language or a run that went away. */
export function removeOthers(outputs: readonly Pick<Output, "path">[], site: string): void {
  const wanted = new Set(outputs.map(({ path }) => path));
  const states = stateFolder(site);
  for (const path of filesUnder(states).map((file) => relative(states, file)).filter((path) => path.endsWith(".json"))) {
    const made = path.slice(0, -".json".length);
    if (wanted.has(made)) continue;
    rmSync(join(site, made), { force: true });
    rmSync(join(states, path), { force: true });
  }
}

/** What a file was made from, unless it has been changed or removed since. */
function inputsOfFile(stateFile: string, file: string): Inputs | undefined {
  const state = readState(stateFile);
  return state !== undefined && existsSync(file) && state.output === sha256(readFileSync(file)) ? state.inputs : undefined;
}

/** The state of an output, if there is one that can be read. */
export function readState(stateFile: string): OutputState | undefined {
  try {
    return JSON.parse(readFileSync(stateFile, "utf8")) as OutputState;
  } catch {
    return undefined;
  }
}

/** All files below a folder, sorted; none when it is not there. */
export function filesUnder(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).sort().flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesUnder(path) : [path];
  });
}
