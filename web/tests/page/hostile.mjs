// Addresses that were made to do harm.

import { assert, typeOf } from "./common.mjs";

const MARKUP = "<img src=x onerror=alert(1)><script>alert(2)</script>";
const encoded = encodeURIComponent(MARKUP);

// Returns a function that opens an address, and makes sure that the page answers at once. The first
// one is opened in a new page, and the others in the same.
function living(open) {
  let page;
  return async (hash) => {
    if (page) await page.evaluate((hash) => location.replace(hash), hash);
    else page = await open(hash);
    await answers(page, hash);
  };
}

async function answers(page, hash) {
  const begun = Date.now();
  let dialogs = 0;
  page.once("dialog", (dialog) => {
    dialogs += 1;
    dialog.dismiss();
  });
  await page.selectOption("#op", "add", { timeout: 5000 });
  await page.locator("#lhs").fill("2,2", { timeout: 5000 });
  await page.locator("#rhs").fill("2,2");
  await page.locator("#numpy").setChecked(false);
  await page.locator("#dims").fill("");
  await page.selectOption("#type", "f32");
  assert.equal(await typeOf(page, "out"), "f32[2, 2]", hash.slice(0, 60));
  assert.equal(dialogs, 0);
  assert.ok(Date.now() - begun < 10_000, `${hash.slice(0, 60)} took too long`);
}

export async function markup(open) {
  const page = await open(`#lhs=${encoded}`);
  for (const key of ["lhs", "rhs", "dims", "reduce", "op", "type", "lhsFill", "lhsEdits", "step", "tab", "numpy", encoded]) {
    await page.evaluate((hash) => location.replace(hash), `#${key}=${encoded}`);
    assert.equal(await page.locator("main script, main img").count(), 0, key);
  }
  const shown = await open(`#op=${encoded}`);
  assert.match(await shown.locator("#refusal-type").textContent(), /no such operation/);
  const type = await open(`#type=${encoded}`);
  assert.ok((await type.locator("#refusal-type").textContent()).includes("<img src=x"), "the library's message quotes it as text");
  await living(open)(`#lhs=${encoded}&rhs=${encoded}`);
}

export async function large_sizes(open) {
  const alive = living(open);
  for (const shape of ["9007199254740992", "9007199254740993", "9007199254740991,9007199254740991", "99999999999999999999999", "4294967295", "4294967296", "65536,65536", "2147483647", "0,2147483647,2147483647", "1e9", "2.5"]) {
    await alive(`#lhs=${shape}&rhs=&dims=`);
    await alive(`#lhs=${shape}&rhs=${shape}&dims=&numpy=1`);
    await alive(`#op=reduce_sum&lhs=${shape}&reduce=0`);
  }
  const page = await open("#lhs=9007199254740991&rhs=3&dims=");
  assert.match(await page.locator("#refusal-lhs").textContent(), /lhs: size 0 is 9007199254740991; sizes are at most 4294967295.*WebAssembly.*C1/);
  const inexact = await open("#lhs=9007199254740993&rhs=3&dims=");
  assert.match(await inexact.locator("#refusal-lhs").textContent(), /lhs\[0\] is 9007199254740992, beyond 2\^53 - 1, up to which integers are exact in JavaScript/);
  const product = await open("#lhs=65536,65536&rhs=&dims=");
  assert.match(await product.locator("#refusal-lhs").textContent(), /lhs: shape .* more elements than can be counted \(2\^31 - 1 in WebAssembly\).*C1/);
}

export async function high_ranks(open) {
  const alive = living(open);
  const ones = Array(1000).fill(1).join();
  const twos = Array(30).fill(2).join();
  await alive(`#lhs=${ones}&rhs=${ones}&dims=`);
  await alive(`#lhs=${ones}&rhs=3&dims=999`);
  await alive(`#lhs=${twos}&rhs=2&dims=29`);
  await alive(`#lhs=${Array(5000).fill(1).join()}&rhs=&dims=`);
  await alive(`#lhs=3&rhs=3&dims=${Array(1000).fill(7).join()}`);
  await alive(`#op=reduce_max&lhs=${ones}&reduce=${Array.from({ length: 999 }, (_, d) => d).join()}`);
  await alive(`#op=argmax&lhs=${twos}&reduce=29`);
  await alive(`#lhs=${"1,".repeat(60_000)}`);
  const page = await open(`#lhs=${ones}&rhs=3&dims=999`);
  assert.equal(await page.locator("#grid-out [role=gridcell]").count(), 3);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
}

export async function bad_escapes(open) {
  const alive = living(open);
  for (const hash of ["#%", "#%E0%A4%A", "#lhs=%FF%FE%C0%80", "#lhs=%00", "#=&&=&", "#lhs=2,3&lhs=4,5", "#__proto__=1&constructor=2", "#tab=constructor", "#lhs=\u202e3,2", "#step=-1", "#step=NaN"]) {
    if (hash.startsWith("#tab")) assert.equal(await (await open(hash)).locator("h1").count(), 1);
    else await alive(hash);
  }
}

export async function many_edits(open) {
  const alive = living(open);
  await alive(`#lhsEdits=${Array.from({ length: 3000 }, (_, i) => `${i}:1e308`).join()}`);
  await alive("#lhsEdits=99999999999999999999:1,-1:2,x:y,0:__proto__&lhsFill=random999999999999");
}
