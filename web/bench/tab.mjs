// A page with one library in it, which is opened anew after something that it did not survive.

import { openPage } from "../tests/browser.mjs";

// Seconds after which a call is given up.
const LIMIT_S = 180;

const message = (error) => String(error?.message ?? error).split("\n")[0].replace(/^page\.evaluate: (Error: )?/, "");

export class Tab {
  constructor(browser, address, name) {
    Object.assign(this, { browser, address, name, page: undefined });
  }

  // Opens the library, and returns on what it runs.
  async open() {
    await this.page?.close();
    this.page = undefined;
    const { page, said } = await openPage(this.browser, `${this.address}/page.html`);
    Object.assign(this, { page, said });
    return this.#evaluate(async (name) => {
      if (!globalThis.crossOriginIsolated) throw new Error("the page is not isolated, so its clock is coarse");
      globalThis.bench = await import("./page.js");
      return globalThis.bench.open(name);
    }, this.name);
  }

  // Calls a function of page.js. If it fails, the next call is in a new page, as the device may be lost
  // or out of memory.
  async call(name, ...operands) {
    try {
      if (!this.page) await this.open();
      return await this.#evaluate(({ name, operands }) => globalThis.bench[name](...operands), { name, operands });
    } catch (error) {
      const said = (this.said ?? []).slice(0, 1);
      await this.page?.close().catch(() => {});
      this.page = undefined;
      throw new Error([message(error), ...said].join("; ").slice(0, 300));
    }
  }

  async #evaluate(run, operand) {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`not done after ${LIMIT_S} s`)), LIMIT_S * 1000);
    });
    try {
      // Pages behind others may be given less time.
      await this.page.bringToFront();
      return await Promise.race([this.page.evaluate(run, operand), late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
