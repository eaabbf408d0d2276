// Runs the tests of the page in a browser:
//
//   node page.mjs FOLDER [--only NAME] [--shots FOLDER]
//
// FOLDER is what `scripts/build-web` has built. --shots writes pictures of the page for people to
// look at. The exit status is 1 if a test fails, or if a console said something.

import { mkdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { launch, openPage, serve } from "./browser.mjs";
import * as access from "./page/access.mjs";
import * as arrival from "./page/arrival.mjs";
import * as bench from "./page/bench.mjs";
import * as demos from "./page/demos.mjs";
import * as hostile from "./page/hostile.mjs";
import * as keyboard from "./page/keyboard.mjs";
import * as languages from "./page/languages.mjs";
import * as layout from "./page/layout.mjs";
import * as play from "./page/play.mjs";
import * as puzzles from "./page/puzzles.mjs";
import * as reductions from "./page/reductions.mjs";
import * as rules from "./page/rules.mjs";
import * as teaching from "./page/teaching.mjs";
import * as without from "./page/without.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: "string", default: "" }, shots: { type: "string" } },
});
if (positionals.length !== 1) {
  console.error("node page.mjs FOLDER [--only NAME] [--shots FOLDER]");
  process.exit(2);
}
const built = resolve(positionals[0]);
const { server, address } = await serve({ "/": built });
const browsers = {};

// What tests are given: a function that opens the page, and where it was built. `route` is given a page
// before it is opened; one that is not `settled` need not get further than its first words.
function opener(pages) {
  return async (hash = "", { webgpu = true, init, expected, route, settled = true, address: at = address, ...options } = {}) => {
    browsers[webgpu] ??= launch({ webgpu });
    const context = await (await browsers[webgpu]).newContext({ locale: "en-US", viewport: { width: 1280, height: 900 }, ...options });
    if (init) await context.addInitScript(init);
    const opened = await openPage(context, `${at}/${hash}`, {}, route);
    pages.push({ ...opened, context, expected });
    if (settled) await opened.page.waitForSelector("main > section:not(.first)");
    return opened.page;
  };
}

async function run(name, test) {
  const begun = performance.now();
  const pages = [];
  const took = () => `${((performance.now() - begun) / 1000).toFixed(1)} s`;
  try {
    await test(opener(pages), { built });
    const said = pages.flatMap(({ said, expected }) => said.filter((text) => !expected?.test(text)));
    if (said.length > 0) throw new Error(`the console is not empty:\n${said.slice(0, 20).join("\n")}`);
    console.log(`ok      ${name}, ${took()}`);
    return true;
  } catch (error) {
    const said = pages.flatMap((page) => page.said);
    console.log(`FAILED  ${name}, ${took()}\n${error.stack}\n${said.slice(0, 20).join("\n")}`);
    return false;
  } finally {
    for (const { context } of pages) await context.close();
  }
}

async function shots(folder) {
  mkdirSync(folder, { recursive: true });
  const places = { play: "", steps: "#lhs=4&rhs=1,2&dims=0&step=2", slices: "#lhs=2,3,4,5&rhs=2,5&dims=0,3",
    refusal: "#dims=", large: "#lhs=1000,1,1000&rhs=1,64,1000&dims=",
    reduction: "#op=reduce_sum&lhs=2,3,4&reduce=0,2", puzzles: "#tab=puzzles", gpu: "#tab=gpu", rules: "#tab=rules" };
  for (const width of [1280, 768, 360]) {
    for (const colorScheme of ["light", "dark"]) {
      for (const [name, hash] of Object.entries(places)) {
        const pages = [];
        const page = await opener(pages)(hash, { viewport: { width, height: 900 }, colorScheme });
        await page.waitForTimeout(1000);
        await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true });
        await pages[0].context.close();
      }
    }
  }
}

// Runs tests from a list, some at a time, and returns how many failed.
async function runAll(tests, atOnce) {
  let failed = 0;
  const waiting = [...tests];
  const worker = async () => {
    while (waiting.length > 0) {
      if (!(await run(...waiting.shift()))) failed += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return failed;
}

const chosen = (files) => Object.entries(files)
  .flatMap(([file, tests]) => Object.entries(tests).map(([name, test]) => [`${file}.${name}`, test]))
  .filter(([name]) => name.startsWith(values.only));
const together = chosen({ play, teaching, layout, reductions, puzzles, rules, keyboard, languages, hostile, without, access });
const failures = await runAll(together, Math.min(availableParallelism(), 4))
  // These take times, or draw as fast as they can.
  + await runAll(chosen({ arrival, demos, bench }), 1);
if (values.shots) await shots(values.shots);
for (const browser of Object.values(browsers)) await (await browser).close();
server.close();
process.exitCode = failures === 0 ? 0 : 1;
