// The list of all rules.

import { assert } from "./common.mjs";

export async function each_rule_once(open) {
  const page = await open("#tab=rules");
  const expected = await page.evaluate(async () => (await import("/indim.js")).rules);
  const labels = await page.locator(".rule-group dt").allTextContents();
  const statements = await page.locator(".rule-group dd").allTextContents();
  const shown = Object.fromEntries(labels.map((label, i) => [label, statements[i]]));
  assert.equal(labels.length, Object.keys(expected).length, "rules that are shown");
  assert.deepEqual(shown, expected);
  assert.match(shown.R1, /each dimension to reduce/);
  assert.ok((await page.locator(".rule-group h2").allTextContents()).includes("Reductions"));
}
