// Julia sets: how soon z² + c leaves a circle, by a function in WGSL that broadcasts as operations do.

import { array, full, iota, wgsl } from "../full/indim.js";
import { kept, run } from "./shell.js";

const [WIDTH, HEIGHT] = [480, 360];
// A press of the key + makes the distance from pixel to pixel this many times as large.
const ZOOM = 0.9;
// The distances from pixel to pixel between which it zooms: nearer, pixels are one number of 32 bits.
const [NEAREST, FARTHEST] = [1e-7, 0.02];

// The number of steps, which a term makes smooth, or -1 within the set.
const ESCAPE = `
fn escape(x: f32, y: f32, re: f32, im: f32) -> f32 {
  var z = vec2f(x, y);
  for (var i = 0u; i < 192u; i++) {
    let size = dot(z, z);
    if (size > 256.0) {
      return f32(i) + 1.0 - log2(log2(size) / 8.0);
    }
    z = vec2f(z.x * z.x - z.y * z.y + re, 2.0 * z.x * z.y + im);
  }
  return -1.0;
}`;

// Returns the waves of colours of steps, shape (HEIGHT, WIDTH, 3), and black within the set.
function seen(escapes) {
  const sizes = [HEIGHT, WIDTH, 3];
  const turns = escapes.max(0).sqrt().mul(0.21).broadcastInDim(sizes, [0, 1]);
  const waves = turns.add(array([0.62, 0.52, 0.38]), [2]).mul(2 * Math.PI).cos();
  const light = escapes.ge(0).convertElementType("f32").mul(0.5).broadcastInDim(sizes, [0, 1]);
  return light.sub(waves.mul(light));
}

function make(gpu, settings) {
  const view = { x: 0, y: 0, distance: 3.3 / WIDTH, turn: 2.2 };
  const numbers = settings(5);
  const [x, y, distance, re, im] = [0, 1, 2, 3, 4].map((i) => numbers.value([5]).slice([i], [i + 1]).reshape([]));
  // A row of real parts and a column of imaginary ones stretch to the plane.
  const right = iota([1, WIDTH], 1, "f32").sub(WIDTH / 2).mul(distance).add(x);
  const down = iota([HEIGHT, 1], 0, "f32").sub(HEIGHT / 2).mul(distance).add(y);
  const escapes = wgsl(ESCAPE).call([right, down, re, im]);
  const colours = seen(escapes);
  const picture = kept(gpu, full([HEIGHT, WIDTH, 3], 0));
  let c = [0, 0];
  return (encoder, pointer) => {
    const [across, below] = [pointer.x - WIDTH / 2, pointer.y - HEIGHT / 2];
    // The point under the pointer stays there.
    const nearer = Math.min(Math.max(view.distance * ZOOM ** pointer.zoom, NEAREST), FARTHEST);
    view.x += across * (view.distance - nearer);
    view.y += below * (view.distance - nearer);
    view.distance = nearer;
    if (pointer.pressed) {
      c = [across, below].map((pixels) => (pixels * 2) / WIDTH);
    } else {
      view.turn += 0.006;
      c = [0.7885 * Math.cos(view.turn), 0.7885 * Math.sin(view.turn)];
    }
    numbers.write([view.x, view.y, view.distance, ...c]);
    gpu.encode(encoder, colours, picture);
    return picture;
  };
}

run({ name: "julia", size: [WIDTH, HEIGHT], make });
