// The page by keyboard alone.

import { assert, lit, result, until } from "./common.mjs";

async function tabTo(page, selector) {
  for (let i = 0; i < 60; i += 1) {
    if (await page.evaluate((selector) => document.activeElement?.matches(selector), selector)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`the Tab key does not reach ${selector}`);
}

export async function from_the_top_to_a_result(open) {
  const page = await open();
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.id), "skip");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "main");
  await tabTo(page, "#lhs");
  await page.keyboard.press("Control+A");
  await page.keyboard.type("3,3");
  await tabTo(page, "#dims");
  await page.keyboard.press("Control+A");
  await page.keyboard.type("0");
  await tabTo(page, "#grid-lhs [role=gridcell]");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.type("40");
  await page.keyboard.press("Enter");
  await until(async () => (await result(page))[4] === "48", "the value that was typed is in the result");
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("role")), "gridcell", "the focus stays");
  assert.deepEqual([await lit(page, "lhs", "here"), await lit(page, "out", "to")], [[4], [4]], "and so does the light");
  assert.match(await page.locator("#about").textContent(), /^lhs\[1, 1\] is in 1 cell of the result$/);
  await page.keyboard.press("Tab");
  await page.keyboard.press("End");
  assert.deepEqual(await lit(page, "out", "to"), [6, 7, 8]);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Control+End");
  assert.deepEqual(await lit(page, "rhs", "from"), [2]);
  assert.match(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), /^result \[2, 2\] is 18, made as 9\+9$/);
}

// The 23 examples are passed with one key.
export async function past_the_examples(open) {
  for (const [locale, words] of [["en-US", "Past the examples, to the shapes"], ["zh-CN", "跳过例子，直接到形状"], ["pt-BR", "Pular os exemplos, até as formas"]]) {
    const page = await open("", { locale, viewport: { width: 360, height: 740 } });
    await page.locator("#theme").focus();
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), words);
    const { x, y, width } = await page.locator(".play .skip").boundingBox();
    assert.ok(x >= 0 && y >= 0 && x + width <= 360, "it is seen while it has the focus");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.id), "lhs");
  }
}

export async function arrows_move_the_window(open) {
  const page = await open("#lhs=3,40&rhs=40&dims=1");
  await result(page);
  await page.locator("#grid-out [role=gridcell]").first().focus();
  for (let i = 0; i < 15; i += 1) await page.keyboard.press("ArrowRight");
  assert.match(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), /^result \[0, 15\]/);
  assert.match(await page.locator("#about").textContent(), /^result\[0, 15\] = /, "it is told of the cell that was reached");
}

export async function examples_and_tabs(open) {
  const page = await open();
  await tabTo(page, ".examples button");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  assert.equal(await page.locator("#refusal-dims .label").textContent(), "B1");
  await page.locator("nav a").nth(1).focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector(".card");
  await tabTo(page, "#puzzle-1");
  await page.keyboard.type("1");
  await page.keyboard.press("Enter");
  await until(async () => (await page.locator(".card.solved").count()) === 1, "a puzzle is solved");
}
