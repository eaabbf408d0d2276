// The patterns of the bench as plain loops over typed arrays, as someone would write them who has no
// GPU. Each is a function of its own, so that the browser's compiler sees it alone. It is given the operands,
// the result, and the result's shape; loops that reduce are given the operands' shapes, too.

export function same([a, b], result) {
  for (let i = 0; i < result.length; i += 1) result[i] = a[i] + b[i];
}

export function row([a, b], result, [rows, columns]) {
  for (let y = 0, i = 0; y < rows; y += 1) {
    for (let x = 0; x < columns; x += 1, i += 1) result[i] = a[i] + b[x];
  }
}

export function column([a, b], result, [rows, columns]) {
  for (let y = 0, i = 0; y < rows; y += 1) {
    const value = b[y];
    for (let x = 0; x < columns; x += 1, i += 1) result[i] = a[i] + value;
  }
}

export function scalar([a], result) {
  for (let i = 0; i < result.length; i += 1) result[i] = a[i] + 1.5;
}

export function one([a, b], result) {
  const value = b[0];
  for (let i = 0; i < result.length; i += 1) result[i] = a[i] + value;
}

export function outer([a, b], result, [rows, columns]) {
  for (let y = 0, i = 0; y < rows; y += 1) {
    const value = a[y];
    for (let x = 0; x < columns; x += 1, i += 1) result[i] = value + b[x];
  }
}

export function rank5([a, b], result, [first, second, third, fourth, last]) {
  let i = 0;
  for (let v = 0; v < first; v += 1) {
    for (let w = 0; w < second; w += 1) {
      for (let x = 0; x < third; x += 1) {
        for (let y = 0; y < fourth; y += 1) {
          const ours = (v * third + x) * last;
          const theirs = (w * fourth + y) * last;
          for (let z = 0; z < last; z += 1, i += 1) result[i] = a[ours + z] + b[theirs + z];
        }
      }
    }
  }
}

export function transposed([a, b], result, [rows, columns]) {
  for (let y = 0, i = 0; y < rows; y += 1) {
    for (let x = 0; x < columns; x += 1, i += 1) result[i] = a[i] + b[x * rows + y];
  }
}

export function chain([a, b, c], result) {
  for (let i = 0; i < result.length; i += 1) result[i] = Math.tanh(a[i] * b[i] + c[i]);
}

export function chainBroadcast([a, b, c], result, [rows, columns]) {
  for (let y = 0, i = 0; y < rows; y += 1) {
    const value = b[y];
    for (let x = 0; x < columns; x += 1, i += 1) result[i] = Math.tanh(a[i] * value + c[x]);
  }
}

export function tanh([a], result) {
  for (let i = 0; i < result.length; i += 1) result[i] = Math.tanh(a[i]);
}

export function select([a, b, c], result, [rows, columns]) {
  for (let y = 0, i = 0; y < rows; y += 1) {
    const value = c[y];
    for (let x = 0; x < columns; x += 1, i += 1) result[i] = a[i] > b[x] ? a[i] * 2 : value;
  }
}

export function strided([a], result) {
  for (let i = 0; i < result.length; i += 1) result[i] = a[2 * i];
}

// The sines and cosines are computed once, as someone would who knows JavaScript.
export function outerChain([a, b], result, [rows, columns]) {
  const cosines = Float32Array.from(b, Math.cos);
  for (let y = 0, i = 0; y < rows; y += 1) {
    const sine = Math.sin(a[y]);
    for (let x = 0; x < columns; x += 1, i += 1) result[i] = sine * cosines[x];
  }
}

export function sumRows([a], result, _, [[rows, columns]]) {
  for (let y = 0, i = 0; y < rows; y += 1) {
    let sum = 0;
    for (let x = 0; x < columns; x += 1, i += 1) sum += a[i];
    result[y] = sum;
  }
}

export function sumColumns([a], result, _, [[rows, columns]]) {
  const sums = new Float64Array(columns);
  for (let y = 0, i = 0; y < rows; y += 1) {
    for (let x = 0; x < columns; x += 1, i += 1) sums[x] += a[i];
  }
  result.set(sums);
}

export function sumAll([a], result) {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i];
  result[0] = sum;
}

export function argmax([a], result, _, [[rows, columns]]) {
  for (let y = 0, i = 0; y < rows; y += 1) {
    let [most, at] = [-Infinity, 0];
    for (let x = 0; x < columns; x += 1, i += 1) {
      if (a[i] > most) [most, at] = [a[i], x];
    }
    result[y] = at;
  }
}
