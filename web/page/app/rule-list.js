// All rules of the library in words.

import { rules } from "../indim.js";
import { h } from "./dom.js";
import { statement, t } from "./text.js";

const GROUPS = ["B", "D", "S", "T", "V", "R", "N", "I", "C", "P"];

export class RuleList {
  constructor() {
    const groups = GROUPS.map((letter) => {
      const labels = Object.keys(rules).filter((label) => label.startsWith(letter));
      return h("section", { class: "rule-group" }, h("h2", {}, t(`rules.${letter}`)),
        h("dl", {}, labels.map((label) => [h("dt", {}, h("b", { class: "label" }, label)), h("dd", {}, statement(label))])));
    });
    this.element = h("section", { class: "rules", "aria-labelledby": "rules-title" },
      h("div", { class: "hero" }, h("h1", { id: "rules-title" }, t("rules.title")), h("p", { class: "lead" }, t("rules.lead", { count: Object.keys(rules).length }))),
      groups);
  }

  show() {}
}
