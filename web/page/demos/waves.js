// The wave equation on 512 x 512 points, in place, and the pool's floor as it is seen through them.

import { array, full, iota } from "../full/indim.js";
import { kept, run } from "./shell.js";

const N = 512;
// Steps in a frame.
const STEPS = 4;
// The square of how many points a wave goes in one step; up to 0.5 it is stable.
const SPEED = 0.25;
// A step leaves this share of a wave.
const KEPT = 0.998;
// A drop's radius in points.
const RADIUS = 10;
// The number of frames from one drop that falls by itself to the next.
const EVERY = 48;

// Returns the heights after another step, by central differences in time and space. The walls stay
// as they are.
function step(old, now, drop) {
  const at = (heights, row, column) => heights.slice([row, column], [row + N - 2, column + N - 2]);
  const here = at(now, 1, 1);
  const around = at(now, 0, 1).add(at(now, 2, 1)).add(at(now, 1, 0)).add(at(now, 1, 2));
  const moved = here.mul(2).sub(at(old, 1, 1)).add(around.sub(here.mul(4)).mul(SPEED));
  const [row, column, height] = [0, 1, 2].map((i) => drop.slice([i], [i + 1]).reshape([]));
  // A column and a row stretch to the square.
  const down = iota([N - 2, 1], 0, "f32").add(1).sub(row);
  const right = iota([1, N - 2], 1, "f32").add(1).sub(column);
  const near = down.square().add(right.square()).mul(-1 / RADIUS ** 2).add(1).max(0);
  return moved.mul(KEPT).sub(near.square().mul(height)).pad(0, [1, 1], [1, 1]);
}

// Returns the pool's floor as it is seen through the water, shape (N, N, 3).
function seen(now, water) {
  const [up, left] = [0, 1].map((dimension) => now.roll([1], [dimension]));
  const [below, right] = [0, 1].map((dimension) => now.roll([-1], [dimension]));
  const [slopeDown, slopeRight] = [below.sub(up), right.sub(left)];
  // Where the water is a lens, the floor is brighter.
  const focus = now.mul(4).sub(up.add(below).add(left).add(right));
  const light = focus.mul(6).add(1).max(0.45).min(2.2);
  // Tiles, at the place where the ray through each point of the surface meets the floor.
  const seam = (slope, sizes, dimension) => {
    const place = iota(sizes, dimension, "f32").add(slope.mul(40)).div(48);
    return place.sub(place.floor()).sub(0.5).abs().mul(16).sub(7.2).max(0).min(0.6);
  };
  const seams = seam(slopeDown, [N, 1], 0).max(seam(slopeRight, [1, N], 1));
  // The sun stands to the upper left.
  const shine = slopeDown.add(slopeRight).mul(2).sub(0.12).max(0).min(1).square();
  const sizes = [N, N, 3];
  const floor = light.mul(seams.rsub(1)).broadcastInDim(sizes, [0, 1]).mul(water, [2]);
  return floor.mul(0.72).add(shine.broadcastInDim(sizes, [0, 1])).add(0.04);
}

function make(gpu, settings) {
  const heights = [0, 1].map(() => kept(gpu, full([N, N], 0)));
  const picture = kept(gpu, full([N, N, 3], 0));
  const numbers = settings(3);
  const drop = numbers.value([3]);
  const water = array([0.35, 0.78, 0.9]);
  // Each of the two arrays is made of itself and the other one, in turn.
  const [even, odd] = [step(heights[0], heights[1], drop), step(heights[1], heights[0], drop)];
  const colours = seen(heights[1], water);
  let frame = 0;
  return (encoder, pointer) => {
    const place = (every, from) => 60 + ((Math.floor(frame / EVERY) * every + from) % (N - 120));
    const falls = pointer.pressed || frame % EVERY === 0;
    const [row, column] = pointer.pressed ? [pointer.y, pointer.x] : [place(337, 300), place(521, 150)];
    numbers.write([row, column, falls ? 0.4 : 0]);
    frame += 1;
    for (let i = 0; i < STEPS; i += 2) {
      gpu.encode(encoder, even, heights[0]);
      gpu.encode(encoder, odd, heights[1]);
    }
    gpu.encode(encoder, colours, picture);
    return picture;
  };
}

run({ name: "waves", size: [N, N], make });
