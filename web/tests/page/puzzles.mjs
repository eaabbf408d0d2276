// The puzzles, each first failed and then solved.

import { NO_ADAPTER, assert, cells, result, until } from "./common.mjs";

// A wrong answer, what is said of it, and a right one.
const ANSWERS = [
  ["0", /dimension 0 of rhs has size 3.*B5/, "1"],
  ["1", /matched in another way/, "0"],
  ["0,1", /B5/, "1,2"],
  ["0,2", /dimension 1 of rhs has size 5.*B5/, "0,3"],
  ["2,3", /6 elements; at most 3/, "1,3"],
  ["2,3", /\[2, 3\]/, "0,1"],
  ["4,1", /another shape/, "4,2"],
  ["4,3,1", /another shape/, "4,3,2"],
  ["1,2", /accepts that, and gives shape \[2, 3, 3, 5\]/, "2,1"],
  ["0,1,2", /B5/, "1,2,3"],
  ["mul(iota([5,1]), iota([5,5], 2))", /iota: dimension is 2.*I1/, "mul(add(iota([5,1]), 1), add(iota([1,5], 1), 1))"],
  ["add(iota([6,1]), iota([1,6], 1))", /Element \[0, 2\] of that is 2, but 0/, "rem(add(iota([6,6]), iota([6], 0), [1]), 2)"],
  ["0", /gives shape \[2, 3\], but it reduces other dimensions/, "1"],
  ["2", /dimensions\[0\] is 2.*R1/, "1,1"],
];

async function solve(page) {
  for (const [i, [wrong, said, right]] of ANSWERS.entries()) {
    const card = page.locator(".card").nth(i);
    const hint = card.locator(".hint");
    await card.locator("input").fill(wrong);
    await card.locator("button").click();
    await until(async () => said.test(await hint.textContent()), `puzzle ${i + 1} says ${said}, not ${await hint.textContent()}`);
    assert.equal(await card.evaluate((element) => element.classList.contains("solved")), false);
    await card.locator("input").fill(right);
    await card.locator("input").press("Enter");
    await until(async () => /^Right/.test(await hint.textContent()), `puzzle ${i + 1} is solved: ${await hint.textContent()}`);
  }
}

export async function failed_and_solved(open) {
  const page = await open("#tab=puzzles");
  assert.equal(await page.locator(".card").count(), 14);
  await solve(page);
  assert.match(await page.locator(".progress").textContent(), /14 of 14 solved/);
  await page.reload();
  await page.waitForSelector(".card");
  assert.equal(await page.locator(".card.solved").count(), 14);
  for (const [i, [, , right]] of ANSWERS.entries()) assert.equal(await page.inputValue(`#puzzle-${i + 1}`), right, "answers are kept");
  const reasons = await page.locator(".hint.right").allTextContents();
  assert.equal(new Set(reasons).size, 14, "each answer has its own reason");
  assert.match(await page.locator(".end").textContent(), /All solved.*what stretches, what is refused and why/);
  await page.locator(".progress button").click();
  assert.equal(await page.locator(".card.solved").count(), 0);
  assert.equal(await page.locator(".end").textContent(), "");
}

export async function without_a_gpu(open) {
  const page = await open("#tab=puzzles", { webgpu: false, expected: NO_ADAPTER });
  await solve(page);
  assert.match(await page.locator(".progress").textContent(), /14 of 14 solved/);
}

export async function what_is_no_answer(open) {
  const page = await open("#tab=puzzles");
  const last = page.locator(".card").nth(10);
  for (const [text, said] of [
    ["", /from character 1 on/], ["mul(", /from character 5 on/], ["<b>x</b>", /from character 1 on/],
    ["add(iota([5,1]), iota([5]))", /B1/], ["iota([5,5])x", /from character 12 on/], ["div(1, 0)", /gives shape \[\]/],
  ]) {
    await last.locator("input").fill(text);
    await last.locator("button").click();
    await until(async () => said.test(await last.locator(".hint").textContent()), `${text}: ${await last.locator(".hint").textContent()}`);
  }
  assert.equal(await page.locator("main b b").count(), 0);
}

// A right answer is seen in pictures, as the library plans it.
export async function a_right_answer_in_pictures(open) {
  const page = await open("#tab=puzzles");
  for (const [i, [, , right]] of ANSWERS.entries()) {
    await page.fill(`#puzzle-${i + 1}`, right);
    await page.press(`#puzzle-${i + 1}`, "Enter");
  }
  await until(async () => (await page.locator(".card.solved").count()) === 14, "all are solved");
  const places = await page.locator(".hint a").evaluateAll((all) => all.map((link) => [link.closest(".card").querySelector("input").id, link.getAttribute("href")]));
  assert.equal(places.length, 12, "all but the two expressions");
  for (const [id, href] of places) {
    await page.evaluate((href) => location.replace(href), href);
    await page.waitForSelector(".play");
    const refused = await page.locator(".refusal .label").allTextContents();
    assert.deepEqual(refused, { "puzzle-9": ["B6"], "puzzle-14": ["R2"] }[id] ?? [], id);
  }
}

// What such a picture shows of a puzzle with a drawing is that drawing, made of the values that it names.
export async function the_picture_is_the_drawing(open) {
  for (const [number, lhs, rhs] of [[2, "0,0,0,0,0,0,0,0,0", "7,8,9"], [13, "0,1,2,3,4,5,6,7,8,9,10,11", ""]]) {
    const page = await open("#tab=puzzles");
    const card = page.locator(".card").nth(number - 1);
    const drawing = await card.locator(".drawing td").allTextContents();
    await page.fill(`#puzzle-${number}`, ANSWERS[number - 1][2]);
    await page.press(`#puzzle-${number}`, "Enter");
    await card.locator(".hint a").click();
    await page.waitForSelector(".play");
    assert.deepEqual(await result(page), drawing, `puzzle ${number}`);
    assert.deepEqual([await cells(page, "lhs"), await cells(page, "rhs")].map(String), [lhs, rhs], `the operands of puzzle ${number}`);
  }
}

// The library's message would give the answer away.
export async function an_empty_answer_gives_nothing_away(open) {
  const page = await open("#tab=puzzles");
  for (const number of [1, 2, 3, 4, 9, 10, 13, 14]) {
    await page.press(`#puzzle-${number}`, "Enter");
    await until(async () => (await page.locator(`#puzzle-${number}-hint`).textContent()) === "Not yet.Write an answer first.", `puzzle ${number}`);
  }
  assert.match(await page.locator("#puzzle-1-format").textContent(), /such as 0,2/);
}

// What is typed stays when the page is loaded again or another tab was looked at, also where it is wrong.
export async function what_is_typed_stays(open) {
  const page = await open("#tab=puzzles");
  await page.fill("#puzzle-1", "0");
  await page.press("#puzzle-1", "Enter");
  await page.fill("#puzzle-2", "1, 2");
  await page.reload();
  await page.waitForSelector(".card");
  const kept = () => Promise.all([1, 2, 3].map((number) => page.inputValue(`#puzzle-${number}`)));
  assert.deepEqual(await kept(), ["0", "1, 2", ""]);
  await page.locator("nav a").first().click();
  await page.waitForSelector(".play");
  await page.goBack();
  await page.waitForSelector(".card");
  assert.deepEqual(await kept(), ["0", "1, 2", ""]);
  assert.equal(await page.locator(".card.solved").count(), 0);
  await page.fill("#puzzle-1", "1");
  await page.press("#puzzle-1", "Enter");
  await page.locator(".progress button").click();
  assert.deepEqual(await kept(), ["", "", ""], "all is begun again");
  await page.reload();
  await page.waitForSelector(".card");
  assert.deepEqual(await kept(), ["", "", ""]);
}

export async function remembered_answers_that_are_none(open) {
  for (const kept of ["{", "[1,2]", '{"1":7,"x":"1"}', "null"]) {
    const page = await open("#tab=puzzles", { init: `for (const name of ["answers", "typed"]) localStorage.setItem("indim." + name, ${JSON.stringify(kept)})` });
    assert.equal(await page.locator(".card.solved").count(), 0, kept);
  }
}
