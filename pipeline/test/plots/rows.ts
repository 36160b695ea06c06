import type { Estimate } from "../../build/stats/estimate.js";

const units: Record<string, string> = {
  instructions: "instruction/connection", instructions_user: "instruction/connection", instructions_kernel: "instruction/connection",
  cpu_time: "ns/connection", throughput: "connection/s",
};

/**
 * Invented estimates for tests of the figures: round numbers of the right size, measured nowhere, never published.
 */
function estimate(experiment: string, metric: string, factors: Estimate["factors"], value: number, more: Partial<Estimate> = {}): Estimate {
  return {
    experiment, metric, factors, statistic: "mean", value, low: value * 0.99, high: value * 1.01, level: 0.95, method: "invented", n: 3,
    unit: units[metric] ?? "1/connection", meter: "emulator", basis: "emulated", runs: ["invented"], command: "none", ...more,
  };
}

const servers = ["go", "vanilla", "six-techniques", "epoll", "accept4", "engine"] as const;
const instructions: Record<string, Record<string, number>> = {
  "6.1": { go: 90000, vanilla: 55000, epoll: 21000, accept4: 16500, engine: 16600, "six-techniques": 120000 },
  "6.12": { go: 70000, vanilla: 45000, epoll: 23000, accept4: 18200, engine: 18300, "six-techniques": 22000 },
};

const emulated = { meter: "emulator", architecture: "amd64", scheduling: "equal" } as const;

/** All rows that the accept experiment would give, in no useful order. */
export const acceptRows: readonly Estimate[] = Object.entries(instructions).reverse().flatMap(([kernel, byServer]) => servers.flatMap((server, index) => {
  const total = byServer[server] ?? 0;
  const user = total * (server === "go" ? 0.25 : 0.04);
  return [
    ...[0, 1, 100].map((silent) => estimate("accept", "throughput", { ...emulated, server, kernel, silent }, (4e8 / total) * (server === "six-techniques" && silent > 0 ? 0.27 : 1 - silent * 0.00002))),
    estimate("accept", "instructions", { ...emulated, server, kernel, silent: 0 }, total),
    estimate("accept", "instructions", { ...emulated, server, kernel, silent: 100 }, total * 3),
    estimate("accept", "instructions", { ...emulated, server, kernel, silent: 0, scheduling: "ordinary" }, total * 2),
    estimate("accept", "instructions_user", { ...emulated, server, kernel, silent: 0 }, user),
    estimate("accept", "instructions_kernel", { ...emulated, server, kernel, silent: 0 }, total - user),
    ...(kernel === "6.12" ? [estimate("accept", "cpu_time", { server, meter: "cputime", kernel: "host", architecture: "host", scheduling: "ordinary", silent: 0 }, 8000 + total * (0.2 + index * 0.03), { meter: "cputime", basis: "native", low: 7600 + total * 0.2, high: 8500 + total * (0.22 + index * 0.04) })] : []),
  ];
}));

export const chainRows: readonly Estimate[] = ["plain", "six-techniques"].flatMap((base) => ["6.12", "6.1"].flatMap((kernel) => {
  const cell = { ...emulated, base, kernel };
  const enters = base === "plain" ? [1.2, 0.8] : [0.0042, kernel === "6.1" ? 0.0061 : 0.0034];
  return [
    estimate("chain", "enters", { ...cell, link: "off" }, enters[0] ?? 0),
    estimate("chain", "enters", { ...cell, link: "on" }, enters[1] ?? 0),
    estimate("chain", "instructions", { ...cell, link: "off" }, 22000),
    estimate("chain", "instructions", { ...cell, link: "on" }, kernel === "6.1" ? 23500 : 22900),
  ];
}));

/** Every server on some of the timeline's kernels, each a little cheaper than the one before, among cells of another architecture that no figure draws. */
export const kernelsRows: readonly Estimate[] = ["5.10", "6.1", "6.12", "7.0", "7.3"].flatMap((kernel, place) => servers.flatMap((server) => [
  estimate("kernels", "instructions", { ...emulated, server, kernel }, (instructions["6.12"]?.[server] ?? 0) * (1 - place * 0.03)),
  estimate("kernels", "failed", { ...emulated, server, kernel }, 0),
  estimate("kernels", "instructions", { ...emulated, architecture: "arm64", server, kernel }, 50000),
]));

const six = ["defer", "direct", "multishot", "freelist", "fuse", "skip"] as const;
const gains: Record<string, number> = { defer: 400, direct: -300, multishot: 900, freelist: 700, fuse: 12000, skip: 100, deferred: 3000 };

/** A cell of the ablation with these switches on; each takes off what it is said to gain. */
function ablated(on: readonly string[], more: Record<string, number> = {}): Estimate {
  const switches = Object.fromEntries([...six, "deferred"].map((name) => [name, on.includes(name) ? "on" : "off"]));
  const value = on.reduce((left, name) => left - gains[name]!, 38000) + 2000 / (more["in_flight"] ?? 512);
  return estimate("ablation", "instructions", { ...emulated, kernel: "6.12", ...switches, table: 4096, kept: 128, batch: 4096, in_flight: 512, ...more }, value);
}

/** In order, left out, a fraction of the factorial, and by load; each cell once, among cells of other sizes that no figure draws. */
export const ablationRows: readonly Estimate[] = [...new Map([
  ...six.map((_, count) => ablated(six.slice(0, count))),
  ablated(six),
  ...six.map((left) => ablated(six.filter((name) => name !== left))),
  ...Array.from({ length: 16 }, (_, run) => {
    const [a, b, c, d] = [0, 1, 2, 3].map((place) => ((run >> place) & 1) * 2 - 1) as [number, number, number, number];
    const signs: Record<string, number> = { defer: a, direct: b, multishot: c, freelist: d, fuse: a * b * c, skip: b * c * d, deferred: -a * c * d };
    return ablated(Object.keys(signs).filter((name) => signs[name]! > 0));
  }),
  ...[1, 64, 4096].flatMap((in_flight) => [ablated([], { in_flight }), ablated(six, { in_flight })]),
  ablated(six, { table: 64 }),
].map((row) => [JSON.stringify(row.factors), row] as const)).values()].reverse();

/** Verdicts of an invented ledger. */
export const verdicts = [
  ...Array(6).fill("reproduced"), ...Array(9).fill("holds"), ...Array(2).fill("direction"), ...Array(3).fill("contradicted"), ...Array(2).fill("fails"),
  ...Array(7).fill("not comparable"), ...Array(4).fill("not measurable here"), ...Array(11).fill("not yet measured"),
].map((verdict) => ({ verdict }));

/** Published figures as an article's claims give them. */
export const claims = ([["go", 80000], ["vanilla", 60000], ["engine", 27000]] as const).map(([server, value]) => ({
  id: `accept.instructions.${server}`, article: "invented", where: "results", quantity: "instructions per connection", unit: "instruction/connection", value,
  kind: "absolute" as const, comparator: "interval" as const, comparable: false,
}));
