import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

const text = { type: "string" };
const levels = { type: "object", additionalProperties: { type: ["string", "number"] } };
const list = (items: object): object => ({ type: "array", items });
const byName = (value: object): object => ({ type: "object", additionalProperties: value });

/** What must be there for a book to be judged, as JSON Schema; `claim.ts` says what each is. */
const schemas = {
  claims: {
    type: "object",
    required: ["article", "source", "claims", "contradictions"],
    properties: {
      article: text,
      source: { type: "object", required: ["publisher"] },
      claims: list({
        type: "object",
        required: ["id", "article", "where", "quantity", "unit", "kind", "comparator", "comparable"],
        properties: {
          id: text,
          where: text,
          quantity: text,
          unit: { type: ["string", "null"] },
          value: { type: ["number", "string"] },
          range: { type: "array", items: { type: "number" }, minItems: 2, maxItems: 2 },
          relation: { enum: ["about", "less than", "more than"] },
          kind: { enum: ["absolute", "ratio", "exact", "direction", "setting", "fact", "feature", "optimum", "anecdote", "announced"] },
          conditions: byName({ type: ["string", "number", "boolean"] }),
          comparator: { enum: ["interval", "range", "bound", "exact", "order", "optimum", "check", "open", "none"] },
          comparable: { type: "boolean" },
          tolerance: { type: "number" },
        },
      }),
      contradictions: list({ type: "object", required: ["claims", "what"], properties: { claims: list(text), what: text } }),
    },
  },
  measures: {
    type: "object",
    required: ["conditions", "others", "measures"],
    properties: {
      conditions: byName(levels),
      others: byName(list(levels)),
      measures: list({
        type: "object",
        required: ["claim", "subject"],
        properties: {
          claim: text,
          experiment: text,
          expression: text,
          primary: levels,
          others: list({ type: "object", required: ["levels"], properties: { expression: text, levels } }),
          pivot: { enum: [0, 1] },
          tolerance: { type: "number" },
          expects: { type: "number" },
          best: { type: "object", required: ["of", "is", "expected"], properties: { of: byName(text), is: { enum: ["largest", "smallest"] }, expected: text } },
          fact: { type: "object", required: ["name", "pattern"], properties: { name: text, pattern: text, levels } },
          subject: { enum: ["published code", "own code", "none"] },
          note: text,
        },
      }),
    },
  },
};

const compiled = new Map<keyof typeof schemas, ValidateFunction>();

/** What is wrong with a file of claims or measures, and the path to it; undefined when nothing is. */
export function misshapen(kind: keyof typeof schemas, value: unknown): { readonly path: readonly string[]; readonly what: string } | undefined {
  let validate = compiled.get(kind);
  if (validate === undefined) compiled.set(kind, (validate = new Ajv2020({ allowUnionTypes: true }).compile(schemas[kind])));
  if (validate(value)) return undefined;
  const error = validate.errors![0]!;
  const allowed = error.keyword === "enum" ? `: ${(error.params as { allowedValues: unknown[] }).allowedValues.join(", ")}` : "";
  return { path: error.instancePath.split("/").slice(1), what: `${error.instancePath || "it"} ${error.message}${allowed}` };
}
