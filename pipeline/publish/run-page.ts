import { basename, join } from "node:path";
import { attributes, escapeHtml, escapeText } from "../article/html.js";
import type { Locale } from "../article/locale.js";
import { formatNames, tableFormats } from "../store/export.js";
import { samplesOf, type Run } from "../store/run.js";
import { rawFile } from "./downloads.js";
import { mediaType } from "./ledger-page.js";
import { filesUnder } from "./output.js";
import { day, page } from "./page.js";
import { address, between, path, type Site } from "./surroundings.js";

/** A run with its machine, its experiments and its files, in one language. What its manifest says is shown as text, whoever wrote it. */
export function runPage(run: Run, locale: Locale, locales: ReadonlyMap<string, Locale>, site: Site): string {
  const { tag } = locale;
  const from = path.run(run.id, tag);
  const { manifest } = run;
  const word = (key: string): string => escapeText(locale.text(`run.${key}`));
  const title = locale.fill("run.title", { run: run.id });
  const description = locale.fill("run.description", { cpu: manifest.fingerprint.cpu, kernel: manifest.fingerprint.kernel, day: day(manifest.startedAt, locale) });
  const main = `<header class="title">
<h1>${escapeText(title)}</h1>
<p class="description">${escapeText(description)}</p>
</header>
<section id="made">
<h2>${word("made")}</h2>
${list([
    [word("started"), `<time${attributes({ datetime: manifest.startedAt })}>${escapeText(manifest.startedAt)}</time>`],
    [word("command"), `<code>${escapeText(manifest.command)}</code>`],
    [word("profile"), escapeText(manifest.profile)],
    [word("seed"), String(manifest.seed)],
    [word("commit"), manifest.git.commit === null ? "" : `<code>${escapeText(manifest.git.commit)}</code>${manifest.git.dirty === true ? ` ${word("dirty")}` : ""}`],
    [word("plan"), `<code>${escapeText(manifest.plan.digest)}</code>`],
  ])}
</section>
<section id="experiments">
<h2>${word("experiments")}</h2>
${experimentsTable(run, locale)}
${unavailable(run, locale)}
</section>
<section id="machine">
<h2>${word("machine")}</h2>
${machine(run, locale)}
</section>
<section id="files">
<h2>${word("files")}</h2>
<p>${word("raw")}</p>
<ul class="files">${[join(run.folder, "manifest.json"), ...sampleFiles(run)].map((file) => `<li><a${attributes({ href: between(from, rawFile(run.id, file)) })}>${escapeText(basename(file))}</a></li>`).join("")}</ul>
<p>${word("tables")}</p>
<ul class="files">${(sampleFiles(run).length === 0 ? [] : ["samples", "estimates"]).map((name) => `<li>${word(`table.${name}`)}: ${tableFormats.map((format) => `<a${attributes({ href: between(from, `runs/${run.id}/${name}.${format}`) })} download>${formatNames[format]}</a>`).join(", ")}</li>`).join("")}</ul>
</section>`;
  return page({
    kind: "run", path: from, title: escapeHtml(title), description: escapeHtml(description), locale, main, card: false,
    languages: site.tags.map((other) => ({ tag: other, name: locales.get(other)!.text("language"), path: path.run(run.id, other) })),
    data: {
      "@type": "Dataset", name: title, description, dateCreated: manifest.startedAt, creator: { "@type": "Organization", name: site.name, url: site.base },
      distribution: sampleFiles(run).length === 0 ? [] : tableFormats.map((format) => ({ "@type": "DataDownload", encodingFormat: mediaType[format], contentUrl: address(site, `runs/${run.id}/samples.${format}`) })),
    },
  }, site);
}

const sampleFiles = (run: Run): string[] => filesUnder(join(run.folder, "samples")).filter((file) => file.endsWith(".jsonl"));

/** Terms with their values, HTML; those without a value are left out. */
function list(rows: readonly (readonly [string, string])[]): string {
  return `<dl class="facts">${rows.flatMap(([term, value]) => (value === "" ? [] : [`<dt>${term}</dt><dd>${value}</dd>`])).join("\n")}</dl>`;
}

function experimentsTable(run: Run, locale: Locale): string {
  const samples = samplesOf(run);
  const heads = ["experiment", "version", "whole", "failed", "adopted"].map((key, column) => `<th scope="col"${column > 0 ? ' class="end"' : ""}>${escapeText(locale.text(`run.${key}`))}</th>`).join("");
  const rows = run.manifest.experiments.map(({ id, version }) => {
    const own = samples.filter((sample) => sample.experiment === id);
    const failed = own.filter((sample) => sample.failed !== undefined).length;
    const numbers = [version, own.length - failed, failed, own.filter((sample) => sample.adoptedFrom !== undefined).length];
    return `<tr><th scope="row">${escapeText(id)}</th>${numbers.map((number) => `<td class="end">${locale.number(number)}</td>`).join("")}</tr>`;
  });
  return `<div class="scroll" tabindex="0"><table><thead><tr>${heads}</tr></thead><tbody>\n${rows.join("\n")}\n</tbody></table></div>`;
}

function unavailable({ manifest }: Run, locale: Locale): string {
  if (manifest.unavailable.length === 0) return "";
  const items = manifest.unavailable.map(({ experiment, reason, remedy, cells }) => `<dt>${escapeText(experiment)} (${escapeText(locale.fill("run.cells", { count: locale.number(cells.length) }))})</dt><dd lang="en">${escapeText(`${reason}; ${remedy}`)}</dd>`);
  return `<h3>${escapeText(locale.text("run.unavailable"))}</h3>\n<dl class="unmeasured">${items.join("\n")}</dl>`;
}

function machine({ manifest: { fingerprint } }: Run, locale: Locale): string {
  const word = (key: string): string => escapeText(locale.text(`run.${key}`));
  const bytes = locale.number(fingerprint.memoryBytes / 2 ** 30, { maximumFractionDigits: 1 });
  const pairs = (values: Readonly<Record<string, string>>): string => `<dl class="facts code">${Object.entries(values).map(([name, value]) => `<dt>${escapeText(name)}</dt><dd>${escapeText(value)}</dd>`).join("\n")}</dl>`;
  const folded = (key: string, values: Readonly<Record<string, string>>): string =>
    Object.keys(values).length === 0 ? "" : `<details><summary>${word(key)} (${locale.number(Object.keys(values).length)})</summary>\n${pairs(values)}</details>`;
  const links = Object.fromEntries(fingerprint.network.map(({ name, driver, receiveQueues, transmitQueues, mtu }) => [name, locale.fill("run.link", { driver, receive: locale.number(receiveQueues), transmit: locale.number(transmitQueues), mtu: locale.number(mtu) })]));
  return `${list([
    [word("host"), escapeText(fingerprint.host)],
    [word("cpu"), escapeText(`${fingerprint.cpu} (${fingerprint.architecture})`)],
    [word("cores"), locale.number(fingerprint.cores)],
    [word("memory"), `${bytes} GiB`],
    [word("kernel"), escapeText(`Linux ${fingerprint.kernel}`)],
    [word("distribution"), escapeText(fingerprint.distribution)],
    [word("governor"), escapeText(fingerprint.governor)],
  ])}
${folded("compilers", fingerprint.compilers)}
${folded("libraries", fingerprint.libraries)}
${folded("network", links)}
${folded("mitigations", fingerprint.mitigations)}
${folded("sysctls", fingerprint.sysctls)}
${folded("images", fingerprint.images)}`;
}
