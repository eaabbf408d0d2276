// What tests of the page share.

import assert from "node:assert/strict";

export { assert };

// What Chromium itself says where it has no adapter.
export const NO_ADAPTER = /No available adapters/;

// Returns the texts of a grid's cells.
export function cells(page, name) {
  return page.locator(`#grid-${name} [role=gridcell]`).allTextContents();
}

// Waits until the result is computed, and returns its texts.
export async function result(page) {
  await page.waitForFunction(() => {
    const all = [...document.querySelectorAll("#grid-out [role=gridcell]")];
    return all.length > 0 && all.every((cell) => cell.textContent !== "…");
  });
  return cells(page, "out");
}

// Returns the type and shape over a grid, such as f32[2, 3].
export function typeOf(page, name) {
  return page.locator(`#grid-${name} figcaption code`).first().textContent();
}

// Waits until a function of the page's is true.
export async function until(check, what) {
  const end = Date.now() + 5000;
  for (;;) {
    const value = await check();
    if (value) return value;
    if (Date.now() > end) throw new Error(`not within 5 s: ${what}`);
    await new Promise((later) => setTimeout(later, 30));
  }
}

// Returns the keys of the cells with a class, by their place in the grid.
export function lit(page, name, kind) {
  return page.locator(`#grid-${name} [role=gridcell]`).evaluateAll(
    (all, kind) => all.flatMap((cell, i) => (cell.classList.contains(kind) ? [i] : [])), kind);
}
