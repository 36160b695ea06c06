import type { Estimate } from "../../build/stats/estimate.js";

const native = { meter: "cputime", kernel: "host", architecture: "host", scheduling: "ordinary" } as const;
const emulated = { meter: "emulator", kernel: "6.12", architecture: "amd64", scheduling: "equal" } as const;

/** Invented estimates of the experiments on ZAP: round numbers of the right size, measured nowhere, never published. */
function row(experiment: string, metric: string, factors: Estimate["factors"], value: number, unit: string, spread = 0.05): Estimate {
  const isCounted = factors["meter"] === "emulator";
  return {
    experiment, metric, factors, statistic: "median", value, low: value * (1 - spread), high: value * (1 + spread), level: 0.95, method: "invented", n: 5,
    unit, meter: String(factors["meter"]), basis: isCounted ? "emulated" : "native", runs: ["invented"], command: "none",
  };
}

const taxes: Record<string, readonly [health: number, chat: number]> = { "zip-log": [3900, 17200], zip: [1420, 13900], fiber: [1330, 13600], fasthttp: [1100, 13100] };

export const frameworkRows: readonly Estimate[] = Object.entries(taxes).flatMap(([server, [health, chat]]) => [
  row("framework", "time", { server, method: "in-process", route: "/chat", ...native }, chat, "ns/operation"),
  row("framework", "time", { server, method: "in-process", route: "/health", ...native }, health, "ns/operation"),
  row("framework", "cpu_time", { server, method: "loopback", route: "/health", ...native }, 9 * health, "ns/request"),
]);

const costs: Record<string, { cpu: readonly [number, number]; user: readonly [number, number]; kernel: readonly [number, number]; collections: number }> = {
  pooled: { cpu: [11500, 1110], user: [1200, 400], kernel: [21000, 1900], collections: 0 },
  naive: { cpu: [19000, 9200], user: [9800, 8100], kernel: [23500, 14800], collections: 32 },
  http: { cpu: [13100, 3500], user: [5200, 4100], kernel: [21500, 2300], collections: 0 },
};

export const transportRows: readonly Estimate[] = Object.entries(costs).flatMap(([server, { cpu, user, kernel, collections }]) => {
  const cell = { server, method: "loopback", gogc: 100, depth: 1, connections: 64, seconds: 6, ...native };
  const counted = { ...cell, seconds: 1, ...emulated };
  return [
    row("transport", "cpu_time", { ...cell, depth: 16, seconds: 1 }, cpu[1], "ns/request"),
    row("transport", "cpu_time", cell, cpu[0], "ns/request"),
    // A shorter window of the same cell, and other loads: not drawn.
    row("transport", "cpu_time", { ...cell, seconds: 1 }, 77777, "ns/request"),
    row("transport", "cpu_time", { ...cell, connections: 256, seconds: 1 }, 77777, "ns/request"),
    row("transport", "cpu_time", { ...cell, method: "in-process", connections: 1, seconds: 1 }, 77777, "ns/operation"),
    ...[1, 0].flatMap((deep) => [
      row("transport", "instructions_user", { ...counted, depth: deep === 1 ? 16 : 1 }, user[deep]!, "instruction/request", 0),
      row("transport", "instructions_kernel", { ...counted, depth: deep === 1 ? 16 : 1 }, kernel[deep]!, "instruction/request", 0),
    ]),
    ...(["off", 800, 400, 200, 100] as const).flatMap((gogc) => {
      const count = gogc === "off" ? 0 : (collections * 100) / gogc;
      const at = { ...cell, gogc, seconds: gogc === 100 ? 6 : 1 };
      return [row("transport", "collections_six_seconds", at, count, "1"), row("transport", "pause_six_seconds", at, count * 53_000, "ns")];
    }),
  ];
});

export const bodiesRows: readonly Estimate[] = ([[1024, 1, 0.92, 0.94], [16384, 1, 1.01, 0.9], [65536, 1, 1.2, 0.85], [1048576, 1, 1.47, 0.76]] as const).flatMap(([bytes, ...shares]) =>
  (["http", "copied", "writev"] as const).flatMap((server, index) => [
    row("bodies", "cpu_time", { server, route: "/body", bytes, ...native }, shares[index]! * (9000 + bytes * 0.35), "ns/request"),
    row("bodies", "cpu_time", { server, route: "/chat", bytes, ...native }, 77777, "ns/request"),
  ]));

const codecs: Record<string, readonly [time: number, allocations: number]> = {
  zap: [0.03, 0], flatbuffers: [0.09, 0], "vtprotobuf-unsafe": [0.07, 0], vtprotobuf: [0.21, 3], protobuf: [0.45, 4], sonic: [0.9, 6], goccy: [1, 5], jsonv2: [2.1, 6], json: [6.8, 13],
};

export const typedRows: readonly Estimate[] = Object.entries(codecs).flatMap(([codec, [time, allocations]]) => ([["handler", 2000], ["encode", 1100], ["decode", 1800]] as const).flatMap(([operation, scale]) => {
  const cell = { codec, operation, records: "server", ...native };
  return [
    row("typed", "time", cell, scale * time, "ns/operation"),
    row("typed", "allocations", cell, allocations, "1/operation", 0),
    ...(operation === "handler" ? [] : [row("typed", "time", { ...cell, records: "both" }, 7777, "ns/operation"), row("typed", "allocations", { ...cell, records: "both" }, 77, "1/operation", 0)]),
  ];
}));

export const clientsRows: readonly Estimate[] = ([["load", 17700, 0.24], ["bombardier", 13700, 0.31], ["hey", 8700, 0.61]] as const).flatMap(([client, rate, share]) => [
  row("clients", "throughput", { client, ...native }, rate, "request/s"),
  row("clients", "loader_cpu_share", { client, ...native }, share, "1"),
]);

/** All of them, in no useful order. */
export const zapRows: readonly Estimate[] = [...clientsRows, ...typedRows, ...bodiesRows, ...transportRows, ...frameworkRows];
