import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { inProject } from "../root.js";

export type SchemaName = "attempt" | "manifest";

const compiled = new Map<SchemaName, ValidateFunction>();

/** What is wrong with `value` by `data/schema/NAME.schema.json`, in words; undefined when nothing is. */
export function violation(name: SchemaName, value: unknown): string | undefined {
  let validate = compiled.get(name);
  if (validate === undefined) {
    const ajv = new Ajv2020({ allowUnionTypes: true, strictRequired: false });
    formats.default(ajv);
    validate = ajv.compile(JSON.parse(readFileSync(inProject("data", "schema", `${name}.schema.json`), "utf8")) as object);
    compiled.set(name, validate);
  }
  if (validate(value)) return undefined;
  // The first error of an "if" is about the branch taken, which is the one that says something.
  const error = validate.errors?.find((e) => e.keyword !== "if");
  return `${error?.instancePath === "" ? "it" : error?.instancePath} ${error?.message}`;
}
