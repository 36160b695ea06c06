import { globSync } from "node:fs";
import { join } from "node:path";
import { hostTriple, packageSet, unpackedProgram, type PackageSet } from "./packages.js";

/** Debian 13's emulator and Debian 12's. */
export type QemuVersion = "10.0" | "7.2";
export type Architecture = "amd64" | "arm64";

interface Machine {
  readonly program: string;
  /** The same board under both emulators, so that only the emulator differs. */
  readonly arguments: readonly string[];
  readonly console: string;
  readonly kernelArguments: readonly string[];
}

/**
 * What a boot spends most of its time on and a trial does not need. Linux finds the rate of the local APIC's timer, and whether ACPI's clock
 * runs, by reading clocks in tight loops; each read ends a block early when instructions are counted. The first loop was 6 of a boot's
 * 15 seconds, ACPI with its loop 2 of the 9 left.
 */
const withoutCalibration = ["noapictimer", "acpi=off"] as const;

const machines: Readonly<Record<Architecture, Machine>> = {
  amd64: { program: "qemu-system-x86_64", arguments: ["-M", "pc-i440fx-7.2", "-cpu", "qemu64"], console: "ttyS0", kernelArguments: withoutCalibration },
  arm64: { program: "qemu-system-aarch64", arguments: ["-M", "virt-7.2", "-cpu", "cortex-a72"], console: "ttyAMA0", kernelArguments: [] },
};

/**
 * What makes two boots of one image the same to the last digit: one CPU, guest time that is the count of instructions and does not
 * wait for the host's, and no clock, seed or device of the host.
 */
const deterministic = [
  "-nodefaults", "-no-user-config", "-display", "none", "-nic", "none", "-no-reboot", "-m", "512", "-smp", "1", "-accel", "tcg",
  "-icount", "shift=0,sleep=off", "-rtc", "base=2026-01-01T00:00:00,clock=vm", "-seed", "1",
] as const;

/** No random addresses, no seed that the host or the CPU gives; a panic ends the boot. */
const kernelArguments = ["quiet", "panic=-1", "nokaslr", "norandmaps", "random.trust_cpu=off", "random.trust_bootloader=off"] as const;

/** The emulator's arguments that can change a count: all but paths and the seed. They are part of the digest. */
export function machineArguments(architecture: Architecture, moreKernelArguments: readonly string[] = []): string[] {
  const { program, arguments: board, console, kernelArguments: own } = machines[architecture];
  return [program, ...board, ...deterministic, "-append", [`console=${console}`, ...kernelArguments, ...own, ...moreKernelArguments].join(" ")];
}

/** Files of one boot. The console goes to a file because a pipe that is not read in time would change the guest's timing. */
export interface BootFiles {
  readonly kernel: string;
  readonly initramfs: string;
  readonly console: string;
  readonly kernelArguments?: readonly string[];
  /** `-plugin` argument. */
  readonly plugin?: string;
}

export interface BootCommand {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** What boots a guest, by the emulator's own loader and libraries, whatever the host has. */
export function bootCommand(qemu: PackageSet, architecture: Architecture, seed: number, files: BootFiles): BootCommand {
  const [program, ...machine] = machineArguments(architecture, files.kernelArguments);
  const [loader, ...own] = unpackedProgram(qemu, join("usr", "bin", program!));
  const shared = join(qemu.folder, "usr", "share");
  machine.push(`${machine.pop()} nullius.seed=${seed}`);
  return {
    program: loader,
    // QEMU 7.2 keeps its translator in a module.
    environment: { QEMU_MODULE_DIR: join(qemu.folder, "usr", "lib", hostTriple(), "qemu") },
    arguments: [
      ...own, "-L", join(shared, "qemu"), "-L", join(shared, "seabios"),
      ...machine, "-kernel", files.kernel, "-initrd", files.initramfs, "-serial", `file:${files.console}`,
      ...(files.plugin === undefined ? [] : ["-plugin", files.plugin]),
    ],
  };
}

/** The emulator's packages. Throws a `Fault` when set-up did not get them. */
export function qemuSet(version: QemuVersion): PackageSet {
  return packageSet(`qemu-${version}`);
}

/** The kernel image in a package set: in /boot or, since Debian's 7.2, beside the modules. */
export function kernelImage(kernel: PackageSet): string {
  const image = globSync(["boot/vmlinuz-*", "usr/lib/modules/*/vmlinuz"], { cwd: kernel.folder })[0];
  if (image === undefined) throw new Error(`${kernel.folder} holds no vmlinuz`);
  return join(kernel.folder, image);
}
