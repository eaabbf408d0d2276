// Lists of numbers as people type them: shapes and broadcast_dimensions.

// A longer text is refused before it is read.
const MAX_TEXT = 20_000;

// Returns the numbers of a text such as "2,3", "[2, 3]", "f32[2,3]", "2x3" or "", or null if it is none.
// Full-width digits and signs are as good as others.
export function parseList(text) {
  if (text.length > MAX_TEXT) return null;
  const inner = text.normalize("NFKC").trim().replace(/^[a-z]\w{1,4}(?=\[)/, "").replace(/^[[(]\s*/, "").replace(/\s*[\])]$/, "").trim();
  if (inner === "") return [];
  const parts = inner.split(/\s*[,x×;，、]\s*|\s+/);
  // One comma at the end is how Python writes a list of one.
  if (parts.at(-1) === "") parts.pop();
  if (!parts.every((part) => /^[-+−]?\d+(\.\d+)?$/.test(part))) return null;
  return parts.map((part) => Number(part.replace("−", "-")));
}

// Returns numbers as the library writes them; the middle of long lists is left out.
export function listText(numbers) {
  if (numbers.length <= 24) return `[${numbers.join(", ")}]`;
  return `[${numbers.slice(0, 12).join(", ")}, … , ${numbers.slice(-8).join(", ")}]`;
}

export function elementCount(shape) {
  return shape.reduce((count, size) => count * size, 1);
}

// Returns the row-major index of an element.
export function flatIndex(shape, index) {
  return index.reduce((flat, at, dimension) => flat * shape[dimension] + at, 0);
}
