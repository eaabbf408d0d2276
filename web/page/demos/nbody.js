// Two galaxies: the forces between all pairs of bodies, and a picture that sums the light of each.

import { array, full, iota } from "../full/indim.js";
import { kept, run } from "./shell.js";

// The bodies, half of them in each galaxy.
const N = 512;
// Pixels down and across, of a unit of length, and of a body's radius.
const [SIZE, SCALE, RADIUS] = [320, 107, 1.5];
// The time that a frame takes.
const STEP = 0.015;
// A term of squared distances, so that no force is infinite.
const SOFTENING = 0.004;
// The mass of the first body of a galaxy, beside which the others circle.
const CORE = 0.25;

// Returns two discs at rest in themselves, which move towards each other. In a disc the bodies stand
// along a spiral of the golden angle, and the second disc is tilted.
function galaxies() {
  const bodies = { places: [], velocities: [], masses: [] };
  for (const [side, turn, flat, tilted] of [[-1, 1, 1, 0], [1, -1, 0.6, 0.8]]) {
    for (let body = 0; body < N / 2; body += 1) {
      const radius = body === 0 ? 0 : 0.08 + 0.62 * Math.sqrt(body / (N / 2));
      const speed = body === 0 ? 0 : turn * Math.sqrt(CORE / radius);
      const [sine, cosine] = [Math.sin(body * 2.399963), Math.cos(body * 2.399963)];
      const [down, faster] = [sine * radius, cosine * speed];
      bodies.places.push([side * 0.8 + cosine * radius, side * 0.25 + down * flat, down * tilted]);
      bodies.velocities.push([-sine * speed - side * 0.25, faster * flat, faster * tilted]);
      bodies.masses.push(body === 0 ? CORE : 1e-4);
    }
  }
  return bodies;
}

// Returns 1 / distance³ of differences, which reduce along their last dimension.
function pull(apart, dimension) {
  const nearness = apart.square().reduceSum([dimension]).add(SOFTENING).rsqrt();
  return nearness.square().mul(nearness);
}

// Returns what the bodies accelerate each other by, shape (N, 3). The differences of all places, shape
// (N, N, 3), are never stored: they are computed where they are summed.
function attraction(places, masses) {
  const apart = places.reshape([1, N, 3]).sub(places.reshape([N, 1, 3]));
  return apart.mul(pull(apart, 2).mul(masses, [1]), [0, 1]).reduceSum([1]);
}

// Returns what the pointer accelerates the bodies by, shape (N, 3).
function towards(places, pointer) {
  const place = pointer.slice([0], [2]).pad(0, [0], [1]);
  const apart = place.broadcastInDim([N, 3], [1]).sub(places);
  return apart.mul(pull(apart, 1).mul(pointer.slice([2], [3]).reshape([])), [0]);
}

// Returns how bright each body is in each column (dimension 0) or row (1) of pixels, shape (SIZE, N).
function bell(places, dimension) {
  const at = places.slice([0, dimension], [N, dimension + 1]).reshape([N]).mul(SCALE).add(SIZE / 2);
  return iota([SIZE, N], 0, "f32").sub(at, [1]).div(RADIUS).square().neg().exp();
}

// Returns the picture: each pixel has the light of all bodies.
function seen([right, down]) {
  const pairs = down.reshape([SIZE, 1, N]).mul(right.reshape([1, SIZE, N]));
  const light = pairs.reduceSum([2]).broadcastInDim([SIZE, SIZE, 3], [0, 1]);
  const colours = light.mul(array([0.55, 0.8, 1.6]), [2]);
  return colours.div(colours.add(0.6));
}

function make(gpu, settings) {
  const bodies = galaxies();
  const [places, velocities] = [bodies.places, bodies.velocities].map((each) => kept(gpu, array(each).mul(1)));
  const bells = [0, 1].map(() => kept(gpu, full([SIZE, N], 0)));
  const picture = kept(gpu, full([SIZE, SIZE, 3], 0));
  const numbers = settings(3);
  const pulled = attraction(places, array(bodies.masses)).add(towards(places, numbers.value([3])));
  const commands = [
    [velocities.add(pulled.mul(STEP)), velocities],
    [places.add(velocities.mul(STEP)), places],
    ...bells.map((target, dimension) => [bell(places, dimension), target]),
    [seen(bells), picture],
  ];
  return (encoder, pointer) => {
    const at = [pointer.x, pointer.y].map((pixels) => (pixels - SIZE / 2) / SCALE);
    numbers.write([...at, pointer.pressed ? 0.3 : 0]);
    for (const [value, target] of commands) gpu.encode(encoder, value, target);
    return picture;
  };
}

run({ name: "nbody", size: [SIZE, SIZE], make });
