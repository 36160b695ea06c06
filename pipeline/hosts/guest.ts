import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inProject } from "../root.js";
import { writeFault } from "../store/file.js";
import { loadedPart } from "./elf.js";
import { TrialFailure } from "./failure.js";
import { initramfs, type InitramfsEntry } from "./initramfs.js";
import { packageSet, type PackageSet } from "./packages.js";
import { ending, Program } from "./process.js";
import { bootCommand, kernelImage, type Architecture, type BootCommand } from "./qemu.js";
import { inTemporaryFolder } from "./temporary.js";
import type { Command } from "./trial.js";

/** How the guest runs a trial; every field is part of the image and so of the digest. */
export interface GuestSettings {
  /** `equal`: server and loader both SCHED_BATCH, so that no wake-up preempts and every server meets the same batches. */
  readonly scheduling: "equal" | "ordinary";
  /** Idle seconds of guest time between boot and trial. */
  readonly settleSeconds: number;
  /** Whether the guest's random generator is credited with bytes that follow from the seed. */
  readonly seeded: boolean;
  /** Kernel settings that are not the kernel's own: `{ "net.core.netdev_budget": "1" }`. */
  readonly sysctls?: Readonly<Record<string, string>>;
  /** A shell script that runs beside the loader, with `$server` set; what it prints is the boot's `observer.out`. */
  readonly observer?: string;
}

/** What the meter uses. Other settings exist to show what goes wrong with them. */
export const soundSettings = { settleSeconds: 10, seeded: true } as const;

/** What one boot printed. */
export interface Boot {
  readonly release: string;
  /** Text by name: `server.out`, `server.err`, `loader.out`, `loader.err`, `observer.out`, `symbols`. */
  readonly files: ReadonlyMap<string, string>;
}

const port = 8080;

/** Folder of the guest's programs for an architecture. */
export function guestPrograms(architecture: Architecture): string {
  return inProject("native", "build", `guest-${architecture}`);
}

/** The entries of an image that runs the trial: BusyBox, `init`, the launcher, the two programs and how they are started. */
export function trialEntries(architecture: Architecture, settings: GuestSettings, server: Command, loader: Command): InitramfsEntry[] {
  const policy = policyOf(settings);
  const watched = loader.arguments.includes("{server-pid}") ? loader : { ...loader, arguments: [...loader.arguments, "--server-pid", "{server-pid}"] };
  const programs = [...new Set([server.program, loader.program])];
  return [
    ...baseEntries(architecture),
    { path: "trial/settings", kind: "file", content: settingsScript(settings) },
    ...(settings.observer === undefined ? [] : [{ path: "trial/observer", kind: "program", content: settings.observer } as const]),
    { path: "trial/server", kind: "program", content: startScript(policy, server) },
    { path: "trial/loader", kind: "program", content: startScript(policy, watched) },
    ...programs.map((name) => programEntry(architecture, name)),
  ];
}

const policyOf = ({ scheduling }: GuestSettings): string => (scheduling === "equal" ? "batch" : "ordinary");

function programEntry(architecture: Architecture, name: string): InitramfsEntry {
  return { path: `trial/bin/${name}`, kind: "program", content: loadedPart(readFileSync(join(guestPrograms(architecture), name))) };
}

/**
 * The entries of an image that runs a program alone. `init` knows a server and a loader, so the program takes the loader's place, and what
 * stands in the server's only waits: every image keeps the same `init`, and every digest of a trial with it.
 */
export function benchEntries(architecture: Architecture, settings: GuestSettings, program: Command): InitramfsEntry[] {
  return [
    ...baseEntries(architecture),
    { path: "trial/settings", kind: "file", content: settingsScript(settings) },
    { path: "trial/server", kind: "program", content: "#!/bin/sh\necho 'listening to nobody' >&2\nexec sleep 1000000\n" },
    { path: "trial/loader", kind: "program", content: startScript(policyOf(settings), program) },
    programEntry(architecture, program.program),
  ];
}

/** The entries of an image that prints the kernel's symbols. */
export function symbolEntries(architecture: Architecture): InitramfsEntry[] {
  return [...baseEntries(architecture), { path: "trial/symbols", kind: "file", content: "" }];
}

const tools = ["sh", "base64", "cat", "echo", "grep", "gzip", "head", "ip", "kill", "mount", "reboot", "sed", "sleep", "sysctl", "tr", "uname", "usleep"];

function baseEntries(architecture: Architecture): InitramfsEntry[] {
  const busybox = packageSet(`busybox-${architecture}`);
  return [
    { path: "init", kind: "program", content: readFileSync(inProject("native", "guest", "init")) },
    { path: "bin/busybox", kind: "program", content: readFileSync(join(busybox.folder, "usr", "bin", "busybox")) },
    { path: "bin/launch", kind: "program", content: loadedPart(readFileSync(join(guestPrograms(architecture), "launch"))) },
    ...tools.map((name) => ({ path: `bin/${name}`, kind: "link", content: "busybox" }) as const),
    ...["dev", "proc", "sys", "tmp"].map((name) => ({ path: `${name}/.keep`, kind: "file", content: "" }) as const),
  ];
}

function settingsScript({ settleSeconds, seeded, sysctls = {} }: GuestSettings): string {
  const pairs = Object.entries(sysctls).map(([name, value]) => `${name}=${value}`);
  return `SETTLE=${settleSeconds}\nSEEDED=${seeded ? "yes" : "no"}\nSYSCTLS=${quoted(pairs.join(" "))}\n`;
}

function startScript(policy: string, command: Command): string {
  const environment = Object.entries(command.environment ?? {}).map(([name, value]) => `export ${name}=${quoted(value)}\n`);
  const words = command.arguments.map((word) => (word === "{server-pid}" ? '"$server"' : word === "{seed}" ? '"$seed"' : quoted(word.replaceAll("{port}", String(port)))));
  return `#!/bin/sh\n${environment.join("")}exec /bin/launch ${policy} /trial/bin/${command.program} ${words.join(" ")}\n`;
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/**
 * Boots an image once and gives what it printed.
 *
 * Throws a `TrialFailure` that says the stage and carries the console's tail when the guest panics, hangs for longer than
 * `timeoutSeconds` of the host's CPU time, or one of its programs fails. The emulator and the files of the boot are gone afterwards.
 */
export async function boot(
  machine: { readonly qemu: PackageSet; readonly kernel: PackageSet; readonly architecture: Architecture },
  entries: readonly InitramfsEntry[],
  options: { readonly seed: number; readonly plugin?: string; readonly kernelArguments?: readonly string[]; readonly timeoutSeconds: number; readonly signal: AbortSignal },
): Promise<Boot> {
  return inTemporaryFolder(async (folder) => {
    const files = { kernel: kernelImage(machine.kernel), initramfs: join(folder, "initramfs"), console: join(folder, "console"), ...options };
    try {
      writeFileSync(files.initramfs, initramfs(entries));
      writeFileSync(files.console, "");
    } catch (error) {
      throw writeFault(files.initramfs, error);
    }
    const command = bootCommand(machine.qemu, machine.architecture, options.seed, files);
    const end = await runEmulator(command, options.timeoutSeconds, options.signal);
    return readConsole(readFileSync(files.console, "utf8"), end);
  });
}

/** How the emulator ended, and empty when it ended well; `complaint` is what it said itself. */
interface End {
  readonly how: string;
  readonly complaint: string;
}

/** Busy machines may take many times as long; only an emulator that makes no headway at all is ended by the clock. */
const wallClockFactor = 20;

/**
 * Runs the emulator until it ends, is interrupted, or has used `timeoutSeconds` of CPU time: a guest that hangs uses as much as one
 * that works, and a machine under load must not turn a sound boot into a failure.
 */
async function runEmulator({ program: path, ...command }: BootCommand, timeoutSeconds: number, signal: AbortSignal): Promise<End> {
  const emulator = new Program({ stage: "emulator", path, ...command, signal });
  let how = "";
  const watch = setInterval(() => {
    if (cpuSeconds(emulator.pid) < timeoutSeconds) return;
    how = `did not end within ${timeoutSeconds} s of CPU time`;
    emulator.kill("SIGKILL");
  }, 200);
  try {
    const end = await emulator.end(timeoutSeconds * wallClockFactor).catch((error: unknown) => {
      if (!(error instanceof TrialFailure) || signal.aborted) throw error;
      how ||= error.message;
      return emulator.ended;
    });
    signal.throwIfAborted();
    return { how: how || (end.code === 0 ? "" : `ended with ${ending(end)}`), complaint: emulator.output };
  } finally {
    clearInterval(watch);
  }
}

/** User and system time of a process (proc(5)), in ticks of a hundredth of a second, which every Linux reports here; 0 once it is gone. */
function cpuSeconds(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "").split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return 0;
  }
}

/** Reads the lines that `native/guest/init` prints. */
function readConsole(text: string, end: End): Boot {
  const lines = text.replaceAll("\r", "").split("\n");
  const files = new Map<string, string[]>();
  const said = new Map([["@stage", "boot"]]);
  let open: string[] | undefined;
  for (const line of lines) {
    const [word = "", value = ""] = line.split(" ", 2);
    if (word === "@end") open = undefined;
    else if (open) open.push(line);
    else if (word === "@begin") files.set(value, (open = []));
    else if (word.startsWith("@")) said.set(word, value);
  }
  const stage = said.get("@stage")!;
  const tail = [...lines.slice(-40), end.complaint].join("\n").slice(-4000);
  if (end.how) throw new TrialFailure(stage, `the emulated guest ${end.how} in stage '${stage}'`, tail);
  if (said.get("@status") !== "0") throw new TrialFailure(stage, `the emulated guest ${said.has("@status") ? "gave up" : "went down"} in stage '${stage}'`, tail);
  return { release: said.get("@release") ?? "", files: new Map([...files].map(([name, content]) => [name, content.join("\n")])) };
}
