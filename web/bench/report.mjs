// Makes the tables of a run. An entry is a line of its JSON: one library and one pattern.

import { BROADCASTING, REDUCTIONS } from "./patterns.js";

// Three digits that count.
function digits(value) {
  return value.toFixed(Math.max(0, 2 - Math.floor(Math.log10(Math.max(value, 1e-9)))));
}

// Returns a Markdown table; all columns but the first are numbers.
function aligned(rows) {
  const widths = rows[0].map((_, k) => Math.max(3, ...rows.map((row) => row[k].length)));
  const line = (row) => `| ${row.map((text, k) => (k ? text.padStart(widths[k]) : text.padEnd(widths[k]))).join(" | ")} |`;
  const rule = widths.map((width, k) => "-".repeat(width + 1) + (k ? ":" : "-")).join("|");
  return [line(rows[0]), `|${rule}|`, ...rows.slice(1).map(line), ""].join("\n");
}

// Returns the geometric mean, or undefined if something is missing.
function mean(values) {
  if (values.length === 0 || values.some((value) => value === undefined)) return undefined;
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

const shown = (value) => (value === undefined ? "" : digits(value));

class Report {
  constructor(libraries, names, entries) {
    this.libraries = libraries;
    this.names = names;
    this.of = new Map(entries.map((entry) => [`${entry.library} ${entry.pattern}`, entry]));
    this.peers = libraries.filter(({ name, peer }) => peer && entries.some(({ library }) => library === name));
  }

  entry(library, pattern) {
    return this.of.get(`${library} ${pattern}`) ?? {};
  }

  cell(library, pattern, value) {
    return this.entry(library, pattern).error ? "error" : shown(value);
  }

  ms(library, pattern) {
    return this.entry(library, pattern).median_ms;
  }

  ratio(library, pattern) {
    const [theirs, ours] = [this.ms(library, pattern), this.ms("indim", pattern)];
    return theirs && ours ? theirs / ours : undefined;
  }

  // Returns the fastest peer of a pattern and its ratio.
  best(pattern) {
    const ratios = this.peers.map(({ name }) => ({ name, ratio: this.ratio(name, pattern) }))
      .filter(({ ratio }) => ratio !== undefined);
    return ratios.sort((a, b) => a.ratio - b.ratio)[0] ?? {};
  }

  ratios() {
    const others = this.libraries.filter(({ name }) => name !== "indim").map(({ name }) => name);
    const rows = [["pattern", "indim ms", "best peer", "best peer / indim", ...others.map((name) => `${name} / indim`)]];
    for (const pattern of this.names) {
      const { name = "", ratio } = this.best(pattern);
      rows.push([`\`${pattern}\``, this.cell("indim", pattern, this.ms("indim", pattern)), name, shown(ratio),
        ...others.map((other) => this.cell(other, pattern, this.ratio(other, pattern)))]);
    }
    const means = [];
    for (const [title, patterns] of [["geometric mean", BROADCASTING], ["geometric mean of reductions", REDUCTIONS]]) {
      const over = patterns.filter((pattern) => this.names.includes(pattern));
      if (over.length === 0) continue;
      rows.push([title, "", "", shown(mean(over.map((pattern) => this.best(pattern).ratio))),
        ...others.map((other) => shown(mean(over.map((pattern) => this.ratio(other, pattern)))))]);
      means.push(`\nThe ${title} is over ${over.map((pattern) => `\`${pattern}\``).join(", ")}.\n`);
    }
    return aligned(rows) + means.join("");
  }

  // Returns a table of one field of the entries.
  field(libraries, show) {
    return aligned([["pattern", ...libraries.map(({ name }) => name)], ...this.names.map((pattern) => [
      `\`${pattern}\``,
      ...libraries.map(({ name }) => (this.entry(name, pattern).error ? "error" : show(this.entry(name, pattern)))),
    ])]);
  }

  errors() {
    const lines = [...this.of.values()].filter(({ error }) => error)
      .map(({ library, pattern, error }) => `- ${library}, \`${pattern}\`: ${error}\n`);
    return lines.length > 0 ? `\nErrors:\n\n${lines.join("")}` : "";
  }
}

// Returns the tables as Markdown. `about` says where and how it ran.
export function markdown(libraries, names, entries, about) {
  const report = new Report(libraries, names, entries);
  const gpu = libraries.filter(({ name }) => name !== "javascript");
  return [
    `# In a browser: ${about.adapter}\n\n`,
    "Times in those of indim: above 1, indim is faster.\n\n",
    report.ratios(),
    "\nMedians in milliseconds of one evaluation, until the device is done.\n\n",
    report.field(libraries, ({ median_ms }) => shown(median_ms)),
    "\nOf these, milliseconds until the evaluation is given to the device.\n\n",
    report.field(gpu, ({ host_ms }) => shown(host_ms)),
    "\nDispatches of one evaluation, and the submissions that they are in.\n\n",
    report.field(gpu, ({ dispatches, submits }) => (dispatches === undefined ? "" : `${dispatches} (${submits})`)),
    "\nThe largest difference of a result from the JavaScript loop's.\n\n",
    report.field(gpu, ({ max_error }) => (max_error === undefined ? "" : max_error === 0 ? "0" : max_error.toExponential(1))),
    "\nWhat ran:\n\n",
    ...about.lines.map((line) => `- ${line}\n`),
    ...libraries.map(({ name, version, adapter, missing }) =>
      `- ${[name, version].filter(Boolean).join(" ")}: ${missing ? `missing (${missing})` : adapter}\n`),
    report.errors(),
  ].join("");
}
