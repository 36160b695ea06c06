import type { Trial } from "../hosts/trial.js";
import type { Cell } from "../store/attempt.js";
import type { Experiment, Factors } from "./experiment.js";
import { alone, emulated, native, places, underLoad } from "./requests.js";

const factors = {
  /** `json` is encoding/json as it was before json/v2 came under it, built apart; `vtprotobuf-unsafe` reuses the caller's memory. */
  codec: ["json", "jsonv2", "goccy", "sonic", "protobuf", "vtprotobuf", "vtprotobuf-unsafe", "flatbuffers", "zap"],
  /** `handler` decodes the request, computes and encodes the reply; `rpc` does it behind a server, under the loader. */
  operation: ["decode", "encode", "handler", "rpc"],
  /** `server`: what a server does, decode requests and encode replies; `both`: request and reply of each, which the article adds up. */
  records: ["server", "both"],
  ...places,
} as const satisfies Factors;

const { codec } = factors;
const both = { codec, operation: ["decode", "encode"], records: ["both"], ...native } satisfies Factors;
const served = { codec, operation: ["decode", "encode", "handler"], records: ["server"], ...native } satisfies Factors;
const rpc = { codec: ["json", "jsonv2", "goccy", "sonic", "zap"], operation: ["rpc"], records: ["server"], ...native } satisfies Factors;
const counted = { ...served, codec: ["goccy", "vtprotobuf-unsafe", "zap"], ...emulated } satisfies Factors;

/** One call, eth_getBalance for account 01 to 14 (hexadecimal) at block 68943, as JSON and as the golden record of the published format. */
const call = {
  json: { text: '{"id":1,"block":68943,"method":"eth_getBalance","account":"0x0102030405060708090a0b0c0d0e0f1011121314"}' },
  record: { hex: "5a41500001000000100000005200000001000000000000004f0d010000000000100000000e00000016000000140000006574685f67657442616c616e63650102030405060708090a0b0c0d0e0f1011121314" },
} as const;

/** Operations that take about a quarter of a second here. */
const operations: Readonly<Record<string, number>> = {
  json: 80_000, jsonv2: 150_000, goccy: 300_000, sonic: 250_000, protobuf: 250_000, vtprotobuf: 800_000, "vtprotobuf-unsafe": 2_000_000, flatbuffers: 1_200_000, zap: 5_000_000,
};

/** One typed record, eth_getBalance, by nine codecs: to read it, to write it, and to answer it, alone and behind a server. */
const typed: Experiment = {
  id: "typed",
  version: 1,
  question: "What does it cost to read and write one typed record by each codec, and how much of that is left end to end?",
  factors,
  profiles: {
    quick: [
      { levels: { ...both, codec: ["json", "goccy", "sonic", "zap"] }, rounds: 2 },
      { levels: { ...served, codec: ["goccy", "zap"], operation: ["handler"] }, rounds: 2 },
      { levels: { ...rpc, codec: ["json", "goccy", "sonic", "zap"] }, rounds: 1 },
    ],
    standard: [
      { levels: both, rounds: 5 },
      { levels: served, rounds: 5 },
      { levels: rpc, rounds: 5 },
      { levels: counted, rounds: 1 },
      { levels: { ...counted, codec: ["json", "goccy", "zap"], operation: ["decode"], records: ["both"] }, rounds: 1 },
    ],
    full: [
      { levels: both, rounds: 12 },
      { levels: served, rounds: 12 },
      { levels: rpc, rounds: 12 },
      { levels: { ...counted, codec }, rounds: 3 },
      { levels: { ...counted, codec, operation: ["decode", "encode"], records: ["both"] }, rounds: 3 },
      { levels: { ...rpc, ...emulated }, rounds: 3 },
    ],
  },
  trial(cell: Cell): Trial {
    const [name, operation] = [String(cell["codec"]), String(cell["operation"])];
    if (operation !== "rpc") {
      const program = name === "json" ? "bench-codec-nojsonv2" : "bench-codec";
      return alone(cell, program, ["--codec", name, "--operation", operation, "--records", String(cell["records"])], operations[name]!);
    }
    const isRecord = name === "zap";
    const http = name === "json" ? "serve-rpc-nojsonv2" : "serve-rpc";
    const server = isRecord ? { program: "serve-pooled", arguments: [] } : { program: http, arguments: ["--codec", name] };
    return underLoad(cell, server, {
      protocol: isRecord ? "zap" : "http", target: "/rpc", connections: 64, depth: 1, seconds: 1, counted: 4_096, body: isRecord ? call.record : call.json,
    });
  },
};

export default typed;
