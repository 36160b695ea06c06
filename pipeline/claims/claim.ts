/** What an article published, as it stands in `data/claims/ARTICLE.json`. */
export interface Claim {
  readonly id: string;
  readonly article: string;
  readonly where: string;
  readonly quantity: string;
  readonly unit: string | null;
  readonly value?: number | string;
  readonly range?: readonly [number, number];
  readonly relation?: "about" | "less than" | "more than";
  readonly kind: "absolute" | "ratio" | "exact" | "direction" | "setting" | "fact" | "feature" | "optimum" | "anecdote" | "announced";
  readonly expect?: string;
  readonly conditions?: Readonly<Record<string, string | number | boolean>>;
  readonly comparator: "interval" | "range" | "bound" | "exact" | "order" | "optimum" | "check" | "open" | "none";
  readonly comparable: boolean;
  /** Relative. */
  readonly tolerance?: number;
}

/** Levels of the factors that an expression leaves open: `{ meter: "emulator", kernel: "6.12" }`. */
export type Levels = Readonly<Record<string, string | number>>;

/** How a claim is measured here, as data beside it in `data/claims/ARTICLE.measures.json`. */
export interface Measure {
  readonly claim: string;
  /** The experiment that answers it; when it does not exist yet the verdict is `not yet measured`. */
  readonly experiment?: string;
  /** mathjs over rounds: `instructions(server="go") / instructions(server="engine")`. */
  readonly expression?: string;
  /** Over those of the experiment (`Measures.conditions`), which stand for the factors the expression leaves open. */
  readonly primary?: Levels;
  /** Further conditions, each shown beside the verdict, over those of the experiment; an expression of its own where the metric differs. */
  readonly others?: readonly { readonly expression?: string; readonly levels: Levels }[];
  /** What means "no difference": 1 for a ratio (the default), 0 for a change or a difference. */
  readonly pivot?: 0 | 1;
  /** Relative, over the claim's own, where the figure is inferred from a count that carries noise. */
  readonly tolerance?: number;
  /** For a check whose claim has no figure: what the expression must come to. */
  readonly expects?: number;
  /** For `order` and `optimum`: one expression for each candidate; the claim's `value` or `best.expected` should be the extreme. */
  readonly best?: { readonly of: Readonly<Record<string, string>>; readonly is: "largest" | "smallest"; readonly expected: string };
  /** For checks that rest on a recorded fact: it must match the pattern in every whole attempt of the primary condition. */
  readonly fact?: { readonly name: string; readonly pattern: string; readonly levels?: Levels };
  readonly subject: "published code" | "own code" | "none";
  /** A sentence that says what the check rests on or why a claim cannot be measured; ends the reason. */
  readonly note?: string;
}

/** Where a source contradicts itself. */
export interface Contradiction {
  readonly claims: readonly string[];
  readonly what: string;
}

/** `data/claims/ARTICLE.json` with `data/claims/ARTICLE.measures.json`. */
export interface ClaimBook {
  readonly article: string;
  readonly source: { readonly publisher: string; readonly titles: Readonly<Record<string, string>>; readonly code: readonly string[] };
  readonly hosts: Readonly<Record<string, string>>;
  readonly claims: readonly Claim[];
  readonly contradictions: readonly Contradiction[];
  /** For each experiment the levels of its factors that its measures take unless they say otherwise. */
  readonly conditions: Readonly<Record<string, Levels>>;
  /** For each experiment the conditions shown beside every verdict that has an expression. */
  readonly others: Readonly<Record<string, readonly Levels[]>>;
  readonly measures: readonly Measure[];
}
