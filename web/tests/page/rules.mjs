// The list of all rules.

import { assert, until } from "./common.mjs";

export async function each_rule_once(open) {
  const page = await open("#tab=rules");
  const expected = await page.evaluate(async () => (await import("/indim.js")).rules);
  const labels = await page.locator(".rule-group dt").allTextContents();
  const statements = await page.locator(".rule-group .statement").allTextContents();
  const shown = Object.fromEntries(labels.map((label, i) => [label, statements[i]]));
  assert.equal(labels.length, Object.keys(expected).length, "rules that are shown");
  assert.deepEqual(shown, expected);
  assert.match(shown.R1, /each dimension to reduce/);
  assert.ok((await page.locator(".rule-group h2").allTextContents()).includes("Reductions"));
}

// A rule is shown by a call that breaks this rule and no other. B9 and P2 are about
// calls that Rust has and JavaScript lacks: in_dim, and the promotion of types.
export async function show_me(open) {
  const page = await open("#tab=rules");
  const { links, calls, labels } = await page.evaluate(async () => {
    const { CALLS, IN_PLAY, refusalOf } = await import("/app/rule-examples.js");
    const { rules } = await import("/indim.js");
    return { links: IN_PLAY, calls: Object.keys(CALLS).map((label) => [label, refusalOf(label)?.rule]), labels: Object.keys(rules) };
  });
  for (const [label, rule] of calls) assert.equal(rule, label, `the call that shows ${label}`);
  assert.deepEqual([...Object.keys(links), ...calls.map(([label]) => label), "B9", "P2"].sort(), labels.sort());
  for (const [label, hash] of Object.entries(links)) {
    await page.evaluate((hash) => location.replace(hash), hash);
    await page.waitForSelector(".play");
    await until(async () => (await page.locator(".refusal .label").allTextContents()).join() === label, `${label} is shown by ${hash}`);
  }
}

export async function show_me_by_hand(open) {
  const page = await open("#tab=rules");
  const toggle = page.getByRole("button", { name: "Show me V1", exact: true });
  await toggle.click();
  const shown = page.locator(".rule-group .shown:not(:empty)");
  assert.match(await shown.textContent(), /iota\(\[2, 3\]\)\.transpose\(\[0, 0\]\).*transpose/);
  assert.equal(await toggle.getAttribute("aria-expanded"), "true");
  await toggle.click();
  assert.equal(await shown.count(), 0);
  await page.getByRole("link", { name: "Show me B5" }).click();
  await page.waitForSelector("#refusal-dims .label");
  await page.goBack();
  await page.waitForSelector(".rules");
}
