/**
 * A user's mistake or a fault of the machine that the user can mend: bad input, a missing file, a port in use, a full disk.
 *
 * The message is one sentence that names the file, the place and the remedy. The command line prints it without a stack trace
 * and exits with `exitCode`; any other exception is a bug of ours and keeps its stack.
 */
export class Fault extends Error {
  override readonly name = "Fault";
  /** 1 the user's mistake, 2 a check failed, 130 interrupted. */
  readonly exitCode: 1 | 2 | 130;

  constructor(message: string, exitCode: 1 | 2 | 130 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
