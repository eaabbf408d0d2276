// The JavaScript module: what its documentation says.
import * as indim from "/indim.js";
import { equal, refused } from "./expect.mjs";

const { array, clamp, concatenate, full, iota, numpy, open, select } = indim;

// Arrays within arrays, there and back.
async function arrays(gpu) {
  const cube = [[[1, 2], [3, 4]], [[5, 6], [7, 8]]];
  equal(await gpu.toArray(array(cube)), cube, "an array of rank 3");
  equal(await gpu.toArray(array(3)), 3, "a scalar");
  equal(await gpu.toArray(array([[], []])), [[], []], "an empty array");
  equal(await gpu.toArray(array([1, 2]).gt(1)), [false, true], "pred");
  equal(String(await gpu.toArray(array([1n, -1n]))), "1,-1", "s64");
  equal(await gpu.toArray(array([1.5, -2], [2], "bf16")), [1.5, -2], "bf16");
  equal(await gpu.toArray(array([1.5, -2], [2], "f16")), [1.5, -2], "f16");
  equal(await gpu.toArray(array(new Float32Array([3, 4, 5, 6]), [2], "c64")), [[3, 4], [5, 6]], "c64");
  const rows = array([new Int32Array([1, 2]), new Int32Array([3, 4])]);
  equal([String(rows), await gpu.toArray(rows)], ["Expr(s32[2,2])", [[1, 2], [3, 4]]], "rows that are typed arrays");
  const { inUse, pooled, peak, wasm } = gpu.memory();
  if (!(inUse > 0 && peak >= inUse && wasm > 2 ** 16)) throw new Error(`memory is ${[inUse, pooled, peak, wasm]}`);
  gpu.trim();
  equal(gpu.memory().pooled, 0, "the pool after trim");
}

export default async function module() {
  await refused(() => array([1]), "await init()", undefined);
  await refused(() => numpy.add, "await init()", undefined);
  const gpu = await open();
  if (!/swiftshader/i.test(gpu.adapter)) throw new Error(`the adapter is ${gpu.adapter}`);
  const x = array([[1, 2, 3], [4, 5, 6]]);
  const v = array(new Float32Array([10, 20]));

  equal(x.shape, [2, 3], "the shape of x");
  equal(x.elementType, "f32", "the type of x");
  equal(await gpu.read(x.add(v, [0])), [11, 12, 13, 24, 25, 26], "x + v");
  equal(await gpu.read(x.mul(2).sub(1)), [1, 3, 5, 7, 9, 11], "2 x - 1");
  equal(await gpu.read(numpy.sub(1, array([1, 2]))), [0, -1], "1 - y");
  equal(await gpu.read(numpy.add(x, array([10, 20, 30]))), [11, 22, 33, 14, 25, 36], "NumPy's rule");
  equal(await gpu.read(x.gt(2)), [0, 0, 1, 1, 1, 1], "x > 2");
  equal(await gpu.read(select(x.gt(2), x, 0)), [0, 0, 3, 4, 5, 6], "select");
  equal(await gpu.read(select(x.gt(2), 1, 0)), [0, 0, 1, 1, 1, 1], "select of numbers");
  equal([select(x.gt(2), 1n, 0n), select(x.gt(2), true, false)].map(String), ["Expr(s64[2,3])", "Expr(pred[2,3])"], "their types");
  equal(await gpu.read(x.rsub(2)), [1, 0, -1, -2, -3, -4], "2 - x");
  equal(await gpu.read(v.rdiv(20)), [2, 1], "20 / v");
  equal(await gpu.read(v.rsub(x, [0])), [-9, -8, -7, -16, -15, -14], "x - v");
  equal(await gpu.read(array([2, 3]).rpow(2)), [4, 8], "2 ** y");
  equal(await gpu.read(clamp(2, x, 4)), [2, 2, 3, 4, 4, 4], "clamp");
  equal(await gpu.read(iota([2, 2], 1)), [0, 1, 0, 1], "iota");
  equal(await gpu.read(full([3], 7, "u8")), [7, 7, 7], "full");
  equal(await gpu.read(concatenate([array([1]), array([2, 3])], 0)), [1, 2, 3], "concatenate");
  equal(await gpu.read(x.transpose([1, 0])), [1, 4, 2, 5, 3, 6], "transpose");
  equal(await gpu.read(x.slice([0, 1], [2, 3])), [2, 3, 5, 6], "slice");
  equal(await gpu.read(array([1, 2, 3]).pad(9, [1], [0], [1])), [9, 1, 9, 2, 9, 3], "pad");
  equal(await gpu.read(array([1, 2, 3]).roll([1], [0])), [3, 1, 2], "roll");
  equal(await gpu.read(array([1, 2, 3]).take(array([2, -1, 9], [3], "s32"), 0)), [3, 1, 3], "take");
  const beside = array([[1, 2], [3, 4]]).takeAlongDimension(array([[1], [0]], [2, 1], "s32"), 1);
  equal(await gpu.read(beside), [2, 3], "takeAlongDimension");
  equal(await gpu.read(x.reduceSum([1])), [6, 15], "reduceSum");
  equal(await gpu.read(x.reduceMax([0])), [4, 5, 6], "reduceMax");
  equal(await gpu.read(x.sub(x.mean([1]), [0])), [-1, 0, 1, -1, 0, 1], "less the mean");
  equal(await gpu.read(x.argmax([1])), [2, 2], "argmax");
  const square = array([[1, 2], [3, 4]]);
  equal(await gpu.read(square.dot(square)), [7, 10, 15, 22], "dot");
  const rows = { lhsContracting: [1], rhsContracting: [1] };
  equal(await gpu.read(square.dotGeneral(square, rows)), [5, 11, 11, 25], "dotGeneral");
  await refused(() => square.dot(array([1, 2, 3])), "lhs_contracting and rhs_contracting", "M2");
  equal(await gpu.read(x.softmax([1]).reduceSum([1]).round()), [1, 1], "softmax");
  equal((await gpu.read(x.layerNorm([1], 1e-5))).map(Math.round), [-1, 0, 1, -1, 0, 1], "layerNorm");
  equal(await gpu.read(array([true, false]).not()), [0, 1], "booleans");
  equal(await gpu.read(array([1n, -1n]).add(2n ** 62n)), [2 ** 62, 2 ** 62], "bigints");
  equal(await gpu.read(array([1.1], [1], "bf16")), [0x3f8d], "bf16");
  equal(await gpu.read(array(new Float32Array([3, 4]), [1], "c64").abs()), [5], "c64");

  const tanh = () => array([0.5]).tanh();
  if (Math.abs((await gpu.read(tanh().relaxed()))[0] - Math.tanh(0.5)) > 1e-3) throw new Error("relaxed tanh");
  equal([tanh(), tanh().relaxed()].map((value) => /xla_tanh/.test(gpu.kernels(value).join())), [true, false], "whose tanh");

  await arrays(gpu);

  const [a, b] = gpu.eval([x.exp(), x.exp().mul(0)]);
  equal((await gpu.read(b)).length, 6, "the second of two");
  equal(await gpu.read(a.log().round()), [1, 2, 3, 4, 5, 6], "log(exp(x))");
  await gpu.wait();

  await refused(() => x.add(v), "broadcastDimensions is empty", "B1");
  await refused(() => x.add(v, [1]), "dimension 0 of rhs has size 2", "B5");
  await refused(() => x.add(v, [0.5]), "broadcastDimensions[0] is 0.5", undefined);
  await refused(() => x.add(array([1], [1], "s32")), "add", "T2");
  await refused(() => array([300], [1], "u8"), "300 is not an element of u8", undefined);
  await refused(() => array([[1, 2], [3]]), "has 1 elements, another one 2", undefined);
  await refused(() => array(["a"]), "element 0 is string", undefined);
  await refused(() => x.add("1"), "an operand is string", undefined);
  await refused(() => iota([3]).mul(0.5), '0.5 is not an element of s32; convert the other operand first, such as by x.convertElementType("f32")', undefined);
  await refused(() => select(array([1, 0]), 1, 0), "convert it first", "T3");
  await refused(() => array(new Float64Array(2)), 'such as array(data, undefined, "f32")', undefined);
  await refused(() => 2 - x, "x.rsub(2) for 2 - x", undefined);
  await refused(() => x + x, "x.add(y) for x + y", undefined);
  const itself = [];
  itself.push(itself);
  await refused(() => array(itself), "more than 256 deep", undefined);
  equal([String(x), `${v}`, JSON.stringify(v)], ["Expr(f32[2,3])", "Expr(f32[2])", '{"elementType":"f32","shape":[2]}'], "texts");
  await refused(() => array([1], [2 ** 53 - 1, 2 ** 53 - 1]), "sizes are 0 to", undefined);
  await refused(() => array([1], [2 ** 53]), "shape[0] is 9007199254740992, beyond 2^53 - 1", undefined);
  await refused(() => iota([2 ** 31, 2 ** 31, 4]), "(2^31 - 1 in WebAssembly)", "C1");
  await refused(() => iota([2, 2 ** 32]), "size 1 is 4294967296; sizes are at most 4294967295, which is what WebAssembly can address", "C1");
  await refused(() => gpu.read(3), "a value of indim is wanted", undefined);
  equal(gpu.supports("f64"), false, "F64");
  await refused(() => gpu.read(array([1], [1], "f64").add(1)), "F64", undefined);

  // JAX's numbers, and ways to call.
  const { random } = indim;
  equal(await gpu.read(random.randint(random.key(42), 4, 1, 7)), [1, 1, 4, 2], "dice");
  equal(await gpu.read(random.split(random.key(0n), [2])), [1797259609, 2579123966, 928981903, 3453687069], "keys");
  equal(await gpu.read(random.bernoulli(random.key(7), array([0, 1]), [2])), [0, 1], "coins");
  const drawn = random.normal(random.foldIn(random.key(7), 3), [2, 3]).add(random.uniform(random.key(1), [2, 3], -1));
  equal([drawn.elementType, drawn.shape, gpu.kernels(drawn).length], ["f32", [2, 3], 1], "draws fuse");
  await refused(() => random.key(-1), "seed is -1", undefined);
  await refused(() => random.bits(array([1, 2, 3], [3], "u32"), 2), "key", undefined);

  // The operations that the documentation of types lists are those that there are.
  const declared = await (await fetch("/indim.d.ts")).text();
  for (const [name, members] of [["Unary", []], ["Binary", Object.keys(numpy)]]) {
    const listed = [...declared.split(`type ${name}Operation =`)[1].split(";")[0].matchAll(/"(\w+)"/g)].map((m) => m[1]);
    const missing = listed.filter((operation) => typeof indim.Expr.prototype[operation] !== "function");
    equal(missing, [], `${name} operations that are declared and missing`);
    if (members.length > 0) equal(listed, members, "the operations of two operands");
  }
  const methods = Object.getOwnPropertyNames(indim.Expr.prototype);
  const undeclared = methods.filter((name) => !new RegExp(`\\b${name}\\b`).test(declared));
  equal(undeclared.filter((name) => name !== "toString"), [], "methods that are not declared");

  gpu.destroy();
  await refused(() => gpu.read(x.add(1)), "lost", undefined);
}
