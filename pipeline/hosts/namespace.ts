import { execFile, spawnSync } from "node:child_process";
import { accessSync, constants, readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { TrialFailure } from "./failure.js";
import { findPackageSet, unpackedProgram } from "./packages.js";
import type { Availability } from "./trial.js";

/** One end of a link: a network namespace with a loopback and one device. Its programs are started with `Launch.namespace`. */
export interface End {
  /** As `ip netns` knows it. */
  readonly namespace: string;
  readonly device: string;
  /** IPv4, in dotted notation. */
  readonly address: string;
}

/** What a link is made of, beside its two ends. */
export interface LinkOptions {
  /**
   * Each end receives as a machine with one receive queue does: packets as they were sent, through NAPI, in a kernel thread of its own that can be
   * pinned. Without it the sender's processor does the receiver's work too. Needs ethtool and Linux 5.12.
   */
  readonly receiveThreads?: boolean;
}

const prefix = "nullius-";
/** Only the two namespaces of one pair have routes to it, so that every pair can have the same. */
const network = { server: "198.18.0.1", client: "198.18.0.2", bits: 30 } as const;
const run = promisify(execFile);
const live = new Set<NamespacePair>();
let made = 0;

/**
 * Two network namespaces with a veth pair between them. They are gone after `close`, and after this process: when it exits, by `process.on("exit")`;
 * when it is killed, by the next `sweepNamespaces`, which knows whose they were by their names.
 */
export class NamespacePair {
  readonly server: End;
  readonly client: End;

  private constructor() {
    // A device's name has at most 15 letters, and that of its thread is cut after as many.
    const number = made++ % 36 ** 2;
    const device = (end: string): string => `nl${process.pid.toString(36).padStart(5, "0")}${number.toString(36).padStart(2, "0")}${end}`;
    const namespace = (end: string): string => `${prefix}${process.pid}-${startOf(process.pid)}-${number}-${end}`;
    this.server = { namespace: namespace("server"), device: device("s"), address: network.server };
    this.client = { namespace: namespace("client"), device: device("c"), address: network.client };
  }

  /**
   * Makes a pair, both ends up.
   *
   * @throws TrialFailure of the stage `link` with what the kernel said; nothing is left then
   */
  static async make({ receiveThreads = false }: LinkOptions = {}): Promise<NamespacePair> {
    const pair = new NamespacePair();
    if (live.size === 0) process.on("exit", removeAll);
    live.add(pair);
    try {
      await pair.#build(receiveThreads);
      return pair;
    } catch (error) {
      await pair.close();
      throw new TrialFailure("link", lastWords(error));
    }
  }

  async #build(receiveThreads: boolean): Promise<void> {
    const { server, client } = this;
    for (const { namespace } of [server, client]) await ip("netns", "add", namespace);
    await ip("-n", server.namespace, "link", "add", server.device, "type", "veth", "peer", "name", client.device, "netns", client.namespace);
    for (const end of [server, client]) {
      // A device takes to NAPI only when it is not yet up, and only where the other end cuts what it sends into packets itself.
      if (receiveThreads) await ethtool(end, "-K", end.device, "gro", "on", "tso", "off", "gso", "off");
      await ip("-n", end.namespace, "address", "add", `${end.address}/${network.bits}`, "dev", end.device);
      await ip("-n", end.namespace, "link", "set", "lo", "up");
      await ip("-n", end.namespace, "link", "set", end.device, "up");
    }
    if (receiveThreads) for (const end of [server, client]) await inNamespace(end.namespace, "sh", "-c", `echo 1 > /sys/class/net/${end.device}/threaded`);
  }

  /** Removes both; what still runs in them keeps only its loopback. */
  async close(): Promise<void> {
    for (const { namespace } of [this.server, this.client]) await ip("netns", "delete", namespace).catch(() => {});
    live.delete(this);
    if (live.size === 0) process.off("exit", removeAll);
  }
}

/** Only what is done at once is done when a process exits. */
function removeAll(): void {
  for (const pair of live) for (const { namespace } of [pair.server, pair.client]) spawnSync("ip", ["netns", "delete", namespace], { stdio: "ignore" });
}

/** Runs a command in a namespace and gives its standard output. @throws what `execFile` throws */
export async function inNamespace(namespace: string, ...words: readonly string[]): Promise<string> {
  return (await run("ip", ["netns", "exec", namespace, ...words], { timeout: 10_000 })).stdout;
}

/** Runs ethtool at an end of a link and gives what it printed. @throws what `execFile` throws */
export async function ethtool(end: Pick<End, "namespace">, ...words: readonly string[]): Promise<string> {
  return inNamespace(end.namespace, ...ethtoolCommand()!, ...words);
}

/** The host's ethtool, else the one that set-up unpacked, by its own loader; undefined without either. */
export function ethtoolCommand(): readonly string[] | undefined {
  if (onPath("ethtool")) return ["ethtool"];
  const set = findPackageSet("ethtool");
  return set === undefined ? undefined : unpackedProgram(set, join("usr", "sbin", "ethtool"));
}

async function ip(...words: readonly string[]): Promise<void> {
  await run("ip", words, { timeout: 10_000 });
}

/**
 * The kernel threads that receive for a device whose `threaded` is on.
 *
 * @returns their process ids, none when they are not to be seen, as in a container
 */
export function receiveThreadsOf(device: string): number[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).filter((pid) => text(`/proc/${pid}/comm`)?.startsWith(`napi/${device}`) === true).map(Number);
}

/** Removes the namespaces of processes that are gone: what `kill -9` left. Gives their names. */
export function sweepNamespaces(): string[] {
  const left = namespaceNames().filter((name) => {
    const [, pid, start] = /^nullius-(\d+)-(\d+)-/.exec(name) ?? [];
    return pid !== undefined && startOf(Number(pid)) !== start;
  });
  return left.filter((name) => spawnSync("ip", ["netns", "delete", name], { stdio: "ignore" }).status === 0);
}

function namespaceNames(): string[] {
  try {
    return readdirSync("/run/netns");
  } catch {
    return [];
  }
}

/** Whether pairs can be made here, asked once by making one. */
let known: Availability | undefined;

/** Whether network namespaces with a link can be made here, and why not. */
export async function namespacesAvailable(): Promise<Availability> {
  return (known ??= await judge());
}

async function judge(): Promise<Availability> {
  const no = (reason: string, remedy: string): Availability => ({ available: false, reason, remedy });
  if (process.platform !== "linux") return no(`network namespaces are Linux's, and this is ${process.platform}`, "run on Linux");
  if (!onPath("ip")) return no("the program ip is not on PATH", "install the package iproute2");
  if (ethtoolCommand() === undefined) return no("ethtool is neither on PATH nor among what set-up unpacked", "run 'make setup', or install the package ethtool");
  if (process.getuid?.() !== 0) return no("only root may make network namespaces, and this is another user", "run the same command as root");
  try {
    const pair = await NamespacePair.make({ receiveThreads: true });
    try {
      if (receiveThreadsOf(pair.server.device).length === 0) return no("the kernel's receive threads are not to be seen from this container", "run on the host itself");
      return { available: true };
    } finally {
      await pair.close();
    }
  } catch (error) {
    return no(`two network namespaces with a link cannot be made: ${(error as Error).message}`, "needs Linux 5.12 with veth, and the capabilities NET_ADMIN and SYS_ADMIN");
  }
}

/** When a process began, in ticks since the boot (proc(5), field 22 of stat): with its number the name of one process for ever. */
function startOf(pid: number): string | undefined {
  const stat = text(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
}

function text(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function onPath(name: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** What a command said when it failed, in one line. */
function lastWords(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string };
  return stderr?.trim().split("\n").at(-1) || message.split("\n")[0]!;
}
