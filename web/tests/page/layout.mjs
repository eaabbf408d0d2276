// Where things stand on screens of different widths, with larger text, and in high contrast.

import { assert, cells, result, until } from "./common.mjs";

const box = (page, selector) => page.locator(selector).first().boundingBox();

// A shape that is typed and the picture that it makes are on one screen of a telephone.
export async function field_and_picture_together(open) {
  for (const width of [320, 360]) {
    const page = await open("", { viewport: { width, height: 740 } });
    await result(page);
    await page.locator("#lhs").evaluate((element) => element.scrollIntoView());
    const [field, operand, made] = await Promise.all(["#lhs", "#grid-lhs td[role=gridcell]", "#grid-out td[role=gridcell]"].map((each) => box(page, each)));
    assert.ok(operand.y - field.y < 330, `${operand.y - field.y} px from the field to the picture`);
    assert.ok(made.y + made.height < 740, `the result begins at ${made.y} px`);
    const [lhs, rhs] = [field, await box(page, "#rhs")];
    assert.ok(Math.abs(lhs.y - rhs.y) < 2, "both shapes are in one row");
  }
}

// Operands and result in a row, or all below each other; a sign is never apart from what follows it.
export async function pictures_do_not_tear(open) {
  for (const width of [320, 360, 768, 1280]) {
    const page = await open("", { viewport: { width, height: 900 } });
    for (const hash of ["#lhs=2,3,4&rhs=3,4&dims=1,2", "#lhs=2,3,4,5&rhs=2,5&dims=0,3", "#lhs=7,2,5&rhs=7,1,5&dims=", "#lhs=1000,1,1000&rhs=1,64,1000&dims=", "#lhs=1,2&rhs=4,3,1&dims=1,2&step=2"]) {
      await page.evaluate((hash) => location.replace(hash), hash);
      await result(page);
      const terms = await page.locator(".term").evaluateAll((all) => all.map((term) => {
        const { left, right, top, bottom } = term.getBoundingClientRect();
        return { left, right, top, bottom };
      }));
      const row = terms.every(({ left }, i) => i === 0 || left >= terms[i - 1].right);
      const column = terms.every(({ top }, i) => i === 0 || top >= terms[i - 1].bottom);
      assert.ok(row || column, `${hash} at ${width}: in a row or in a column`);
      assert.ok(width !== 1280 || row, `${hash} is in a row at 1280`);
      const stage = await page.locator(".stage").evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
      assert.ok(stage <= 1, `${hash} at ${width}: ${stage} px of the picture are hidden`);
      const high = await page.locator(".stage").evaluate(({ clientHeight }) => clientHeight);
      assert.ok(high < 2600, `${hash} at ${width}: ${high} px high`);
    }
  }
}

// An operand beside many slices begins with them, where it is seen.
export async function beside_many_slices(open) {
  const page = await open("#lhs=1,2&rhs=4,3,1&dims=1,2", { viewport: { width: 1280, height: 800 } });
  await result(page);
  const [lhs, rhs, out] = await Promise.all(["lhs", "rhs", "out"].map((key) => box(page, `#grid-${key} td[role=gridcell]`)));
  assert.ok(Math.abs(rhs.y - lhs.y) < 50 && rhs.y === out.y, `the first rows begin at ${lhs.y}, ${rhs.y} and ${out.y}`);
}

// A call that is refused shows parts of its operands, and each can be moved.
export async function operands_of_a_refusal_move(open) {
  const page = await open("#lhs=7,2,5&rhs=7,2,6&dims=");
  await page.locator("#grid-lhs").getByRole("button", { name: "slices: forth" }).click();
  await until(async () => (await cells(page, "lhs")).includes("70"), "the last slice of lhs");
  assert.ok(!(await cells(page, "rhs")).includes("84"), "rhs stays");
  const rank4 = await open("#lhs=2,3,3,5&rhs=3,3&dims=2,1");
  assert.deepEqual(await rank4.locator("#grid-lhs .slice-name").allTextContents(), ["slice 0, 0", "slice 0, 1", "slice 0, 2"]);
  await rank4.getByRole("button", { name: "lhs: dimension 0: forth" }).click();
  await until(async () => (await cells(rank4, "lhs"))[0] === "46", "the other half of lhs");
  assert.equal(await rank4.locator("#grid-lhs .slice-name").first().textContent(), "slice 1, 0");
  assert.equal(await rank4.locator(".map .out.refused").count(), 1, "a result that is not there is drawn as such");
}

export async function an_index_to_go_to(open) {
  const page = await open("#lhs=1000,1,1000&rhs=1,64,1000&dims=");
  await result(page);
  const columns = page.locator("#grid-out").getByRole("textbox", { name: "columns: from index" });
  await columns.fill("990");
  await columns.press("Enter");
  await until(async () => (await page.locator("#grid-out thead th").allTextContents()).includes("990"), "the column is shown");
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "columns: from index", "the focus stays");
  assert.ok((await page.locator("#grid-lhs thead th").allTextContents()).includes("990"), "the operand goes along");
  await page.locator("#grid-out").getByRole("textbox", { name: "rows: from index" }).fill("none");
  await page.keyboard.press("Enter");
  assert.equal(await page.locator("#grid-out").getByRole("textbox", { name: "rows: from index" }).inputValue(), "0");
  const leading = await open("#lhs=3,40,2,3,2&rhs=3,40&dims=0,1");
  const second = leading.getByRole("textbox", { name: "dimension 1: from index" });
  await second.fill("39");
  await second.press("Enter");
  await until(async () => (await result(leading))[0] === String(1 + 39 * 12 + 7 + 39), "an index of a leading dimension");
}

// Control+End goes to the end of an array, and Control+Home to its beginning.
export async function the_ends_of_large_arrays(open) {
  const page = await open("#lhs=100,100&rhs=&dims=&rhsFill=ones");
  await result(page);
  await page.locator("#grid-out [role=gridcell]").first().focus();
  await page.keyboard.press("Control+End");
  const label = () => page.evaluate(() => document.activeElement.getAttribute("aria-label"));
  await until(async () => /^result \[99, 99\] is 10001,/.test(await label()), "the last element");
  await page.keyboard.press("Control+Home");
  await until(async () => /^result \[0, 0\] is 2,/.test(await label()), "the first element");
  assert.ok((await cells(page, "out")).length > 30);
}

// With text of twice the size the page is as wide as the window.
export async function text_at_200_percent(open) {
  for (const [locale, width] of ["en-US", "zh-CN", "pt-BR"].flatMap((locale) => [360, 768, 1280].map((width) => [locale, width]))) {
    const page = await open("", { locale, viewport: { width, height: 900 } });
    for (const hash of ["#lhs=4&rhs=1,2&dims=0&step=2", "#dims=", "#op=reduce_sum&lhs=2,3,4&reduce=0,2", "#tab=puzzles", "#tab=gpu", "#tab=rules"]) {
      await page.evaluate((hash) => {
        document.documentElement.style.fontSize = "200%";
        location.replace(hash);
      }, hash);
      await page.waitForTimeout(150);
      const wide = await page.evaluate(() => [document.documentElement.scrollWidth, ...[...document.querySelectorAll("button, h1, nav a")].filter((element) => element.getBoundingClientRect().right > innerWidth + 1).map((element) => element.outerHTML.slice(0, 80))]);
      assert.deepEqual(wide, [width], `${hash} in ${locale}`);
    }
  }
}

// A cell that is edited is as wide as before, and so is its column.
export async function an_edited_cell_keeps_its_width(open) {
  for (const hash of ["#lhs=2,3&rhs=3&dims=1", "#lhs=2,3&rhs=3&dims=1&lhsEdits=0:123456", "#lhs=3&rhs=&dims="]) {
    const page = await open(hash);
    await result(page);
    const widths = () => page.locator("#grid-lhs td[role=gridcell]").evaluateAll((all) => all.map((cell) => cell.getBoundingClientRect().width));
    const before = await widths();
    const cell = page.locator("#grid-lhs td[role=gridcell]").first();
    await cell.dblclick();
    assert.deepEqual(await widths(), before, hash);
    await page.keyboard.type("7");
    assert.deepEqual(await widths(), before, `${hash}, while it is typed`);
    const [input, scrolled] = [await box(page, "#grid-lhs td input"), await box(page, "#grid-lhs .slices")];
    assert.ok(input.width > 50 && input.x >= scrolled.x && input.x + input.width <= scrolled.x + scrolled.width, "the input is seen");
    await page.keyboard.press("Enter");
    assert.equal(await cell.textContent(), "7");
  }
}

// What is pressed, current, on or lit does not look as the rest does, in the system's colours.
export async function forced_colours(open) {
  for (const colorScheme of ["light", "dark"]) {
    const page = await open("#lhs=2,3&rhs=3&dims=1", { forcedColors: "active", colorScheme, reducedMotion: "reduce" });
    await result(page);
    await page.locator("#grid-out [role=gridcell]").nth(4).hover();
    const look = (selector) => page.locator(selector).first().evaluate((element) => {
      const { backgroundColor, color, borderBottomWidth, outlineStyle } = getComputedStyle(element);
      return `${backgroundColor} ${color} ${borderBottomWidth} ${outlineStyle}`;
    });
    for (const [on, off] of [
      ["nav a[aria-current]", "nav a:not([aria-current])"],
      [".languages [aria-pressed=true]", ".languages [aria-pressed=false]"],
      [".lessons [aria-pressed=true]", ".lessons [aria-pressed=false]"],
      [".segments [aria-pressed=true]", ".segments [aria-pressed=false]"],
      ["#grid-lhs .from", "#grid-lhs [role=gridcell]:not(.from)"],
      ["#grid-out .here", "#grid-out [role=gridcell]:not(.here)"],
    ]) assert.notEqual(await look(on), await look(off), `${on}, ${colorScheme}`);
    const before = await look("#numpy");
    await page.locator("#numpy").check();
    assert.notEqual(await look("#numpy"), before, "the switch");
  }
}

// On the narrowest telephone the tabs stand in one row, and so do the steps, in each language.
export async function tabs_and_steps_in_one_row(open) {
  for (const [locale, width] of ["en-US", "zh-CN", "pt-BR"].flatMap((locale) => [320, 360].map((width) => [locale, width]))) {
    const page = await open("#lhs=4&rhs=1,2&dims=0", { locale, viewport: { width, height: 740 } });
    for (const selector of ["nav a", ".segments button"]) {
      const places = await page.locator(selector).evaluateAll((all) => all.map((each) => each.getBoundingClientRect()).map(({ top, left, right }) => ({ top, left, right })));
      assert.equal(new Set(places.map(({ top }) => top)).size, 1, `${selector} in ${locale} at ${width}: ${places.map(({ top }) => top)}`);
      assert.ok(places.at(-1).right <= width, `${selector} in ${locale} at ${width}`);
    }
  }
}
