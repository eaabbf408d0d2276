// Measures the time from navigation to the first result, in a new profile of Chromium each time:
//
//   node web/bench/first.mjs FOLDER [--runs N]
//
// FOLDER is what `scripts/build-web` has built. Nothing is cached: neither the module, nor its
// compiled code, nor kernels. The median of each step is printed, in milliseconds.

import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { launch, serve } from "../tests/browser.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true, options: { runs: { type: "string", default: "9" } },
});
const runs = Number(values.runs);
if (positionals.length !== 1 || !(runs >= 1)) {
  console.error("node web/bench/first.mjs FOLDER [--runs N]");
  process.exit(2);
}

const { server, address } = await serve({ "/": here, "/indim/": resolve(positionals[0]) });
const found = [];
for (let run = 0; run < runs; run++) {
  // Each browser has a profile of its own, which is removed with it.
  const browser = await launch();
  const page = await browser.newPage();
  page.on("pageerror", (error) => console.error(error.message));
  await page.goto(`${address}/first.html`);
  await page.waitForFunction(() => globalThis.first !== undefined);
  found.push(await page.evaluate(() => globalThis.first));
  await browser.close();
}
server.close();

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];
for (const step of Object.keys(found[0])) {
  const times = found.map((times) => times[step]);
  console.log(`${step.padEnd(8)} ${median(times).toFixed(0).padStart(5)} ms, ${Math.min(...times).toFixed(0)} to ${Math.max(...times).toFixed(0)}`);
}
