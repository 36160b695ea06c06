import type { Trial } from "../hosts/trial.js";
import type { Cell } from "../store/attempt.js";
import type { Experiment, Factors } from "./experiment.js";
import { emulated, native, places, underLoad } from "./requests.js";

const kib = 1024;

const factors = {
  /** `http` is raw fasthttp; the pooled ZAP server copies a body behind its frame's head, or hands both to the kernel by writev. */
  server: ["http", "copied", "writev"],
  /** `/body`: a reply of so many bytes, a chat completion, from memory; `/chat`: a request of so many bytes, read and answered. */
  route: ["/body", "/chat"],
  bytes: [256, kib, 4 * kib, 16 * kib, 64 * kib, 256 * kib, 1024 * kib],
  ...places,
} as const satisfies Factors;

const replies = { server: factors.server, route: ["/body"], bytes: [kib, 16 * kib, 64 * kib, 1024 * kib], ...native } satisfies Factors;
const chats = { server: ["http", "copied"], route: ["/chat"], bytes: [kib, 16 * kib], ...native } satisfies Factors;
const counted = { ...replies, bytes: [kib, 1024 * kib], ...emulated } satisfies Factors;

/** Requests of an emulated window: enough to settle, few enough that a mebibyte each ends in time. */
const requests = (bytes: number): number => Math.max(64, Math.min(4_096, (32 * kib * kib) / bytes));

/** Bodies of the shape of a chat: what copying them costs, from which size writev pays, and HTTP beside both. */
const bodies: Experiment = {
  id: "bodies",
  version: 1,
  question: "What does a body cost when it is copied, when it is not, and by HTTP, and from which size does writev pay?",
  factors,
  profiles: {
    quick: [
      { levels: { ...replies, bytes: [kib, 1024 * kib] }, rounds: 1 },
      { levels: { ...chats, bytes: [kib] }, rounds: 2 },
    ],
    standard: [
      { levels: { ...replies, bytes: [1024 * kib] }, rounds: 5 },
      { levels: replies, rounds: 3 },
      { levels: { ...chats, bytes: [kib] }, rounds: 5 },
      { levels: chats, rounds: 2 },
      { levels: counted, rounds: 1 },
    ],
    full: [
      { levels: { ...replies, bytes: factors.bytes }, rounds: 10 },
      { levels: { ...chats, bytes: factors.bytes.filter((bytes) => bytes <= 256 * kib) }, rounds: 10 },
      { levels: { ...counted, bytes: factors.bytes, kernel: ["6.1", "6.12"] }, rounds: 3 },
    ],
  },
  trial(cell: Cell): Trial {
    const [name, route, bytes] = [String(cell["server"]), String(cell["route"]), Number(cell["bytes"])];
    const server = name === "http" ? { program: "serve-fasthttp", arguments: [] } : { program: "serve-pooled", arguments: ["--writev", name === "writev" ? "on" : "off"] };
    return underLoad(cell, server, {
      protocol: name === "http" ? "http" : "zap",
      target: route === "/body" ? `/body/${bytes}` : route,
      // Many large replies on their way at once would only measure the cache that they no longer fit into.
      connections: bytes >= 64 * kib ? 4 : 64,
      depth: 1,
      seconds: 1,
      counted: requests(bytes),
      ...(route === "/chat" ? { body: { bytes } } : {}),
    });
  },
};

export default bodies;
