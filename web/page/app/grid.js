// An array as a grid of cells: slices of rows and columns, of which a window is shown. One cell has
// the focus, arrow keys move it, and cells tell what is pointed at.

import { button, fill, h } from "./dom.js";
import { number, t } from "./text.js";

const ARROWS = {
  ArrowLeft: [0, 0, -1], ArrowRight: [0, 0, 1], ArrowUp: [0, -1, 0], ArrowDown: [0, 1, 0],
  PageUp: [-1, 0, 0], PageDown: [1, 0, 0],
};

// The most leading indices that the name of a slice has.
const MOST_LEADING = 4;

// Returns the indices from a window's start to its end, or a single one where there is no such
// dimension.
function range(part) {
  return part ? Array.from({ length: part.count }, (_, i) => part.start + i) : [undefined];
}

// Returns the controls that move a window along a dimension: by a step, or to an index that is typed.
export function scroller(name, [back, forth], part, { by, to, far = 1 }) {
  const last = part.size - part.count;
  const input = h("input", {
    type: "text", inputmode: "numeric", class: "goto", value: String(part.start), maxlength: "12", autocomplete: "off",
    "aria-label": t("grid.goto", { name }),
    onchange: () => {
      if (/^\s*\d{1,12}\s*$/.test(input.value)) to(Number(input.value));
      else input.value = String(part.start);
    },
  });
  const span = part.count === 1
    ? t("leading.index", { size: number(part.size) })
    : t("grid.window", { to: number(part.start + part.count - 1), size: number(part.size) });
  return h("div", { class: "scroller", role: "group", "aria-label": name },
    button(back, () => by(-far), { "aria-label": t("grid.back", { name }), disabled: part.start === 0 }),
    h("div", { class: "where" }, h("b", {}, name), input, h("span", {}, span)),
    button(forth, () => by(far), { "aria-label": t("grid.forth", { name }), disabled: part.start >= last }));
}

export class Grid {
  #name = "";
  #calls;
  #cells = [];
  #view;
  #window = [];
  #current = "";
  #slices = h("div", { class: "slices" });
  #caption = h("figcaption");
  #more = h("div", { class: "more" });

  // `key` is lhs, rhs or out. `calls` has point(cell) and leave(), and may have edit(cell, text), and
  // scroll(dimension, by) with reach(dimensions, index), which move the window.
  constructor(key, calls) {
    this.#calls = calls;
    this.element = h("figure", { class: `array ${key}`, id: `grid-${key}` }, this.#caption, this.#slices, this.#more);
    this.#slices.addEventListener("pointerover", (event) => this.#point(event.target));
    this.#slices.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.#leave());
    this.#slices.addEventListener("focusin", (event) => this.#focused(event.target));
    this.#slices.addEventListener("focusout", (event) => {
      if (!this.#slices.contains(event.relatedTarget)) calls.leave();
    });
    this.#slices.addEventListener("click", (event) => this.#clicked(event.target));
    this.#slices.addEventListener("dblclick", (event) => this.#edit(this.#cellAt(event.target)));
    this.#slices.addEventListener("keydown", (event) => this.#key(event));
  }

  get cells() {
    return this.#cells;
  }

  // The cell that has the focus, if one has.
  get focused() {
    return this.#slices.contains(document.activeElement) ? this.#cellAt(document.activeElement) : undefined;
  }

  // Shows a window of a view, with a name for those who hear it. Each cell has a text and a label,
  // both given by its index.
  show(view, window, { name, caption, text, label, editable }) {
    const hadFocus = this.#slices.contains(document.activeElement) && document.activeElement.tagName === "TD";
    this.#name = name;
    this.#view = view;
    this.#window = window;
    this.#cells = [];
    this.editable = editable;
    fill(this.#caption, caption);
    const rank = view.shape.length;
    const leading = window.slice(0, Math.max(0, rank - 3)).map((part) => part.start);
    const empty = window.some((part) => part.count === 0);
    const tables = empty
      ? [h("p", { class: "empty" }, t("grid.empty"))]
      : range(window[rank - 3]).map((slice) => this.#table(leading, slice, text, label));
    fill(this.#slices, tables);
    fill(this.#more, this.#scrollers(rank));
    const current = this.#cells.find((cell) => cell.key === this.#current) ?? this.#cells[0];
    if (current) {
      current.element.tabIndex = 0;
      this.#current = current.key;
      if (hadFocus) current.element.focus();
    }
  }

  // Writes texts and labels of the cells that are shown anew.
  write(text, label) {
    for (const cell of this.#cells) {
      if (!cell.element.querySelector("input")) cell.element.textContent = text(cell.index);
      cell.element.setAttribute("aria-label", label(cell.index));
    }
  }

  // Lights the cells for which a function is true, and puts out all others. `kind` is "from" or
  // "to", or "here" for the cell that is pointed at.
  light(chosen, kind) {
    for (const cell of this.#cells) {
      cell.element.classList.remove("from", "to", "here");
      if (chosen?.(cell)) cell.element.classList.add(kind);
    }
  }

  #table(leading, slice, text, label) {
    const rank = this.#view.shape.length;
    const [rows, columns] = [range(this.#window[rank - 2]), range(this.#window[rank - 1])];
    const place = (leading.length > MOST_LEADING ? [slice] : [...leading, slice]).join(", ");
    const name = slice === undefined ? this.#name : t("grid.slice", { name: this.#name, slice: place });
    const head = rank > 0 && h("thead", {}, h("tr", {}, rank > 1 && h("td"), columns.map((at) => h("th", { scope: "col" }, String(at)))));
    const body = rows.map((row) => h("tr", {},
      rank > 1 && h("th", { scope: "row" }, String(row)),
      columns.map((column) => this.#cell([...leading, slice, row, column].slice(-rank || 3), text, label))));
    return h("div", { class: "slice" },
      slice !== undefined && h("p", { class: "slice-name" }, t("grid.sliceName", { slice: place })),
      h("table", { role: "grid", "aria-label": name }, head, h("tbody", {}, body)));
  }

  #cell(index, text, label) {
    const at = this.#view.shape.length === 0 ? [] : index;
    const copy = this.#view.isCopy(at);
    const element = h("td", { role: "gridcell", tabindex: "-1", class: copy ? "copy" : undefined, "aria-label": label(at) }, text(at));
    const cell = { key: at.join(), index: at, element, source: this.#view.source(at) };
    this.#cells.push(cell);
    return element;
  }

  #scrollers(rank) {
    if (!this.#calls.scroll) return [];
    const names = [["grid.columns", "←", "→"], ["grid.rows", "↑", "↓"], ["grid.slices", "−", "+"]];
    return names.flatMap(([key, back, forth], i) => {
      const d = rank - 1 - i;
      const part = this.#window[d];
      if (!part || part.count >= part.size) return [];
      const dimension = this.#view.dimensions[d];
      return [scroller(t(key), [back, forth], part, {
        far: part.count,
        by: (by) => this.#calls.scroll(dimension, by),
        to: (index) => this.#calls.reach([dimension], [index]),
      })];
    });
  }

  #cellAt(target) {
    const element = target.closest?.("td[role=gridcell]");
    return element && this.#cells.find((cell) => cell.element === element);
  }

  #point(target) {
    const cell = this.#cellAt(target);
    if (cell) this.#calls.point(cell);
  }

  // What has the focus stays lit when the mouse goes away.
  #leave() {
    const focused = this.#cellAt(document.activeElement);
    if (focused) this.#calls.point(focused);
    else this.#calls.leave();
  }

  #focused(target) {
    const cell = this.#cellAt(target);
    if (!cell) return;
    for (const other of this.#cells) other.element.tabIndex = other === cell ? 0 : -1;
    this.#current = cell.key;
    this.#calls.point(cell);
  }

  #clicked(target) {
    const cell = this.#cellAt(target);
    if (!cell || target.tagName === "INPUT") return;
    // A second click on the same cell edits, so that a tap can do it, too.
    if (document.activeElement === cell.element && cell.clicked) this.#edit(cell);
    for (const other of this.#cells) other.clicked = other === cell;
    if (!cell.element.querySelector("input")) cell.element.focus();
  }

  #key(event) {
    const cell = this.#cellAt(event.target);
    if (!cell || event.target.tagName === "INPUT") return;
    if (event.key in ARROWS && !event.ctrlKey && !event.metaKey && !event.altKey) this.#move(cell, ARROWS[event.key]);
    else if (event.key === "Home" || event.key === "End") this.#moveToEnd(cell, event);
    else if (event.key === "Enter" || event.key === "F2") this.#edit(cell);
    else if (/^[-\d.∞]$/.test(event.key) && !event.ctrlKey && !event.metaKey) this.#edit(cell, event.key);
    else return;
    event.preventDefault();
  }

  #move(cell, [slices, rows, columns]) {
    const rank = this.#view.shape.length;
    const index = [...cell.index];
    for (const [d, by] of [[rank - 3, slices], [rank - 2, rows], [rank - 1, columns]]) {
      if (d < 0 || by === 0) continue;
      index[d] += by;
      const part = this.#window[d];
      if (index[d] < 0 || index[d] >= part.size) return;
      const outside = index[d] < part.start || index[d] >= part.start + part.count;
      if (outside) {
        if (!this.#calls.scroll) return;
        this.#current = index.join();
        this.#calls.scroll(this.#view.dimensions[d], by);
        return;
      }
    }
    this.#cells.find((other) => other.key === index.join())?.element.focus();
  }

  // To the end of a row as far as it is shown, or, with Control, of the whole array.
  #moveToEnd(cell, event) {
    const rank = this.#view.shape.length;
    const home = event.key === "Home";
    if (!event.ctrlKey) {
      const inRow = this.#cells.filter((other) => other.index.slice(0, rank - 1).join() === cell.index.slice(0, rank - 1).join());
      (home ? inRow[0] : inRow.at(-1)).element.focus();
      return;
    }
    const end = this.#view.shape.map((size) => (home ? 0 : size - 1));
    const find = () => this.#cells.find((other) => other.key === end.join());
    if (!find() && this.#calls.reach) {
      this.#current = end.join();
      this.#calls.reach(this.#view.dimensions, end);
    }
    find()?.element.focus();
  }

  #edit(cell, typed) {
    if (!cell || !this.editable || cell.element.querySelector("input")) return;
    const before = cell.element.textContent;
    let done = false;
    const finish = (keep, refocus) => {
      if (done) return;
      done = true;
      const text = input.value;
      cell.element.textContent = before;
      if (refocus) cell.element.focus();
      if (keep && text !== before) this.#calls.edit(cell, text);
    };
    const input = h("input", {
      type: "text", value: typed ?? before, "aria-label": cell.element.getAttribute("aria-label"),
      autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: "32",
      onblur: () => finish(true, false),
      onkeydown: (event) => {
        event.stopPropagation();
        if (event.key === "Enter") finish(true, true);
        if (event.key === "Escape") finish(false, true);
      },
    });
    // The text stays under the input, so that the column keeps its width.
    fill(cell.element, h("span", { class: "under", "aria-hidden": "true" }, before), input);
    input.focus();
    if (typed === undefined) input.select();
  }
}
