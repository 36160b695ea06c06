import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { functionsOfLibrary } from "../hosts/archive.js";
import { addressOf, readImage, type Image } from "../hosts/elf.js";
import { TrialFailure } from "../hosts/failure.js";
import { benchEntries, boot, guestPrograms, soundSettings, trialEntries, type Boot, type GuestSettings } from "../hosts/guest.js";
import { initramfs, type InitramfsEntry } from "../hosts/initramfs.js";
import { findPackageSet, packageSet, type PackageSet } from "../hosts/packages.js";
import { machineArguments, qemuSet, type Architecture, type QemuVersion } from "../hosts/qemu.js";
import { kernelFunctions, SymbolTable } from "../hosts/symbols.js";
import { inTemporaryFolder } from "../hosts/temporary.js";
import type { ServerReport } from "../hosts/loopback.js";
import { isBench, type Availability, type BenchReport, type EmulatedPlacement, type LoaderReport, type LoopbackTrial, type Measurement, type ServerTrial } from "../hosts/trial.js";
import { inProject } from "../root.js";
import type { Digest, Reading } from "../store/attempt.js";
import { digestOf } from "./digest.js";
import { benchReadings, reportedReadings } from "./readings.js";
import { displacedShare, entriesOf, entryPoints, instructionsIn, instructionsOf, parseWindow, profile, type Window } from "./counts.js";

/** How the emulated meter works; all of it is part of the digest of inputs. */
export interface EmulatorOptions {
  readonly qemu?: QemuVersion;
  /** Guest settings other than the sound ones: only to show what goes wrong with them. */
  readonly guest?: Partial<Omit<GuestSettings, "scheduling">>;
  /** Arguments of the guest's kernel beside its usual ones. */
  readonly kernelArguments?: readonly string[];
  /** Takes what the boot printed, beside what is measured from it. */
  readonly onBoot?: (booted: Boot) => void;
}

/** The plugin interface that each emulator speaks. */
const pluginInterfaces: Readonly<Record<QemuVersion, number>> = { "7.2": 1, "10.0": 4 };
const openMarker = "nullius_window_open";
const closeMarker = "nullius_window_close";

/** Whether this placement can be measured here: what set-up downloads and builds must be there. */
export async function emulatorAvailable(placement: EmulatedPlacement, options: EmulatorOptions = {}): Promise<Availability> {
  const { architecture, kernel } = placement;
  const remedy = architecture === "arm64" ? "make setup PROFILE=full" : "make setup";
  const sets = [`qemu-${versionOf(options)}`, kernelName(placement), `busybox-${architecture}`].filter((name) => !findPackageSet(name));
  if (sets.length > 0) return { available: false, reason: `no Debian packages ${sets.join(", ")} for an emulated ${kernel} guest`, remedy };
  const files = [pluginOf(options), join(guestPrograms(architecture), "launch")].filter((path) => !existsSync(path));
  if (files.length > 0) return { available: false, reason: `not built: ${files.join(", ")}`, remedy };
  return { available: true };
}

/** The digest of everything but the seed that can change a count. */
export async function emulatorInputs(trial: LoopbackTrial, options: EmulatorOptions = {}): Promise<Digest> {
  return digestOf(setUp(trial, options).covered);
}

/**
 * The emulated meter: boots a Debian kernel under QEMU's TCG on one CPU, whose time is the count of instructions, runs server and
 * loader in it, and counts the instructions of each task between the loader's two markers, the kernel's included.
 *
 * The same digest and seed give the same counts to the last digit on any host. The digest covers kernel, initramfs, emulator,
 * command line and plugin, not the seed. Loopback charges handshake and the client's receive path to whichever task runs.
 *
 * Throws a `TrialFailure` that names the stage and carries the console's tail; the emulator never outlives the call.
 */
export async function measureEmulated(trial: LoopbackTrial, seed: number, signal: AbortSignal, options: EmulatorOptions = {}): Promise<Measurement> {
  const { machine, entries, covered } = setUp(trial, options);
  const images = readImages(trial, machine.architecture);
  const kernel = new SymbolTable(await kernelFunctions(machine, signal));
  return inTemporaryFolder(async (folder) => {
    const out = join(folder, "counts");
    const plugin = pluginArgument(pluginOf(options), images, kernel, machine.architecture, out);
    const booted = await boot(machine, entries, { seed, plugin, timeoutSeconds: trial.timeoutSeconds, signal, kernelArguments: options.kernelArguments ?? [] });
    options.onBoot?.(booted);
    const window = readWindow(out, booted);
    return {
      basis: "emulated",
      inputs: digestOf(covered),
      ...(isBench(trial) ? readBench(window, booted) : readings(trial, window, kernel, images.server, booted)),
      facts: { ...covered, qemu: versionOf(options), kernel: booted.release, ...(isBench(trial) ? benchFacts(booted) : remarks(booted, window, kernel)) },
      profile: profile(window, kernel, images.server, images.loader),
    };
  });
}

const versionOf = ({ qemu = "10.0" }: EmulatorOptions): QemuVersion => qemu;
const pluginOf = (options: EmulatorOptions): string => inProject("native", "build", "plugin", `counter-${pluginInterfaces[versionOf(options)]}.so`);

/** What is booted, and the digests of what it is made of. */
function setUp(trial: LoopbackTrial, options: EmulatorOptions): { machine: Machine; entries: InitramfsEntry[]; covered: Record<string, string> } {
  if (trial.placement.meter !== "emulator") throw new Error(`the emulator was given a trial for ${trial.placement.meter}`);
  const { placement } = trial;
  const machine = { qemu: qemuSet(versionOf(options)), kernel: packageSet(kernelName(placement)), architecture: placement.architecture };
  const settings = { ...soundSettings, ...options.guest, scheduling: placement.scheduling };
  const entries = isBench(trial) ? benchEntries(machine.architecture, settings, trial.program) : trialEntries(machine.architecture, settings, trial.server, trial.loader);
  return { machine, entries, covered: digests(machine, entries, options) };
}

interface Machine {
  readonly qemu: PackageSet;
  readonly kernel: PackageSet;
  readonly architecture: Architecture;
}

const kernelName = ({ kernel, architecture }: EmulatedPlacement): string => `kernel-${kernel}-${architecture}`;

const sha256 = (bytes: Buffer | string): string => createHash("sha256").update(bytes).digest("hex");

/** The digests behind `inputs`, by what they cover. */
function digests(machine: Machine, entries: readonly InitramfsEntry[], options: EmulatorOptions): Record<string, string> {
  return {
    digest_kernel: machine.kernel.digest,
    digest_initramfs: sha256(initramfs(entries)),
    digest_emulator: machine.qemu.digest,
    digest_command: sha256(JSON.stringify(machineArguments(machine.architecture, options.kernelArguments))),
    digest_plugin: sha256(readFileSync(pluginOf(options))),
  };
}

/** Where no program has text: beside a bench there is no server. */
const nobody = { low: 1n, high: 2n } as const;

function readImages(trial: LoopbackTrial, architecture: Architecture): { server: Image; loader: Image } {
  const read = ({ program }: { program: string }): Image => readImage(join(guestPrograms(architecture), program));
  if (isBench(trial)) {
    const loader = read(trial.program);
    return { server: { ...loader, text: nobody, functions: [] }, loader };
  }
  const [server, loader] = [read(trial.server), read(trial.loader)];
  if (server.text.low < loader.text.high && loader.text.low < server.text.high)
    throw new TrialFailure("image", `${trial.server.program} and ${trial.loader.program} are linked at overlapping addresses, so their tasks cannot be told apart`);
  return { server, loader };
}

const hex = (address: bigint): string => address.toString(16);

function pluginArgument(plugin: string, images: { server: Image; loader: Image }, kernel: SymbolTable, architecture: Architecture, out: string): string {
  const { taskSwitch } = entryPoints[architecture];
  const [switchAddress] = kernel.named(taskSwitch);
  if (switchAddress === undefined) throw new TrialFailure("symbols", `the guest's kernel has no function ${taskSwitch}`);
  const range = ({ text }: Image): string => `${hex(text.low)}-${hex(text.high)}`;
  const values = {
    server: range(images.server),
    loader: range(images.loader),
    open: hex(marker(images.loader, openMarker)),
    close: hex(marker(images.loader, closeMarker)),
    switch: hex(switchAddress),
    out,
  };
  return [plugin, ...Object.entries(values).map(([name, value]) => `${name}=${value}`)].join(",");
}

/** A marker's address; Go puts its package before the name. */
function marker(image: Image, name: string): bigint {
  return addressOf(image, image.functions.some((symbol) => symbol.name === name) ? name : `main.${name}`);
}

function readWindow(path: string, booted: Boot): Window {
  try {
    return parseWindow(existsSync(path) ? readFileSync(path, "utf8") : "");
  } catch (error) {
    throw new TrialFailure("count", (error as Error).message, lastLines(booted));
  }
}

const lastLines = ({ files }: Boot): string => [...files].map(([name, text]) => `${name}:\n${text}`).join("\n").slice(-4000);

/** The last line that a program printed, as JSON. */
function reportOf<T>(booted: Boot, name: string): T {
  const line = (booted.files.get(name) ?? "").trimEnd().split("\n").at(-1) ?? "";
  try {
    return JSON.parse(line) as T;
  } catch {
    throw new TrialFailure("report", `the last line of ${name} is not a report: ${line.slice(0, 80)}`, lastLines(booted));
  }
}

/** What the server says of its path, and a warning when its figure is too low. */
function remarks(booted: Boot, window: Window, kernel: SymbolTable): Record<string, string> {
  const { path } = reportOf<ServerReport>(booted, "server.out");
  const displaced = displacedShare(window, kernel);
  return {
    ...(path === undefined ? {} : { path }),
    ...(displaced <= displacedTolerated ? {} : { warning: `${(displaced * 100).toFixed(1)} % of the segments were received outside server and loader, by ksoftirqd or other tasks, so the server's instructions are too low` }),
  };
}

/** Above this share the server's figure misses so much of its receive work that it must not be compared without saying so. */
const displacedTolerated = 0.05;

/** Instructions of the program alone, for each operation; whatever else ran stands beside it. */
function readBench(window: Window, booted: Boot): Pick<Measurement, "metrics"> {
  const report = reportOf<BenchReport>(booted, "loader.out");
  if (!(report.operations > 0)) throw new TrialFailure("bench", "not one operation was done in the window", lastLines(booted));
  const counted = instructionsOf(window, "loader");
  const each = (value: number): Reading => ({ value: value / report.operations, unit: "instruction/operation", meter: "emulator" });
  return {
    metrics: {
      ...benchReadings(report),
      instructions: each(counted.total),
      instructions_user: each(counted.user),
      instructions_kernel: each(counted.kernel),
      other_instructions: each(instructionsOf(window, "other").total),
    },
  };
}

function benchFacts(booted: Boot): Record<string, string> {
  const { path, facts } = reportOf<BenchReport>(booted, "loader.out");
  return { ...facts, path };
}

/** The C library's part of a server's instructions; none for one that is linked without it, as Go's. */
function libraryReadings(window: Window, image: Image, each: (value: number) => Reading): Record<string, Reading> {
  const folder = findPackageSet(`musl-${image.machine}`)?.folder;
  if (folder === undefined || !image.functions.some(({ name }) => name === "__libc_start_main")) return {};
  const triple = image.machine === "arm64" ? "aarch64-linux-musl" : "x86_64-linux-musl";
  return { instructions_libc: each(instructionsIn(window, "server", image, functionsOfLibrary(join(folder, "usr/lib", triple, "libc.a")))) };
}

function readings(trial: ServerTrial, window: Window, kernel: SymbolTable, image: Image, booted: Boot): Pick<Measurement, "metrics" | "histogram"> {
  const report = reportOf<LoaderReport>(booted, "loader.out");
  const server = reportOf<ServerReport>(booted, "server.out");
  if (!(report.completed > 0)) throw new TrialFailure("loader", "the loader completed nothing in its window", lastLines(booted));
  const counted = instructionsOf(window, "server");
  const { systemCall, enter } = entryPoints[image.machine];
  const displaced = displacedShare(window, kernel);
  const each = (value: number, unit: string): Reading => ({ value: value / report.completed, unit: `${unit}/${trial.per}`, meter: "emulator" });
  const metrics = {
    ...reportedReadings(report, server, trial.per),
    instructions: each(counted.total, "instruction"),
    instructions_user: each(counted.user, "instruction"),
    instructions_kernel: each(counted.kernel, "instruction"),
    ...libraryReadings(window, image, (value) => each(value, "instruction")),
    loader_instructions: each(instructionsOf(window, "loader").total, "instruction"),
    other_instructions: each(instructionsOf(window, "other").total, "instruction"),
    system_calls: each(entriesOf(window, "server", kernel.named(systemCall)), "1"),
    enters: each(entriesOf(window, "server", kernel.named(enter)), "1"),
    switches: each(window.switches, "1"),
    displaced_share: { value: displaced, unit: "1", meter: "emulator" },
  };
  return { metrics, ...(report.histogram === undefined ? {} : { histogram: report.histogram }) };
}
