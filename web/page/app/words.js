// What happens to the call that is shown, in words: ranks, the lower-rank operand, where its dimensions go,
// what is repeated and what stretches.

import { mapOf } from "./dimension-map.js";
import { button, fill, h } from "./dom.js";
import { EXAMPLES, exampleOf, exampleText } from "./examples.js";
import { listText } from "./shapes.js";
import { counted, gap, t } from "./text.js";

// More dimensions than these are not told one by one.
const MOST_TOLD = 6;

// Returns the two operands, the one of lower rank first.
function byRank({ lhs, rhs }) {
  const both = [{ key: "lhs", shape: lhs }, { key: "rhs", shape: rhs }];
  return both.sort((a, b) => a.shape.length - b.shape.length);
}

function ranks({ shapes, names }) {
  const one = (key) => ({ [key]: names[key], [`${key}Shape`]: listText(shapes[key]), [`${key}Rank`]: shapes[key].length });
  return t("words.ranks", { ...one("lhs"), ...one("rhs") });
}

function matched({ shapes, names, plan, dims, error, numpy }) {
  const [lower, higher] = byRank(shapes);
  const of = { lower: names[lower.key], higher: names[higher.key] };
  if (lower.shape.length === higher.shape.length) return [t("words.same")];
  if (lower.shape.length === 0) return [t("words.scalar", of)];
  // A call may be refused for another reason than how its dimensions are matched.
  if (!plan && !/^B/.test(error?.rule ?? "")) return error === numpy.error ? [t("numpy.refuses")] : [];
  if (!plan) return [t(dims?.length > 0 ? "words.misnamed" : "words.unnamed", { ...of, count: higher.shape.length })];
  const pairs = dims.slice(0, MOST_TOLD).map((d, k) => t("words.pair", { ...of, from: k, to: d }));
  const told = [t("words.lower", { ...of, dims: listText(dims), pairs: pairs.join(t("words.and")) })];
  const given = new Set(dims);
  const lacking = plan.shape.map((_, d) => d).filter((d) => !given.has(d)).slice(0, MOST_TOLD);
  return [...told, ...lacking.map((d) => counted("words.repeated", higher.shape[d], { ...of, to: d }))];
}

function stretched({ shapes, names, plan }) {
  if (!plan) return [];
  return ["lhs", "rhs"].flatMap((key) => shapes[key].flatMap((size, k) => {
    const to = plan.shape[plan.maps[key][k]];
    return size === 1 && to !== 1 ? [t("words.stretched", { name: names[key], from: k, size: to })] : [];
  })).slice(0, MOST_TOLD);
}

// What does not fit in a call that is refused: two sizes that meet, or a dimension that goes where it may not.
function wrong({ names, ...seen }) {
  if (seen.plan) return [];
  const lines = mapOf(seen).lines.filter(({ kind }) => kind === "wrong");
  const told = lines.map(({ key, k, d }) => {
    const other = lines.find((line) => line.d === d && line.key !== key);
    if (!other) return t("map.wrong", { name: names[key], from: k, to: d });
    return t("words.differ", { to: d, [key]: seen.shapes[key][k], [other.key]: seen.shapes[other.key][other.k] });
  });
  return [...new Set(told)].slice(0, MOST_TOLD);
}

function reduced({ shapes, plan, names }) {
  const kept = new Set(plan.kept);
  const gone = shapes.lhs.map((_, d) => d).filter((d) => !kept.has(d));
  const told = gone.slice(0, MOST_TOLD).map((d) => t("words.gone", { dimension: d, size: shapes.lhs[d] }));
  return [t("words.reduced", { name: names.lhs, shape: listText(shapes.lhs), rank: shapes.lhs.length, result: listText(plan.shape) }), ...told];
}

// Shows the words of a state; `go` is called with an example to set up, and
// the event that asks for it.
export function showWords(element, state, seen, go) {
  const { shapes } = seen;
  // Of a reduction that is refused its message says all.
  if (!shapes || (!shapes.rhs && !seen.plan)) {
    fill(element);
    return;
  }
  const told = shapes.rhs ? [ranks(seen), ...matched(seen), ...stretched(seen), ...wrong(seen)] : reduced(seen);
  const example = exampleOf(state);
  const focused = element.contains(document.activeElement);
  fill(element,
    h("h3", {}, t("words.here")),
    h("ul", {}, told.map((text) => h("li", {}, text))),
    example && h("p", { class: "shows" }, h("b", {}, t("example.which", { number: example.number, count: EXAMPLES.length })), gap(), t(`example.${example.number}`)),
    example && next(example, go));
  if (focused) element.querySelector("button")?.focus();
}

function next({ number }, go) {
  const following = EXAMPLES[number % EXAMPLES.length];
  return button([t("example.next"), gap(), h("span", { class: "mono" }, exampleText(following))], (event) => go(following, event), { class: "quiet" });
}
