import { Fault } from "../fault.js";

/** Why a message is refused: the phrases of the Go package `nullius/zap/wire`, so that two decoders' verdicts can be compared. */
export const reasons = {
  truncated: "the message ends before it",
  magic: "it is not 5a 41 50 00",
  version: "neither version 1 nor 2",
  type: "not the type of message asked for, or unknown flags",
  size: "it differs from the number of bytes that arrived",
  root: "the fixed section would lie in the header or past the end",
  pastEnd: "it runs past the end of the message",
  overlap: "it overlaps the fixed section or an earlier field",
  missing: "it is empty",
  character: "it holds a character that HTTP does not allow there",
  status: "not a status from 100 to 599",
  tooLong: "it is longer than the limit",
  zero: "it is zero",
  json: "not a JSON object of arrays of strings",
  escape: "not a JSON escape, or half of a surrogate pair",
  utf8: "not UTF-8",
  unsorted: "names are not in ascending order, each once",
  tooMany: "there are more than the limit",
} as const;

export type Reason = (typeof reasons)[keyof typeof reasons];

/** A message that is not well formed: which field, at which byte from its start, and why. */
export class WireFault extends Fault {
  readonly field: string;
  readonly offset: number;
  readonly reason: Reason;

  constructor(field: string, offset: number, reason: Reason) {
    super(`zap: ${field} at byte ${offset}: ${reason}`);
    this.field = field;
    this.offset = offset;
    this.reason = reason;
  }
}
