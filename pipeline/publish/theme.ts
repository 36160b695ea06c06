import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Fault } from "../fault.js";
import { inProject, shortPath } from "../root.js";
import { filesUnder, sha256, type Output } from "./output.js";

/** The fonts that the theme brings along, from packages that package-lock.json pins. A browser fetches one only for a page with its letters. */
const packaged = ["node_modules/@fontsource-variable/noto-sans-devanagari/files/noto-sans-devanagari-devanagari-wght-normal.woff2"];

/** Where the style sheet of all pages lies in the site. */
export const stylePath = "theme/style.css";

/** The theme as files of the site: one style sheet and the fonts. @throws Fault when a font is missing */
export function themeOutputs(common: string): Output[] {
  const css = themeCss(common);
  const fonts = [...packagedFonts(), ...filesUnder(join(common, "theme", "fonts"))];
  return [
    { path: stylePath, inputs: { "the theme": sha256(css) }, make: async () => css },
    ...fonts.map((file) => {
      const bytes = readFileSync(file);
      return { path: `theme/fonts/${basename(file)}`, inputs: { "the font": sha256(bytes) }, make: async () => bytes };
    }),
  ];
}

/** The files of the fonts that packages bring. @throws Fault when one is missing */
export function packagedFonts(): string[] {
  const files = packaged.map((file) => inProject(file));
  const missing = files.find((file) => !existsSync(file));
  if (missing !== undefined) throw new Fault(`${shortPath(missing)}: the font is missing; bring it by 'make setup'`);
  return files;
}

/** The theme's style sheets as one, in order of name, without their comments. */
export function themeCss(common: string): string {
  const files = filesUnder(join(common, "theme")).filter((file) => file.endsWith(".css"));
  return `${files.map((file) => readFileSync(file, "utf8").replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/\n\s+/g, "\n").trim()).join("\n")}\n`;
}
