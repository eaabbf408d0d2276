// Checks of arguments, which JavaScript itself would turn into something else: `Float64Array.from(3)`
// is empty, and WebAssembly takes "1" and [1] for 1. A wrong argument throws an error with its
// name.

// Returns a value's description in messages, such as `is 3`.
function found(value) {
  if (value === undefined) return "is missing";
  if (typeof value === "string") return `is ${JSON.stringify(value.length > 20 ? `${value.slice(0, 20)}…` : value)}`;
  if (typeof value === "bigint") return `is ${value}n`;
  if (value === null || typeof value === "number" || typeof value === "boolean") return `is ${value}`;
  return `is ${Array.isArray(value) ? "an array" : `of type ${typeof value}`}`;
}

const isTyped = (value) => ArrayBuffer.isView(value) && !(value instanceof DataView);

// Returns the numbers of an array or typed array.
export function numbers(value, argument) {
  if (!Array.isArray(value) && !isTyped(value)) {
    const advice = typeof value === "number" ? `write [${value}]` : "write an array of numbers, such as [0, 1]";
    throw new TypeError(`${argument} ${found(value)}; ${advice}`);
  }
  const wrong = value.findIndex((each) => typeof each !== "number");
  if (wrong >= 0) throw new TypeError(`${argument}[${wrong}] ${found(value[wrong])}; write a number, such as 1`);
  return Float64Array.from(value);
}

// Returns a number.
export function number(value, argument) {
  if (typeof value !== "number") throw new TypeError(`${argument} ${found(value)}; write a number, such as 1`);
  return value;
}

// Returns a string.
export function string(value, argument) {
  if (typeof value !== "string") throw new TypeError(`${argument} ${found(value)}; write a string`);
  return value;
}

// Returns an array.
export function list(value, argument) {
  if (!Array.isArray(value)) throw new TypeError(`${argument} ${found(value)}; write an array, with an element for each operand`);
  return value;
}
