import assert from "node:assert/strict";
import { test } from "node:test";
import { grown, layout, simulate, type Costs, type Network } from "../build/models/network.js";

const free: Costs = { at: 1000, growth: 0, driver: 0, protocol: 0, steer: 0, hash: 0, ipi: 0, server: 0, client: 0 };
const plain: Network = {
  costs: { ...free, driver: 2000, protocol: 3000, steer: 200, hash: 600, ipi: 300, server: 9000 },
  steering: "none", hash: "software", cores: 8, nics: 1, shared: false, ring: 4096, backlog: 4096, timeout: 200e6,
  bitsPerSecond: 2.5e9, requestBytes: 200, replyBytes: 200, propagation: 10_000, connections: 1000, clientCores: 4, think: 0, law: { cores: "constant", think: "constant" },
};
const window = { warmUp: 20_000, requests: 60_000 };
const near = (value: number, expected: number, within: number): void => assert.ok(Math.abs(value / expected - 1) <= within, `${value} is not ${expected} within ${within}`);

test("the same seed gives the same outcome, another seed another", () => {
  const network: Network = { ...plain, steering: "rps", law: { cores: "exponential", think: "constant" } };
  assert.deepEqual(simulate(network, 7, window), simulate(network, 7, window));
  assert.notDeepEqual(simulate(network, 7, window).latency, simulate(network, 8, window).latency);
});

test("one receive core is the bottleneck: throughput is its inverse cost, latency is Little's law, and it is busy all the time", () => {
  const { throughput, latency, receiveBusy, counts } = simulate(plain, 1, window);
  near(throughput, 1e9 / 5000, 1e-3);
  near(latency.mean, 1000 / (throughput / 1e9), 1e-3);
  near(receiveBusy, 1, 1e-3);
  assert.equal(counts.ringDrops + counts.backlogDrops, 0);
});

test("steering leaves the receive core the driver, the choice and the hash; a NIC that hashes spares the last; two NICs double it", () => {
  const rps: Network = { ...plain, steering: "rps", cores: 40, costs: { ...plain.costs, server: 3000 } };
  near(simulate(rps, 1, window).throughput, 1e9 / 2800, 2e-3);
  near(simulate({ ...rps, hash: "nic" }, 1, window).throughput, 1e9 / 2200, 2e-3);
  near(simulate({ ...rps, nics: 2 }, 1, window).throughput, 2e9 / 2800, 2e-3);
});

test("a slow link is the bottleneck, and is used whole", () => {
  const { throughput, link } = simulate({ ...plain, bitsPerSecond: 1e8 }, 1, window);
  near(throughput, 1e8 / 1600, 1e-3);
  near(link.received, 1, 1e-3);
});

test("M/D/1: the mean wait of many thinking clients is Pollaczek and Khinchine's within 3 %", () => {
  const service = 5000, rho = 0.7, connections = 4000;
  const network: Network = { ...plain, connections, costs: { ...free, driver: service }, propagation: 0, bitsPerSecond: Infinity, ring: connections, think: (connections * service) / rho, law: { cores: "constant", think: "exponential" } };
  const { latency, receiveBusy } = simulate(network, 3, { warmUp: 200_000, requests: 800_000 });
  near(receiveBusy, rho, 0.01);
  near(latency.mean, service + (rho * service) / (2 * (1 - rho)), 0.03);
});

test("a closed network of two exponential stations and a delay agrees with exact mean value analysis within 2 %", () => {
  const network: Network = { ...plain, cores: 2, connections: 30, costs: { ...free, driver: 4000, server: 5000 }, propagation: 0, bitsPerSecond: Infinity, think: 60_000, law: { cores: "exponential", think: "exponential" } };
  for (const connections of [5, 14, 30]) {
    const expected = meanValues([4000, 5000], 60_000, connections);
    const found = simulate({ ...network, connections }, 5, { warmUp: 20_000, requests: 400_000 });
    near(found.throughput / 1e9, expected.throughput, 0.02);
    near(found.latency.mean, expected.residence, 0.02);
  }
});

/** Reiser and Lavenberg 1980, for one class: throughput and time at the stations of n customers. */
function meanValues(demands: readonly number[], think: number, customers: number): { throughput: number; residence: number } {
  let lengths = demands.map(() => 0), throughput = 0, residence = 0;
  for (let n = 1; n <= customers; n++) {
    const times = demands.map((demand, i) => demand * (1 + lengths[i]!));
    residence = times.reduce((a, b) => a + b);
    throughput = n / (think + residence);
    lengths = times.map((time) => throughput * time);
  }
  return { throughput, residence };
}

for (const [where, limits] of [["ring", { ring: 64 }], ["backlog", { backlog: 1 }]] as const) {
  test(`nothing is lost in the books: a small ${where} drops, and every segment sent is answered, dropped or on its way`, () => {
    const { counts } = simulate({ ...plain, steering: "rps", cores: 3, timeout: 1e6, ...limits }, 2, window);
    assert.ok((where === "ring" ? counts.ringDrops : counts.backlogDrops) > 100);
    assert.equal(where === "ring" ? counts.backlogDrops : counts.ringDrops, 0);
    const drops = counts.ringDrops + counts.backlogDrops;
    assert.equal(counts.requests + counts.retransmissions, counts.answered + drops + counts.flying);
    assert.equal(drops, counts.retransmissions + counts.waiting);
    assert.ok(counts.requests - counts.answered <= plain.connections);
    assert.equal(counts.answered, window.warmUp + window.requests);
  });
}

test("costs of the receive path grow in a straight line with the connections, others do not", () => {
  const costs = { ...plain.costs, growth: 0.05 };
  assert.deepEqual([1000, 3000, 8000].map((n) => +grown(costs, n).toFixed(9)), [1, 1.1, 1.35]);
  near(simulate({ ...plain, costs, connections: 3000 }, 1, window).throughput, 1e9 / 5500, 1e-3);
});

test("queues, cores and the server's share of them", () => {
  assert.deepEqual(layout({ steering: "rps", cores: 4, nics: 2, shared: false }), { receivers: [0, 1], workers: [2, 3] });
  assert.deepEqual(layout({ steering: "none", cores: 1, nics: 2, shared: false }), { receivers: [0], workers: [0] });
  assert.deepEqual(layout({ steering: "rss", cores: 2, nics: 1, shared: false }), { receivers: [0, 1], workers: [0, 1] });
  assert.throws(() => simulate({ ...plain, cores: 0 }, 1, window), /at least one of cores, not 0/);
  assert.throws(() => simulate({ ...plain, costs: { ...plain.costs, hash: -1 } }, 1, window), /the cost hash is -1/);
});
