// The bench in the tab.

import { assert, until } from "./common.mjs";

// The patterns of the tab.
const PATTERNS = 21;

const started = async (open, options) => {
  const page = await open("#tab=gpu", options);
  await page.waitForSelector("#bench-start:not(:disabled)");
  await page.selectOption("#bench-size", "65536");
  await page.locator("#bench-start").click();
  return page;
};

const status = (page) => page.locator(".status").textContent();

async function over(page, pattern) {
  await page.waitForFunction((pattern) => new RegExp(pattern).test(document.querySelector(".status")?.textContent ?? ""), pattern, { timeout: 60_000 });
}

// Waits until this many patterns are measured. A status may be gone before it is seen; rows stay.
async function measured(page, count) {
  await page.waitForFunction((count) => document.querySelectorAll(".bench tbody tr:not(.waiting)").length >= count, count, { timeout: 60_000 });
}

export async function all_patterns(open) {
  const page = await started(open);
  assert.equal(await page.locator("progress").isVisible(), true);
  await over(page, "All patterns are measured|error");
  assert.equal(await status(page), "All patterns are measured.");
  const rows = await page.locator(".bench tbody tr").allInnerTexts();
  assert.equal(rows.length, PATTERNS);
  for (const row of rows) assert.match(row, /GB\/s/);
  const text = await page.inputValue("#bench-text");
  assert.match(text, /^indim in a browser, f32, 65536 elements, on .+\n/);
  assert.match(text, /chain_broadcast +[\d.]+ GB\/s/);
  assert.match(text, /argmax +[\d.]+ GB\/s/);
}

// Each pattern is explained, its bar shows its rate, and numbers stand under each other.
export async function explained_and_aligned(open) {
  for (const locale of ["en-US", "zh-CN", "pt-BR"]) {
    const page = await open("#tab=gpu", { locale });
    const means = await page.locator(".bench .means").allTextContents();
    assert.equal(new Set(means).size, PATTERNS, `sentences in ${locale}`);
  }
  const page = await started(open);
  assert.match(await page.locator(".adapter").textContent(), /software: the CPU does the work of a GPU/);
  await measured(page, 5);
  const rows = await page.locator(".bench tbody tr:not(.waiting)").evaluateAll((all) => all.map((row) => {
    const value = row.querySelector("td.number span");
    const [ours, loop] = [...row.querySelectorAll(".bar rect")].map((bar) => Number(bar.getAttribute("width")));
    return { text: value.textContent, right: Math.round(value.getBoundingClientRect().right), ours, loop };
  }));
  assert.ok(rows.length >= 5);
  for (const { text, ours, loop } of rows) {
    assert.match(text, /^\d+\.\d\d GB\/s$/);
    assert.ok(ours > 0 && ours <= 100 && loop > 0 && loop <= 100, `${text}: ${ours}, ${loop}`);
  }
  assert.equal(new Set(rows.map(({ right }) => right)).size, 1, "numbers end at one place");
  assert.equal(Math.max(...rows.flatMap(({ ours, loop }) => [ours, loop])), 100, "the longest bar is the largest rate");
}

const focused = (page) => page.evaluate(() => document.activeElement.id);

// The focus goes from Start to Cancel and back, and Escape cancels.
export async function by_keyboard(open) {
  const page = await open("#tab=gpu");
  await page.waitForSelector("#bench-start:not(:disabled)");
  await page.selectOption("#bench-size", "65536");
  await page.locator("#bench-start").focus();
  await page.keyboard.press("Enter");
  await measured(page, 2);
  assert.equal(await focused(page), "bench-cancel");
  await page.keyboard.press("Escape");
  await over(page, "Cancelled");
  assert.equal(await focused(page), "bench-start");
  assert.ok((await page.locator(".bench tbody tr:not(.waiting)").count()) >= 2);
}

// Another language does not end a measurement, and another tab does not lose what was measured.
export async function kept_in_another_language_and_tab(open) {
  const page = await started(open);
  await measured(page, 2);
  await page.getByRole("button", { name: "Português" }).click();
  await over(page, "Medindo");
  assert.ok((await page.locator(".bench tbody tr:not(.waiting)").count()) >= 2);
  await page.locator("nav a").nth(3).click();
  await page.waitForSelector(".rules");
  await page.locator("nav a").nth(2).click();
  await over(page, "Cancelado");
  assert.ok((await page.locator(".bench tbody tr:not(.waiting)").count()) >= 2, "what was measured stays");
}

export async function cancelled(open) {
  const page = await started(open);
  await measured(page, 1);
  await page.locator("#bench-cancel").click();
  await over(page, "Cancelled");
  assert.ok((await page.locator(".bench tbody tr:not(.waiting)").count()) >= 1);
  await page.locator("#bench-start").click();
  await measured(page, 1);
}

export async function left_while_it_runs(open) {
  const page = await started(open);
  await measured(page, 1);
  await page.locator("nav a").first().click();
  await page.waitForSelector(".play");
  await page.waitForTimeout(300);
}

// The tests keep the devices that the page asks for, to destroy them.
const keepDevices = () => {
  globalThis.devices = [];
  const request = GPUAdapter.prototype.requestDevice;
  GPUAdapter.prototype.requestDevice = async function (...args) {
    const device = await request.apply(this, args);
    globalThis.devices.push(device);
    return device;
  };
};

export async function a_lost_device(open) {
  const page = await started(open, { init: keepDevices });
  await measured(page, 2);
  await page.evaluate(() => globalThis.devices.forEach((device) => device.destroy()));
  await over(page, "ended with an error");
  assert.match(await status(page), /lost|destroyed/i);
  assert.match(await page.inputValue("#bench-text"), /lost|destroyed/i);
  // Another device is opened for the next run.
  await page.locator("#bench-start").click();
  await over(page, "All patterns are measured");
  await until(async () => (await page.locator(".bench tbody tr:not(.waiting)").count()) === PATTERNS, "all patterns");
}
