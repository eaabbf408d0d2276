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
export function loops({ operands, result, element, space = result, along = [], fold, each }) {
  const names = ["a", "b", "c"].slice(0, operands.length);
  const steps = operands.map((operand) => strides(operand, space.length));
  // Reduced dimensions come last.
  const order = [...space.keys()].sort((d, e) => along.includes(d) - along.includes(e));
  const [last, kept] = [space.length - 1, space.length - along.length];
  const linear = (k, n) => [n > 0 ? `${names[k]}${n - 1}` : "", steps[k][order[n]] ? `i${n} * ${steps[k][order[n]]}` : ""].filter(Boolean).join(" + ") || "0";
  const index = (k, n) => (operands[k].index && n === last ? operands[k].index : linear(k, n));
  const begin = (n) => [
    `for (let i${n} = 0; i${n} < ${space[order[n]]}; i${n}++) {`,
    ...names.map((name, k) => (n < last ? `const ${name}${n} = ${index(k, n)};` : `const ${name} = ${name.toUpperCase()}[${index(k, n)}];`)),
  ];
  const nest = (from, to, ...inside) => [...order.keys()].slice(from, to).flatMap(begin).concat(inside, "}".repeat(to - from));
  const store = (value) => `R[at++] = ${value};`;
  const folded = (inside) => nest(kept, space.length, `const x = ${element};`, inside);
  const rest = () => (each ? [fold[2], ...folded(store(each))] : [store(fold[2])]);
  const inside = fold ? [fold[0], ...folded(fold[1]), ...rest()] : [store(element)];
  const lines = ["let at = 0;", ...nest(0, fold ? kept : space.length, ...inside)];
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
// the pattern's tolerance, something is missing, or the number of elements that are kept, where `wanted` has
// all, is more than six standard deviations from the pattern's share.
export function compare(result, wanted, { tolerance, share }) {
  if (result.length !== wanted.length) throw new Error(`wrong result: ${result.length} elements, not ${wanted.length}`);
  let largest = 0;
  let zeros = 0;
  for (let i = 0; i < wanted.length; i++) {
    if (share && result[i] === 0) {
      zeros++;
      continue;
    }
    const error = Math.abs(result[i] - wanted[i]);
    // No NaN is near anything.
    if (!(error <= tolerance * Math.max(1, Math.abs(wanted[i])))) {
      throw new Error(`wrong result: element ${i} is ${result[i]}, not ${wanted[i]}`);
    }
    if (error > largest) largest = error;
  }
  const [kept, n] = [wanted.length - zeros, wanted.length];
  if (share && Math.abs(kept - n * share) > 6 * Math.sqrt(n * share * (1 - share))) {
    throw new Error(`wrong result: ${kept} of ${n} elements are kept`);
  }
  return largest;
}
