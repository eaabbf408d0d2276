// Plain JavaScript loops: the reference for all results, and a column of the table.

// Returns the strides by which an element of the result finds its own in an operand.
function strides({ shape, strides: given }, rank) {
  if (given) return given;
  let stride = 1;
  const all = shape.map(() => 0);
  for (let d = rank - 1; d >= 0; d--) {
    all[d] = shape[d] === 1 ? 0 : stride;
    stride *= shape[d];
  }
  return all;
}

// Returns a function that computes a pattern's result out of its operands' elements. Its text is made
// for the pattern, as a programmer would write it: a loop for each dimension, with sizes and strides
// as constants.
export function loops({ operands, result, element, space = result, along = [], fold }) {
  const names = ["a", "b", "c"].slice(0, operands.length);
  const steps = operands.map((operand) => strides(operand, space.length));
  // Reduced dimensions come last.
  const order = [...space.keys()].sort((d, e) => along.includes(d) - along.includes(e));
  const last = space.length - 1;
  const lines = [`let at = 0;`];
  const index = (k, n) => [n > 0 ? `${names[k]}${n - 1}` : "", steps[k][order[n]] ? `i${n} * ${steps[k][order[n]]}` : ""].filter(Boolean).join(" + ") || "0";
  order.forEach((d, n) => {
    if (fold && n === space.length - along.length) lines.push(fold[0]);
    lines.push(`for (let i${n} = 0; i${n} < ${space[d]}; i${n}++) {`);
    names.forEach((name, k) => {
      lines.push(n < last ? `const ${name}${n} = ${index(k, n)};` : `const ${name} = ${name.toUpperCase()}[${index(k, n)}];`);
    });
  });
  const store = (value) => `R[at++] = ${value};`;
  if (fold) lines.push(`const x = ${element};`, fold[1], "}".repeat(along.length), store(fold[2]), "}".repeat(space.length - along.length));
  else lines.push(store(element), "}".repeat(space.length));
  return new Function("R", ...names.map((name) => name.toUpperCase()), lines.join("\n"));
}

// Returns a pattern's result. Several additions are each added to the one before.
export function reference(pattern, data, result) {
  const loop = loops(pattern);
  loop(result, ...data);
  for (let time = 1; time < (pattern.times ?? 1); time++) loop(result, result, ...data.slice(1));
  return result;
}

// Returns the largest difference of a result from what was wanted, and throws where that is beyond
// the pattern's tolerance, or something is missing.
export function compare(result, wanted, { tolerance }) {
  if (result.length !== wanted.length) throw new Error(`wrong result: ${result.length} elements, not ${wanted.length}`);
  let largest = 0;
  for (let i = 0; i < wanted.length; i++) {
    const error = Math.abs(result[i] - wanted[i]);
    // No NaN is near anything.
    if (!(error <= tolerance * Math.max(1, Math.abs(wanted[i])))) {
      throw new Error(`wrong result: element ${i} is ${result[i]}, not ${wanted[i]}`);
    }
    if (error > largest) largest = error;
  }
  return largest;
}
