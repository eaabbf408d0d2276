// What the library says of the kernel that computes an operation: strides, spaces, accesses, WGSL.

import { fill, h } from "./dom.js";
import { listText } from "./shapes.js";
import { known, number, t } from "./text.js";

// Tables show no more dimensions than this.
const MAX_ROWS = 12;

function stride(value) {
  return h("td", { class: value === 0 ? "zero" : undefined }, number(value), value === 0 && h("span", {}, ` ${t("kernel.repeats")}`));
}

// Returns a table of one row for each dimension of a space, with its size and the operands' strides.
function strideTable(caption, space, operands, stridesOf) {
  const rows = space.slice(0, MAX_ROWS).map((size, d) => h("tr", {},
    h("th", { scope: "row" }, String(d)), h("td", {}, number(size)), operands.map((operand) => stride(stridesOf(operand)[d]))));
  const rest = space.length - rows.length;
  return h("div", { class: "table" }, h("table", {},
    h("caption", {}, caption),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("kernel.dimension")), h("th", { scope: "col" }, t("kernel.size")),
      operands.map((operand) => h("th", { scope: "col", class: operand.source }, t("kernel.stride", { name: t(`name.${operand.source}`) }))))),
    h("tbody", {}, rows, rest > 0 && h("tr", {}, h("td", { colspan: String(2 + operands.length) }, t("kernel.rest", { count: number(rest) }))))));
}

function facts(kernel) {
  const explained = (key, word) => [h("code", { lang: "en" }, word), h("span", {}, known(`${key}.${word}`))];
  const access = kernel.operands.map((operand) => [
    h("dt", {}, t("kernel.access", { name: t(`name.${operand.source}`) })),
    h("dd", {}, explained("access", operand.access), operand.hoisted && h("span", {}, t("kernel.hoisted"))),
  ]);
  return h("dl", { class: "facts" },
    access,
    h("dt", {}, t("kernel.schedule")), h("dd", {}, explained("schedule", kernel.schedule)),
    h("dt", {}, t("kernel.work")), h("dd", {}, t("kernel.dispatches", { dispatches: number(kernel.dispatches), groups: kernel.workgroups.map((count) => number(count)).join(" × ") })),
    h("dt", {}, t("kernel.bytes")), h("dd", {}, t("kernel.moved", { read: number(kernel.bytesRead), written: number(kernel.bytesWritten) })));
}

export function showKernels(section, plan) {
  const open = section.querySelector("details")?.open ?? false;
  if (!plan || plan.kernels.length === 0) {
    fill(section, h("h2", { id: "kernels-title" }, t("kernel.title")), h("p", {}, t("kernel.none")));
    return;
  }
  const kernel = plan.kernels[0];
  const merged = kernel.iterationSpace;
  fill(section,
    h("h2", { id: "kernels-title" }, t("kernel.title")),
    h("p", {}, t("kernel.lead")),
    h("div", { class: "tables" },
      strideTable(t("kernel.space", { space: listText(kernel.space) }), kernel.space, kernel.operands, (operand) => operand.strides),
      h("div", { class: "becomes", "aria-hidden": "true" }, "→"),
      strideTable(t("kernel.merged", { space: listText(merged) }), merged, kernel.operands, (operand) => operand.mergedStrides)),
    facts(kernel),
    h("details", { open }, h("summary", {}, t("kernel.wgsl")),
      h("pre", { tabindex: "0", lang: "en", "aria-label": "WGSL" }, h("code", {}, kernel.wgsl))));
}
