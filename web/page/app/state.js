// What is played with, as a part of the page's address.

const FIELDS = {
  tab: "play", op: "add", type: "f32", lhs: "2,3", rhs: "3", dims: "1", reduce: "1",
  lhsFill: "count", rhsFill: "seven", lhsEdits: "", rhsEdits: "", numpy: "", step: "0",
};

// An address holds no more edited values than this.
const MAX_EDITS = 256;
const MAX_ADDRESS = 50_000;

export function defaults() {
  return { ...FIELDS };
}

// Returns the state of an address. What it does not know or cannot read is as in a new page; texts
// of fields are kept as they are, so that the page can show what is wrong with them.
export function parseState(hash) {
  const state = defaults();
  const text = hash.startsWith("#") ? hash.slice(1) : hash;
  if (text.length > MAX_ADDRESS) return state;
  for (const [key, value] of new URLSearchParams(text)) {
    if (Object.hasOwn(FIELDS, key)) state[key] = value;
  }
  return state;
}

// Returns the address of a state, in which fields of a new page are left out.
export function formatState(state) {
  const parameters = new URLSearchParams();
  for (const [key, initial] of Object.entries(FIELDS)) {
    if (state[key] !== initial) parameters.set(key, state[key]);
  }
  // Commas and colons need no escapes in a fragment, and addresses are to be read.
  return `#${parameters}`.replaceAll("%2C", ",").replaceAll("%3A", ":");
}

// Returns edited values by the number of their element.
export function parseEdits(text) {
  const edits = new Map();
  for (const part of text.split(",").slice(0, MAX_EDITS)) {
    const match = /^(\d{1,15}):(-?[\w.+-]{1,32})$/.exec(part);
    if (match === null) continue;
    const value = parseValue(match[2]);
    if (value !== null) edits.set(Number(match[1]), value);
  }
  return edits;
}

export function formatEdits(edits) {
  return [...edits].slice(-MAX_EDITS).map(([index, value]) => `${index}:${value}`).join(",");
}

// Returns the number that is typed into a cell, or null.
export function parseValue(text) {
  const word = text.trim().toLowerCase().replace("−", "-").replace("∞", "inf");
  const named = { nan: NaN, inf: Infinity, "-inf": -Infinity, infinity: Infinity, "-infinity": -Infinity,
    true: 1, false: 0 };
  if (Object.hasOwn(named, word)) return named[word];
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/.test(word) ? Number(word) : null;
}
