// A browser without WebGPU: all but the values works.

import { NO_ADAPTER, assert, cells, lit, typeOf, until } from "./common.mjs";

export async function pictures_and_kernels(open) {
  const page = await open("#lhs=4&rhs=1,2&dims=0", { webgpu: false, expected: NO_ADAPTER });
  await page.waitForFunction(() => (document.querySelector("#gpu-note")?.textContent ?? "") !== "");
  assert.match(await page.locator("#gpu-note").textContent(), /no adapter.*chrome:\/\/gpu/);
  assert.equal(await typeOf(page, "out"), "f32[4, 2]");
  assert.equal((await cells(page, "out")).join(" "), "1+7 1+8 2+7 2+8 3+7 3+8 4+7 4+8");
  await page.locator("#grid-out [role=gridcell]").nth(5).hover();
  assert.deepEqual(await lit(page, "lhs", "from"), [2]);
  assert.match(await page.locator(".kernels").innerText(), /Iteration space \[4, 2\]/);
  await page.fill("#dims", "");
  assert.match(await page.locator("#refusal-dims").textContent(), /B1/);
}

// A browser that knows nothing of WebGPU at all.
export async function no_interface(open) {
  const init = () => Object.defineProperty(Navigator.prototype, "gpu", { get: () => undefined });
  const page = await open("", { webgpu: false, init });
  assert.match(await page.locator("#gpu-note").textContent(), /This browser has no WebGPU.*localhost.*Firefox/);
  const bench = await open("#tab=gpu", { webgpu: false, init });
  assert.match(await bench.locator(".status").textContent(), /This browser has no WebGPU/);
  assert.ok(await bench.locator("#bench-start").isDisabled());
}

// The text is in the reader's language, and names nothing to install.
export async function no_adapter(open) {
  for (const [locale, words] of [["en-US", /has WebGPU, but no adapter/], ["pt-BR", /nenhum adaptador/], ["zh-CN", /没有可用的适配器/]]) {
    const page = await open("", { webgpu: false, expected: NO_ADAPTER, locale });
    await page.waitForFunction(() => (document.querySelector("#gpu-note")?.textContent ?? "") !== "");
    const note = await page.locator("#gpu-note").textContent();
    assert.match(note, words);
    assert.match(note, /chrome:\/\/gpu/);
    const bench = await open("#tab=gpu", { webgpu: false, expected: NO_ADAPTER, locale });
    await bench.waitForFunction(() => (document.querySelector(".status")?.textContent ?? "") !== "");
    assert.match(await bench.locator(".status").textContent(), words);
  }
}

// What an adapter answers that gives no device is shown in one line.
export async function no_device(open) {
  const init = () => {
    GPUAdapter.prototype.requestDevice = () => Promise.reject(new Error("no device today"));
  };
  const page = await open("", { init });
  await page.waitForFunction(() => (document.querySelector("#gpu-note")?.textContent ?? "") !== "");
  assert.equal(await page.locator("#gpu-note .message").textContent(), "the adapter did not provide a device: Error: no device today");
  const portuguese = await open("", { init, locale: "pt-BR" });
  await until(async () => (await portuguese.locator("#gpu-note .remedy").allTextContents()).join() === "Recarregue a página, ou use outro navegador.", "what to do");
}
