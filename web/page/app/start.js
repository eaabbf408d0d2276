// Shows the head and the first words at once, and then loads the rest, which needs WebAssembly. What
// does not arrive is said.

import { button, fill, h } from "./dom.js";
import { settle, showFrame } from "./frame.js";
import { glossary } from "./glossary.js";
import { parseState } from "./state.js";
import { t } from "./text.js";

// After this long, the page says that it is still loading.
const PATIENCE_MS = 8000;

const main = document.getElementById("main");
const app = { state: parseState(location.hash) };
const status = h("div", { class: "loading", role: "status" });
let said = () => [t("load.loading")];

function show() {
  showFrame(app, show);
  fill(status, said());
  fill(main, h("section", { class: "first" },
    h("div", { class: "hero" }, h("h1", {}, t("play.title")), h("p", { class: "lead" }, t("play.lead"))),
    status,
    glossary()));
}

function failed(error) {
  said = () => [
    h("p", {}, h("b", {}, t("load.failed"))),
    h("p", { class: "message", lang: "en" }, error.message),
    h("p", {}, t("load.remedy")),
    button(t("load.again"), () => location.reload(), { class: "primary" }),
  ];
  fill(status, said());
}

settle();
show();
const late = setTimeout(() => {
  said = () => [t("load.late")];
  fill(status, said());
}, PATIENCE_MS);
try {
  const { init } = await import("../indim.js");
  await init();
  const { start } = await import("./main.js");
  start();
} catch (error) {
  failed(error);
} finally {
  clearTimeout(late);
}
