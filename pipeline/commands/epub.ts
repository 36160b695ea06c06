import { run as render } from "./render.js";

/** `nullius epub`: the articles as EPUB, each beside its page, which is brought up to date first. */
export function run(words: string[], options: { article?: string; locale?: string; run?: string; explain?: boolean; json?: boolean }): Promise<number> {
  return render(words, { ...options, epubs: true });
}
