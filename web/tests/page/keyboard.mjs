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

// Whether elements are within the window.
const inSight = (page, ...selectors) => page.evaluate((selectors) => selectors.every((selector) => {
  const { top, bottom, height } = document.querySelector(selector).getBoundingClientRect();
  return height > 0 && top >= 0 && bottom <= innerHeight;
}), selectors);

// Where the fields are at the window's end, what is typed there, or picked by a key, brings its refusal and its
// picture into sight.
export async function what_is_typed_is_seen(open) {
  const small = { viewport: { width: 1280, height: 800 } };
  const page = await open("", small);
  await result(page);
  await page.locator("#dims").focus();
  assert.equal(await inSight(page, "#grid-out"), false, "the fields are at the window's end");
  await page.keyboard.press("Control+A");
  await page.keyboard.type("0");
  await until(() => inSight(page, "#dims", "#refusal-dims", "#grid-lhs"), "the refusal and the operands");
  const past = await open("", small);
  await past.locator("#theme").focus();
  await past.keyboard.press("Tab");
  await past.keyboard.press("Enter");
  await until(() => inSight(past, "#lhs", "#grid-lhs", "#grid-out", "#about"), "the picture, past the examples");
  const picks = await open("", small);
  await picks.locator("#theme").focus();
  await tabTo(picks, ".picks button");
  await picks.keyboard.press("Enter");
  await until(() => inSight(picks, ".dims .picks", "#refusal-dims", "#grid-lhs"), "the refusal of what was picked");
}

// A rule's call, and a puzzle's, have the focus, and Back gives it to the link again.
export async function a_link_and_back(open) {
  for (const [hash, selector] of [["#tab=rules", "[href*=argmax]"], ["#tab=puzzles", "#puzzle-13-hint a"]]) {
    const page = await open(hash, { viewport: { width: 1280, height: 800 } });
    if (hash === "#tab=puzzles") {
      await page.locator("#puzzle-13").focus();
      await page.keyboard.type("1");
      await page.keyboard.press("Enter");
      await page.waitForSelector(selector);
    }
    const href = await page.locator(selector).getAttribute("href");
    await page.locator(selector).focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector(".play");
    assert.equal(await page.evaluate(() => document.activeElement.className), "fields");
    await until(() => inSight(page, ".fields", "#grid-lhs"), "the call is seen");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.id), "lhs");
    await page.goBack();
    await page.waitForSelector(selector);
    await until(() => page.evaluate((href) => document.activeElement.getAttribute("href") === href, href), `the focus is back at ${selector}`);
    await until(() => inSight(page, selector), "and it is seen");
    // A tab that is asked for begins at its top.
    await page.locator("nav a").first().focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector(".play");
    assert.equal(await page.evaluate(() => document.activeElement.id), "main");
  }
}

// What the mouse shows of cells and steps is told to those who do not see it.
export async function cells_and_steps_are_told(open) {
  const page = await open("#lhs=4&rhs=1,2&dims=0");
  await result(page);
  await page.locator("#theme").focus();
  await tabTo(page, "#grid-lhs [role=gridcell]");
  const described = () => page.evaluate(() => [...document.querySelectorAll("[aria-describedby=about]")].map((each) => each === document.activeElement));
  await page.keyboard.press("ArrowRight");
  assert.deepEqual(await described(), [true], "the cell that has the focus");
  assert.match(await page.locator("#about").textContent(), /^lhs\[1\] is in 2 cells of the result$/);
  await tabTo(page, ".segments button");
  assert.deepEqual(await described(), []);
  const told = page.locator(".picture [role=status].unseen");
  assert.equal(await told.textContent(), "");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  assert.equal(await told.textContent(), await page.locator("#about").textContent());
  assert.match(await told.textContent(), /^Step 1: /);
}

// The hint of a puzzle at the window's end comes into sight.
export async function a_hint_is_seen(open) {
  const page = await open("#tab=puzzles", { viewport: { width: 1280, height: 800 } });
  await page.locator("#puzzle-4").focus();
  await page.evaluate(() => window.scrollTo(0, scrollY + document.activeElement.getBoundingClientRect().bottom - innerHeight + 10));
  await page.keyboard.type("0,1");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#puzzle-4-hint p");
  await until(() => inSight(page, "#puzzle-4", "#puzzle-4-hint"), "the hint");
}
