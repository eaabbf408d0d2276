// What people need who see, read or point otherwise: axe-core, narrow screens, targets, motion.

import { assert, result } from "./common.mjs";
import { bringAxe, clean } from "./axe.mjs";

const PLACES = {
  play: "#lhs=4&rhs=1,2&dims=0&step=2", refusal: "#dims=", slices: "#lhs=2,3,4,5&rhs=2,5&dims=0,3",
  reduction: "#op=reduce_sum&lhs=2,3,4&reduce=0,2", "refused reduction": "#op=argmax&lhs=2,3&reduce=2",
  puzzles: "#tab=puzzles", gpu: "#tab=gpu", rules: "#tab=rules",
};
const LOCALES = ["en-US", "zh-CN", "pt-BR"];

// Goes to another place in the same page.
async function go(page, hash) {
  await page.evaluate((hash) => location.replace(hash || "#"), hash);
  const tab = new URLSearchParams(hash.slice(1)).get("tab") ?? "play";
  await page.waitForSelector(`.${{ play: "play", puzzles: "puzzles", gpu: "bench", rules: "rules" }[tab]}`);
}

export async function axe_in_each_language_and_theme(open) {
  for (const [locale, width] of [...LOCALES.map((locale) => [locale, 1280]), ...LOCALES.map((locale) => [locale, 360])]) {
    // Transitions would be looked at while colours change.
    const page = await open("", { locale, reducedMotion: "reduce", viewport: { width, height: 800 } });
    await bringAxe(page);
    for (const [name, hash] of Object.entries(PLACES)) {
      await go(page, hash);
      if (name === "play") {
        await result(page);
        await page.locator(".kernels summary").click();
        await page.locator("#grid-out [role=gridcell]").nth(3).hover();
      }
      if (name === "reduction") {
        await result(page);
        await page.locator(".reductions summary").click();
        await page.locator("#grid-out [role=gridcell]").nth(1).hover();
      }
      if (name === "puzzles") {
        await page.locator("#puzzle-1").fill("0");
        await page.locator("#puzzle-1").press("Enter");
        await page.waitForSelector(".hint .label");
        await page.locator("#puzzle-2").fill("0");
        await page.locator("#puzzle-2").press("Enter");
        await page.waitForSelector(".card.solved");
      }
      for (const colorScheme of width === 1280 ? ["light", "dark"] : ["light"]) {
        await page.emulateMedia({ colorScheme });
        await clean(page, `${name}, ${locale}, ${width}, ${colorScheme}`);
      }
    }
  }
}

export async function axe_after_the_switch_of_themes(open) {
  const page = await open("", { colorScheme: "light", reducedMotion: "reduce" });
  await page.locator("#theme").click();
  await page.locator("#theme").click();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(20, 22, 27)");
  await bringAxe(page);
  await clean(page, "dark by the switch");
}

// The page is as wide as the window, also with everything open; 320 pixels are 1280 at 400 %.
export async function narrow_screens(open) {
  for (const [locale, width] of LOCALES.flatMap((locale) => [1280, 768, 360, 320].map((width) => [locale, width]))) {
    const page = await open("", { locale, viewport: { width, height: 740 } });
    for (const [name, hash] of Object.entries(PLACES)) {
      await go(page, hash);
      if (name === "play") await page.locator(".kernels summary").click();
      await page.waitForTimeout(200);
      const wrong = await page.evaluate(() => {
        const end = document.querySelector("main > section").getBoundingClientRect().right;
        const wide = document.documentElement.scrollWidth > innerWidth ? [`the page is ${document.documentElement.scrollWidth} wide`] : [];
        // Text is clipped where an element hides what is wider than it.
        const clipped = [...document.querySelectorAll("main *, header *, footer *")].filter((element) => {
          const { left, right, width } = element.getBoundingClientRect();
          // What scrolls is clipped, but ends with the content itself.
          if (element.matches("pre")) return width > 0 && right > end + 1;
          const inPre = element.closest("pre, textarea, progress, .table.wide thead, .unseen, .skip, .fields .note");
          const hidden = element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX === "hidden";
          return width > 0 && !inPre && (right > innerWidth + 1 || left < -1 || hidden);
        });
        return [...wide, ...clipped.map((element) => element.outerHTML.slice(0, 120))];
      });
      assert.deepEqual(wrong, [], `${name}, ${locale}, ${width}`);
    }
  }
}

export async function targets(open) {
  const page = await open("", { viewport: { width: 360, height: 740 } });
  for (const [name, hash] of Object.entries(PLACES)) {
    await go(page, hash);
    const small = await page.evaluate(() => {
      const all = document.querySelectorAll("button, a:not(.skip), select, input, summary, textarea, [role=gridcell]");
      return [...all].flatMap((element) => {
        // The label around a switch is a part of its target.
        const { width, height } = (element.closest("label") ?? element).getBoundingClientRect();
        return width > 0 && (width < 43.9 || height < 43.9) ? [`${element.outerHTML.slice(0, 80)} ${width} × ${height}`] : [];
      });
    });
    assert.deepEqual(small, [], name);
  }
}

export async function reduced_motion(open) {
  const page = await open("", { reducedMotion: "reduce" });
  await result(page);
  const moving = await page.evaluate(() => [...document.querySelectorAll("*")].filter((element) =>
    getComputedStyle(element).transitionDuration.split(",").some((time) => parseFloat(time) > 0)).length);
  assert.equal(moving, 0);
}

export async function a_policy_of_own_files(open) {
  const page = await open();
  const policy = await page.locator("meta[http-equiv=Content-Security-Policy]").getAttribute("content");
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe-inline|unsafe-eval'(?<!wasm-unsafe-eval')|https?:|\*/);
  const requests = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => new URL(name).origin));
  assert.ok(requests.every((origin) => origin === new URL(page.url()).origin), requests.join());
}
