//! Waves in a pool: the wave equation on 1024 x 1024 points, in place, and the pool's floor as it is
//! seen through them.

use std::path::Path;

use indim::{Array, Context, Encoded, Expr, wgpu};
use shell::{Demo, Frame, Input, Result, settings_buffer};

/// Points down and across.
pub const N: i64 = 1024;
/// Steps in a frame.
pub const STEPS: usize = 4;
/// The square of how many points a wave goes in one step; up to 0.5 it is stable.
const SPEED: f32 = 0.25;
/// A step leaves this share of a wave.
const KEPT: f32 = 0.9985;
/// A drop's radius in points.
const RADIUS: f32 = 14.0;

pub struct Waves {
    /// Heights of the water, shape (N, N), before the last step and after it.
    old: Array<f32>,
    now: Array<f32>,
    /// Row, column and height of the drop that falls in this frame: the renderer's buffer.
    drop: (wgpu::Buffer, Array<f32>),
    /// Red, green and blue of water in the sun, shape (3).
    water: Array<f32>,
    /// Shape (N, N, 3).
    colours: Array<f32>,
    encoded: Vec<Encoded>,
}

impl Demo for Waves {
    const NAME: &'static str = "waves";
    const MOUSE: &'static str = "the left button drops";

    fn new(gpu: &Context, _: Option<&Path>) -> Result<Self> {
        let zeros = |shape: &[usize]| -> indim::Result<Array<f32>> {
            let array = gpu.array(shape, &vec![0.0; shape.iter().product()])?;
            // From here on in place, even if others hold the array, such as an expression that
            // reads it.
            array.buffer()?;
            Ok(array)
        };
        let n = N as usize;
        let buffer = settings_buffer(gpu.device(), "drop", 12);
        Ok(Self {
            old: zeros(&[n, n])?,
            now: zeros(&[n, n])?,
            drop: (buffer.clone(), gpu.array_from_buffer([3], buffer, 0)?),
            water: gpu.array([3], &[0.35, 0.78, 0.90])?,
            colours: zeros(&[n, n, 3])?,
            encoded: Vec::new(),
        })
    }

    fn size(&self) -> [u32; 2] {
        [N as u32; 2]
    }

    fn frame(&mut self, gpu: &Context, frame: &mut Frame<'_>) -> Result<()> {
        let Input { pointer: [column, row], pressed, .. } = frame.input;
        let drop = [row, column, if pressed { 0.4 } else { 0.0 }];
        gpu.queue().write_buffer(&self.drop.0, 0, bytemuck::bytes_of(&drop));
        for _ in 0..STEPS {
            let next = step(&self.old, &self.now, &self.drop.1).named("wave");
            // The walls stay as they are.
            let inner = self.old.slice_mut([1, 1], [N - 1, N - 1])?;
            self.encoded.push(next.encode_into(frame.encoder, inner)?);
            std::mem::swap(&mut self.old, &mut self.now);
        }
        let seen = colours(&self.now, &self.water).named("pool");
        self.encoded.push(seen.encode_into(frame.encoder, &mut self.colours)?);
        self.encoded.push(self.colours.encode_to_texture(frame.encoder, frame.picture, 0, 0)?);
        Ok(())
    }

    fn submitted(&mut self) {
        self.encoded.drain(..).for_each(|encoded| encoded.submitted());
    }

    fn values(&mut self) -> Result<Vec<f32>> {
        Ok(self.now.to_vec_blocking()?)
    }

    /// A drop every eight frames, at places that do not repeat soon.
    fn rehearsal(frame: u32) -> Input {
        let pressed = frame.is_multiple_of(8);
        let place = |step: u32, from: u32| (100 + (frame / 8 * step + from) % 824) as f32;
        Input { frame, pressed, pointer: [place(337, 600), place(521, 300)], ..Input::default() }
    }
}

/// Returns the heights within the walls after another step, by central differences in time and
/// space. Each depends on no other element of `old`, so that they can take its place.
pub fn step(old: &Array<f32>, now: &Array<f32>, drop: &Array<f32>) -> Expr<f32> {
    let at = |array: &Array<f32>, row, column| {
        array.slice(&[row, column], &[row + N - 2, column + N - 2])
    };
    let here = at(now, 1, 1);
    let around = at(now, 0, 1) + at(now, 2, 1) + at(now, 1, 0) + at(now, 1, 2);
    let moved = &here * 2.0 - at(old, 1, 1) + (around - here * 4.0) * SPEED;
    let [row, column, height] = [0, 1, 2].map(|i| drop.index(0, i));
    // A column and a row stretch to the square.
    let down = Expr::iota(&[N - 2, 1], 0) + 1.0 - row;
    let right = Expr::iota(&[1, N - 2], 1) + 1.0 - column;
    let near = (1.0 - (down.square() + right.square()) * (1.0 / (RADIUS * RADIUS))).max(0.0);
    moved * KEPT - near.square() * height
}

/// Returns the pool's floor as it is seen through the water, shape (N, N, 3).
pub fn colours(now: &Array<f32>, water: &Array<f32>) -> Expr<f32> {
    let [up, left] = [0, 1].map(|dimension| now.roll(&[1], &[dimension]));
    let [below, right] = [0, 1].map(|dimension| now.roll(&[-1], &[dimension]));
    let (slope_down, slope_right) = (&below - &up, &right - &left);
    // Where the water is a lens, the floor is brighter.
    let focus = now * 4.0 - (up + below + left + right);
    let light = (focus * 6.0 + 1.0).clamp(0.45, 2.2);
    // Tiles, at the place where the ray through each point of the surface meets the floor.
    let seam = |slope: &Expr<f32>, sizes: &[i64], dimension| {
        let place = (Expr::iota(sizes, dimension) + slope * 55.0) * (1.0 / 64.0);
        ((&place - place.floor() - 0.5).abs() * 16.0 - 7.2).clamp(0.0, 0.6)
    };
    let seams = seam(&slope_down, &[N, 1], 0).max(seam(&slope_right, &[1, N], 1));
    // The sun stands to the upper left.
    let shine = ((slope_down + slope_right) * 2.0 - 0.12).clamp(0.0, 1.0).square();
    let sizes = [N, N, 3];
    let floor = (light * (1.0 - seams)).broadcast_in_dim(&sizes, &[0, 1]) * water.in_dim([2]);
    floor * 0.72 + shine.broadcast_in_dim(&sizes, &[0, 1]) + 0.04
}
