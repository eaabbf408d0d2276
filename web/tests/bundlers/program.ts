// Uses the module as TypeScript's users do; `tsc` must accept it, and refuse what is marked.
import {
  array, clamp, elementTypes, init, iota, numpy, open, random, rules, select, type ElementType, type Expr,
  type Gpu, type IndimError, type TypedArray,
} from "indim";
import { wgsl } from "indim/full";

export async function program(): Promise<number> {
  await init();
  dispose(await open());
  const gpu: Gpu = await open({});
  const x = array([[1, 2, 3], [4, 5, 6]]);
  const v = array(new Float32Array([10, 20]));
  const y = x.add(v, [0]).mul(2).tanh();
  const z = numpy.add(x, iota([3], 0, "f32"));
  const [a, b] = gpu.eval([y, z]);
  const one: Expr = gpu.eval(y);
  const many: Expr[] = gpu.eval([y, z].map((value) => value.exp()));
  const sums: Float32Array = await gpu.read(a);
  const any: TypedArray = await gpu.read(b);
  const rows = await gpu.toArray<number[][]>(one);
  const mask = select(x.gt(2), 1, 0).ne(0);
  const f64 = array(new Float64Array(2), undefined, "f32");
  const halves = array([new Float32Array(2), new Float32Array(2)]);
  const noise = random.normal(random.key(42), [2, 3]);
  const target = gpu.eval(clamp(0, noise, 1)).rsub(2).into(gpu.eval(x));
  const kinds: readonly ElementType[] = elementTypes;
  const [smooth] = wgsl("fn f(x: f32) -> f32 { return x; }").callAll([x]);
  try {
    x.add(v);
  } catch (error) {
    console.log((error as IndimError).rule, rules.B1?.length);
  }
  console.log(many, sums[0]?.toFixed(), any.length, rows[0]?.[1], String(mask), f64, halves, target, kinds, smooth?.shape);
  return gpu.memory().inUse;
}

function dispose(gpu: Gpu): void {
  gpu[Symbol.dispose]();
}

export function refusedByTheCompiler(x: Expr, gpu: Gpu): void {
  // @ts-expect-error: at least one operand is a value
  numpy.add(1, 2);
  // @ts-expect-error: at least one operand is a value
  clamp(1, 2, 3);
  // @ts-expect-error: dimensions are a list
  x.reduceSum(0);
  // @ts-expect-error: there is no such element type
  x.convertElementType("float32");
  // @ts-expect-error: a number has no elements on a device
  void gpu.read(3);
  // @ts-expect-error: text is not an operand
  x.add("1");
  // @ts-expect-error: the shape is a list
  iota(5);
  // @ts-expect-error: there is no such operation
  x.added(1);
}
