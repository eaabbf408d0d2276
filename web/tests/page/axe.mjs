// Axe-core's judgement of a page.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { assert } from "./common.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// Makes `clean` possible in a page.
export const bringAxe = (page) => page.evaluate(axe);

// Fails where axe-core finds something in the page.
export async function clean(page, what) {
  const { violations, passes } = await page.evaluate(() => window.axe.run({ resultTypes: ["violations"] }));
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html, failureSummary }) => `${html}\n${failureSummary}`).join("\n")}`);
  assert.equal(found.join("\n"), "", what);
  assert.ok(passes.length > 15, `axe-core looked at ${what}`);
}
