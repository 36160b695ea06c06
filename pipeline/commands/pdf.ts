import { run as render } from "./render.js";

/** `nullius pdf`: the articles as PDF, each beside its page, which is brought up to date first. */
export function run(words: string[], options: { article?: string; locale?: string; run?: string; explain?: boolean; json?: boolean }): Promise<number> {
  return render(words, { ...options, pdfs: true });
}
