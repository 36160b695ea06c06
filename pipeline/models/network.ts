import FlatQueue from "flatqueue";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

/**
 * What one request costs in nanoseconds, at `at` connections. What the receive path costs grows with their number: the more sockets are in turn, the
 * fewer of their structures are still cached when a packet comes. The law is a straight line: cost(n) = cost(at) * (1 + growth * (n - at) / 1000).
 */
export interface Costs {
  readonly at: number;
  /** Relative, for each thousand connections more. */
  readonly growth: number;
  /** Of the driver, on the core that the queue's interrupt goes to. Grows. */
  readonly driver: number;
  /** Of TCP and IP, on the core a packet was steered to, or on the driver's own. Grows. */
  readonly protocol: number;
  /** Of choosing another core and queueing the packet there, on the driver's core. Only with RPS. */
  readonly steer: number;
  /** Of hashing the packet in software, beside `steer`; nothing where the NIC gives its hash. */
  readonly hash: number;
  /** Of the interrupt from core to core, on the core that it wakes. Only with RPS. */
  readonly ipi: number;
  /** Of the server's own work, system calls and sending included. */
  readonly server: number;
  /** Of the client's work, from a reply to the next request. */
  readonly client: number;
}

/** A network with a server, and its client. Times are nanoseconds. */
export interface Network {
  readonly costs: Costs;
  /** `none`: each NIC has one queue and its core does all; `rps`: it only steers; `rss`: each NIC has as many queues as there are cores, each with a core. */
  readonly steering: "none" | "rps" | "rss";
  readonly hash: "nic" | "software";
  readonly cores: number;
  readonly nics: number;
  /** Whether cores that a queue's interrupt goes to also run the server and are steered to. A single core always does. */
  readonly shared: boolean;
  /** Packets that a queue of a NIC holds, and that a core's backlog does; beyond them they are dropped. */
  readonly ring: number;
  readonly backlog: number;
  /** Until a dropped packet is sent again; doubled each time. */
  readonly timeout: number;
  /** Of each NIC, each way; Infinity for none. */
  readonly bitsPerSecond: number;
  readonly requestBytes: number;
  readonly replyBytes: number;
  /** One way. */
  readonly propagation: number;
  readonly connections: number;
  readonly clientCores: number;
  /** From a reply to the next request, beside the client's work; delays in which nobody waits for anybody. */
  readonly think: number;
  /** Of each cost of a core, and of thinking. */
  readonly law: { readonly cores: "constant" | "exponential"; readonly think: "constant" | "exponential" };
}

/** Requests answered before the window opens, and in it. */
export interface Window {
  readonly warmUp: number;
  readonly requests: number;
}

/** What a run gave. Shares are of the window, counts of the whole run. */
export interface Outcome {
  /** Requests per second. */
  readonly throughput: number;
  /** Nanoseconds from a request's first sending to its reply. */
  readonly latency: { readonly mean: number; readonly p50: number; readonly p99: number; readonly max: number };
  /** Of the busiest core that a queue's interrupt goes to. */
  readonly receiveBusy: number;
  readonly softirq: readonly number[];
  readonly busy: readonly number[];
  readonly link: { readonly received: number; readonly sent: number };
  readonly clientBusy: number;
  readonly counts: {
    /** Requests begun, answered; segments sent again, dropped at a ring or a backlog; segments and replies still on their way at the end, and drops whose timeout had not come. */
    readonly requests: number;
    readonly answered: number;
    readonly retransmissions: number;
    readonly ringDrops: number;
    readonly backlogDrops: number;
    readonly flying: number;
    readonly waiting: number;
  };
}

/** A first-in first-out queue of packets; no connection is in it twice. */
class Fifo {
  readonly #items: Int32Array;
  #head = 0;
  length = 0;

  constructor(capacity: number) {
    this.#items = new Int32Array(capacity);
  }

  push(item: number): void {
    let at = this.#head + this.length++;
    if (at >= this.#items.length) at -= this.#items.length;
    this.#items[at] = item;
  }

  shift(): number {
    const item = this.#items[this.#head]!;
    if (++this.#head === this.#items.length) this.#head = 0;
    this.length--;
    return item;
  }
}

/** By what the costs that grow are multiplied at so many connections. */
export function grown({ at, growth }: Costs, connections: number): number {
  return Math.max(0, 1 + (growth * (connections - at)) / 1000);
}

/** Which core does what, given the number of NICs: `receivers` have the interrupt of a queue, `workers` run the server. */
export function layout({ steering, cores, nics, shared }: Pick<Network, "steering" | "cores" | "nics" | "shared">): { readonly receivers: readonly number[]; readonly workers: readonly number[] } {
  const all = Array.from({ length: cores }, (_, core) => core);
  const receivers = steering === "rss" ? all : all.slice(0, Math.min(nics, cores));
  const rest = all.slice(receivers.length);
  return { receivers, workers: shared || steering === "rss" || rest.length === 0 ? all : rest };
}

/** What can come next at a connection; an event's number is kind * connections + connection, or + core for `done`. */
const send = 0, arrive = 1, done = 2, answer = 3;

/**
 * Runs the network as discrete events until the window's last request is answered. The same seed gives the same outcome, to the last digit.
 *
 * Left out: batches and their budgets, acknowledgements as packets of their own (they are in the costs), loss recovery faster than a timeout.
 * Softirq goes before the server's work and does not interrupt it.
 *
 * @throws RangeError for a network without a core, a NIC, a client or a connection, or a cost below nothing
 */
export function simulate(network: Network, seed: number, { warmUp, requests }: Window): Outcome {
  const { costs, steering, cores, nics, connections: n, clientCores, law } = network;
  for (const [name, value] of Object.entries({ cores, nics, clientCores, connections: n, requests })) if (!(Number.isInteger(value) && value > 0)) throw new RangeError(`a network needs at least one of ${name}, not ${value}`);
  for (const [name, value] of Object.entries(costs)) if (name !== "growth" && !(value >= 0)) throw new RangeError(`the cost ${name} is ${value}, and must not be below 0`);
  const generator = xoroshiro128plus(seed);
  const random = (): number => (generator.next() >>> 0) / 2 ** 32;
  const drawn = (mean: number, kind: "constant" | "exponential"): number => (kind === "constant" || mean === 0 ? mean : -mean * Math.log(1 - random()));

  const factor = grown(costs, n);
  const { receivers, workers } = layout(network);
  const inRing = steering === "rps" ? costs.driver * factor + costs.steer + (network.hash === "software" ? costs.hash : 0) : (costs.driver + costs.protocol) * factor;
  const inBacklog = costs.protocol * factor + costs.ipi;
  const requestTime = (network.requestBytes * 8e9) / network.bitsPerSecond;
  const replyTime = (network.replyBytes * 8e9) / network.bitsPerSecond;

  // A flow's hash sends all its packets the same way, so cores get unequal shares of the connections, as real ones do.
  const nicOf = new Int32Array(n), receiverOf = new Int32Array(n), workerOf = new Int32Array(n);
  for (let c = 0; c < n; c++) {
    nicOf[c] = c % nics;
    receiverOf[c] = steering === "rss" ? Math.floor(random() * cores) : receivers[nicOf[c]! % receivers.length]!;
    workerOf[c] = steering === "rss" ? receiverOf[c]! : workers[Math.floor(random() * workers.length)]!;
  }
  const queueOf = (c: number): number => nicOf[c]! * cores + receiverOf[c]!;
  const ringHolds = new Int32Array(nics * cores);
  const backlogHolds = new Int32Array(cores);
  const softirqs = Array.from({ length: cores }, () => new Fifo(n)), works = Array.from({ length: cores }, () => new Fifo(n));
  const clients = Array.from({ length: clientCores }, () => 0);
  const uplinks = Array.from({ length: nics }, () => 0), downlinks = Array.from({ length: nics }, () => 0);
  // What a connection's packet is at: 0 in a ring, 1 in a backlog, 2 the server's work.
  const stage = new Uint8Array(n);
  const running = new Int32Array(cores).fill(-1);
  const begun = new Float64Array(n), attempts = new Int32Array(n);
  const softirqTime = new Float64Array(cores), workTime = new Float64Array(cores), linkTime = { received: 0, sent: 0, client: 0 };
  const latencies = new Float64Array(requests);
  const count = { requests: 0, answered: 0, retransmissions: 0, ringDrops: 0, backlogDrops: 0, waiting: 0, flying: 0 };
  const events = new FlatQueue<number>();
  let now = 0, opened = warmUp === 0 ? 0 : -1;

  /** What begins before the window opens does not count in it. */
  const charge = (length: number): number => (opened < 0 ? 0 : length);
  const start = (core: number): void => {
    if (running[core]! >= 0) return;
    const soft = softirqs[core]!, work = works[core]!;
    if (soft.length === 0 && work.length === 0) return;
    const c = soft.length > 0 ? soft.shift() : work.shift();
    const time = drawn(stage[c] === 0 ? inRing : stage[c] === 1 ? inBacklog : costs.server, law.cores);
    if (stage[c] === 2) workTime[core]! += charge(time);
    else softirqTime[core]! += charge(time);
    running[core] = c;
    events.push(done * n + core, now + time);
  };
  const drop = (c: number): void => {
    count.waiting++;
    count.flying--;
    events.push(send * n + c, now + network.timeout * 2 ** (attempts[c]! - 1));
  };

  // Cores share the number space of connections in their events, so there must be room for them.
  if (cores > n) throw new RangeError(`${cores} cores need at least as many connections, not ${n}`);
  // The first requests come spread over the time that they take on the busiest station: nobody starts with a burst that no server would see.
  for (let c = 0; c < n; c++) events.push(send * n + c, random() * n * Math.max(inRing, network.think / n, 1));

  while (count.answered < warmUp + requests) {
    now = events.peekValue()!;
    const event = events.pop()!;
    const kind = Math.floor(event / n), c = event - kind * n;
    if (kind === send) {
      if (attempts[c] === 0) {
        begun[c] = now;
        count.requests++;
      } else {
        count.waiting--;
        count.retransmissions++;
      }
      attempts[c]!++;
      count.flying++;
      const nic = nicOf[c]!;
      uplinks[nic] = Math.max(uplinks[nic]!, now) + requestTime;
      linkTime.received += charge(requestTime);
      events.push(arrive * n + c, uplinks[nic]! + network.propagation);
    } else if (kind === arrive) {
      const queue = queueOf(c);
      if (ringHolds[queue]! >= network.ring) {
        count.ringDrops++;
        drop(c);
        continue;
      }
      ringHolds[queue]!++;
      stage[c] = 0;
      softirqs[receiverOf[c]!]!.push(c);
      start(receiverOf[c]!);
    } else if (kind === done) {
      const core = c, finished = running[core]!;
      running[core] = -1;
      finish(finished, core);
      start(core);
    } else {
      latencies[Math.max(0, count.answered - warmUp)] = now - begun[c]!;
      count.flying--;
      attempts[c] = 0;
      if (++count.answered === warmUp && opened < 0) opened = now;
      const client = c % clientCores;
      const time = drawn(costs.client, law.cores);
      clients[client] = Math.max(clients[client]!, now) + time;
      linkTime.client += charge(time);
      events.push(send * n + c, clients[client]! + drawn(network.think, law.think));
    }
  }
  function finish(c: number, core: number): void {
    const worker = workerOf[c]!;
    if (stage[c] === 0) ringHolds[queueOf(c)]!--;
    if (stage[c] === 0 && steering === "rps") {
      if (backlogHolds[worker]! >= network.backlog) {
        count.backlogDrops++;
        drop(c);
        return;
      }
      backlogHolds[worker]!++;
      stage[c] = 1;
      softirqs[worker]!.push(c);
      if (worker !== core) start(worker);
    } else if (stage[c] !== 2) {
      if (stage[c] === 1) backlogHolds[worker]!--;
      stage[c] = 2;
      works[worker]!.push(c);
      if (worker !== core) start(worker);
    } else {
      const nic = nicOf[c]!;
      downlinks[nic] = Math.max(downlinks[nic]!, now) + replyTime;
      linkTime.sent += charge(replyTime);
      events.push(answer * n + c, downlinks[nic]! + network.propagation);
    }
  }

  const span = now - opened;
  const share = (time: number, among = 1): number => Math.min(1, time / among / span);
  const sorted = latencies.slice().sort();
  const quantile = (q: number): number => sorted[Math.min(requests - 1, Math.ceil(q * requests) - 1)]!;
  const softirq = Array.from(softirqTime, (time) => share(time));
  return {
    throughput: (requests / span) * 1e9,
    latency: { mean: latencies.reduce((a, b) => a + b, 0) / requests, p50: quantile(0.5), p99: quantile(0.99), max: sorted[requests - 1]! },
    receiveBusy: Math.max(...receivers.map((core) => softirq[core]!)),
    softirq,
    busy: Array.from(softirqTime, (time, core) => share(time + workTime[core]!)),
    link: { received: share(linkTime.received, nics), sent: share(linkTime.sent, nics) },
    clientBusy: share(linkTime.client, clientCores),
    counts: count,
  };
}
