import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { Fault } from "../fault.js";

/** Where a site goes: a folder of this machine or of one that ssh reaches, or a branch of a repository. */
export type Place =
  | { readonly kind: "folder"; readonly host: string | undefined; readonly path: string }
  | { readonly kind: "branch"; readonly name: string };

/** What became of a delivery. */
export interface Delivered {
  readonly changed: boolean;
  /** The release that is shown now: a folder's name or a commit. */
  readonly release: string;
}

const runFile = promisify(execFile);

/** Reads `DIR`, `HOST:PATH` or `git:BRANCH`. @throws Fault for what is none of them */
export function readPlace(words: string): Place {
  const [, host, path] = /^([^/:]+):(.*)$/.exec(words) ?? [];
  if (host === "git") {
    if (path === "" || path!.startsWith("-")) throw new Fault(`${words}: name a branch: git:pages`);
    return { kind: "branch", name: path! };
  }
  const folder = (host === undefined ? resolve(words) : path!).replace(/\/+$/, "");
  // A leading hyphen would be an option of ssh; the root of a disk can be no link.
  if (words === "" || folder === "" || words.startsWith("-") || /[\0\n]/.test(words)) throw new Fault(`"${words}": name where the site goes: a folder, host:path or git:branch`);
  return { kind: "folder", host, path: folder };
}

/** Puts a site at a place, whole or not at all: whatever fails, what was there stays. @throws Fault when it cannot be done */
export function deliver(site: string, place: Place, repository: string, now: Date): Promise<Delivered> {
  return place.kind === "branch" ? toBranch(site, place.name, repository, now) : toFolder(site, place, now);
}

/**
 * The site goes into a new folder beside the place, by rsync, which takes what has not changed from the one shown now; the place itself is a link
 * that is changed by one rename. The release before is kept, for a way back by hand.
 */
async function toFolder(site: string, { host, path }: Extract<Place, { kind: "folder" }>, now: Date): Promise<Delivered> {
  const where = host === undefined ? path : `${host}:${path}`;
  const name = basename(path);
  const releases = `.${name}.releases`;
  const release = `${now.toISOString().replaceAll(/[-:.]/g, "")}-${process.pid}`;
  const at = { parent: quoted(dirname(path)), name: quoted(name), releases: quoted(releases), release };
  const stays = "; the site that was there stays";
  const sh = (script: string): Promise<string> => there(host, `set -eu\ncd ${at.parent}\n${script}`);
  const fault = (error: unknown): Fault => new Fault(`${where}: ${reason(error)}${stays}`);
  const old = await there(host, `set -eu
mkdir -p ${at.parent}
cd ${at.parent}
if [ -e ${at.name} ] && [ ! -L ${at.name} ]; then rmdir ${at.name} 2>/dev/null || { echo 'this is a folder with files in it, and only a link can be changed at once: move it away, or name another' >&2; exit 1; }; fi
mkdir -p ${at.releases}
find ${at.releases} -mindepth 1 -maxdepth 1 -name '*.partial' -mmin +60 -exec rm -rf {} +
readlink ${at.name} || true`).catch((error: unknown) => { throw fault(error); });
  try {
    const target = `${dirname(path)}/${releases}/${release}.partial/`;
    const same = old.trim() === "" ? [] : [`--link-dest=../${basename(old.trim())}`];
    // Without times: a file that was made again with the same bytes is the same file.
    await runFile("rsync", ["-rlp", "--checksum", "--chmod=D755,F644", ...same, "--", `${site}/`, host === undefined ? target : `${host}:${target}`], { maxBuffer: 1 << 26 });
    // On disk before it is shown; the rename of the link is the one step that readers see.
    await sh(`cd ${at.releases}
sync -f ${release}.partial
mv -T ${release}.partial ${release}
cd ..
ln -sfn ${at.releases}/${release} .${release}.link
mv -T .${release}.link ${at.name}`);
  } catch (error) {
    await sh(`rm -rf ${at.releases}/${release}.partial .${release}.link`).catch(() => undefined);
    throw fault(error);
  }
  // Readers have the new site; that an old one could not be removed is no failure of this.
  const kept = [release, ...(old.trim() === "" ? [] : [basename(old.trim())])].map((one) => `! -name ${quoted(one)}`).join(" ");
  await sh(`find ${at.releases} -mindepth 1 -maxdepth 1 ! -name '*.partial' ${kept} -exec rm -rf {} +`).catch(() => undefined);
  return { changed: true, release };
}

/** A script for the shell of this machine, or of another through ssh, or through what `RSYNC_RSH` names, as rsync does it. */
async function there(host: string | undefined, script: string): Promise<string> {
  const [command, ...words] = host === undefined ? ["sh", "-c", script] : [...(process.env["RSYNC_RSH"] ?? "ssh").split(" "), host, script];
  return (await runFile(command!, words)).stdout;
}

/** A commit made beside the work tree and the index; the branch moves to it in one step, and only from where it was read. */
async function toBranch(site: string, name: string, repository: string, now: Date): Promise<Delivered> {
  const ref = `refs/heads/${name}`;
  const folder = mkdtempSync(join(tmpdir(), "nullius-index-"));
  const environment = { ...process.env, GIT_INDEX_FILE: join(folder, "index"), GIT_LITERAL_PATHSPECS: "1" };
  const git = async (...words: string[]): Promise<string> => (await runFile("git", ["-C", repository, ...words], { env: environment, maxBuffer: 1 << 26 })).stdout.trim();
  try {
    await git("check-ref-format", ref).catch(() => { throw new Error(`"${name}" is no name of a branch`); });
    const shown = (await git("worktree", "list", "--porcelain")).split("\n").includes(`branch ${ref}`);
    if (shown) throw new Error("the branch is checked out, and its files would no longer be those of its commit: name another");
    const old = await git("rev-parse", "--verify", "--quiet", `${ref}^{commit}`).catch(() => "");
    await git(`--work-tree=${site}`, "-c", "core.autocrlf=false", "-c", "core.excludesFile=", "add", "--all", "--force", "--", site);
    const tree = await git("write-tree");
    if (old !== "" && (await git("rev-parse", `${old}^{tree}`)) === tree) return { changed: false, release: old };
    const who = await git("var", "GIT_COMMITTER_IDENT").then(() => [], () => ["-c", "user.name=Nullius", "-c", "user.email=nullius@localhost"]);
    const commit = await git(...who, "commit-tree", tree, ...(old === "" ? [] : ["-p", old]), "-m", `The site of ${now.toISOString()}`);
    await git("update-ref", ref, commit, old === "" ? "0".repeat(commit.length) : old);
    return { changed: true, release: commit };
  } catch (error) {
    throw new Fault(`git:${name}: ${reason(error)}; the branch stays as it was`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The sentence that says most of why a program failed: the first that names a cause, else the first. */
function reason(error: unknown): string {
  const { code, stderr, path, message } = error as { code?: string | number; stderr?: string; path?: string; message: string };
  if (code === "ENOENT") return `there is no ${path ?? "such program"} here: apt-get install ${path === "ssh" ? "openssh-client" : (path ?? "rsync")}`;
  const lines = (stderr ?? "").split("\n").map((line) => line.trim()).filter((line) => line !== "");
  if (lines.some((line) => line.includes("No space left on device"))) return "the disk is full; free some space and publish again";
  const line = lines.find((one) => /denied|cannot|failed|refused|fatal|error/i.test(one)) ?? lines[0] ?? message.split("\n")[0]!;
  return line.replace(/^(?:fatal|error|rsync|sh): /, "").replace(/\.$/, "");
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
