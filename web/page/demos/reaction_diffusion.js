// Gray and Scott's reaction of two substances that diffuse, U + 2 V -> 3 V, where U is fed and V dies.

import { array, iota } from "../full/indim.js";
import { kept, run } from "./shell.js";

// Points of the field, down and across.
const N = 256;
// Steps in a frame.
const STEPS = 8;
const [FEED, KILL] = [0.0545, 0.062];
// The brush's radius in points.
const RADIUS = 6;
// The ground, and what is added to it at the edge and in the middle of what grows.
const PALETTE = [[0.04, 0.07, 0.16], [0.03, 0.36, 0.44], [0.78, 0.28, -0.32]];

// Returns the first substance everywhere, and the second in some squares, shape (2, N, N).
function start() {
  const field = new Float32Array(2 * N * N).fill(1, 0, N * N);
  for (let place = 0; place < 12; place += 1) {
    const [top, left] = [(place * 97 + 40) % (N - 16), (place * 151 + 70) % (N - 16)];
    for (let row = top; row < top + 10; row += 1) field.fill(0.6, N * N + row * N + left, N * N + row * N + left + 10);
  }
  return array(field, [2, N, N]);
}

const part = (value, i, shape) => value.slice([i, ...shape.map(() => 0)], [i + 1, ...shape]).reshape(shape);

// Returns both substances after another step, shape (2, N, N).
function step(now, brush) {
  const around = (x, dimension) => x.roll([1], [dimension]).add(x.roll([-1], [dimension]));
  const rows = around(now, 1);
  const laplacian = rows.add(around(now, 2)).mul(0.2).add(around(rows, 2).mul(0.05)).sub(now);
  const [u, v] = [0, 1].map((i) => part(now, i, [N, N]));
  const [row, column, strength] = [0, 1, 2].map((i) => part(brush, i, []));
  const [down, right] = [iota([N, 1], 0, "f32").sub(row), iota([1, N], 1, "f32").sub(column)];
  const near = down.square().add(right.square()).lt(RADIUS ** 2).convertElementType("f32");
  // One of u and two of v become three of v; the brush makes v of a share of u, so that there is never
  // less than none.
  const reaction = v.square().add(near.mul(0.1).mul(strength)).mul(u);
  const reacted = reaction.broadcastInDim([2, N, N], [1, 2]).mul(array([-1, 1]), [0]);
  const diffused = laplacian.mul(array([1, 0.5]), [0]);
  const exchanged = now.mul(array([FEED, FEED + KILL]), [0]);
  return now.add(diffused).add(reacted).sub(exchanged).add(array([FEED, 0]), [0]);
}

// Returns the second substance in colours, shape (N, N, 3), as a relief in the light.
function seen(now) {
  const v = part(now, 1, [N, N]);
  const slope = v.roll([1, 1], [0, 1]).sub(v.roll([-1, -1], [0, 1]));
  const thick = v.mul(6);
  const sizes = [N, N, 3];
  const [low, high] = [thick, thick.sub(1)].map((t) => t.max(0).min(1).broadcastInDim(sizes, [0, 1]));
  const [ground, edge, middle] = PALETTE.map((colour) => array(colour));
  const light = slope.mul(-1.6).broadcastInDim(sizes, [0, 1]);
  return low.mul(edge, [2]).add(high.mul(middle, [2])).add(light).add(ground, [2]);
}

function make(gpu, settings) {
  const fields = [0, 1].map(() => kept(gpu, start().mul(1)));
  const picture = kept(gpu, iota([N, N, 3], 0, "f32"));
  const numbers = settings(3);
  const brush = numbers.value([3]);
  const [there, back] = [step(fields[0], brush), step(fields[1], brush)];
  const colours = seen(fields[0]);
  return (encoder, pointer) => {
    numbers.write([pointer.y, pointer.x, pointer.pressed ? 1 : 0]);
    for (let i = 0; i < STEPS; i += 2) {
      gpu.encode(encoder, there, fields[1]);
      gpu.encode(encoder, back, fields[0]);
    }
    gpu.encode(encoder, colours, picture);
    return picture;
  };
}

run({ name: "reaction_diffusion", size: [N, N], make });
