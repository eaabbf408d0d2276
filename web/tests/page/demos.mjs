// The demos: each draws on its canvas, and nothing is read back.

import { NO_ADAPTER, assert, until } from "./common.mjs";
import { bringAxe, clean } from "./axe.mjs";

const DEMOS = ["waves", "reaction_diffusion", "nbody", "julia"];

// Looks at the canvas after each frame that draws into it: the number of its colours, and all of them
// in one number. Counts readings of buffers.
const watch = () => {
  Object.assign(globalThis, { looks: [], maps: 0 });
  let drawn = false;
  const { getCurrentTexture } = GPUCanvasContext.prototype;
  GPUCanvasContext.prototype.getCurrentTexture = function () {
    drawn = true;
    return getCurrentTexture.call(this);
  };
  const { mapAsync } = GPUBuffer.prototype;
  GPUBuffer.prototype.mapAsync = function (mode, ...range) {
    if (mode & GPUMapMode.READ) globalThis.maps += 1;
    return mapAsync.call(this, mode, ...range);
  };
  const small = new OffscreenCanvas(64, 64).getContext("2d", { willReadFrequently: true });
  const request = globalThis.requestAnimationFrame;
  globalThis.requestAnimationFrame = (frame) => request((time) => {
    drawn = false;
    frame(time);
    if (!drawn) return;
    small.drawImage(document.querySelector("#picture"), 0, 0, 64, 64);
    const pixels = new Uint32Array(small.getImageData(0, 0, 64, 64).data.buffer);
    const all = pixels.reduce((sum, pixel, i) => (sum + pixel * (i + 1)) % 2 ** 32, 0);
    globalThis.looks.push({ colours: new Set(pixels).size, all });
  });
};

const looks = (page) => page.evaluate(() => globalThis.looks);
const open_ = (open, name, options = {}) => open(`demos/${name}.html`, { settled: false, init: watch, ...options });

async function frames(page, count) {
  await page.waitForFunction((count) => globalThis.looks.length >= count, count, { timeout: 60_000 });
}

// Fails unless a demo's pictures have many colours and differ.
async function moves(open, name) {
  const page = await open_(open, name);
  await frames(page, 2);
  const before = await page.evaluate(() => globalThis.maps);
  await frames(page, 8);
  assert.equal(await page.evaluate(() => globalThis.maps), before, "nothing is read between frames");
  const seen = await looks(page);
  assert.ok(seen.every(({ colours }) => colours > 10) && seen.at(-1).colours > 30, `colours of ${name}: ${seen.map(({ colours }) => colours)}`);
  assert.ok(new Set(seen.map(({ all }) => all)).size > seen.length / 2, `pictures of ${name} differ`);
  assert.match(await page.locator(".status").textContent(), /Computed on .*, without reading anything back/);
  await page.locator("#toggle").click();
  assert.equal(await page.locator("#toggle").textContent(), "Start");
  const { length } = await looks(page);
  await page.waitForTimeout(300);
  assert.ok((await looks(page)).length <= length + 1, "it is stopped");
  await page.locator("#toggle").click();
  await frames(page, length + 3);
  await page.locator("#toggle").click();
  await bringAxe(page);
  await clean(page, name);
}

export const waves = (open) => moves(open, "waves");
export const reaction_diffusion = (open) => moves(open, "reaction_diffusion");
export const nbody = (open) => moves(open, "nbody");
export const julia = (open) => moves(open, "julia");

// Where less motion is asked for, a demo waits for its button.
export async function still_until_started(open) {
  const page = await open_(open, "julia", { reducedMotion: "reduce" });
  await page.waitForSelector("#toggle:not(:disabled)");
  await page.waitForTimeout(300);
  assert.deepEqual(await looks(page), []);
  await page.locator("#toggle").focus();
  await page.keyboard.press("Enter");
  await frames(page, 3);
}

// Without a mouse the arrow keys move, and Enter presses: c stays where it is pressed.
export async function pressed_by_keyboard(open) {
  const page = await open_(open, "julia");
  await frames(page, 2);
  await page.locator("#picture").focus();
  assert.equal(await page.locator(".mark").isVisible(), false);
  assert.match(await page.locator(`#${await page.locator("#picture").getAttribute("aria-describedby")}`).textContent(), /move with the arrow keys/);
  await page.keyboard.press("ArrowLeft");
  assert.equal(await page.locator(".mark").isVisible(), true, "a mark shows where it is");
  await page.keyboard.down("Enter");
  const { length } = await looks(page);
  await frames(page, length + 5);
  const held = (await looks(page)).slice(length + 2);
  await page.keyboard.up("Enter");
  assert.equal(new Set(held.map(({ all }) => all)).size, 1, "the set stands still");
  assert.ok(held[0].colours > 30);
}

// A demo is in the reader's language, fits a telephone, and says what it lacks.
export async function without_webgpu_in_three_languages(open) {
  for (const [locale, title, words] of [["en-US", "Two galaxies", /has WebGPU, but no adapter/], ["zh-CN", "两个星系", /没有可用的适配器/], ["pt-BR", "Duas galáxias", /nenhum adaptador/]]) {
    const page = await open("demos/nbody.html", { settled: false, webgpu: false, expected: NO_ADAPTER, locale, viewport: { width: 320, height: 700 } });
    await until(async () => words.test(await page.locator(".status").textContent()), `the failure is told in ${locale}`);
    assert.equal(await page.locator("h1").textContent(), title);
    assert.ok(await page.locator("#toggle").isDisabled());
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320, "it is as wide as the window");
    const names = await page.locator("nav a").evaluateAll((all) => all.map(({ pathname }) => pathname));
    assert.deepEqual(names, DEMOS.map((name) => `/demos/${name}.html`));
  }
}
