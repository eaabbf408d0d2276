// Runs the tests of the library in a browser:
//
//   node run.mjs FOLDER [--golden-every N] [--only NAME]
//
// FOLDER is what `scripts/build-web --tests` has built. One golden line in N is judged, all by
// default. The exit status is 1 if a test fails or the console said something.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { brotliCompressSync, constants } from "node:zlib";
import { launch, openPage, serve } from "./browser.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const golden = join(here, "../../tests/golden");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { "golden-every": { type: "string", default: "1" }, only: { type: "string", default: "" },
    programs: { type: "string", default: "200" } },
});
const built = resolve(positionals[0]);
const every = Number(values["golden-every"]);
// Lines that a page is given at a time.
const LINES = 200;

function* goldenLines() {
  let number = 0;
  for (const file of readdirSync(golden).filter((name) => name.endsWith(".jsonl")).sort()) {
    for (const line of readFileSync(join(golden, file), "utf8").split("\n")) {
      if (line.trim() !== "" && number++ % every === 0) yield line;
    }
  }
}

// The most bytes of the module of WebAssembly that is served, and after brotli.
const MOST = [1_100_000, 330_000];

// Returns the size of the module of WebAssembly that is served, and throws if it is too large.
function size() {
  const module = readFileSync(join(built, "indim_web_bg.wasm"));
  const served = brotliCompressSync(module, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
  const text = `${module.length.toLocaleString("en")} bytes, ${served.length.toLocaleString("en")} after brotli`;
  if (module.length > MOST[0] || served.length > MOST[1]) {
    throw new Error(`the module is ${text}, more than ${MOST.join(" and ")}; with wasm-opt and node it is smaller`);
  }
  return text;
}

// Returns a test of what a file of checks/ exports.
function check(name) {
  return (page) => page.evaluate(async (name) => (await import(`./${name}.mjs`)).default(), name);
}

// Each test is given a page with nothing on it, and throws if something is wrong.
const tests = {
  async module(page) {
    await check("module")(page);
    console.log(`  module: ${size()}`);
  },
  arguments: check("arguments"),
  words: check("words"),
  everyday: check("everyday"),
  async guest(page) {
    console.log(`  ${await check("guest")(page)}`);
  },
  lifetimes: check("lifetimes"),
  memory: check("memory"),
  traps: check("traps"),
  without: check("without"),
  errors: check("errors"),
  functions: check("functions"),
  async golden(page) {
    const lines = [...goldenLines()];
    let failed = [];
    for (let i = 0; i < lines.length; i += LINES) {
      const text = lines.slice(i, i + LINES).join("\n");
      failed = failed.concat(await page.evaluate(
        async (text) => (await import("./golden.mjs")).default(text), text));
    }
    console.log(`  golden: ${lines.length - failed.length} passed, ${failed.length} failed`);
    if (failed.length > 0) throw new Error(failed.slice(0, 20).join("\n"));
    if (lines.length < 1000 / every) throw new Error(`only ${lines.length} golden lines`);
  },
  async programs(page) {
    const text = await page.evaluate(
      async (count) => (await import("./programs.mjs")).default(count), Number(values.programs));
    console.log(`  ${text}`);
  },
};

const { server, address } = await serve({ "/": built, "/checks/": join(here, "checks") });
const browser = await launch();
let failures = 0;
for (const [name, test] of Object.entries(tests)) {
  if (!name.startsWith(values.only)) continue;
  const begun = performance.now();
  const { page, said } = await openPage(browser, `${address}/checks/blank.html`);
  try {
    await test(page);
    if (said.length > 0) throw new Error(`the console is not empty:\n${said.slice(0, 20).join("\n")}`);
    console.log(`ok      ${name}, ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  } catch (error) {
    failures += 1;
    console.log(`FAILED  ${name}\n${error.message}\n${said.slice(0, 20).join("\n")}`);
  }
  await page.close();
}
await browser.close();
server.close();
process.exitCode = failures === 0 ? 0 : 1;
