// A drawing of dimensions: a line joins dimension k of an operand to the dimension of the result that
// it is. What is refused is drawn as far as it was said.

import { draw, fill, h } from "./dom.js";
import { dimensionsOf } from "./maps.js";
import { t } from "./text.js";

// Sizes in pixels of a text of 16 pixels; the drawing grows with its text.
const [BOX, HEIGHT, STEP, ROW, NAME] = [50, 34, 58, 84, 92];
const MOST_DIMENSIONS = 10;
// A drawing of more dimensions scrolls where it is wider than the page; one of fewer shrinks.
const FEW_DIMENSIONS = 5;

const rising = (dims) => dims.every((d, k) => k === 0 || d > dims[k - 1]);

// Returns which dimension of the result each dimension of an operand is, as far as the call says so,
// and whether the call may say it.
function placesOf(shape, rank, dims) {
  if (shape.length === rank) return { places: dimensionsOf(shape), allowed: true };
  const given = (dims ?? []).slice(0, shape.length);
  return { places: given, allowed: given.length === dims?.length && rising(given) };
}

// Returns a result's sizes where there is none, because the call is refused: "?" where two sizes meet
// that do not fit.
function sizesOfRefused(rank, operands) {
  return Array.from({ length: rank }, (_, d) => {
    const sizes = new Set(operands.flatMap(({ shape, places }) => shape.filter((size, k) => places[k] === d && size !== 1)));
    return sizes.size > 1 ? "?" : ([...sizes][0] ?? 1);
  });
}

// Returns the rows of the drawing, from the top, and its lines: dimension k of an operand to
// dimension d of the result. A line is "same", "stretch" where size 1 becomes another, or "wrong". Of more
// dimensions than are drawn there are no rows.
export function mapOf({ shapes, plan, dims }) {
  if (!shapes.rhs) return mapOfReduction(shapes.lhs, plan);
  const rank = Math.max(shapes.lhs.length, shapes.rhs.length);
  if (rank > MOST_DIMENSIONS) return { rows: [], lines: [] };
  const operands = ["lhs", "rhs"].map((key) => ({ key, shape: shapes[key], ...placesOf(shapes[key], rank, dims) }));
  const sizes = plan?.shape ?? sizesOfRefused(rank, operands);
  const lines = operands.flatMap(({ key, shape, places, allowed }) => shape.flatMap((size, k) => {
    const d = places[k];
    if (!Number.isInteger(d) || d < 0 || d >= rank) return [];
    if (!plan && !allowed) return [{ key, k, d, kind: "wrong" }];
    if (size === sizes[d]) return [{ key, k, d, kind: "same" }];
    return [{ key, k, d, kind: size === 1 ? "stretch" : "wrong" }];
  }));
  const [lhs, rhs] = operands.map(({ key, shape }) => ({ key, sizes: shape }));
  return { rows: [lhs, { key: "out", sizes }, rhs], lines };
}

function mapOfReduction(shape, plan) {
  if (shape.length > MOST_DIMENSIONS) return { rows: [], lines: [] };
  const rows = [{ key: "lhs", sizes: shape }];
  if (!plan) return { rows, lines: [] };
  rows.push({ key: "out", sizes: plan.shape });
  return { rows, lines: plan.kept.map((k, d) => ({ key: "lhs", k, d, kind: "same" })) };
}

const center = (d) => NAME + d * STEP + BOX / 2;
const top = (row) => 6 + row * ROW;

function box(row, d, size, joined) {
  const y = top(row);
  return draw("g", { class: joined ? "joined" : "alone" },
    draw("rect", { x: NAME + d * STEP, y, width: BOX, height: HEIGHT, rx: 6 }),
    draw("text", { x: center(d), y: y + HEIGHT / 2, class: "size" }, String(size)),
    draw("text", { x: NAME + d * STEP + 5, y: y + 9, class: "index" }, String(d)));
}

// Shows the drawing in an element, with its words for those who do not see it.
export function showMap(element, { names, ...seen }) {
  const { rows, lines } = mapOf(seen);
  const most = Math.max(0, ...rows.map(({ sizes }) => sizes.length));
  element.hidden = most === 0;
  if (element.hidden) {
    fill(element);
    return;
  }
  const rowOf = (key) => rows.findIndex((row) => row.key === key);
  const [width, height] = [NAME + most * STEP, top(rows.length - 1) + HEIGHT + 6];
  const joined = (key, d) => lines.some((line) => (key === "out" ? line.d === d : line.key === key && line.k === d));
  const said = lines.map(({ key, k, d, kind }) => t(`map.${kind}`, { name: names[key], from: k, to: d }));
  fill(element,
    h("h3", {}, t("map.title")),
    h("p", { class: "legend" }, t(seen.shapes.rhs ? "map.legend" : "map.reduced")),
    h("div", { class: "scrolled", tabindex: "0", role: "group", "aria-label": t("map.title") },
      draw("svg", { class: most <= FEW_DIMENSIONS ? "few" : "many", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": said.join(" ") || t("map.none"), width: `${width / 16}rem`, height: `${height / 16}rem` },
        lines.map(({ key, k, d, kind }) => {
          const [from, to] = [rowOf(key), rowOf("out")];
          const down = from < to;
          return draw("line", {
            class: `${key} ${kind}`, x1: center(k), x2: center(d),
            y1: top(from) + (down ? HEIGHT : 0), y2: top(to) + (down ? 0 : HEIGHT),
          });
        }),
        rows.map(({ key, sizes }, row) => draw("g", { class: `row ${key}${key === "out" && !seen.plan ? " refused" : ""}` },
          draw("text", { x: 0, y: top(row) + HEIGHT / 2, class: "name" }, names[key]),
          sizes.map((size, d) => box(row, d, size, joined(key, d))))))));
}
