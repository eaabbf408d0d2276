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
  await page.waitForFunction((pattern) => new RegExp(pattern).test(document.querySelector(".status").textContent), pattern, { timeout: 60_000 });
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
}

export async function cancelled(open) {
  const page = await started(open);
  await over(page, "Measuring row|Measuring column");
  await page.locator("#bench-cancel").click();
  await over(page, "Cancelled");
  assert.ok((await page.locator(".bench tbody tr").count()) >= 1);
  await page.locator("#bench-start").click();
  await over(page, "Measuring row");
}

export async function left_while_it_runs(open) {
  const page = await started(open);
  await over(page, "Measuring row");
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
  await over(page, "Measuring column");
  await page.evaluate(() => globalThis.devices.forEach((device) => device.destroy()));
  await over(page, "ended with an error");
  assert.match(await status(page), /lost|destroyed/i);
  assert.match(await page.inputValue("#bench-text"), /lost|destroyed/i);
  // Another device is opened for the next run.
  await page.locator("#bench-start").click();
  await over(page, "All patterns are measured");
  await until(async () => (await page.locator(".bench tbody tr").count()) === PATTERNS, "all patterns");
}
