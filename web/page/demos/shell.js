// What all demos share: the frame of the page, the canvas, starting and stopping, the pointer, and
// messages. Nothing is read back from the GPU: indim writes each picture into the canvas's texture.

import { button, fill, h } from "../app/dom.js";
import { settingsBar, settle } from "../app/frame.js";
import { counted, t } from "../app/text.js";
import { open } from "../full/indim.js";

const DEMOS = ["waves", "reaction_diffusion", "nbody", "julia"];
// The frame's rate is told this often.
const TOLD_MS = 1000;

const parts = Object.fromEntries(["skip", "header", "main", "footer"].map((id) => [id, document.getElementById(id)]));
const still = matchMedia("(prefers-reduced-motion: reduce)");

// Numbers that change from frame to frame: a buffer of the device and values that read it.
class Settings {
  #device;
  #gpu;
  #buffer;

  constructor(gpu, count) {
    this.#gpu = gpu;
    this.#device = gpu.device;
    this.#buffer = this.#device.createBuffer({ size: 4 * count, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC });
  }

  write(numbers) {
    this.#device.queue.writeBuffer(this.#buffer, 0, new Float32Array(numbers));
  }

  /** Returns the numbers from one on as a value. */
  value(shape, first = 0) {
    return this.#gpu.arrayFrom(this.#buffer, shape, "f32", 4 * first);
  }
}

/** Returns a value that lies in a buffer, in which it is overwritten in place. */
export function kept(gpu, value) {
  const array = gpu.eval(value);
  gpu.buffer(array);
  return array;
}

// The pointer over the canvas, in its pixels. Without one, arrow keys move it, and Enter or Space
// presses it; `mark` shows then where it is.
class Pointer {
  constructor(canvas, mark) {
    Object.assign(this, { x: canvas.width / 2, y: canvas.height / 2, pressed: false, held: false, zoom: 0 });
    const place = (event) => {
      const { left, top, width, height } = canvas.getBoundingClientRect();
      this.x = ((event.clientX - left) / width) * canvas.width;
      this.y = ((event.clientY - top) / height) * canvas.height;
      mark.hidden = true;
    };
    const show = () => {
      mark.hidden = false;
      mark.style.left = `${(100 * this.x) / canvas.width}%`;
      mark.style.top = `${(100 * this.y) / canvas.height}%`;
    };
    const down = (held) => Object.assign(this, { held, pressed: this.pressed || held });
    canvas.addEventListener("pointermove", place);
    canvas.addEventListener("pointerdown", (event) => {
      place(event);
      down(true);
      canvas.setPointerCapture(event.pointerId);
    });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => down(false));
    canvas.addEventListener("keydown", (event) => {
      const step = canvas.width / 32;
      const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
      const [across, below] = moves[event.key] ?? [0, 0];
      this.x = Math.min(Math.max(this.x + across, 0), canvas.width);
      this.y = Math.min(Math.max(this.y + below, 0), canvas.height);
      if (event.key === "+" || event.key === "-") this.zoom += event.key === "+" ? 1 : -1;
      if (event.key === "Enter" || event.key === " ") down(true);
      if (/^(Arrow|Enter$| $)/.test(event.key)) {
        show();
        event.preventDefault();
      }
    });
    canvas.addEventListener("keyup", () => down(false));
    canvas.addEventListener("blur", () => {
      down(false);
      mark.hidden = true;
    });
  }

  // Ends a frame. A press that was shorter than one has been in it.
  next() {
    this.pressed = this.held;
    this.zoom = 0;
  }
}

function words(name, show) {
  document.title = `indim: ${t(`demo.${name}`)}`;
  fill(parts.skip, t("nav.skip"));
  fill(parts.header,
    h("a", { class: "brand", href: "../", "aria-label": "indim" },
      h("img", { src: "../icon.svg", alt: "", width: "28", height: "28" }), h("span", {}, "indim")),
    h("nav", { "aria-label": t("demo.all") }, h("ul", {}, DEMOS.map((each) => h("li", {},
      h("a", { href: `${each}.html`, "aria-current": each === name ? "page" : undefined }, t(`demo.${each}.tab`)))))),
    settingsBar(show));
  fill(parts.footer, h("p", {}, t("demo.footer")), h("p", {}, h("a", { href: "../" }, t("play.title"))));
}

// Returns what to show in place of the picture. Messages of the library are English.
async function reason(error) {
  if (navigator.gpu === undefined) return t("demo.no_webgpu");
  if (!(await navigator.gpu.requestAdapter().catch(() => null))) return t("demo.no_adapter");
  return [t("demo.failed"), " ", h("span", { class: "message", lang: "en" }, error.message)];
}

class Demo {
  #name;
  #canvas;
  #mark = h("span", { class: "mark", hidden: true, "aria-hidden": "true" });
  #pointer;
  #make;
  #gpu;
  #context;
  #frame;
  #running = false;
  #frames = 0;
  #since = 0;
  #failure;
  #rate = h("span", { class: "rate" });
  #said = h("p", { class: "status", role: "status" });
  #toggle = button("", () => this.#run(!this.#running), { class: "primary", id: "toggle" });
  #again = button("", () => this.#restart(), { id: "again" });

  constructor({ name, size: [width, height], make }) {
    this.#name = name;
    this.#make = make;
    this.#canvas = h("canvas", { id: "picture", width, height, tabindex: "0", role: "img", "aria-describedby": "how" });
    this.#pointer = new Pointer(this.#canvas, this.#mark);
    still.addEventListener("change", () => still.matches && this.#run(false));
    settle();
    this.#show();
    this.#open().catch((error) => this.#fail(error));
  }

  #show() {
    const name = this.#name;
    words(name, () => this.#show());
    this.#canvas.setAttribute("aria-label", t(`demo.${name}.picture`));
    fill(parts.main, h("section", { class: "demo" },
      h("div", { class: "hero" }, h("h1", {}, t(`demo.${name}`)), h("p", { class: "lead" }, t(`demo.${name}.what`))),
      h("div", { class: "picture-frame" }, this.#canvas, this.#mark), h("div", { class: "row" }, this.#toggle, this.#again, this.#rate), this.#said,
      h("p", { class: "note", id: "how" }, t(`demo.${name}.how`))));
    this.#tell();
  }

  // Shows what depends on whether it runs.
  #tell() {
    this.#toggle.textContent = t(this.#running ? "demo.stop" : "demo.start");
    this.#again.textContent = t("demo.again");
    this.#toggle.disabled = this.#again.disabled = !this.#frame;
    if (this.#failure) reason(this.#failure).then((text) => fill(this.#said, text));
    else fill(this.#said, t(this.#frame ? "demo.on" : "load.loading", { adapter: this.#gpu?.adapter }));
    if (!this.#running) fill(this.#rate);
  }

  async #open() {
    this.#gpu = await open();
    const { device } = this.#gpu;
    device.lost.then(({ message }) => this.#fail(new Error(message || "the device is lost")));
    this.#context = this.#canvas.getContext("webgpu");
    this.#context.configure({ device, format: "rgba8unorm", alphaMode: "opaque", usage: GPUTextureUsage.STORAGE_BINDING });
    this.#restart();
    this.#run(!still.matches);
  }

  #restart() {
    try {
      this.#frame = this.#make(this.#gpu, (count) => new Settings(this.#gpu, count));
      this.#step();
      this.#tell();
    } catch (error) {
      this.#fail(error);
    }
  }

  #run(running) {
    if (running === this.#running || !this.#frame) return;
    this.#running = running;
    this.#frames = 0;
    this.#since = performance.now();
    this.#tell();
    if (running) requestAnimationFrame(() => this.#next());
  }

  #next() {
    if (!this.#running) return;
    try {
      this.#step();
    } catch (error) {
      this.#fail(error);
      return;
    }
    const passed = performance.now() - this.#since;
    if (passed > TOLD_MS) {
      fill(this.#rate, counted("demo.rate", Math.round((1000 * this.#frames) / passed)));
      this.#frames = 0;
      this.#since = performance.now();
    }
    requestAnimationFrame(() => this.#next());
  }

  // Computes one frame and shows it.
  #step() {
    const { device } = this.#gpu;
    const encoder = device.createCommandEncoder();
    const picture = this.#frame(encoder, this.#pointer);
    this.#gpu.encodeToTexture(encoder, picture, this.#context.getCurrentTexture());
    this.#gpu.flush();
    device.queue.submit([encoder.finish()]);
    this.#gpu.submitted(encoder);
    this.#pointer.next();
    this.#frames += 1;
  }

  #fail(error) {
    this.#failure = error;
    this.#frame = undefined;
    this.#running = false;
    this.#tell();
  }
}

/**
 * Shows a demo. `make` is given the GPU and a function that makes `Settings`, and returns what
 * computes a frame: with the frame's encoder and the pointer, it returns the picture, a value of shape
 * (height, width, 3).
 */
export function run(demo) {
  return new Demo(demo);
}
