import type { Estimate } from "../stats/estimate.js";
import type { Basis } from "../store/attempt.js";
import type { Claim, ClaimBook, Levels, Measure } from "./claim.js";
import { answer, facts, type Answer, type Evidence } from "./evidence.js";
import { allowance, compare, sentence, type Finding } from "./rules.js";
import type { Verdict } from "./verdict.js";

/** The verdict on one claim, by rule from its comparator and tolerance. Never a word without something run beneath it. */
export function judge(published: Claim, measure: Measure, book: Pick<ClaimBook, "conditions" | "others">, evidence: Evidence): Verdict {
  const claim = measure.tolerance === undefined ? published : { ...published, tolerance: measure.tolerance };
  const row = (finding: Finding, found: Partial<Pick<Verdict, "measured" | "others" | "basis">> = {}): Verdict => {
    const basis = found.measured?.basis ?? found.basis;
    return {
      claim: claim.id,
      article: claim.article,
      verdict: finding.verdict,
      ...(basis === undefined ? {} : { basis }),
      subject: measure.subject,
      ...(found.measured === undefined ? {} : { measured: found.measured }),
      others: found.others ?? [],
      reason: sentence(finding, claim, found.measured, measure),
      cause: finding.cause,
      allowed: allowance(claim),
      ...(finding.detail === undefined ? {} : { detail: finding.detail }),
      ...(measure.expects === undefined ? {} : { expected: measure.expects }),
    };
  };
  if (claim.comparator === "none") return row({ verdict: "not measurable here", cause: "anecdote" });
  const { experiment } = measure;
  if (experiment === undefined) return row({ verdict: "not measurable here", cause: "impossible" });
  if (evidence.factors[experiment] === undefined) return row({ verdict: "not yet measured", cause: "later" });
  const levels = { ...book.conditions[experiment], ...measure.primary };
  if (measure.fact) return byFact(measure.fact, experiment, levels, evidence, row);
  if (measure.best) return byExtreme(measure.best, experiment, levels, evidence, row);
  if (measure.expression === undefined) return row({ verdict: "not yet measured", cause: "no-test" });
  const primary = answer(evidence, experiment, measure.expression, levels);
  const others = otherConditions(measure, measure.expression, experiment, levels, book, evidence);
  if ("missing" in primary) return row(unmeasured(primary), { others });
  return row(compare(claim, measure, primary.estimate), { measured: primary.estimate, others });
}

type Row = (finding: Finding, found?: { measured?: Estimate; others?: readonly Estimate[]; basis?: Basis }) => Verdict;

function unmeasured(answer: Extract<Answer, { missing: string }>): Finding {
  return answer.failed
    ? { verdict: "not measurable here", cause: "failed", detail: answer.missing }
    : { verdict: "not yet measured", cause: "missing", detail: answer.missing };
}

/** The same expression under every other condition that was measured; those that were not are left out. */
function otherConditions(measure: Measure, expression: string, experiment: string, levels: Levels, book: Pick<ClaimBook, "others">, evidence: Evidence): Estimate[] {
  const conditions = measure.others ?? (book.others[experiment] ?? []).map((other) => ({ levels: other }));
  return conditions.flatMap((condition) => {
    const result = answer(evidence, experiment, ("expression" in condition ? condition.expression : undefined) ?? expression, { ...levels, ...condition.levels });
    return "estimate" in result ? [result.estimate] : [];
  });
}

function byFact(fact: NonNullable<Measure["fact"]>, experiment: string, levels: Levels, evidence: Evidence, row: Row): Verdict {
  const found = facts(evidence, experiment, fact.name, { ...levels, ...fact.levels });
  if (found.attempts.length === 0) return row({ verdict: "not yet measured", cause: "no-fact", detail: fact.name });
  const pattern = new RegExp(fact.pattern, "iu");
  const against = found.values.find((value) => !pattern.test(value));
  const basis = found.attempts[0]!.basis;
  if (against !== undefined) return row({ verdict: "fails", cause: "fact.against", detail: against }, { basis });
  return row({ verdict: "holds", cause: "fact.for", detail: found.values[0]! }, { basis });
}

/** Whether the published candidate is the extreme of all; overlapping the extreme's interval counts as the direction only. */
function byExtreme(best: NonNullable<Measure["best"]>, experiment: string, levels: Levels, evidence: Evidence, row: Row): Verdict {
  const answers = Object.entries(best.of).map(([name, expression]) => ({ name, answer: answer(evidence, experiment, expression, levels) }));
  const candidates: { name: string; estimate: Estimate }[] = [];
  for (const { name, answer } of answers) {
    if ("missing" in answer) return row(unmeasured(answer));
    candidates.push({ name, estimate: answer.estimate });
  }
  const sign = best.is === "largest" ? 1 : -1;
  candidates.sort((a, b) => sign * (b.estimate.value - a.estimate.value));
  const expected = candidates.find((candidate) => candidate.name === best.expected)!.estimate;
  const rivals = candidates.filter((candidate) => candidate.name !== best.expected);
  const rival = rivals[0];
  const others = rivals.map((candidate) => candidate.estimate);
  if (rival === undefined || (sign > 0 ? expected.low > rival.estimate.high : expected.high < rival.estimate.low)) {
    return row({ verdict: "reproduced", cause: "best.agrees", detail: best.expected }, { measured: expected, others });
  }
  const beaten = sign > 0 ? rival.estimate.low > expected.high : rival.estimate.high < expected.low;
  return beaten
    ? row({ verdict: "contradicted", cause: "best.other", detail: rival.name }, { measured: expected, others })
    : row({ verdict: "direction", cause: "best.tied", detail: rival.name }, { measured: expected, others });
}
