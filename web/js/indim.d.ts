/** The name of an element type. */
export type ElementType =
  | "pred" | "s4" | "s8" | "s16" | "s32" | "s64" | "u4" | "u8" | "u16" | "u32" | "u64"
  | "f16" | "bf16" | "f32" | "f64" | "c64";

/**
 * Loads the WebAssembly, once; `open` does so, too. Until then `array`, `full`, `iota` and the other
 * calls throw. It is `indim_web_bg.wasm` beside the module, or what is given: its address, a response,
 * its bytes or a compiled module.
 */
export function init(
  source?: string | URL | Request | Response | BufferSource | WebAssembly.Module | Promise<Response>,
): Promise<void>;

/** The names of all element types. */
export const elementTypes: readonly ElementType[];

/**
 * Rules of shapes and types, such as `B5`, and what each asks for. An error's property `rule` is the
 * label of the one that is broken.
 */
export const rules: Readonly<Record<string, string>>;

/** The error that calls throw, and promises are rejected with. */
export interface IndimError extends Error {
  /** The label of the rule that is broken, if it is one. */
  rule?: string;
}

/** The property of the global object that a library of types declares, or `Otherwise`. */
type Global<Name extends string, Otherwise> =
  typeof globalThis extends { [name in Name]: { prototype: infer Instance } } ? Instance : Otherwise;

/** The typed arrays that hold elements. One f16 without Float16Array, and one bf16, is its 16 bits. */
export type TypedArray =
  | Int8Array | Int16Array | Int32Array | BigInt64Array | Uint8Array | Uint8ClampedArray | Uint16Array
  | Uint32Array | BigUint64Array | Float32Array | Float64Array | Global<"Float16Array", never>;

/**
 * Numbers, booleans or bigints, in arrays within arrays whose lengths are the shape; the innermost may
 * be typed arrays.
 */
export type Nested = number | boolean | bigint | TypedArray | readonly Nested[];

/** What `toArray` returns: an element, two numbers for one of c64, or arrays of such. */
export type NestedArray = number | boolean | bigint | NestedArray[];

/** A value, or a number that takes the other operand's element type. */
export type Operand = Expr | number | boolean | bigint;

/** The operations of one operand; each is a method of `Expr`. */
export type UnaryOperation =
  | "abs" | "neg" | "sign" | "ceil" | "floor" | "trunc" | "round" | "roundNearestEven" | "sqrt"
  | "rsqrt" | "cbrt" | "exp" | "expm1" | "log" | "log2" | "log10" | "log1p" | "logistic" | "sin"
  | "cos" | "tan" | "tanh" | "sinh" | "cosh" | "asin" | "acos" | "atan" | "asinh" | "acosh"
  | "atanh" | "erf" | "erfc" | "erfInv" | "lgamma" | "digamma" | "besselI0e" | "besselI1e"
  | "reciprocal" | "square" | "isFinite" | "isInf" | "isNan" | "signbit" | "real" | "imag"
  | "conj" | "not" | "clz" | "populationCount";

/** The operations of two operands; each is a method of `Expr` and a function of `numpy`. */
export type BinaryOperation =
  | "add" | "sub" | "mul" | "div" | "rem" | "pow" | "max" | "min" | "atan2" | "floorDivide"
  | "remainder" | "hypot" | "logaddexp" | "copysign" | "complex" | "and" | "or" | "xor"
  | "shiftLeft" | "shiftRightLogical" | "shiftRightArithmetic" | "eq" | "ne" | "lt" | "le" | "gt"
  | "ge" | "eqTotalOrder" | "neTotalOrder" | "ltTotalOrder" | "leTotalOrder" | "gtTotalOrder"
  | "geTotalOrder" | "nextAfter";

/** Operations whose operands change places: `x.rsub(2)` is 2 - x. */
export type ReversedOperation = "rsub" | "rdiv" | "rrem" | "rpow" | "rfloorDivide" | "rremainder";

/**
 * The operations along dimensions, which the result of a reduction lacks: each is a method of `Expr`.
 * `argmaxS64` and `argminS64` give positions in s64, the others in s32.
 */
export type Reduction =
  | "reduceSum" | "reduceProd" | "reduceMax" | "reduceMin" | "reduceAnd" | "reduceOr" | "reduceXor"
  | "argmax" | "argmin" | "argmaxS64" | "argminS64" | "mean" | "var" | "logsumexp" | "softmax"
  | "logSoftmax";

/**
 * The operations that make of each element what the elements up to it along a dimension combine to:
 * each is a method of `Expr`. Backwards it is `x.reverse([d]).cumsum(d).reverse([d])`.
 */
export type Cumulative = "cumsum" | "cumprod" | "cummax" | "cummin";

/**
 * A lazy value, with its element type and shape. Each method returns a new one, and throws where
 * types or shapes do not fit. Nothing is computed before a `Gpu` evaluates or reads it.
 *
 * A value that was evaluated or read keeps its elements on the device until it is freed or collected
 * as garbage, which may be long after it was used last. So a loop that makes large values frees them,
 * or holds them by `using`. A value may be freed while it is read.
 *
 * The device that evaluated a value keeps its elements. Another `Gpu`, also after that device was
 * lost, uploads what the value was made of, and computes it once more; only what `eval` returned is
 * lost with its device.
 *
 * Elements of `array` stay in the memory of WebAssembly, which is 4 GiB for all values and 2 GiB for
 * one; what does not fit throws.
 *
 * Methods of two operands follow XLA: operands of different ranks need `broadcastDimensions`, for
 * each dimension of the lower-rank one the dimension of the other that it is matched to.
 */
export class Expr {
  private constructor();
  readonly elementType: ElementType;
  /** The sizes of the dimensions, in elements. */
  readonly shape: number[];

  /** The same values in another element type. */
  convertElementType(elementType: ElementType): Expr;
  /** The same bits as another element type. */
  bitcastConvertType(elementType: ElementType): Expr;
  /** Each float rounded to a format with this many bits. */
  reducePrecision(exponentBits: number, mantissaBits: number): Expr;
  /**
   * The same value, in which the operations so far are WGSL's own where these are faster. Nothing is
   * promised of their last bits.
   */
  relaxed(): Expr;
  /** The value in another shape, of which dimension `broadcastDimensions[i]` is its dimension i. */
  broadcastInDim(shape: readonly number[], broadcastDimensions: readonly number[]): Expr;
  /** The value repeated along new dimensions of these sizes, before its own. */
  broadcast(sizes: readonly number[]): Expr;
  /** The dimensions in another order: dimension i of the result is `permutation[i]` of the value. */
  transpose(permutation: readonly number[]): Expr;
  /** The elements from each start up to, but without, the limit, every `strides[i]`-th of them. */
  slice(starts: readonly number[], limits: readonly number[], strides?: readonly number[]): Expr;
  /** The elements backwards along these dimensions. */
  reverse(dimensions: readonly number[]): Expr;
  /** The elements, in row-major order, under other sizes. */
  reshape(shape: readonly number[]): Expr;
  /** The value with `padding` before, after and between its elements; negative amounts take away. */
  pad(padding: Operand, low: readonly number[], high: readonly number[], interior?: readonly number[]): Expr;
  /** The elements shifted along dimensions, from each end to the other. */
  roll(shifts: readonly number[], dimensions: readonly number[]): Expr;
  /**
   * Returns the elements at computed indices along a dimension, which the result has the dimensions of
   * `indices` in place of. Indices that are out of range are clamped.
   */
  take(indices: Operand, dimension: number): Expr;
  /** Returns the elements at an index of their own along a dimension; indices are clamped. */
  takeAlongDimension(indices: Operand, dimension: number): Expr;
  /**
   * Returns the product of two vectors or matrices: the sum of products along the last dimension of the
   * value and the first of `rhs`.
   */
  dot(rhs: Operand): Expr;
  /** Returns sums of products along contracting dimensions, for each index of the batch dimensions. */
  dotGeneral(rhs: Operand, dimensions: DotDimensionNumbers): Expr;
  /** The elements less their mean along dimensions, over the root of variance and `epsilon`. */
  layerNorm(dimensions: readonly number[], epsilon: number): Expr;
  /** The elements over the root of the mean of their squares along dimensions and `epsilon`. */
  rmsNorm(dimensions: readonly number[], epsilon: number): Expr;
  /**
   * In `indim/full`. Writes the value into what `eval` or `arrayFrom` returned, of the same shape and type, and returns
   * that. Memory that nothing else needs is written in place, and that of a buffer always.
   */
  into(target: Expr): Expr;
  /**
   * Frees it now rather than when it is collected as garbage; it cannot be used afterwards. A reading
   * that has begun goes on, and freeing a value again does nothing.
   */
  free(): void;
  [Symbol.dispose](): void;
  /** Such as `Expr(f32[2,3])`. Operators of JavaScript throw: `x + y` is `x.add(y)`. */
  toString(): string;
  toJSON(): { elementType: ElementType; shape: number[] };
}

/** The dimensions of `dotGeneral`, as XLA's DotDimensionNumbers; lists of the two operands match. */
export interface DotDimensionNumbers {
  lhsContracting?: readonly number[];
  rhsContracting?: readonly number[];
  lhsBatch?: readonly number[];
  rhsBatch?: readonly number[];
}

export interface Expr
  extends Record<UnaryOperation, () => Expr>,
    Record<Reduction, (dimensions: readonly number[]) => Expr>,
    Record<Cumulative, (dimension: number) => Expr>,
    Record<BinaryOperation | ReversedOperation, (other: Operand, broadcastDimensions?: readonly number[]) => Expr> {}

/**
 * Random numbers by counter, as `jax.random` draws them: the same on every GPU. A number depends on the
 * key and on its own position alone, so that a key that draws twice draws the same numbers; `split` and
 * `foldIn` make independent keys of one. Draws are operations like all others.
 */
export const random: {
  /** Returns the key of a seed, 0 to 2^64 - 1: two numbers of u32. */
  key(seed: number | bigint): Expr;
  /** Returns independent keys, 2 by default: an array of this shape and a last dimension of 2. */
  split(key: Expr, shape?: number | readonly number[]): Expr;
  /** Returns a key of a key and a number; of an array of numbers, an array of keys. */
  foldIn(key: Expr, data: Operand): Expr;
  /** Returns random bits of an unsigned type, u32 by default. */
  bits(key: Expr, shape: number | readonly number[], elementType?: ElementType): Expr;
  /** Returns floats from `minval`, 0 by default, up to, but without, `maxval`, 1 by default. */
  uniform(key: Expr, shape: number | readonly number[], minval?: Operand, maxval?: Operand, elementType?: ElementType): Expr;
  /** Returns floats of the normal distribution with mean 0 and variance 1. */
  normal(key: Expr, shape: number | readonly number[], elementType?: ElementType): Expr;
  /** Returns pred values, each true with probability `p`. */
  bernoulli(key: Expr, p: Operand, shape: number | readonly number[]): Expr;
  /** Returns integers from `minval` up to, but without, `maxval`, of s32 by default. */
  randint(key: Expr, shape: number | readonly number[], minval: Operand, maxval: Operand, elementType?: ElementType): Expr;
};

/**
 * Returns a value with these elements, in row-major order. The element type of a typed array is its
 * own, that of numbers is f32, of booleans pred, of bigints s64, unless another is named. Numbers are
 * rounded to floats; one that an integer type cannot hold throws. A Float64Array needs a name, such as
 * "f32", since no browser computes f64.
 */
export function array(data: TypedArray | Nested, shape?: readonly number[], elementType?: ElementType): Expr;

/** Returns a value of which each element is its index along a dimension, 0 and s32 by default. */
export function iota(shape: readonly number[], dimension?: number, elementType?: ElementType): Expr;

/** Returns a value of which all elements are the same, f32 by default. */
export function full(shape: readonly number[], value: number | boolean | bigint, elementType?: ElementType): Expr;

/** Returns the operands one after the other along a dimension. */
export function concatenate(operands: readonly Expr[], dimension: number): Expr;

/**
 * Returns `onTrue` where `pred` holds, else `onFalse`; only scalars broadcast. Two numbers are f32. A
 * mask of numbers is made one of pred by `mask.ne(0)`.
 */
export function select(pred: Expr | boolean, onTrue: Operand, onFalse: Operand): Expr;

/** Returns `x`, at least `min` and at most `max`; only scalars broadcast. */
export function clamp(min: Expr, x: Operand, max: Operand): Expr;
export function clamp(min: Operand, x: Expr, max: Operand): Expr;
export function clamp(min: Operand, x: Operand, max: Expr): Expr;

/** A user-defined function, which broadcasts and fuses as the operations do. */
export class WgslFunction {
  private constructor();
  /** The name in the text. */
  readonly name: string;
  /** The parameters with the widest element type that each takes. */
  readonly parameters: { name: string; elementType: ElementType }[];
  /** The results; a name is that of the struct's member, and empty where there is no struct. */
  readonly results: { name: string; elementType: ElementType }[];
  /**
   * Returns a call, which has one result. There are `broadcastDimensions` for each operand, `[]` for
   * those of the result's rank and for scalars; without them all operands are such ones. A number takes
   * its parameter's element type.
   */
  call(operands: readonly Operand[], broadcastDimensions?: readonly (readonly number[])[]): Expr;
  /** Returns a call, with all its results in the order of the struct's members. */
  callAll(operands: readonly Operand[], broadcastDimensions?: readonly (readonly number[])[]): Expr[];
}

/**
 * Checks a function in WGSL, without a GPU, and returns it. Throws with line, column and the text
 * under a mark where it cannot be one, and in the small build: it is in `indim/full`.
 *
 * `cost` is what the planner takes a call to cost, estimated by default; `maxIterations` bounds each
 * loop (65,536 by default), `maxTotalIterations` all loops together for one element (1,048,576). Past
 * a bound the promise of what reads the result is rejected.
 */
export function wgsl(
  text: string,
  options?: { cost?: "cheap" | "costly" | "heavy"; maxIterations?: number; maxTotalIterations?: number },
): WgslFunction;

interface AlignedOperation {
  (x: Expr, y: Operand): Expr;
  (x: Operand, y: Expr): Expr;
}

/** Operations by NumPy's rule: shapes are aligned at their last dimensions. */
export const numpy: Readonly<Record<BinaryOperation, AlignedOperation>>;

/** A GPU to compute on. */
export class Gpu {
  private constructor();
  /** The adapter's name, as far as the browser tells it. */
  readonly adapter: string;
  /** True if the device can hold elements of this type. */
  supports(elementType: ElementType): boolean;
  /**
   * Computes values together, and returns them as values that lie on the device. Returns when the
   * commands are recorded; their errors are told by what reads them.
   */
  eval(value: Expr): Expr;
  eval<Values extends readonly Expr[] | readonly [Expr]>(values: Values): { -readonly [I in keyof Values]: Expr };
  /**
   * Reads the elements, in row-major order, after computing them if that was not done yet. The caller
   * says of what type they are: `const sums: Float32Array = await gpu.read(x)`.
   */
  read<Elements extends TypedArray = TypedArray>(value: Expr): Promise<Elements>;
  /** Reads the elements as arrays within arrays, those of pred as booleans; a scalar's as itself. */
  toArray<Elements extends NestedArray = NestedArray>(value: Expr): Promise<Elements>;
  /** Resolves when all that was evaluated has run. Rejects if the device is lost. */
  wait(): Promise<void>;
  /** Gives the device what is recorded, which `read` and `wait` do, too. */
  flush(): void;
  /** Returns the WGSL of the kernels that compute a value. */
  kernels(value: Expr): string[];
  /**
   * Returns bytes: of the device's memory those in use, those kept for reuse and the most that were in
   * use, and those of WebAssembly, whose memory never shrinks.
   */
  memory(): { inUse: number; pooled: number; peak: number; wasm: number };
  /** Gives back what is kept for reuse, and forgets kernels. */
  trim(): void;

  /** The browser's device, for the page's own buffers, passes and canvases. */
  readonly device: Device;
  /**
   * In `indim/full`. Returns a value whose elements are those of a buffer of the device, from an offset in bytes on.
   * `into` writes it in place. The buffer needs the usage `STORAGE`, and `COPY_SRC` if it is read.
   */
  arrayFrom(buffer: Buffer, shape: readonly number[], elementType?: ElementType, offset?: number): Expr;
  /**
   * In `indim/full`. Evaluates a value, and returns the buffer that has its elements, for commands that are submitted
   * later. From then on the value is written in place by `into`.
   */
  buffer(value: Expr): { buffer: Buffer; offset: number; size: number };
  /**
   * In `indim/full`. Records in the page's encoder that a value is written into a target, as `into` does. The page
   * submits it, and then calls `submitted`.
   */
  encode(encoder: CommandEncoder, value: Expr, target: Expr): void;
  /**
   * In `indim/full`. Records in the page's encoder that an evaluated f32[height,width] or f32[height,width,1, 3 or 4] is
   * written to a 2D texture of rgba8unorm, rgba16float, r32float or rgba32float with the usage
   * `STORAGE_BINDING`, such as a canvas's.
   */
  encodeToTexture(encoder: CommandEncoder, image: Expr, texture: Texture): void;
  /** Says that the page has submitted an encoder: what was recorded in it may be used from now on. */
  submitted(encoder: CommandEncoder): void;

  /**
   * Gives the device back, or leaves that of the page. What is evaluated or read afterwards is
   * rejected.
   */
  destroy(): void;
  [Symbol.dispose](): void;
}

type Device = Global<"GPUDevice", any>;
type Buffer = Global<"GPUBuffer", any>;
type Texture = Global<"GPUTexture", any>;
type CommandEncoder = Global<"GPUCommandEncoder", any>;

/**
 * Opens the browser's GPU. Where there is none, it rejects with what helps in a browser: which ones
 * have WebGPU, that the page comes from https or localhost, and where the browser gives its reason.
 *
 * With `device`, in `indim/full`, it computes on a device of the page, whose features and limits are then what there is.
 */
export function open(options?: { device?: Device }): Promise<Gpu>;

declare global {
  // As in TypeScript's library "esnext.disposable", for libraries that lack it.
  interface SymbolConstructor {
    readonly dispose: unique symbol;
  }
}
