// Reductions in the place to play.

import { NO_ADAPTER, assert, cells, lit, result, typeOf, until } from "./common.mjs";

const SUM = "#op=reduce_sum&lhs=2,3&reduce=1";

export async function every_example(open) {
  const page = await open();
  await page.locator(".reductions summary").click();
  const buttons = page.locator(".reductions button");
  const expected = ["f32[2]", "f32[4]", "s32[3]", "f32[3]", "f32[]", "R1", "R2"];
  assert.equal(await buttons.count(), expected.length);
  for (const [i, made] of expected.entries()) {
    await buttons.nth(i).click();
    assert.equal(await buttons.nth(i).getAttribute("aria-pressed"), "true");
    if (/^R/.test(made)) {
      assert.equal(await page.locator("#refusal-reduce .label").textContent(), made);
      assert.equal((await cells(page, "out")).length, 0);
      continue;
    }
    assert.equal(await page.locator(".refusal .label").count(), 0, `example ${i}`);
    assert.equal(await typeOf(page, "out"), made);
    const texts = await result(page);
    assert.ok(texts.every((text) => /^\d+$/.test(text)), `example ${i} has values: ${texts}`);
  }
}

export async function values(open) {
  const page = await open(SUM);
  const expected = {
    "reduce_sum 1": "6,15", "reduce_sum 0": "5,7,9", "reduce_sum 0,1": "21", "reduce_sum ": "1,2,3,4,5,6", "reduce_prod 1": "6,120",
    "reduce_max 0": "4,5,6", "reduce_min 1": "1,4", "argmax 1": "2,2", "argmin 0": "0,0,0",
  };
  for (const [call, texts] of Object.entries(expected)) {
    const [op, dims] = call.split(" ");
    await page.selectOption("#op", op);
    await page.fill("#reduce", dims);
    await until(async () => (await result(page)).join() === texts, `${call} gives ${texts}`);
  }
  await page.fill("#lhs", "2,0");
  await page.selectOption("#op", "reduce_sum");
  await page.fill("#reduce", "1");
  await until(async () => (await result(page)).join() === "0,0", "a sum of nothing");
}

export async function pointing_both_ways(open) {
  const page = await open("#op=reduce_sum&lhs=2,3,2&reduce=0,2");
  await result(page);
  await page.locator("#grid-out [role=gridcell]").nth(1).hover();
  assert.deepEqual(await lit(page, "out", "here"), [1]);
  assert.deepEqual(await lit(page, "lhs", "from"), [2, 3, 8, 9]);
  assert.equal(await page.locator("#about").textContent(), "result[1] = reduce_sum(operand[:, 1, :]) from 4 cells of the operand");
  await page.locator("#grid-lhs [role=gridcell]").nth(10).hover();
  assert.deepEqual(await lit(page, "lhs", "here"), [10]);
  assert.deepEqual(await lit(page, "out", "to"), [2]);
  assert.equal(await page.locator("#about").textContent(), "operand[1, 2, 0] is in 1 cell of the result");
  await page.locator("h1").hover();
  assert.deepEqual(await lit(page, "out", "to"), []);
}

export async function pointing_by_keyboard(open) {
  const page = await open(SUM);
  await result(page);
  await page.locator("#grid-lhs [role=gridcell]").nth(0).focus();
  await page.keyboard.press("ArrowDown");
  assert.deepEqual(await lit(page, "out", "to"), [1]);
  await page.keyboard.press("Tab");
  assert.deepEqual(await lit(page, "lhs", "from"), [0, 1, 2], "the result follows the operand");
  await page.keyboard.press("ArrowRight");
  assert.deepEqual(await lit(page, "lhs", "from"), [3, 4, 5]);
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "result [1] is 15, made as 4+5+6");
}

export async function pointing_by_touch(open) {
  const page = await open(SUM, { hasTouch: true, viewport: { width: 360, height: 800 } });
  await result(page);
  await page.locator("#grid-out [role=gridcell]").nth(1).tap();
  assert.deepEqual(await lit(page, "lhs", "from"), [3, 4, 5]);
  await page.locator("#grid-lhs [role=gridcell]").nth(2).tap();
  assert.deepEqual(await lit(page, "out", "to"), [0]);
}

export async function a_refusal_beside_its_field(open) {
  const page = await open("#op=reduce_sum&lhs=2,3&reduce=2");
  const refusal = page.locator("#refusal-reduce");
  assert.match(await refusal.textContent(), /reduceSum: dimensions\[0\] is 2, but operand \[2, 3\] has rank 2/);
  assert.match(await refusal.textContent(), /R1 each dimension to reduce is one of the operand's/);
  assert.equal(await page.getAttribute("#reduce", "aria-invalid"), "true");
  await page.fill("#reduce", "1,1");
  assert.match(await refusal.textContent(), /dimension 1 twice.*R2 no dimension is reduced twice/);
  await page.fill("#reduce", "one");
  assert.match(await refusal.textContent(), /not a list of dimensions/);
  await page.fill("#reduce", "1");
  assert.equal(await refusal.textContent(), "");
  assert.equal(await page.getAttribute("#reduce", "aria-invalid"), null);
  await page.selectOption("#op", "reduce_and");
  assert.match(await page.locator("#refusal-type").textContent(), /reduceAnd: operand has element type f32.*T1/);
  await page.selectOption("#op", "argmax");
  await page.fill("#lhs", "2,0");
  assert.match(await refusal.textContent(), /0 elements.*R3/);
  await page.fill("#lhs", "2,-1");
  assert.match(await page.locator("#refusal-lhs").textContent(), /size 1 is -1.*N1/);
}

export async function picking_dimensions(open) {
  const page = await open("#op=reduce_max&lhs=2,3,4&reduce=");
  await page.getByRole("button", { name: "dimension 2 (size 4)" }).click();
  await page.getByRole("button", { name: "dimension 0 (size 2)" }).click();
  assert.equal(await page.inputValue("#reduce"), "0,2");
  assert.equal(await typeOf(page, "out"), "f32[3]");
  await until(async () => (await result(page)).join() === "16,20,24", "the values");
}

// One place has both kinds of operations, and each finds the other's fields as they were.
export async function from_an_operation_and_back(open) {
  const page = await open("#lhs=2,3&rhs=3&dims=1&step=2");
  await page.selectOption("#op", "reduce_sum");
  for (const hidden of ["#rhs", "#dims", "#grid-rhs", ".steps", "#rhs-fill", "#numpy"]) assert.equal(await page.locator(hidden).isVisible(), false, hidden);
  assert.equal(await page.locator("label[for=lhs]").textContent(), "operand: shape");
  await until(async () => (await result(page)).join() === "6,15", "the sums");
  assert.match(page.url(), /op=reduce_sum/);
  await page.locator("#grid-lhs [role=gridcell]").nth(0).dblclick();
  await page.keyboard.type("100");
  await page.keyboard.press("Enter");
  await until(async () => (await result(page)).join() === "105,15", "an edited value is in the sum");
  await page.selectOption("#op", "add");
  assert.equal(await page.locator("#reduce").isVisible(), false);
  assert.equal(await page.inputValue("#rhs"), "3");
  await until(async () => (await result(page)).join() === "107,10,12,11,13,15", "the edited value stays");
}

export async function windows_of_large_arrays(open) {
  const page = await open("#op=reduce_sum&lhs=40,50&reduce=1&lhsFill=ones");
  const first = await result(page);
  assert.deepEqual(first, Array(12).fill("50"), "a sum takes more cells than are shown");
  await page.locator("#grid-lhs").getByRole("button", { name: "rows: forth" }).click();
  await page.locator("#grid-out [role=gridcell]").nth(1).hover();
  assert.match(await page.locator("#about").textContent(), /result\[13\] = reduce_sum\(operand\[13, :\]\) from 50 cells/);
  assert.deepEqual(await lit(page, "lhs", "from"), Array.from({ length: 10 }, (_, i) => 10 + i));
  const large = await open("#op=reduce_sum&lhs=3,1000000&reduce=1");
  assert.match(await large.locator("#gpu-note").textContent(), /reduce 3,000,000 elements/);
  assert.equal((await cells(large, "out"))[0], "1+2+3+4+5+6+…");
}

export async function without_a_gpu(open) {
  const page = await open("#op=reduce_max&lhs=2,3&reduce=1", { webgpu: false, expected: NO_ADAPTER });
  await page.waitForFunction(() => (document.querySelector("#gpu-note")?.textContent ?? "") !== "");
  assert.deepEqual(await cells(page, "out"), ["max(1, 2, 3)", "max(4, 5, 6)"]);
  await page.selectOption("#op", "reduce_sum");
  await until(async () => (await cells(page, "out")).join() === "1+2+3,4+5+6", "sums are written by signs");
  await page.locator("#grid-out [role=gridcell]").nth(0).hover();
  assert.deepEqual(await lit(page, "lhs", "from"), [0, 1, 2]);
}

// R1 and R2 by their examples and puzzles, in each language.
export async function refusals_and_puzzles_in_three_languages(open) {
  for (const [locale, words, right] of [["en-US", /each dimension to reduce/, /^Right\. .*neighbours/], ["zh-CN", /每个要归约的维度/, /^正确。有两个维度/], ["pt-BR", /cada dimensão a reduzir/, /^Certo\. .*vizinhos/]]) {
    const page = await open("#op=reduce_sum&lhs=2,3&reduce=2", { locale });
    assert.match(await page.locator("#refusal-reduce").textContent(), words);
    await page.fill("#reduce", "1,1");
    assert.equal(await page.locator("#refusal-reduce .label").textContent(), "R2");
    const puzzles = await open("#tab=puzzles", { locale });
    for (const [number, answer] of [[13, "1"], [14, "1,1"]]) {
      await puzzles.fill(`#puzzle-${number}`, answer);
      await puzzles.press(`#puzzle-${number}`, "Enter");
      await until(async () => (await puzzles.locator(".card").nth(number - 1).locator(".hint.right").count()) === 1, `puzzle ${number} in ${locale}`);
    }
    assert.match(await puzzles.locator("#puzzle-13-hint").textContent(), right);
  }
}

// The result has stride 0 along the dimensions that are reduced, also where nothing can be computed.
export async function strides(open) {
  const page = await open("#op=reduce_sum&lhs=2,3,4&reduce=1", { webgpu: false, expected: NO_ADAPTER });
  const rows = () => page.locator(".kernels tbody tr").evaluateAll((all) => all.map((row) => [...row.children].map(({ textContent }) => textContent).join(" | ")));
  assert.deepEqual(await rows(), ["0 | 2 | 12 | 4", "1 | 3 | 4 | 0 combines", "2 | 4 | 1 | 1"]);
  await page.fill("#reduce", "0,2");
  assert.deepEqual(await rows(), ["0 | 2 | 12 | 0 combines", "1 | 3 | 4 | 1", "2 | 4 | 1 | 0 combines"]);
  assert.deepEqual(await page.locator(".kernels thead th").allTextContents(), ["dimension", "size", "stride, operand", "stride, result"]);
  await page.fill("#lhs", "2,0,4");
  assert.deepEqual(await rows(), ["0 | 2 | 4 | 0 combines", "1 | 0 | 4 | 1", "2 | 4 | 1 | 0 combines"]);
}

export async function kernels(open) {
  const page = await open("#op=reduce_sum&lhs=2,3,4&reduce=0,2");
  await page.waitForSelector(".kernels summary");
  await page.locator(".kernels summary").first().click();
  assert.match(await page.locator(".kernels pre").first().innerText(), /@compute/);
  await page.fill("#reduce", "7");
  assert.match(await page.locator(".kernels").innerText(), /as soon as the shapes fit/);
  const large = await open("#op=reduce_sum&lhs=300,300&reduce=1");
  assert.match(await large.locator(".kernels").innerText(), /at most 65,536 elements/);
  const none = await open("#op=reduce_sum&lhs=2,3&reduce=1", { webgpu: false, expected: NO_ADAPTER });
  await none.waitForFunction(() => /depend on the adapter/.test(document.querySelector(".kernels")?.textContent ?? ""));
}

// Of a reduction that is refused there are no words, and no heading over nothing.
export async function a_refused_reduction_has_no_words(open) {
  const page = await open("#op=reduce_sum&lhs=2,3&reduce=2");
  assert.equal(await page.locator(".words").textContent(), "");
  await page.fill("#reduce", "1");
  await until(async () => (await page.locator(".words h3, .words li").count()) === 3, "the words of one that is not");
}
