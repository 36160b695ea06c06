import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { deliver, readPlace } from "../build/publish/deliver.js";
import { inProject } from "../build/root.js";

const work = mkdtempSync(join(tmpdir(), "nullius-deliver-"));
after(() => rmSync(work, { recursive: true, force: true }));
let made = 0;
const now = (): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, made++));
const site = (text: string, bytes = 0): string => {
  const folder = join(work, `site-${made++}`);
  mkdirSync(join(folder, "a"), { recursive: true });
  writeFileSync(join(folder, "index.html"), text);
  writeFileSync(join(folder, "a", "same.html"), "the same");
  if (bytes > 0) writeFileSync(join(folder, "a", "zeros"), Buffer.alloc(bytes, text));
  return folder;
};
const shown = (place: string): string => readFileSync(join(place, "index.html"), "utf8");
const publish = (folder: string, words: string) => deliver(folder, readPlace(words), work, now());
const skip = spawnSync("rsync", ["--version"]).status === 0 ? false : "no rsync here: apt-get install rsync";

test("publish: a place is a folder, host:path or git:branch", () => {
  assert.deepEqual(readPlace("me@host:/srv/site/"), { kind: "folder", host: "me@host", path: "/srv/site" });
  assert.deepEqual(readPlace("git:pages"), { kind: "branch", name: "pages" });
  assert.deepEqual(readPlace("/srv/a:b"), { kind: "folder", host: undefined, path: "/srv/a:b" });
  for (const bad of ["", "/", "git:", "git:-f", "-oProxyCommand=x:y", "host:"]) assert.throws(() => readPlace(bad), /name (?:where the site goes|a branch)/, bad);
});

test("publish: a folder is a link to a release; what has not changed is stored once, and the release before is kept", { skip }, async () => {
  const place = join(work, "with 'quotes'", "www");
  for (const text of ["one", "two", "three"]) {
    await publish(site(text), place);
    assert.equal(shown(place), text);
  }
  assert.ok(lstatSync(place).isSymbolicLink());
  const releases = readdirSync(join(work, "with 'quotes'", ".www.releases"));
  assert.equal(releases.length, 2);
  const nodes = releases.map((name) => statSync(join(work, "with 'quotes'", ".www.releases", name, "a", "same.html")).ino);
  assert.equal(nodes[0], nodes[1]);
  assert.deepEqual(readdirSync(join(work, "with 'quotes'")).sort(), [".www.releases", "www"]);
});

test("publish: a folder with files that is no link is left alone and named", { skip }, async () => {
  const place = site("mine");
  await assert.rejects(publish(site("new"), place), (error: Error) => error.name === "Fault" && error.message.startsWith(place) && error.message.includes("move it away"));
  assert.equal(shown(place), "mine");
});

test("publish: to another machine, through what RSYNC_RSH names", { skip }, async () => {
  const shell = join(work, "shell");
  writeFileSync(shell, '#!/bin/sh\n[ "$1" = elsewhere ] || exit 255\nshift\nexec sh -c "$*"\n');
  chmodSync(shell, 0o755);
  process.env["RSYNC_RSH"] = shell;
  try {
    await publish(site("one"), `elsewhere:${work}/remote/www`);
    await publish(site("two"), `elsewhere:${work}/remote/www`);
    assert.equal(shown(join(work, "remote", "www")), "two");
    process.env["RSYNC_RSH"] = "false";
    await assert.rejects(publish(site("three"), `elsewhere:${work}/remote/www`), /elsewhere:.*the site that was there stays/);
    assert.equal(shown(join(work, "remote", "www")), "two");
  } finally {
    delete process.env["RSYNC_RSH"];
  }
});

test("publish: killed while it copies or before it shows the copy, the site before stays, and publishing again works", { skip }, async () => {
  const place = join(work, "killed", "www");
  await publish(site("old"), place);
  const real = execFileSync("sh", ["-c", "command -v rsync"], { encoding: "utf8" }).trim();
  for (const [when, script] of [["half-way", `for last; do :; done; mkdir -p "$last"; echo half > "$last/index.html"; kill -9 $PPID`], ["before the switch", `${real} "$@"; kill -9 $PPID`]] as const) {
    const bin = join(work, `bin ${when}`);
    mkdirSync(bin);
    writeFileSync(join(bin, "rsync"), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, "rsync"), 0o755);
    const code = `const { deliver, readPlace } = await import(${JSON.stringify(pathToFileURL(inProject("pipeline", "build", "publish", "deliver.js")).href)});
      await deliver(${JSON.stringify(site("new"))}, readPlace(${JSON.stringify(place)}), ".", new Date(Date.UTC(2026, 1, 1)));`;
    const ended = spawnSync(process.execPath, ["--input-type=module", "-e", code], { env: { ...process.env, PATH: `${bin}:${process.env["PATH"]}` } });
    assert.equal(ended.signal, "SIGKILL", when);
    assert.equal(shown(place), "old", when);
  }
  await publish(site("newer"), place);
  assert.equal(shown(place), "newer");
});

/** A disk of one mebibyte, undone afterwards; undefined where this user may mount none. */
function smallDisk(name: string): string | undefined {
  const folder = join(work, name);
  mkdirSync(folder);
  return spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder]).status === 0 ? folder : undefined;
}

test("publish: on a full disk the site before stays, in a folder and on a branch, and nothing half-made is left", { skip }, async (context) => {
  const disk = smallDisk("disk");
  if (disk === undefined) return context.skip("this user may not mount a small disk");
  try {
    const place = join(disk, "www");
    await publish(site("old"), place);
    await assert.rejects(publish(site("new", 2_000_000), place), (error: Error) => error.name === "Fault" && /disk is full.*the site that was there stays/.test(error.message));
    assert.equal(shown(place), "old");
    assert.equal(readdirSync(join(disk, ".www.releases")).length, 1);
    const repository = join(disk, "repository");
    execFileSync("git", ["init", "-q", repository]);
    await deliver(site("old"), readPlace("git:pages"), repository, now());
    const noise = site("new");
    writeFileSync(join(noise, "noise"), execFileSync("head", ["-c", "2000000", "/dev/urandom"], { maxBuffer: 1 << 22 }));
    await assert.rejects(deliver(noise, readPlace("git:pages"), repository, now()), (error: Error) => error.name === "Fault" && /git:pages: the disk is full.*the branch stays/.test(error.message));
    assert.equal(execFileSync("git", ["-C", repository, "show", "pages:index.html"], { encoding: "utf8" }), "old");
  } finally {
    execFileSync("umount", ["-l", disk]);
  }
});

test("publish: a branch gets one commit for each change, work tree and index are untouched, and one that is checked out is refused", async () => {
  const repository = join(work, "repository");
  const git = (...words: string[]): string => execFileSync("git", ["-C", repository, ...words], { encoding: "utf8" }).trim();
  execFileSync("git", ["init", "-q", "-b", "main", repository]);
  writeFileSync(join(repository, "staged"), "staged");
  writeFileSync(join(repository, ".gitignore"), "*.html\n");
  git("add", "staged");
  const put = (folder: string, branch: string) => deliver(folder, readPlace(`git:${branch}`), repository, now());
  const one = await put(site("one"), "pages");
  const folder = site("two");
  assert.deepEqual([one.changed, (await put(folder, "pages")).changed, (await put(folder, "pages")).changed], [true, true, false]);
  assert.equal(git("rev-list", "--count", "pages"), "2");
  assert.equal(git("ls-tree", "-r", "--name-only", "pages"), "a/same.html\nindex.html");
  assert.equal(git("show", "pages:index.html"), "two");
  assert.equal(git("status", "--porcelain", "--untracked-files=no"), "A  staged");
  assert.equal(existsSync(join(repository, "index.html")), false);
  git("-c", "user.name=a", "-c", "user.email=a", "commit", "-qm", "x");
  await assert.rejects(put(site("three"), "main"), /git:main: the branch is checked out.*the branch stays/);
  await assert.rejects(put(site("three"), "a..b"), /no name of a branch/);
  await assert.rejects(deliver(site("three"), readPlace("git:pages"), work, now()), /git:pages: not a git repository/);
});
