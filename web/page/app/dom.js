// Makes elements. Text only ever becomes text nodes, so that no input can become markup.

// Returns an element. Properties whose names begin with "on" are listeners, `true` and `false` set
// and leave out an attribute, and children are elements, texts, or lists of them.
export function h(name, properties = {}, ...children) {
  return made(document.createElement(name), properties, children);
}

// Returns an element of a drawing in SVG.
export function draw(name, properties = {}, ...children) {
  return made(document.createElementNS("http://www.w3.org/2000/svg", name), properties, children);
}

function made(element, properties, children) {
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === false || value === null) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "value") element.value = value;
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

// Replaces what an element holds.
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

// Returns how the page scrolls: at once where the reader wants less motion.
export function scrolling() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth";
}

// Returns a button that calls a function.
export function button(text, onclick, properties = {}) {
  return h("button", { type: "button", onclick, ...properties }, text);
}

// Returns a select element of these values with their texts, or with lists of both under a heading.
export function choice(id, options, selected, onchange, properties = {}) {
  const made = ([value, text]) => (Array.isArray(text) ? h("optgroup", { label: value }, text.map(made)) : h("option", { value }, text));
  const select = h("select", { id, onchange: (event) => onchange(event.target.value), ...properties }, options.map(made));
  select.value = selected;
  return select;
}
