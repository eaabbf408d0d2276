// The place to play.

import { assert, cells, lit, result, typeOf, until } from "./common.mjs";

// Shapes of the document's examples, in its order, or the rules that refuse them.
const DOCUMENT = [
  [2, 3], "B1", [2, 3], [3, 3], [3, 3], "B5", [2, 3, 4], [2, 3, 4, 5], [2, 3, 4, 5], [2, 3, 4, 5],
  [2, 3, 4, 5], [2, 3, 4, 5], [2, 3, 4, 5], [2, 3, 4, 5], "B6", "B6", [2, 3], [7, 2, 5], [7, 2, 5], "B8",
  [2, 3], [4, 2], [4, 3, 2],
];

// Values that the document has, by the number of the example.
const VALUES = {
  0: "8 10 12 11 13 15", 2: "8 9 10 11 12 13", 21: "6 7 7 8 8 9 9 10",
};

export async function every_example(open) {
  const page = await open();
  const buttons = page.locator(".examples button");
  assert.equal(await buttons.count(), DOCUMENT.length);
  for (const [i, expected] of DOCUMENT.entries()) {
    await buttons.nth(i).click();
    if (typeof expected === "string") {
      await until(async () => (await page.locator(".refusal .label").allTextContents()).join() === expected, `example ${i} is refused by ${expected}`);
      assert.equal(await page.locator("#grid-out [role=gridcell]").count(), 0);
      continue;
    }
    assert.equal(await page.locator(".refusal .label").count(), 0, `example ${i}`);
    assert.equal(await typeOf(page, "out"), `f32[${expected.join(", ")}]`, `example ${i}`);
    const texts = await result(page);
    if (VALUES[i]) assert.equal(texts.join(" "), VALUES[i]);
    assert.ok(texts.every((text) => /^\d+$/.test(text)), `example ${i} has values`);
  }
}

export async function a_refusal_beside_its_field(open) {
  const page = await open("#lhs=2,3&rhs=3&dims=0");
  const refusal = page.locator("#refusal-dims");
  assert.match(await refusal.textContent(), /add: dimension 0 of rhs has size 3 but is matched to dimension 0 of lhs/);
  assert.match(await refusal.textContent(), /B5 matched dimensions have equal sizes, or one of them is 1/);
  assert.equal(await page.getAttribute("#dims", "aria-invalid"), "true");
  await page.fill("#dims", "1");
  assert.equal(await refusal.textContent(), "");
  await page.fill("#rhs", "-3");
  assert.match(await page.locator("#refusal-rhs").textContent(), /size 0 is -3; sizes are 0 or more.*N1/);
  await page.fill("#rhs", "3");
  await page.selectOption("#op", "and");
  assert.match(await page.locator("#refusal-type").textContent(), /and: lhs has element type f32.*T1/);
  await page.fill("#lhs", "7,2,5");
  await page.selectOption("#op", "add");
  await page.fill("#rhs", "7,2,6");
  await page.fill("#dims", "");
  assert.match(await page.locator("#refusal-shapes").textContent(), /in dimension 2 of the result.*B8/);
}

export async function editing(open) {
  const page = await open();
  await result(page);
  const cell = page.locator("#grid-lhs [role=gridcell]").nth(4);
  await cell.dblclick();
  await page.keyboard.type("50");
  await page.keyboard.press("Enter");
  await until(async () => (await result(page))[4] === "58", "the edited value is in the result");
  assert.match(page.url(), /lhsEdits=4:50/);
  await page.locator("#grid-rhs [role=gridcell]").nth(0).focus();
  await page.keyboard.type("-7");
  await page.keyboard.press("Escape");
  assert.equal((await cells(page, "rhs"))[0], "7");
  await page.keyboard.type("-7");
  await page.keyboard.press("Enter");
  await until(async () => (await result(page))[0] === "−6", "a typed value is in the result");
  await page.locator("#grid-rhs [role=gridcell]").nth(1).focus();
  await page.keyboard.press("F2");
  await page.keyboard.type("none");
  await page.keyboard.press("Enter");
  await until(async () => (await page.locator("#about").textContent()).includes("not a number"), "a text is not a value");
  assert.equal(await page.inputValue("#lhs-fill"), "edited");
  await page.selectOption("#lhs-fill", "ones");
  await until(async () => (await result(page)).join() === "−6,9,10,−6,9,10", "a fill replaces edited values");
  await page.selectOption("#type", "u8");
  await page.locator("#grid-lhs [role=gridcell]").nth(0).focus();
  await page.keyboard.type("300");
  await page.keyboard.press("Enter");
  await until(async () => (await page.locator("#gpu-note").textContent()).includes("300 is not an element of u8"), "u8 has no 300");
}

export async function pointing_both_ways(open) {
  const page = await open("#lhs=4&rhs=1,2&dims=0");
  await result(page);
  await page.locator("#grid-out [role=gridcell]").nth(5).hover();
  assert.deepEqual(await lit(page, "out", "here"), [5]);
  assert.deepEqual(await lit(page, "lhs", "from"), [2]);
  assert.deepEqual(await lit(page, "rhs", "from"), [1]);
  assert.equal(await page.locator("#about").textContent(), "result[2, 1] = lhs[2]+rhs[0, 1]");
  await page.locator("#grid-lhs [role=gridcell]").nth(3).hover();
  assert.deepEqual(await lit(page, "out", "to"), [6, 7]);
  assert.match(await page.locator("#about").textContent(), /lhs\[3\] is in 2 cells of the result/);
  await page.locator("#grid-rhs [role=gridcell]").nth(0).focus();
  assert.deepEqual(await lit(page, "out", "to"), [0, 2, 4, 6]);
  await page.locator("h1").hover();
  await page.locator("#op").focus();
  assert.deepEqual(await lit(page, "out", "to"), []);
}

export async function pointing_by_touch(open) {
  const page = await open("#lhs=4&rhs=1,2&dims=0", { hasTouch: true, viewport: { width: 360, height: 800 } });
  await result(page);
  await page.locator("#grid-out [role=gridcell]").nth(5).tap();
  assert.deepEqual(await lit(page, "lhs", "from"), [2]);
  const cell = page.locator("#grid-lhs [role=gridcell]").nth(0);
  await cell.tap();
  assert.deepEqual(await lit(page, "out", "to"), [0, 1]);
  await cell.tap();
  assert.equal(await page.locator("#grid-lhs input").count(), 1, "a second tap edits");
}

export async function steps(open) {
  const page = await open("#lhs=4&rhs=1,2&dims=0");
  const step = (text) => page.getByRole("button", { name: text, exact: true }).click();
  assert.equal((await cells(page, "lhs")).join(), "1,2,3,4");
  await step("1. Ranks");
  // The vector gets a second dimension of the other operand's size.
  assert.equal((await cells(page, "lhs")).join(), "1,1,2,2,3,3,4,4");
  assert.equal((await cells(page, "rhs")).join(), "7,8");
  await step("2. Sizes of 1");
  assert.equal((await cells(page, "rhs")).join(), "7,8,7,8,7,8,7,8");
  assert.equal(await page.locator("#grid-rhs .copy").count(), 6);
  await page.locator("#grid-out [role=gridcell]").nth(2).hover();
  assert.deepEqual(await lit(page, "lhs", "from"), [2, 3]);
  // A busy machine looks too seldom, so the page itself notes how many cells it has shown.
  await page.evaluate(() => {
    globalThis.shown = [];
    const grid = document.querySelector("#grid-lhs");
    new MutationObserver(() => globalThis.shown.push(grid.querySelectorAll("[role=gridcell]").length)).observe(grid, { childList: true, subtree: true });
  });
  await step("Show the steps");
  await page.waitForFunction(() => globalThis.shown.includes(4));
  await page.waitForFunction(() => location.hash.includes("step=2"));
  assert.equal((await cells(page, "lhs")).length, 8, "it ends with the last step");
}

export async function numpy(open) {
  const page = await open("#lhs=8,1,6,1&rhs=7,1,5&dims=");
  assert.match(await page.locator("#numpy-note").textContent(), /would pick \[1, 2, 3\]/);
  assert.equal(await page.locator("#refusal-dims .label").textContent(), "B1");
  await page.locator("#numpy").check();
  assert.equal(await page.inputValue("#dims"), "1,2,3");
  assert.equal(await typeOf(page, "out"), "f32[8, 7, 6, 5]");
  await result(page);
  await page.fill("#rhs", "7,2,5");
  assert.match(await page.locator("#refusal-shapes").textContent(), /do not align.*P1/);
  await page.fill("#rhs", "6,5");
  assert.equal(await typeOf(page, "out"), "f32[8, 1, 6, 5]");
  await page.locator("#numpy").uncheck();
  assert.equal(await page.inputValue("#dims"), "");
}

export async function picking_dimensions(open) {
  const page = await open("#lhs=2,3,4,5&rhs=2,5&dims=");
  await page.getByRole("button", { name: "dimension 3 (size 5)" }).click();
  await page.getByRole("button", { name: "dimension 0 (size 2)" }).click();
  assert.equal(await page.inputValue("#dims"), "0,3");
  assert.equal(await typeOf(page, "out"), "f32[2, 3, 4, 5]");
  // A vector has one dimension to match: another pick replaces the first, and the same one takes it back.
  const vector = await open("#lhs=3,3&rhs=3&dims=1");
  for (const [pick, dims] of [[0, "0"], [1, "1"], [1, ""], [0, "0"]]) {
    await vector.getByRole("button", { name: `dimension ${pick} (size 3)` }).click();
    assert.equal(await vector.inputValue("#dims"), dims);
  }
}

export async function windows_of_large_arrays(open) {
  const page = await open("#lhs=1000,100000&rhs=100000&dims=1");
  const first = await result(page);
  assert.equal(first.length, 72);
  assert.equal(first[7], "100010");
  await page.locator("#grid-out").getByRole("button", { name: "columns: forth" }).click();
  await until(async () => (await result(page))[0] === "20", "the window moved");
  assert.equal((await cells(page, "rhs"))[0], "13", "the operand moved with it");
  const five = await open("#lhs=3,4,2,3,2&rhs=3,4&dims=0,1");
  await five.getByRole("button", { name: "dimension 0: forth" }).click();
  await five.getByRole("button", { name: "dimension 1: forth" }).click();
  await until(async () => (await result(five))[0] === String(1 + 12 + 48 + 12), "leading dimensions are chosen");
}

export async function kernels(open) {
  const page = await open("#lhs=2,3,4,5&rhs=2,5&dims=0,3");
  const text = await page.locator(".kernels").innerText();
  assert.match(text, /Iteration space \[2, 3, 4, 5\]/);
  assert.match(text, /Merged space \[2, 12, 5\]/);
  assert.match(text, /0 repeats/);
  assert.match(text, /520 bytes are read and 480 bytes written/);
  await page.locator(".kernels summary").click();
  assert.match(await page.locator("pre").innerText(), /@compute/);
}

export async function types_and_operations(open) {
  const page = await open("#lhs=3&rhs=3&dims=&rhsFill=count");
  const expected = {
    "s32 sub": "0,0,0", "s64 mul": "1,4,9", "f16 div": "1,1,1", "bf16 add": "2,4,6", "u8 xor": "0,0,0", "pred and": "1,0,1",
    "f32 lt": "0,0,0", "c64 mul": "1+0i,4+0i,9+0i", "s4 add": "2,4,6",
  };
  for (const [call, values] of Object.entries(expected)) {
    const [type, op] = call.split(" ");
    await page.selectOption("#type", type);
    await page.selectOption("#op", op);
    await until(async () => (await result(page)).join() === values, `${call} gives ${values}`);
  }
  await page.selectOption("#type", "f64");
  await page.selectOption("#op", "add");
  await until(async () => /f64/.test(await page.locator("#gpu-note .message").textContent()), "the adapter has no f64, by name");
}

export async function a_lost_device(open) {
  const page = await open("", { init: () => {
    globalThis.devices = [];
    const request = GPUAdapter.prototype.requestDevice;
    GPUAdapter.prototype.requestDevice = async function (...args) {
      globalThis.devices.push(await request.apply(this, args));
      return globalThis.devices.at(-1);
    };
  } });
  await result(page);
  await page.evaluate(() => globalThis.devices.forEach((device) => device.destroy()));
  await page.selectOption("#op", "mul");
  await until(async () => /lost|destroyed/i.test(await page.locator("#gpu-note").textContent()), "the loss is told");
  assert.equal((await cells(page, "out"))[0], "1×7");
  await page.selectOption("#op", "sub");
  await until(async () => (await result(page)).join() === "−6,−6,−6,−3,−3,−3", "another device is opened");
}

export async function the_state_stays_between_tabs(open) {
  const page = await open();
  await page.fill("#lhs", "4,3");
  await page.locator("nav a").nth(3).click();
  await page.waitForSelector(".rules");
  await page.locator("nav a").nth(0).click();
  await page.waitForSelector(".play");
  assert.equal(await page.inputValue("#lhs"), "4,3");
  await page.goBack();
  await page.waitForSelector(".rules");
}

export async function a_shared_address(open) {
  const page = await open();
  await page.fill("#lhs", "3,3");
  await page.selectOption("#op", "mul");
  await page.selectOption("#rhs-fill", "random");
  await page.locator("#grid-lhs [role=gridcell]").nth(8).dblclick();
  await page.keyboard.type("77");
  await page.keyboard.press("Enter");
  const before = await result(page);
  const again = await open(new URL(page.url()).hash);
  assert.deepEqual(await result(again), before);
  assert.equal(await again.inputValue("#lhs"), "3,3");
  assert.equal(await again.inputValue("#op"), "mul");
  assert.equal((await cells(again, "lhs"))[8], "77");
}

// Shapes are taken as the page itself writes them, and as a Chinese keyboard does.
export async function shapes_as_they_are_written(open) {
  const page = await open();
  for (const text of ["f32[2,3]", "[2, 3]", "(2,3)", "2x3", "２，３", "2 3"]) {
    await page.fill("#lhs", text);
    assert.equal(await typeOf(page, "lhs"), "f32[2, 3]", text);
    assert.equal(await page.locator(".refusal p").count(), 0, text);
  }
  await page.fill("#lhs", "[2,3");
  assert.equal(await typeOf(page, "lhs"), "f32[2, 3]");
}

// A cell shows the element that a number becomes.
export async function elements_of_what_is_typed(open) {
  const page = await open("#lhsEdits=0:1e40&rhsEdits=0:1");
  await until(async () => (await result(page))[0] === "∞", "the result");
  assert.equal((await cells(page, "lhs"))[0], "∞");
  await page.selectOption("#type", "f16");
  await page.locator("#grid-lhs [role=gridcell]").nth(0).focus();
  await page.keyboard.type("1e9");
  await page.keyboard.press("Enter");
  assert.equal((await cells(page, "lhs"))[0], "∞");
}

// An adapter that does not answer is waited for in words.
export async function an_adapter_that_never_answers(open) {
  const page = await open("", { init: () => {
    GPU.prototype.requestAdapter = () => new Promise(() => {});
  } });
  await until(async () => (await page.locator("#gpu-note").textContent()) === "Computing …", "the wait is told");
}

// Where there is only touch, nothing is said of keys.
export async function words_for_touch(open) {
  const page = await open("", { hasTouch: true, isMobile: true, viewport: { width: 360, height: 740 } });
  assert.match(await page.locator("#about").textContent(), /^Touch a cell/);
  assert.match(await (await open()).locator("#about").textContent(), /Tab and arrow keys/);
}
