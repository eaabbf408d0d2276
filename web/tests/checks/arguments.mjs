// What is not a list, no number or no name throws, and the message has the argument's name.
import { array, concatenate, elementTypes, full, iota, open } from "/indim.js";
import { equal, refused } from "./expect.mjs";

export default async function checkedArguments() {
  const gpu = await open();
  const x = array([[1, 2, 3], [4, 5, 6]]);
  const v = array([10, 20]);
  const calls = [
    [() => full(3, 1), "shape is 3; write [3]"],
    [() => full("12", 1), 'shape is "12"; write an array of numbers'],
    [() => full(undefined, 1), "shape is missing"],
    [() => full([2]), "value is missing; write a number"],
    [() => full([2], "a"), 'value is "a"; write a number'],
    [() => full([2], [1]), "value is an array"],
    [() => full([2], 1, 32), "elementType is 32; write a string"],
    [() => iota(5), "shape is 5; write [5]"],
    [() => iota([5], "0"), 'dimension is "0"; write a number'],
    [() => iota([5], [0]), "dimension is an array"],
    [() => array([1, 2], 2), "shape is 2; write [2]"],
    [() => array(new Float32Array(2), new Set([2])), "shape is of type object; write an array of numbers"],
    [() => array([1], [1], {}), "elementType is of type object"],
    [() => array([1], [1], "toString"), "toString"],
    [() => x.add(v, 1), "broadcastDimensions is 1; write [1]"],
    [() => x.add(v, "0"), 'broadcastDimensions is "0"'],
    [() => x.add(v, ["0"]), 'broadcastDimensions[0] is "0"; write a number'],
    [() => x.broadcastInDim(3, [0]), "shape is 3; write [3]"],
    [() => v.broadcastInDim([3, 2]), "broadcastDimensions is missing"],
    [() => x.broadcast(3), "sizes is 3; write [3]"],
    [() => x.transpose(1, 0), "permutation is 1; write [1]"],
    [() => x.slice(), "starts is missing"],
    [() => x.slice(0, 1), "starts is 0; write [0]"],
    [() => x.slice([0, 0]), "limits is missing"],
    [() => x.slice([0, 0], [1, 1], 1), "strides is 1; write [1]"],
    [() => x.reverse(0), "dimensions is 0; write [0]"],
    [() => x.reshape(3, 2), "shape is 3; write [3]"],
    [() => x.reshape([3, "2"]), 'shape[1] is "2"; write a number'],
    [() => x.reshape([3, , 2]), "shape[1] is missing"],
    [() => x.reshape(new BigInt64Array([3n, 2n])), "shape[0] is 3n; write a number"],
    [() => x.pad(0, 1, 1), "low is 1; write [1]"],
    [() => x.pad(0, [1, 1]), "high is missing"],
    [() => x.reduceSum(0), "dimensions is 0; write [0]"],
    [() => x.rmsNorm([0]), "epsilon"],
    [() => x.roll(1, 0), "shifts is 1; write [1]"],
    [() => x.roll([1], 0), "dimensions is 0; write [0]"],
    [() => x.convertElementType(), "elementType is missing; write a string"],
    [() => x.bitcastConvertType(1), "elementType is 1"],
    [() => x.reducePrecision(8), "mantissaBits is missing"],
    [() => concatenate(x, x), "operands is of type object; write an array"],
    [() => concatenate([x, x]), "dimension is missing"],
    [() => gpu.supports(), "elementType is missing"],
  ];
  for (const [call, words] of calls) await refused(call, words, undefined);

  // Typed arrays are lists, and an optional list may be left out.
  equal(x.reshape(new Uint8Array([3, 2])).shape, [3, 2], "sizes in a typed array");
  equal(x.slice(new Int32Array([0, 1]), [2, 3]).shape, [2, 2], "starts in a typed array");
  equal(array([1, 2], null, null).shape, [2], "null for the shape");
  equal(await gpu.read(x.add(1)), [2, 3, 4, 5, 6, 7], "no broadcastDimensions");
  equal(elementTypes.length, 16, "the element types");
  gpu.destroy();
}
