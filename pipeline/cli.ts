#!/usr/bin/env node
import { existsSync, readdirSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { Fault } from "./fault.js";
import { writeFault } from "./store/file.js";

/**
 * The commands. No logic here: each is a module of `commands/` with `run(words, options)`, loaded only when asked for,
 * because DuckDB, vega and mathjs together take longer to load than most commands take to run.
 */
const program = new Command("nullius")
  .description("Measures what two performance articles claim, judges every figure, and writes the articles anew")
  .configureOutput({ outputError: (text, write) => write(`${text.replace(/^error: /, "nullius: ").trim().replaceAll(/\s*\n\s*/g, " ").replace(/\.$/, "")}; './nullius help' lists what there is\n`) })
  .exitOverride();

function command(name: string, description: string): Command {
  return program.command(name).description(description).action(async function (this: Command) {
    const module = (await import(`./commands/${name.split(" ")[0]}.js`)) as { run(words: string[], options: Record<string, unknown>): Promise<number> };
    process.exitCode = await module.run(this.args, this.opts());
  });
}

const profile = ["--profile <profile>", "quick, standard or full", "standard"] as const;

command("doctor", "what is needed, found, missing, and the remedy").option("--json", "print JSON");
command("run", "measure what is missing or stale").argument("[experiments...]").option(...profile).option("--retry", "measure again what failed").option("--json", "print JSON");
command("estimates", "estimates of the newest run").option("--experiment <id>").option("--run <run>").option("--json", "print JSON");
command("ledger", "every claim with its verdict").option("--article <id>").option("--claim <id>").option("--run <run>").option("--json", "print JSON");
command("render", "write the pages").option("--article <id>").option("--locale <tag>").option("--run <run>").option("--explain", "say why each page was rebuilt").option("--json", "print JSON");
command("epub", "bind the articles as EPUB, beside their pages").option("--article <id>").option("--locale <tag>").option("--run <run>").option("--explain", "say why each was bound").option("--json", "print JSON");
command("pdf", "print the articles as PDF, beside their pages").option("--article <id>").option("--locale <tag>").option("--run <run>").option("--explain", "say why each was printed").option("--json", "print JSON");
command("site", "write the whole site, with the pictures of link previews, PDFs and EPUBs").option("--run <run>").option("--explain", "say why each file was rebuilt").option("--json", "print JSON");
command("bundle", "write the articles for other blogs: Hugo page bundles and plain Markdown").option("--run <run>").option("--explain", "say why each file was rebuilt").option("--json", "print JSON");
command("publish", "put the site at a folder, host:path or git:branch, whole or not at all").argument("<destination>").option("--run <run>").option("--no-cards", "without what Chromium draws: the pictures of link previews and the PDFs");
command("translated", "how each translation stands to its source; with languages named, record that they are up to date").argument("[article]").argument("[languages...]").option("--json", "print JSON");
command("serve", "show the site, and show it anew when a source changes").option("--port <port>", "where to listen", "8000").option("--run <run>");
command("readme", "write the README's chart and ledger from data/reference");
command("verify", "boot deterministic cells again and demand the same counts").option("--cells <n>", "how many cells to boot again").option("--pages", "instead, every figure of every page from the raw samples").option("--run <run>").option("--json", "print JSON");
command("notebooks", "execute the notebooks without a browser").argument("[notebooks...]").option(...profile).option("--json", "print JSON");
command("bench", "our codec and server beside their peers, in one run of its own").option("--quick", "fewer rounds").option("--json", "print JSON");
command("tune", "set this machine's network up as a server's under load; untune sets it back").option("--interface <device>", "the device that requests come through").option("--namespace <name>", "in this network namespace").option("--dry-run", "only show what would change").option("--without <knobs>", "leave these out, by commas").option("--json", "print JSON");
command("untune", "set back what tune, or a run that was killed, left set").option("--json", "print JSON");
command("reproduce", "run, execute notebooks, render, print the ledger").argument("[experiments...]").option(...profile).option("--json", "print JSON");

/** Turns back what a process that was killed left set on this machine, and says so. `untune` does it itself. */
async function undoLeft(): Promise<void> {
  const folder = process.env["NULLIUS_TUNING"] ?? "/var/lib/nullius/tuning";
  if (process.getuid?.() !== 0 || process.argv[2] === "untune" || !existsSync(folder) || readdirSync(folder).length === 0) return;
  const { untune } = await import("./hosts/tuning/index.js");
  for (const { device, outcome, changes } of await untune({ all: false })) {
    if (outcome === "turned back") console.error(`nullius: ${changes.length} settings of ${device} that an earlier command left are as before`);
  }
}

async function main(): Promise<void> {
  try {
    await undoLeft();
    await program.parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode;
    else fail(error);
  }
}

/** Says a Fault, or a file's error that the user can mend, in one sentence; anything else is ours and keeps its stack. */
function fail(error: unknown): void {
  const { code, path } = error as NodeJS.ErrnoException;
  const fault = code === "ENOENT" || code === undefined ? error : writeFault(path ?? "a file", error);
  if (!(fault instanceof Fault)) throw error;
  console.error(`nullius: ${fault.message}`);
  process.exitCode = fault.exitCode;
}

// A reader that has seen enough, `| head -1`, is no error; a full disk behind `> file` is, and console.log says nothing of it.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") return;
  fail(writeFault("the standard output", error));
});

await main();
