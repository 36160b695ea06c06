import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { arch, cpus, hostname, release, totalmem } from "node:os";
import { join } from "node:path";
import { inProject } from "../root.js";
import type { Fingerprint, Manifest } from "../store/manifest.js";

/** A file of /proc or /sys without its line end; undefined where the kernel has none. */
function read(...parts: string[]): string | undefined {
  try {
    return readFileSync(join(...parts), "utf8").trim();
  } catch {
    return undefined;
  }
}

function list(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

/** The first line a program prints; undefined when it is missing or fails. */
function firstLine(command: string, ...words: string[]): string | undefined {
  try {
    return execFileSync(command, words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], timeout: 10_000 }).split("\n")[0];
  } catch {
    return undefined;
  }
}

function defined(values: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** The sysctls that decide how many short connections fit and what each costs. */
const sysctlNames = [
  "kernel.io_uring_disabled", "kernel.perf_event_paranoid", "kernel.sched_autogroup_enabled", "kernel.timer_migration", "net.core.busy_poll", "net.core.netdev_max_backlog",
  "net.core.rmem_default", "net.core.rps_sock_flow_entries", "net.core.somaxconn", "net.core.wmem_default", "net.ipv4.ip_local_port_range", "net.ipv4.tcp_abort_on_overflow",
  "net.ipv4.tcp_congestion_control", "net.ipv4.tcp_fastopen", "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_max_syn_backlog", "net.ipv4.tcp_max_tw_buckets", "net.ipv4.tcp_rmem",
  "net.ipv4.tcp_syncookies", "net.ipv4.tcp_timestamps", "net.ipv4.tcp_tw_reuse", "net.ipv4.tcp_wmem", "vm.overcommit_memory",
] as const;

const vulnerabilities = "/sys/devices/system/cpu/vulnerabilities";

/** The part of the fingerprint that a native figure depends on: with it changed, cells are measured again. */
export function nativeIdentity(): Readonly<Record<string, unknown>> {
  return { architecture: arch(), cpu: cpuModel(), cores: cpus().length, kernel: release(), mitigations: mitigations(), governor: governor() };
}

const cpuModel = (): string => cpus()[0]?.model.trim() ?? "unknown";
const mitigations = (): Record<string, string> => defined(Object.fromEntries(list(vulnerabilities).map((name) => [name, read(vulnerabilities, name)])));
const governor = (): string => read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") ?? "none";

/** SHA-256 of what was built, by path, and of what was unpacked, by name of the set of packages. */
export function images(): Record<string, string> {
  const built = inProject("native", "build");
  const unpacked = process.env["NULLIUS_DEBIAN"] ?? inProject(".cache", "debian");
  const programs = list(built).filter((host) => host === "host" || host === "plugin" || host.startsWith("guest-")).flatMap((host) =>
    readdirSync(join(built, host), { withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => join(host, entry.name)));
  return {
    ...Object.fromEntries(programs.sort().map((path) => [path, createHash("sha256").update(readFileSync(join(built, path))).digest("hex")])),
    ...defined(Object.fromEntries(list(unpacked).map((name) => [`debian/${name}`, read(unpacked, name, ".digest")]))),
  };
}

/** This machine, as the manifest keeps it. */
export function fingerprint(): Fingerprint {
  return {
    host: hostname(),
    architecture: arch(),
    cpu: cpuModel(),
    cores: cpus().length,
    kernel: release(),
    distribution: /^PRETTY_NAME="?([^"\n]*)/m.exec(read("/etc/os-release") ?? "")?.[1] ?? "unknown",
    memoryBytes: totalmem(),
    mitigations: mitigations(),
    governor: governor(),
    network: network(),
    compilers: defined({ cc: firstLine("cc", "--version"), go: firstLine("go", "version"), node: process.version }),
    libraries: defined({ liburing: firstLine("pkg-config", "--modversion", "liburing"), libc: firstLine("ldd", "--version"), v8: process.versions.v8, openssl: process.versions.openssl }),
    sysctls: defined(Object.fromEntries(sysctlNames.map((name) => [name, read("/proc/sys", ...name.split("."))?.replaceAll("\t", " ")]))),
    images: images(),
  };
}

function network(): Fingerprint["network"] {
  const folder = "/sys/class/net";
  return list(folder).filter((name) => existsSync(join(folder, name, "queues"))).map((name) => {
    const queues = list(join(folder, name, "queues"));
    const driver = read(folder, name, "device", "uevent");
    return {
      name,
      driver: /^DRIVER=(.*)$/m.exec(driver ?? "")?.[1] ?? "none",
      receiveQueues: queues.filter((q) => q.startsWith("rx-")).length,
      transmitQueues: queues.filter((q) => q.startsWith("tx-")).length,
      mtu: Number(read(folder, name, "mtu") ?? 0),
    };
  });
}

/** The commit of the sources, and whether anything differs from it; nulls where git is missing or this is no clone. */
export function sources(): Manifest["git"] {
  const git = (...words: string[]): string | undefined => {
    try {
      return execFileSync("git", ["-C", inProject(), ...words], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], timeout: 10_000 }).trim();
    } catch {
      return undefined;
    }
  };
  const changes = git("status", "--porcelain");
  return { commit: git("rev-parse", "HEAD") ?? null, dirty: changes === undefined ? null : changes !== "" };
}

/** The cores this process may run on. */
export function allowedCores(): number[] {
  const text = /^Cpus_allowed_list:\s*(.*)$/m.exec(read("/proc/self/status") ?? "")?.[1] ?? "0";
  return text.split(",").flatMap((range) => {
    const [from, to] = range.split("-").map(Number);
    return Array.from({ length: (to ?? from!) - from! + 1 }, (_, i) => from! + i);
  });
}

/** A port of the loopback that was free a moment ago. */
export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => (address !== null && typeof address === "object" ? resolve(address.port) : reject(new Error("no port was given"))));
    });
  });
}
