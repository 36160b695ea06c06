import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import type { Browser } from "playwright-core";
import { Fault } from "../fault.js";

/** The Chromium of this machine: the one that `CHROMIUM` names, else the first on PATH; undefined when there is none. */
export function findChromium(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const named = process.env["CHROMIUM"];
  return [...(named === undefined ? [] : [named]), ...["chromium", "chromium-browser", "google-chrome"].flatMap((name) => folders.map((folder) => join(folder, name)))].find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Chromium without a window, that asks nobody for anything by itself. @throws Fault when there is none on this machine */
export async function startChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Fault("there is no Chromium on this machine, which draws pictures and PDFs: apt-get install chromium fonts-noto-core, or name one in CHROMIUM");
  const { chromium } = await import("playwright-core");
  const quiet = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  return chromium.launch({ executablePath, headless: true, args: quiet, timeout: 120_000 });
}
