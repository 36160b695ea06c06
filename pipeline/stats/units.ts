import { all, create, type MathJsInstance, type Unit } from "mathjs";

let instance: MathJsInstance | undefined;

/** mathjs with the units of counting that its own table lacks: instruction, connection, segment, request, operation. One instance, made on first use. */
export function mathematics(): MathJsInstance {
  if (instance === undefined) {
    instance = create(all!, {});
    for (const name of ["instruction", "connection", "segment", "request", "operation"]) instance.createUnit(name);
  }
  return instance;
}

/** A number where units cancel, else a mathjs unit. */
export type Quantity = number | Unit;

/** `value` with `unit`, as mathjs computes with it. Throws mathjs's own error when the unit does not parse. */
export function quantity(value: number, unit: string): Quantity {
  const math = mathematics();
  return math.multiply(value, math.evaluate(unit) as number) as Quantity;
}

/** The unit of a quantity, as text that `quantity` reads back: `instruction/connection`; `1` for a plain number. */
export function unitOf(value: Quantity): string {
  if (typeof value === "number") return "1";
  return value.formatUnits().replaceAll(/\s*([/*])\s*/g, "$1").replaceAll(/\s+/g, "*").replaceAll(/[()]/g, "");
}

/** The number of `unit` in `value`. Throws when the two do not measure the same thing. */
export function numberIn(value: Quantity, unit: string): number {
  const quotient: unknown = mathematics().divide(value, quantity(1, unit));
  if (typeof quotient !== "number") throw new Error(`${unitOf(value)} is not a measure in ${unit}`);
  return quotient;
}
