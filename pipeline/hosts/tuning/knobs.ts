import type { Shell } from "../shell.js";
import { maskOf, type Machine } from "./machine.js";

/** What one place of a knob holds: a file of /proc or /sys, or a word of ethtool. */
export interface Held {
  readonly place: string;
  readonly value?: string;
  /** What the kernel said in place of a value: that it has no such thing here is data. */
  readonly refused?: string;
}

/** One thing about a host that can be set, and set back. */
export interface Knob {
  readonly name: string;
  readonly purpose: string;
  /** What it changes: the whole host, a network namespace, or the device. */
  readonly scope: "host" | "namespace" | "device";
  /** What it holds now, place by place; nothing where it does not exist. Changes nothing. */
  read(shell: Shell, machine: Machine): Promise<readonly Held[]>;
  /** What a place should hold, given what it does. */
  desired(machine: Machine, held: Held & { readonly value: string }): string;
  /** The command that makes a place hold a value; given twice it does no more than once. */
  write(machine: Machine, place: string, value: string): Command;
}

/** A program with its arguments and what it reads. */
export interface Command {
  readonly words: readonly string[];
  readonly input?: string;
}

// tee, because it says why a write was refused; the echo of a shell does not.
const writeFile = (_machine: Machine, place: string, value: string): Command => ({ words: ["tee", place], input: value });

// In place of a value: why there is none.
const reader = `for f do [ -e "$f" ] || continue; if v=$(cat "$f" 2>&1); then printf 'v\\t%s\\t%s\\n' "$f" "$v"; else printf 'r\\t%s\\t%s\\n' "$f" "\${v##*: }"; fi; done`;

/** What files hold; those that are not there are left out. */
export async function readPlaces(shell: Shell, places: readonly string[]): Promise<Held[]> {
  if (places.length === 0) return [];
  const { stdout } = await shell.run(["sh", "-c", reader, "sh", ...places]);
  return stdout.split("\n").filter((row) => row !== "").map((row) => {
    const [kind, place, ...rest] = row.split("\t");
    const text = rest.join(" ").trim();
    return kind === "v" ? { place: place!, value: text } : { place: place!, refused: text };
  });
}

type Places = (machine: Machine) => readonly string[];
type Desired = Knob["desired"];

function files(name: string, scope: Knob["scope"], purpose: string, places: Places, desired: Desired): Knob {
  return { name, scope, purpose, desired, write: writeFile, read: (shell, machine) => readPlaces(shell, places(machine)) };
}

const sysctl = (name: string): string => `/proc/sys/${name.replaceAll(".", "/")}`;

/** Never less than what is there: a host may have been set up well already. */
const atLeast = (least: number): Desired => (_machine, { value }) => String(Math.max(least, Number(value)));

/** The last of three: what a socket may grow to. */
const grows = (most: number): Desired => (_machine, { value }) => {
  const [low, usual, high] = value.split(/\s+/).map(Number);
  return [low, usual, Math.max(most, high!)].join(" ");
};

const queues = (kind: "rx" | "tx", file: string): Places => (machine) =>
  Array.from({ length: kind === "rx" ? machine.receiveQueues : machine.transmitQueues }, (_, i) => `/sys/class/net/${machine.device}/queues/${kind}-${i}/${file}`);

/** Entries of the table by which RFS finds the core that reads a socket: more than the most connections that are measured. */
const flows = 32_768;
const megabytes = 1024 * 1024;

/**
 * With one receive queue its core has enough to do with the interrupt: the others get the packets. With more queues, or where the core is
 * unknown, all share.
 */
function steered({ cores, receiveQueues, interruptCores }: Machine): readonly number[] {
  const others = cores.filter((core) => !interruptCores.includes(core));
  return receiveQueues === 1 && interruptCores.length === 1 && others.length >= 3 ? others : cores;
}

/** The cores of a transmit queue: dealt out in turn. */
function sharing(machine: Machine, place: string): readonly number[] {
  const queue = Number(/tx-(\d+)/.exec(place)![1]);
  const mine = machine.cores.filter((_, i) => i % machine.transmitQueues === queue);
  return mine.length > 0 ? mine : [machine.cores[queue % machine.cores.length]!];
}

/** The rows of `ethtool -g`: what a ring may have and what it has. */
export function ringRows(text: string): Held[] {
  const [, maximums = "", current = ""] = text.split(/Pre-set maximums:|Current hardware settings:/);
  const row = (part: string, name: string): number => Number(new RegExp(`^${name}:\\s*(\\d+)`, "m").exec(part)?.[1] ?? NaN);
  return ["RX", "TX"].filter((name) => row(current, name) > 0).map((name) => ({ place: `ring ${name.toLowerCase()} of at most ${row(maximums, name) || row(current, name)}`, value: String(row(current, name)) }));
}

const ring: Knob = {
  name: "ring",
  scope: "device",
  purpose: "room for bursts in the device's rings",
  async read(shell, { ethtool, device }) {
    if (ethtool === undefined) return [{ place: "ring", refused: "ethtool is not there" }];
    const { code, stdout, stderr } = await shell.run([...ethtool, "-g", device]);
    return code === 0 ? ringRows(stdout) : [{ place: "ring", refused: stderr.trim().split(": ").at(-1)! }];
  },
  desired: (_machine, { place }) => /(\d+)$/.exec(place)![1]!,
  write: ({ ethtool = ["ethtool"], device }, place, value) => ({ words: [...ethtool, "-G", device, place.split(" ")[1]!, value] }),
};

/** Every knob, in the order in which they are turned. A ring first: to change it many drivers take the device down for a moment. */
export const knobs: readonly Knob[] = [
  ring,
  files("governor", "host", "cores at their full clock", ({ cores }) => cores.map((core) => `/sys/devices/system/cpu/cpu${core}/cpufreq/scaling_governor`), () => "performance"),
  files("busy-poll", "host", "no core spins for packets that another one steers", () => ["net.core.busy_poll", "net.core.busy_read"].map(sysctl), () => "0"),
  files("backlog", "host", "room between the receiving core and those it steers to", () => [sysctl("net.core.netdev_max_backlog")], atLeast(300_000)),
  files("socket-limits", "host", "what a program may ask of a socket", () => ["net.core.rmem_max", "net.core.wmem_max"].map(sysctl), atLeast(256 * megabytes)),
  files("socket-buffers", "namespace", "what TCP lets a socket grow to", () => ["net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"].map(sysctl), grows(256 * megabytes)),
  files("somaxconn", "namespace", "connections that wait to be accepted", () => [sysctl("net.core.somaxconn")], atLeast(65_535)),
  files("syn-backlog", "namespace", "connections that are half open", () => [sysctl("net.ipv4.tcp_max_syn_backlog")], atLeast(65_535)),
  files("ports", "namespace", "local ports for a client's connections", () => [sysctl("net.ipv4.ip_local_port_range")], (_machine, { value }) => {
    const [low, high] = value.split(/\s+/).map(Number);
    return `${Math.min(10_000, low!)} ${Math.max(65_535, high!)}`;
  }),
  files("rps", "device", "received packets spread over the cores", queues("rx", "rps_cpus"), (machine) => maskOf(steered(machine))),
  files("rfs", "device", "packets go to the core that reads their socket", (machine) => [sysctl("net.core.rps_sock_flow_entries"), ...queues("rx", "rps_flow_cnt")(machine)],
    (machine, { place }) => String(place.startsWith("/proc") ? flows : Math.max(1, 2 ** Math.floor(Math.log2(flows / machine.receiveQueues))))),
  files("xps", "device", "each core sends by its own queue", queues("tx", "xps_cpus"), (machine, { place }) => maskOf(sharing(machine, place))),
];

/** Whether two values are the same to the kernel, which pads masks and separates by tabs. */
export function same(one: string, other: string): boolean {
  const plain = (text: string): string => text.trim().split(/[\s,]+/).map((part) => part.replace(/^0+(?=[\da-f])/i, "").toLowerCase()).join(" ").replace(/^(0 )+/, "");
  return plain(one) === plain(other);
}
