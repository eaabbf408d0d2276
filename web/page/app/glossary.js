// The words that broadcasting is told in.

import { h } from "./dom.js";
import { gap, t } from "./text.js";

const WORDS = ["shape", "rank", "scalar", "lower", "dimensions", "degenerate", "compatible", "composition"];
// Both ways to add a vector of 3 to a matrix of 3 by 3.
const WAYS = [["words.rows", "#lhs=3,3&rhs=3&dims=1&step=2"], ["words.columns", "#lhs=3,3&rhs=3&dims=0&step=2"]];

export function glossary() {
  return h("section", { class: "glossary", "aria-labelledby": "words-title" },
    h("h2", { id: "words-title" }, t("words.title")),
    h("dl", {}, WORDS.map((word) => h("div", {}, h("dt", {}, t(`word.${word}`)), h("dd", {}, t(`word.${word}.means`))))),
    h("h3", {}, t("words.why")),
    h("p", {}, t("words.why.ways"), gap(), WAYS.map(([key, href]) => h("a", { href }, t(key)))),
    h("p", {}, t("words.why.strict")),
    h("p", {}, t("words.why.wrappers")));
}
