import { execFile } from "node:child_process";
import { accessSync, constants, existsSync, readFileSync, readdirSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { lab } from "../hosts/lab.js";
import { findPackageSet } from "../hosts/packages.js";
import { inProject, root } from "../root.js";

/** One thing that the project needs or can use. */
export interface Check {
  readonly name: string;
  readonly purpose: string;
  /** Without it nothing works; anything else only leaves some cells or tests out. */
  readonly required: boolean;
  readonly found: boolean;
  /** What was found, or why not. */
  readonly detail: string;
  /** What to do; empty when it is found. */
  readonly remedy: string;
}

type Probe = { readonly found: boolean; readonly detail: string; readonly remedy?: string };

const setUp = "make setup";
const runFile = promisify(execFile);

/** A program's first line about itself; the reason when it does not start. */
async function about(program: string, ...words: string[]): Promise<Probe> {
  try {
    const { stdout, stderr } = await runFile(program, words, { timeout: 20_000, env: { ...process.env, GOTOOLCHAIN: "local" } });
    return { found: true, detail: (stdout || stderr).split("\n")[0]!.trim() };
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    return { found: false, detail: code === "ENOENT" ? "not there" : message.split("\n")[0]!, remedy: setUp };
  }
}

/** Where a program lies on PATH. */
function onPath(...names: string[]): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

const apt = (...packages: string[]): string => `as root: apt-get install ${packages.join(" ")}`;

function there(path: string, remedy = setUp): Probe {
  const found = existsSync(inProject(path));
  return { found, detail: found ? path : `${path} is not there`, remedy };
}

function installed(remedy: string, ...names: string[]): Probe {
  const path = onPath(...names);
  return { found: path !== undefined, detail: path ?? "not on PATH", remedy };
}

function debianSet(name: string, remedy = setUp): Probe {
  const set = findPackageSet(name);
  return { found: set !== undefined, detail: set === undefined ? "not unpacked" : `digest ${set.digest.slice(0, 12)}`, remedy };
}

function programs(host: string, remedy: string): Probe {
  const folder = inProject("native", "build", host);
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith(".")) : [];
  return { found: names.length > 0, detail: names.length > 0 ? names.join(", ") : "not built", remedy };
}

/** The programs of native/zap that the experiments start on this machine. */
const goPrograms = [
  "zap-load", "bench-server", "bench-codec", "bench-codec-nojsonv2", "serve-fasthttp", "serve-rpc", "serve-rpc-nojsonv2", "serve-fiber", "serve-zip", "serve-nethttp", "serve-naive", "serve-pooled",
  "client-report", "bombardier", "hey",
] as const;

function goProbe(): Probe {
  const missing = goPrograms.filter((name) => !existsSync(inProject("native", "build", "host", name)));
  return { found: missing.length === 0, detail: missing.length === 0 ? `${goPrograms.length} programs` : `not built: ${missing.join(", ")}`, remedy: setUp };
}

/** Asks the kernel for a ring: containers often forbid it by seccomp, and a sysctl can. */
async function ring(): Promise<Probe> {
  const ask = "import ctypes,os;c=ctypes.CDLL(None,use_errno=True);f=c.syscall(425,1,ctypes.create_string_buffer(120));print(f if f>=0 else -ctypes.get_errno())";
  const { found, detail } = await about(inProject(".venv", "bin", "python"), "-c", ask);
  if (!found) return { found, detail, remedy: setUp };
  const answer = Number(detail);
  if (answer >= 0) return { found: true, detail: "io_uring_setup works" };
  const forbidden = answer === -1 || answer === -13;
  const sysctl = "/proc/sys/kernel/io_uring_disabled";
  const disabled = existsSync(sysctl) && readFileSync(sysctl, "utf8").trim() !== "0";
  return {
    found: false,
    detail: !forbidden ? `io_uring_setup failed with errno ${-answer}` : disabled ? "forbidden by sysctl kernel.io_uring_disabled" : "forbidden, probably by the container's seccomp profile",
    remedy: disabled ? "as root: sysctl kernel.io_uring_disabled=0" : "allow io_uring_setup, io_uring_enter and io_uring_register in the container's seccomp profile; the emulated guest does not need it",
  };
}

async function meter(placement: Parameters<ReturnType<typeof lab>["available"]>[0]): Promise<Probe> {
  const answer = await lab().available(placement);
  return answer.available ? { found: true, detail: "available" } : { found: false, detail: answer.reason, remedy: answer.remedy };
}

async function disk(): Promise<Probe> {
  const { bavail, bsize } = await statfs(root);
  const gigabytes = (bavail * bsize) / 1e9;
  return { found: gigabytes >= 1, detail: `${gigabytes.toFixed(1)} GB free`, remedy: `free at least 1 GB under ${root}` };
}

async function fonts(): Promise<Probe> {
  const folders = ["/usr/share/fonts", "/usr/local/share/fonts", join(process.env["HOME"] ?? "/", ".local/share/fonts")].filter((folder) => existsSync(folder));
  const font = folders.flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" })).find((name) => /devanagari/i.test(name));
  return { found: font !== undefined, detail: font ?? "no font with Devanagari", remedy: apt("fonts-noto-core") };
}

/** Everything that is looked for, in the order it is shown. */
export async function checks(): Promise<Check[]> {
  const emulated = (architecture: "amd64" | "arm64"): Promise<Probe> => meter({ meter: "emulator", kernel: "6.12", architecture, scheduling: "equal" });
  const cores = availableParallelism();
  const full = "make setup PROFILE=full";
  const all: readonly [name: string, purpose: string, required: boolean, probe: Probe | Promise<Probe>][] = [
    ["node", "runs the pipeline and the notebooks", true, about(inProject(".cache", "bin", "node"), "--version")],
    ["python", "runs Jupyter", true, about(inProject(".venv", "bin", "python"), "--version")],
    ["go", "builds the Go servers", true, about(inProject(".cache", "bin", "go"), "version")],
    ["zig", "builds the guest's programs to the same bytes everywhere", false, about(inProject(".cache", "bin", "zig"), "version")],
    ["kernel tslab", "TypeScript in notebooks", true, there(".venv/share/jupyter/kernels/tslab/kernel.json")],
    ["node packages", "libraries of the pipeline", true, there("node_modules/.package-lock.json")],
    ["cc", "builds the servers for this machine", false, installed(apt("gcc", "libc6-dev"), "cc")],
    ["make", "builds", true, installed(apt("make"), "make")],
    ["host programs", "servers and loader on this machine", false, programs("host", setUp)],
    ["Go programs", "servers, loader and benches of the half-million article", false, goProbe()],
    ["guest programs amd64", "servers and loader in the guest", false, programs("guest-amd64", setUp)],
    ["guest programs arm64", "the same for arm64, in the full profile", false, programs("guest-arm64", full)],
    ["QEMU 10.0", "the emulated meter", false, debianSet("qemu-10.0")],
    ["QEMU 7.2", "the meter's test with Debian 12's emulator", false, debianSet("qemu-7.2", "python3 setup/debian.py fetch qemu-7.2")],
    ["guest kernel 6.1 amd64", "the emulated meter", false, debianSet("kernel-6.1-amd64")],
    ["guest kernel 6.12 amd64", "the emulated meter", false, debianSet("kernel-6.12-amd64")],
    ["guest kernel 6.1 arm64", "the emulated meter, in the full profile", false, debianSet("kernel-6.1-arm64", full)],
    ["guest kernel 6.12 arm64", "the emulated meter, in the full profile", false, debianSet("kernel-6.12-arm64", full)],
    ["BusyBox", "the guest's user land", false, debianSet("busybox-amd64")],
    ["musl", "the C library of the guest programs", false, debianSet("musl-amd64")],
    ["liburing source", "the servers in the guest", false, debianSet("liburing-2.9")],
    ["meter emulator amd64", "exact instruction counts", false, emulated("amd64")],
    ["meter emulator arm64", "exact instruction counts, in the full profile", false, emulated("arm64")],
    ["meter cputime", "CPU time on this machine", false, meter({ meter: "cputime" })],
    ["meter perf", "hardware instruction counts", false, meter({ meter: "perf" })],
    ["io_uring", "ring servers on this machine", false, ring()],
    ["cores", "server and loader on cores of their own", false, { found: cores >= 2, detail: String(cores), remedy: "give this machine or container at least two cores" }],
    ["taskset and chrt", "pinning and scheduling of native trials", false, installed(apt("util-linux"), "taskset", "chrt")],
    ["chromium", "tests of the pages", false, installed(apt("chromium"), "chromium", "chromium-browser", "google-chrome")],
    ["fonts", "Hindi pages in the tests", false, fonts()],
    ["disk", "runs and builds", true, disk()],
  ];
  return Promise.all(all.map(async ([name, purpose, required, probing]) => {
    const { found, detail, remedy } = await probing;
    return { name, purpose, required, found, detail, remedy: found ? "" : (remedy ?? setUp) };
  }));
}

/** The command `doctor`: exit code 2 when something is missing that nothing works without. */
export async function run(_words: string[], options: Record<string, unknown>): Promise<number> {
  const found = await checks();
  if (options["json"] === true) console.log(JSON.stringify(found, null, 2));
  else {
    const [names, purposes] = [Math.max(...found.map((c) => c.name.length)), Math.max(...found.map((c) => c.purpose.length))];
    for (const check of found) {
      const state = check.found ? "found  " : check.required ? "MISSING" : "missing";
      console.log(`${state}  ${check.name.padEnd(names)}  ${check.purpose.padEnd(purposes)}  ${check.detail}${check.found ? "" : ` -> ${check.remedy}`}`);
    }
  }
  return found.some((check) => check.required && !check.found) ? 2 : 0;
}
