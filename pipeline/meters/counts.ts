import type { Image } from "../hosts/elf.js";
import { SymbolTable } from "../hosts/symbols.js";
import type { Architecture } from "../hosts/qemu.js";

/** Whose instructions: the server's task, the loader's, or anyone else's (kernel threads, the idle task, the shell). */
export type Task = "server" | "loader" | "other";
export const tasks: readonly Task[] = ["server", "loader", "other"];

/** One translation block and how often each task executed it inside the window. */
export interface Block {
  readonly address: bigint;
  readonly instructions: number;
  readonly executions: Readonly<Record<Task, number>>;
}

export interface Window {
  readonly switches: number;
  readonly blocks: readonly Block[];
}

/** Reads what `native/guest/plugin/counter.c` wrote. Throws unless it is exactly one whole window. */
export function parseWindow(text: string): Window {
  const lines = text.trimEnd().split("\n");
  const head = /^window 1 (\d+)$/.exec(lines[0] ?? "");
  if (!head || lines.at(-1) !== "end") throw new Error("the window was never opened and closed");
  const blocks = lines.slice(1, -1).map((line) => {
    const match = /^([0-9a-f]+) (\d+) (\d+) (\d+) (\d+)$/.exec(line);
    if (!match) throw new Error(line.startsWith("window") ? "the window was opened twice" : `cannot read the count '${line}'`);
    const [server, loader, other] = match.slice(3).map(Number) as [number, number, number];
    return { address: BigInt(`0x${match[1]}`), instructions: Number(match[2]), executions: { server, loader, other } };
  });
  return { switches: Number(head[1]), blocks };
}

/** Kernel addresses are in the upper half on both architectures. */
const isKernel = (address: bigint): boolean => address >= 1n << 63n;

/** Instructions of a task in the window: in user space, in the kernel, and both. */
export function instructionsOf(window: Window, task: Task): { user: number; kernel: number; total: number } {
  const sum = (kernel: boolean): number => window.blocks.filter(({ address }) => isKernel(address) === kernel).reduce((total, block) => total + block.instructions * block.executions[task], 0);
  const user = sum(false);
  const kernel = sum(true);
  return { user, kernel, total: user + kernel };
}

/** Instructions of a task in those functions of a program that have one of these names. */
export function instructionsIn(window: Window, task: Task, image: Image, names: ReadonlySet<string>): number {
  const table = new SymbolTable(image.functions);
  const inside = ({ address }: Block): boolean => address >= image.text.low && address < image.text.high && names.has(table.at(address)?.name ?? "");
  return window.blocks.filter(inside).reduce((total, block) => total + block.instructions * block.executions[task], 0);
}

/** How often a task entered a function, which a call always makes the start of a block. */
export function entriesOf(window: Window, task: Task, addresses: readonly bigint[]): number {
  return window.blocks.filter(({ address }) => addresses.includes(address)).reduce((total, block) => total + block.executions[task], 0);
}

/** Kernel functions whose entries are counted. */
export const entryPoints: Readonly<Record<Architecture, { readonly taskSwitch: string; readonly systemCall: string; readonly enter: string }>> = {
  amd64: { taskSwitch: "__switch_to_asm", systemCall: "do_syscall_64", enter: "__x64_sys_io_uring_enter" },
  arm64: { taskSwitch: "cpu_switch_to", systemCall: "do_el0_svc", enter: "__arm64_sys_io_uring_enter" },
};

/** Instructions by task and function, largest first; ties by name. */
export function profile(window: Window, kernel: SymbolTable, server: Image, loader: Image): { task: Task; symbol: string; instructions: number }[] {
  const images = [server, loader].map((image) => ({ image, table: new SymbolTable(image.functions) }));
  const name = (address: bigint): string => {
    if (isKernel(address)) return kernel.at(address)?.name ?? "[kernel]";
    const owner = images.find(({ image }) => address >= image.text.low && address < image.text.high);
    return owner ? (owner.table.at(address)?.name ?? "[text]") : "[user]";
  };
  const sums = new Map<string, { task: Task; symbol: string; instructions: number }>();
  for (const block of window.blocks) {
    const symbol = name(block.address);
    for (const task of tasks) {
      const instructions = block.instructions * block.executions[task];
      if (instructions === 0) continue;
      const row = sums.get(`${task} ${symbol}`) ?? { task, symbol, instructions: 0 };
      row.instructions += instructions;
      sums.set(`${task} ${symbol}`, row);
    }
  }
  return [...sums.values()].sort((a, b) => b.instructions - a.instructions || (`${a.task} ${a.symbol}` < `${b.task} ${b.symbol}` ? -1 : 1));
}

/** The share of TCP segments whose receive path ran neither in the server's task nor in the loader's: ksoftirqd's, above all. */
export function displacedShare(window: Window, kernel: SymbolTable): number {
  const receive = ["tcp_v4_rcv", "tcp_v6_rcv"].flatMap((name) => kernel.named(name));
  const [server, loader, other] = tasks.map((task) => entriesOf(window, task, receive)) as [number, number, number];
  return other / Math.max(1, server + loader + other);
}
