import type { Attempt } from "../../store/attempt.js";

/** How far a run has come; told after each attempt, and once at the start. */
export interface Progress {
  /** Attempts that stand, adopted ones included, of all that are planned. */
  readonly done: number;
  readonly total: number;
  readonly adopted: number;
  readonly failed: number;
  readonly elapsedSeconds: number;
  /** A guess from the attempts so far. */
  readonly secondsLeft: number;
  /** The attempt just made; none at the start. */
  readonly attempt?: Attempt;
}

/** `1:05`, `2:03:04`. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (n: number): string => String(n).padStart(2, "0");
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** What happened, in one line of text. */
export function progressLine(progress: Progress): string {
  const { done, total, failed, adopted, attempt } = progress;
  const parts = [`${done}/${total}`];
  if (failed > 0) parts.push(`${failed} failed`);
  if (attempt === undefined) parts.push(adopted > 0 ? `${adopted} adopted from earlier runs` : "begins");
  else parts.push(`${attempt.experiment} ${Object.values(attempt.cell).join(" ")} ${attempt.basis === "native" ? "round" : "seed"} ${attempt.basis === "native" ? attempt.round : attempt.seed}: ${outcome(attempt)}`);
  if (done < total) parts.push(`about ${clock(progress.secondsLeft)} left`);
  return parts.join(", ");
}

function outcome(attempt: Attempt): string {
  if (attempt.failed !== undefined) return `failed at ${attempt.failed.stage}: ${attempt.failed.message}`;
  const main = attempt.metrics["instructions"] ?? attempt.metrics["schedstat_time"] ?? Object.values(attempt.metrics)[0];
  return main === undefined ? "done" : `${Math.round(main.value).toLocaleString("en")} ${main.unit}`;
}

/** Where progress is written: a terminal is rewritten in place, anything else gets a plain line for each attempt. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** A listener that shows progress on a screen; `end` leaves a terminal on a line of its own. */
export function show(screen: Screen): { tell(progress: Progress): void; end(): void } {
  if (screen.isTTY !== true) return { tell: (progress) => void screen.write(`${progressLine(progress)}\n`), end: () => {} };
  let open = false;
  return {
    tell(progress) {
      const line = progressLine(progress);
      const bar = progress.total === 0 ? "" : `[${"=".repeat(Math.floor((20 * progress.done) / progress.total)).padEnd(20)}] `;
      // A failure stays on the screen; everything else is overwritten by what follows.
      if (progress.attempt?.failed !== undefined) screen.write(`\r\u001B[2K${line}\n`);
      screen.write(`\r\u001B[2K${`${bar}${clock(progress.elapsedSeconds)} ${line}`.slice(0, (screen.columns ?? 80) - 1)}`);
      open = true;
    },
    end() {
      if (open) screen.write("\n");
      open = false;
    },
  };
}
