/** A trial that gave no measurement: which stage failed, in one sentence, and the end of what the programs printed. */
export class TrialFailure extends Error {
  override readonly name = "TrialFailure";
  readonly stage: string;
  readonly output: string;

  constructor(stage: string, message: string, output = "") {
    super(message);
    this.stage = stage;
    this.output = output;
  }
}
