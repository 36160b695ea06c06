import { Fault } from "../../fault.js";
import type { Shell } from "../shell.js";

/** What the knobs must know of a place and of the device through which its requests come. */
export interface Machine {
  readonly device: string;
  readonly driver: string;
  readonly kernel: string;
  readonly boot: string;
  /** The number of the network namespace's inode: two places of one machine differ by it. */
  readonly network: string;
  /** Online processors. */
  readonly cores: readonly number[];
  readonly receiveQueues: number;
  readonly transmitQueues: number;
  /** Mbit/s; undefined for a device that has no speed. */
  readonly speed?: number;
  /** Processors that get the device's interrupts, where its interrupts are to be seen. */
  readonly interruptCores: readonly number[];
  readonly ethtool?: readonly string[];
}

// A virtio device's interrupts belong to the PCI device above it.
const questions = `
d=$1; s=/sys/class/net/$d
[ -e "$s" ] || { echo "missing	$(ls /sys/class/net | tr '\\n' ' ')"; exit 0; }
echo "driver	$(basename "$(readlink -f $s/device/driver 2>/dev/null)")"
echo "kernel	$(uname -r)"
echo "boot	$(cat /proc/sys/kernel/random/boot_id)"
echo "network	$(readlink /proc/self/ns/net | tr -dc 0-9)"
echo "cores	$(cat /sys/devices/system/cpu/online)"
echo "receive	$(ls $s/queues | grep -c '^rx-')"
echo "transmit	$(ls $s/queues | grep -c '^tx-')"
echo "speed	$(cat $s/speed 2>/dev/null)"
for i in $(ls $s/device/msi_irqs 2>/dev/null || ls $s/device/../msi_irqs 2>/dev/null); do
  echo "interrupt	$(cat /proc/irq/$i/effective_affinity_list 2>/dev/null)	$(grep "^ *$i:" /proc/interrupts)"
done
true`;

/**
 * Asks a place for what the knobs must know.
 *
 * @throws Fault when the device is not there; it lists those that are
 */
export async function machineOf(shell: Shell, device: string): Promise<Machine> {
  const { code, stdout, stderr } = await shell.run(["sh", "-c", questions, "sh", device]);
  if (code !== 0) throw new Fault(`${shell.name}: the device ${device} cannot be read: ${stderr.trim().split("\n").at(-1) || `exit code ${code}`}`);
  const rows = stdout.split("\n").map((row) => row.split("\t"));
  const one = (key: string): string => rows.find(([name]) => name === key)?.[1]?.trim() ?? "";
  if (rows[0]?.[0] === "missing") throw new Fault(`${shell.name} has no network device "${device}"; it has ${one("missing").split(" ").join(", ")}`);
  const speed = Number(one("speed"));
  const interrupts = rows.filter(([name]) => name === "interrupt").map(([, cores = "", line = ""]) => ({ cores, line }));
  // What has a line for receiving has others for configuration, events and sending.
  const receiving = interrupts.filter(({ line }) => !/config|ctrl|event|async|cmd|-tx|output/i.test(line));
  const ethtool = await shell.ethtool();
  return {
    device,
    driver: one("driver") || "none",
    kernel: one("kernel"),
    boot: one("boot"),
    network: one("network"),
    cores: rangeOf(one("cores")),
    receiveQueues: Number(one("receive")),
    transmitQueues: Number(one("transmit")),
    ...(speed > 0 ? { speed } : {}),
    interruptCores: [...new Set(receiving.flatMap(({ cores }) => rangeOf(cores)))].sort((a, b) => a - b),
    ...(ethtool === undefined ? {} : { ethtool }),
  };
}

/** `0-2,5` as numbers. */
export function rangeOf(text: string): number[] {
  return text.split(",").filter((part) => /^\s*\d/.test(part)).flatMap((part) => {
    const [from, to] = part.split("-").map(Number);
    return Array.from({ length: (to ?? from!) - from! + 1 }, (_, i) => from! + i);
  });
}

/** Cores as the kernel writes a mask: hexadecimal, in groups of 32, the highest first. */
export function maskOf(cores: readonly number[]): string {
  const hex = cores.reduce((mask, core) => mask | (1n << BigInt(core)), 0n).toString(16);
  const groups: string[] = [];
  for (let end = hex.length; end > 0; end -= 8) groups.unshift(hex.slice(Math.max(0, end - 8), end));
  return groups.join(",");
}
