import { run as render } from "./render.js";

/** `nullius site`: the whole site as it can be put on a server: all that `render` writes, the pictures of link previews and the articles as PDF and EPUB. */
export function run(words: string[], options: { run?: string; explain?: boolean; json?: boolean }): Promise<number> {
  return render(words, { ...options, cards: true, pdfs: true, epubs: true });
}
