// What is seen before the WebAssembly arrives, and where it or another part does not.

import { cp, mkdtemp, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { assert, until } from "./common.mjs";

const WASM = "**/indim_web_bg.wasm";
const SAID = /WebAssembly|404|Failed to load|wasm|preload|CORS|file:|module/i;
const first = (route) => ({ route, settled: false, expected: SAID });

const heading = (page) => page.locator("h1").textContent();

export async function missing(open) {
  for (const [locale, words, title] of [["en-US", /A part of the page did not arrive/, "Broadcasting you can point at"], ["zh-CN", /没有送达/, "指一指，看懂广播"], ["pt-BR", /não chegou/, "Broadcasting na ponta do dedo"]]) {
    const page = await open("", { locale, ...first((page) => page.route(WASM, (route) => route.fulfill({ status: 404, contentType: "text/html", body: "<h1>404</h1>" }))) });
    await until(async () => words.test(await page.locator(".loading").textContent()), `the failure is told in ${locale}`);
    assert.equal(await heading(page), title);
    assert.ok((await page.locator(".glossary dt").count()) >= 8, "words that need no WebAssembly");
    assert.equal(await page.locator("nav a").count(), 4);
    assert.ok(await page.locator(".loading button").isVisible());
  }
}

export async function cut_short(open, { built }) {
  const folder = await mkdtemp(join(tmpdir(), "indim-page-"));
  await cp(join(built, "indim_web_bg.wasm"), join(folder, "cut.wasm"));
  await truncate(join(folder, "cut.wasm"), 300_000);
  const page = await open("", first((page) => page.route(WASM, (route) => route.fulfill({ path: join(folder, "cut.wasm"), contentType: "application/wasm" }))));
  await until(async () => /did not arrive/.test(await page.locator(".loading").textContent()), "the failure is told");
  await rm(folder, { recursive: true });
}

export async function a_module_is_missing(open) {
  const page = await open("", first((page) => page.route("**/app/picture.js", (route) => route.fulfill({ status: 404, body: "" }))));
  await until(async () => /did not arrive/.test(await page.locator(".loading").textContent()), "the failure is told");
}

// Browsers load no modules of a page that is opened as a file: what the HTML holds is seen.
export async function opened_as_a_file(open, { built }) {
  const page = await open("index.html", { ...first(), address: pathToFileURL(built).href });
  assert.equal(await heading(page), "Broadcasting you can point at");
  const said = await page.locator(".loading").innerText();
  for (const words of [/opened as a file/, /直接打开了文件/, /aberta como arquivo/]) assert.match(said, words);
}

// At 1.6 Mbit/s and 150 ms the first words are there within a second, and the page when all is.
export async function a_slow_network(open) {
  const page = await open("", first(async (page) => {
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Network.emulateNetworkConditions", { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 100_000 });
  }));
  await page.waitForSelector(".play", { timeout: 30_000 });
  const { painted, loaded } = await page.evaluate(() => ({
    painted: performance.getEntriesByName("first-contentful-paint")[0].startTime,
    loaded: performance.getEntriesByType("resource").find(({ name }) => name.endsWith(".wasm")).responseEnd,
  }));
  console.log(`  arrival: first words after ${Math.round(painted)} ms, the WebAssembly after ${Math.round(loaded)} ms`);
  assert.ok(painted < 1000, `the first words come after ${painted} ms`);
  assert.ok(loaded > 3000, "the network was slow");
}

// A module that the page's HTML does not name is fetched only after those that import it.
export async function every_module_is_named(open) {
  const page = await open();
  const { named, loaded } = await page.evaluate(() => ({
    named: [...document.querySelectorAll("link[rel=modulepreload], script[src]")].map(({ href, src }) => href || src),
    loaded: performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => name.endsWith(".js")),
  }));
  assert.deepEqual([...new Set(loaded)].sort(), named.sort());
}
