// Writes ONNX models of a few nodes, as bytes of protocol buffers. The numbers of fields are those of
// onnx.proto.

export const FLOAT = 1;
const INT64 = 7;
const OPSET = 21;
const IR_VERSION = 10;

const text = new TextEncoder();

function varint(value) {
  const bytes = [];
  for (let rest = BigInt.asUintN(64, BigInt(value)); ; rest >>= 7n) {
    if (rest < 128n) return [...bytes, Number(rest)];
    bytes.push(Number(rest & 127n) | 128);
  }
}

const integer = (field, value) => [...varint(field << 3), ...varint(value)];
const float = (field, value) => [...varint((field << 3) | 5), ...new Uint8Array(Float32Array.of(value).buffer)];
const bytes = (field, content) => [...varint((field << 3) | 2), ...varint(content.length), ...content];
const string = (field, value) => bytes(field, text.encode(value));
// Each of the parts is an array of bytes.
const message = (field, ...parts) => bytes(field, parts.flat());

function value(field, name, shape) {
  const dimensions = shape.map((size) => message(1, integer(1, size)));
  return message(field, string(1, name), message(2, message(1, integer(1, FLOAT), message(2, ...dimensions))));
}

// A constant: a number is a scalar float, a Float32Array is one-dimensional floats, and a list is
// one-dimensional integers, which Slice takes.
function constant(name, data) {
  const list = Array.isArray(data);
  const raw = list ? BigInt64Array.from(data, BigInt) : typeof data === "number" ? Float32Array.of(data) : data;
  const dimensions = typeof data === "number" ? [] : integer(1, data.length);
  return message(5, dimensions, integer(2, list ? INT64 : FLOAT), string(8, name), bytes(9, new Uint8Array(raw.buffer)));
}

// A number that is not an integer is a float.
function attribute(name, content) {
  const [REAL, INT, INTS] = [1, 2, 7];
  if (Array.isArray(content)) return message(5, string(1, name), ...content.map((item) => integer(8, item)), integer(20, INTS));
  const value = Number.isInteger(content) ? integer(3, content) : float(2, content);
  return message(5, string(1, name), value, integer(20, Number.isInteger(content) ? INT : REAL));
}

// Collects the nodes of a graph; operands are values of it, or constants.
export class Graph {
  #nodes = [];
  #constants = [];

  input(k) {
    return { name: `input_${k}` };
  }

  node(operation, operands, attributes = {}) {
    const names = operands.map((operand) => operand.name ?? this.#constant(operand));
    const name = `node_${this.#nodes.length}`;
    this.#nodes.push(message(
      1, ...names.map((operand) => string(1, operand)), string(2, name), string(3, name), string(4, operation),
      ...Object.entries(attributes).map(([key, content]) => attribute(key, content)),
    ));
    return { name };
  }

  #constant(data) {
    const name = `constant_${this.#constants.length}`;
    this.#constants.push(constant(name, data));
    return name;
  }

  // Returns the model's bytes, given the shapes of inputs and result.
  model(result, shapes, shape) {
    const inputs = shapes.map((sizes, k) => value(11, this.input(k).name, sizes));
    const graph = [...this.#nodes, string(2, "pattern"), ...this.#constants, ...inputs, value(12, result.name, shape)];
    return Uint8Array.from([...integer(1, IR_VERSION), ...message(7, ...graph), ...message(8, string(1, ""), integer(2, OPSET))]);
  }
}
