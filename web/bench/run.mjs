// Measures indim and other libraries on WebGPU in headless Chromium:
//
//   node web/bench/run.mjs FOLDER [PATTERN...] [--output FILE.md] [--elements N] [--rounds N]
//     [--repeat N] [--library NAME]...
//
// FOLDER is what `scripts/build-web` has built. Without --output the tables go to stdout; with it,
// lines of JSON go to FILE.jsonl as well. README.md beside this file says what is measured.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { patterns } from "./patterns.js";
import { markdown } from "./report.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const LIBRARIES = [
  { name: "indim" },
  { name: "onnxruntime", packages: ["onnxruntime-web"], peer: true },
  { name: "tfjs", packages: ["@tensorflow/tfjs-backend-webgpu"], peer: true },
  { name: "jaxjs", packages: ["@jax-js/jax"], peer: true },
  { name: "javascript" },
];
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    output: { type: "string" }, elements: { type: "string", default: String(1 << 22) },
    rounds: { type: "string", default: "5" }, repeat: { type: "string", default: "5" },
    library: { type: "string", multiple: true },
  },
});
const [folder, ...asked] = positionals;
const elements = Number(values.elements);
const rounds = Number(values.rounds);
const repeat = Number(values.repeat);

function refuse(why) {
  console.error(`${why}\nnode web/bench/run.mjs FOLDER [PATTERN...] [--output FILE.md] [--elements N] [--rounds N] [--repeat N] [--library NAME]...`);
  process.exit(2);
}

const known = patterns(1 << 12).map(({ name }) => name);
if (!folder || !existsSync(join(folder, "indim.js"))) refuse("FOLDER is to be what scripts/build-web has built");
for (const name of asked) if (!known.includes(name)) refuse(`no pattern ${name}; there are ${known.join(", ")}`);
for (const name of values.library ?? []) if (!LIBRARIES.some((library) => library.name === name)) refuse(`no library ${name}`);
if (!(elements >= 4096 && rounds >= 1 && repeat >= 1)) refuse("at least 4,096 elements, one round and one evaluation are measured");
if (values.output && !values.output.endsWith(".md")) refuse("the file of the output is to end in .md");

// Fetches the packages of a folder, unless they are there.
function install(folder) {
  if (existsSync(join(folder, "node_modules"))) return;
  const command = existsSync(join(folder, "package-lock.json")) ? ["ci"] : ["install", "--no-package-lock"];
  execFileSync("npm", [...command, "--silent", "--ignore-scripts", "--prefix", folder], { stdio: "inherit" });
}

// The driver of Chromium is a package of the tests, which this shares.
install(here);
install(join(here, "../tests"));
const { launch, serve } = await import("../tests/browser.mjs");
const { Tab } = await import("./tab.mjs");

const version = (name) => JSON.parse(readFileSync(join(here, "node_modules", name, "package.json"), "utf8")).version;

function median(list) {
  const sorted = [...list].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

const round = (value) => Number(value.toPrecision(6));

// Measures one pattern: libraries get ready one after the other, then take turns. Gives an entry for
// each.
async function measure(pattern, libraries) {
  const times = pattern.latency ? 1 : repeat;
  const ready = [];
  const entries = [];
  const about = ({ name, version, adapter }) => ({ library: name, version, pattern: pattern.name, adapter });
  const failed = (library, error) => entries.push({ ...about(library), elements: pattern.elements, error: error.message });
  for (const library of libraries) {
    try {
      ready.push({ library, found: await library.tab.call("prepare", pattern.name, elements), turns: [] });
    } catch (error) {
      failed(library, error);
    }
  }
  for (let turn = 0; turn < rounds; turn++) {
    // Each round begins with another library.
    const order = ready.map((_, k) => ready[(k + turn) % ready.length]);
    for (const one of order.filter(({ error }) => !error)) {
      try {
        one.turns.push(await one.library.tab.call("turn", one.library.name === "javascript" ? 1 : times));
      } catch (error) {
        one.error = error;
        failed(one.library, error);
      }
    }
  }
  for (const { library, found, turns, error } of ready) {
    if (error) continue;
    await library.tab.call("drop").catch(() => {});
    const over = (field) => round(median(turns.map((samples) => median(samples.map((sample) => sample[field])))));
    entries.push({
      ...about(library), ...found, median_ms: over("all"), host_ms: over("host"),
      min_ms: round(Math.min(...turns.flat().map(({ all }) => all))),
      rounds_ms: turns.map((samples) => round(median(samples.map(({ all }) => all)))),
      samples: turns.flat().length,
      clock: library.name === "javascript" ? "wall, one evaluation" : `wall, ${times === 1 ? "one evaluation" : `up to ${times} evaluations`} and one wait`,
    });
  }
  // The order of the table, whatever failed first.
  const order = libraries.map(({ name }) => name);
  return entries.sort((a, b) => order.indexOf(a.library) - order.indexOf(b.library));
}

const lines = values.output?.replace(/\.md$/, ".jsonl");
const { server, address } = await serve({ "/": here, "/indim/": resolve(folder) });
// An isolated page has a clock of microseconds.
server.prependListener("request", (_, response) => {
  response.setHeader("cross-origin-opener-policy", "same-origin");
  response.setHeader("cross-origin-embedder-policy", "require-corp");
});
const browser = await launch();
const begun = performance.now();
try {
  const libraries = LIBRARIES.filter(({ name }) => !values.library || values.library.includes(name));
  for (const library of libraries) {
    library.version = library.packages?.map(version).join(", ");
    library.tab = new Tab(browser, address, library.name);
    try {
      Object.assign(library, await library.tab.open());
    } catch (error) {
      library.missing = error.message.split("\n")[0];
      console.error(`${library.name}: missing, ${library.missing}`);
      // There is nothing to compare the others with.
      if (library.name === "indim") throw error;
    }
  }
  const running = libraries.filter(({ missing }) => !missing);
  const chosen = patterns(elements).filter(({ name }) => asked.length === 0 || asked.includes(name));
  const entries = [];
  for (const pattern of chosen) {
    const measured = await measure(pattern, running);
    entries.push(...measured);
    // A run that is ended leaves what it has measured.
    if (lines) writeFileSync(lines, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
    const said = measured.map(({ library, error, median_ms }) => `${library} ${error ? `failed: ${error}` : `${median_ms.toPrecision(3)} ms`}`);
    console.error(`${pattern.name}: ${said.join(", ")}`);
  }
  const text = markdown(libraries, chosen.map(({ name }) => name), entries, {
    adapter: running.find(({ tab, name }) => tab && name !== "javascript")?.adapter ?? "no adapter",
    lines: [
      `Chromium ${browser.version()}, headless, on ${cpus().length} processors (${cpus()[0].model.trim()})`,
      `${elements} elements a result, ${rounds} rounds, ${((performance.now() - begun) / 60_000).toFixed(1)} minutes`,
    ],
  });
  if (values.output) writeFileSync(values.output, text);
  else console.log(text);
} finally {
  await browser.close();
  server.close();
}
