// What the library says of the kernels that compute an operation: strides, spaces, accesses, WGSL.

import { array } from "../indim.js";
import { fill, h } from "./dom.js";
import { theGpu } from "./gpu.js";
import { methodOf } from "./operations.js";
import { stridesOf } from "./reduction.js";
import { elementCount, listText, parseList } from "./shapes.js";
import { known, number, t } from "./text.js";

// Tables show no more dimensions than this.
const MAX_ROWS = 12;
// A reduction's kernels are asked for with an operand in memory, of at most this many elements.
const MOST_ELEMENTS = 2 ** 16;

function stride(value, source) {
  const means = source === "out" ? "kernels.combines" : "kernel.repeats";
  return h("td", { class: value === 0 ? "zero" : undefined }, number(value), value === 0 && h("span", {}, ` ${t(means)}`));
}

// Returns a table of one row for each dimension of a space, with its size and the operands' strides.
function strideTable(caption, space, operands, listOf) {
  const rows = space.slice(0, MAX_ROWS).map((size, d) => h("tr", {},
    h("th", { scope: "row" }, String(d)), h("td", {}, number(size)), operands.map((operand) => stride(listOf(operand)[d], operand.source))));
  const rest = space.length - rows.length;
  return h("div", { class: "table", tabindex: "0", role: "group", "aria-label": caption }, h("table", {},
    h("caption", {}, caption),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("kernel.dimension")), h("th", { scope: "col" }, t("kernel.size")),
      operands.map((operand) => h("th", { scope: "col", class: operand.source }, t("kernel.stride", { name: operand.name ?? t(`name.${operand.source}`) }))))),
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

// Returns the texts of kernels, of which only the first is opened.
function texts(wgsl, open) {
  return wgsl.map((text, i) => h("details", { open: open && i === 0 },
    h("summary", {}, wgsl.length === 1 ? t("kernel.wgsl") : t("kernel.wgsl_of", { number: i + 1, count: wgsl.length })),
    h("pre", { tabindex: "0", lang: "en", "aria-label": "WGSL" }, h("code", {}, text))));
}

export function showKernels(section, plan) {
  const open = section.querySelector("details")?.open ?? false;
  section.dataset.of = "";
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
      h("div", { class: "becomes", "aria-hidden": "true" }),
      strideTable(t("kernel.merged", { space: listText(merged) }), merged, kernel.operands, (operand) => operand.mergedStrides)),
    facts(kernel),
    texts(plan.kernels.map(({ wgsl }) => wgsl), open));
}

// Returns the WGSL of a reduction's kernels, which an opened GPU tells.
function kernelsOf(gpu, type, { op, dims }, shape) {
  const values = [];
  try {
    values.push(array(new Array(elementCount(shape)).fill(0), shape, type));
    values.push(values[0][methodOf(op)](dims));
    return gpu.kernels(values[1]);
  } finally {
    for (const value of values) value.free();
  }
}

// Shows the kernels of a reduction. They depend on the adapter, so there are none without one.
export async function showKernelsOfReduction(section, { op, type, lhs, reduce }, plan) {
  const call = { op, dims: parseList(reduce) };
  const of = `${op} ${type} ${lhs} ${reduce} ${document.documentElement.lang}`;
  if (plan && section.dataset.of === of) return;
  section.dataset.of = plan ? of : "";
  const title = h("h2", { id: "kernels-title" }, t("kernels.title"));
  fill(section, title, h("p", {}, t(plan ? "kernels.lead" : "kernel.none")));
  if (!plan) return;
  const operands = [{ source: "lhs", name: t("name.operand") }, { source: "out" }];
  const strides = stridesOf(plan);
  section.append(h("div", { class: "tables" },
    strideTable(t("kernels.space", { space: listText(plan.space) }), plan.space, operands, ({ source }) => strides[source])));
  const shape = parseList(lhs);
  if (elementCount(shape) > MOST_ELEMENTS) {
    section.append(h("p", {}, t("kernels.large", { count: number(MOST_ELEMENTS) })));
    return;
  }
  const { gpu } = await theGpu();
  if (section.dataset.of !== of) return;
  if (!gpu) {
    section.append(h("p", {}, t("kernels.no_gpu")));
    return;
  }
  try {
    section.append(...texts(kernelsOf(gpu, type, call, shape), false));
  } catch (error) {
    section.append(h("p", { class: "message", lang: "en" }, error.message));
  }
}
