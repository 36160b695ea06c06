/** The part of jsdom that is used here; the package ships no types of its own. */
declare module "jsdom" {
  export class JSDOM {
    constructor(html?: string);
    readonly window: { readonly document: Document };
  }
}
