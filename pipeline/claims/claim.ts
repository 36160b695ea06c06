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

/** How a claim is measured here, as data beside it in `data/claims/ARTICLE.measures.json`. */
export interface Measure {
  readonly claim: string;
  /** The experiment that answers it; when it does not exist yet the verdict is `not yet measured`. */
  readonly experiment?: string;
  /** mathjs over rounds: `instructions(server="go") / instructions(server="engine")`. */
  readonly expression?: string;
  /** Levels of every factor the expression leaves open: `{ meter: "emulator", kernel: "6.12", ... }`. */
  readonly primary?: Readonly<Record<string, string | number>>;
  /** Further conditions, each shown beside the verdict. */
  readonly others?: readonly Readonly<Record<string, string | number>>[];
  readonly subject: "published code" | "own code" | "none";
  /** For checks that no expression can carry: the test that shows it, and the sentence of the ledger. */
  readonly note?: string;
}
