//! Two galaxies: the forces between all pairs of bodies, and a picture that sums the light of each.

use std::path::Path;

use indim::{Array, Context, Encoded, Expr, wgpu};
use shell::{Demo, Frame, Input, Result, settings_buffer};

/// The number of bodies, half of them in each galaxy.
pub const BODIES: usize = 512;
const N: i64 = BODIES as i64;
/// Pixels down and across.
pub const SIZE: i64 = 384;
/// Pixels of a unit of length.
pub const SCALE: f32 = 128.0;
/// The time that a frame takes.
pub const STEP: f32 = 0.015;
/// A term of squared distances, so that no force is infinite.
pub const SOFTENING: f32 = 0.004;
/// The mass of the first body of a galaxy, beside which the others circle.
const CORE: f32 = 0.25;
/// Pixels of a body's radius.
pub const RADIUS: f32 = 1.8;

pub struct Galaxies {
    /// Shapes (N, 3).
    places: Array<f32>,
    velocities: Array<f32>,
    /// Shape (N).
    masses: Array<f32>,
    /// The pointer's place and mass, shape (3): the renderer's buffer.
    pointer: (wgpu::Buffer, Array<f32>),
    /// How much of each channel a body sends, shape (3).
    tint: Array<f32>,
    /// Shape (SIZE, SIZE, 3).
    colours: Array<f32>,
    encoded: Vec<Encoded>,
}

/// The places, velocities and masses of bodies.
pub struct Bodies {
    pub places: Vec<[f32; 3]>,
    pub velocities: Vec<[f32; 3]>,
    pub masses: Vec<f32>,
}

/// Returns two discs at rest in themselves, which move towards each other. In a disc the bodies
/// stand along a spiral of the golden angle.
#[must_use]
pub fn galaxies() -> Bodies {
    let each = BODIES / 2;
    let mut bodies = Bodies { places: Vec::new(), velocities: Vec::new(), masses: Vec::new() };
    for (side, turn) in [(-1.0_f32, 1.0_f32), (1.0, -0.6)] {
        for body in 0..each {
            let radius = 0.08 + 0.62 * (body as f32 / each as f32).sqrt();
            let (sine, cosine) = (body as f32 * 2.399_963).sin_cos();
            // The second disc is tilted.
            let (flat, tilted) = if turn > 0.0 { (1.0, 0.0) } else { (0.6, 0.8) };
            let (radius, mass) = if body == 0 { (0.0, CORE) } else { (radius, 1e-4) };
            let speed = if body == 0 { 0.0 } else { turn.signum() * (CORE / radius).sqrt() };
            let [across, down] = [cosine * radius, sine * radius];
            bodies.places.push([side * 0.8 + across, side * 0.25 + down * flat, down * tilted]);
            let [across, down] = [-sine * speed, cosine * speed];
            bodies.velocities.push([across - side * 0.25, down * flat, down * tilted]);
            bodies.masses.push(mass);
        }
    }
    bodies
}

impl Demo for Galaxies {
    const NAME: &'static str = "nbody";
    const MOUSE: &'static str = "the left button attracts the bodies";

    fn new(gpu: &Context, _: Option<&Path>) -> Result<Self> {
        let Bodies { places, velocities, masses } = galaxies();
        let size = SIZE as usize;
        let buffer = settings_buffer(gpu.device(), "pointer", 12);
        Ok(Self {
            places: gpu.array([BODIES, 3], places.as_flattened())?,
            velocities: gpu.array([BODIES, 3], velocities.as_flattened())?,
            masses: gpu.array([BODIES], &masses)?,
            pointer: (buffer.clone(), gpu.array_from_buffer([3], buffer, 0)?),
            tint: gpu.array([3], &[0.55, 0.8, 1.6])?,
            colours: gpu.zeros([size, size, 3])?,
            encoded: Vec::new(),
        })
    }

    fn size(&self) -> [u32; 2] {
        [SIZE as u32; 2]
    }

    fn frame(&mut self, gpu: &Context, frame: &mut Frame<'_>) -> Result<()> {
        let Input { pointer, pressed, .. } = frame.input;
        let [across, down] = pointer.map(|at| (at - (SIZE / 2) as f32) / SCALE);
        let pointer = if pressed { [across, down, 0.3] } else { [0.0; 3] };
        gpu.queue().write_buffer(&self.pointer.0, 0, bytemuck::bytes_of(&pointer));
        let pulled =
            attraction(&self.places, &self.masses) + towards(&self.places, &self.pointer.1);
        let faster = (&self.velocities + pulled * STEP).named("forces");
        self.encoded.push(faster.encode_into(frame.encoder, &mut self.velocities)?);
        let moved = (&self.places + &self.velocities * STEP).named("move");
        self.encoded.push(moved.encode_into(frame.encoder, &mut self.places)?);
        let seen = colours(&self.places, &self.tint).named("light");
        self.encoded.push(seen.encode_into(frame.encoder, &mut self.colours)?);
        self.encoded.push(self.colours.encode_to_texture(frame.encoder, frame.picture, 0, 0)?);
        Ok(())
    }

    fn submitted(&mut self) {
        self.encoded.drain(..).for_each(|encoded| encoded.submitted());
    }

    fn values(&mut self) -> Result<Vec<f32>> {
        Ok(self.places.to_vec_blocking()?)
    }

    /// The pointer attracts from time to time.
    fn rehearsal(frame: u32) -> Input {
        let pressed = frame % 100 >= 80;
        Input { frame, pressed, pointer: [300.0, 80.0], ..Input::default() }
    }
}

/// Returns what the bodies accelerate each other by, shape (N, 3). The differences of all places,
/// shape (N, N, 3), are never stored: they are computed where they are summed.
#[must_use]
pub fn attraction(places: &Array<f32>, masses: &Array<f32>) -> Expr<f32> {
    let apart = places.reshape(&[1, N, 3]) - places.reshape(&[N, 1, 3]);
    let nearness = (apart.square().reduce_sum([2]) + SOFTENING).rsqrt();
    let pull = nearness.square() * &nearness * masses.in_dim([1]);
    (apart * pull.in_dim([0, 1])).reduce_sum([1])
}

/// Returns what the pointer accelerates the bodies by, shape (N, 3).
fn towards(places: &Array<f32>, pointer: &Array<f32>) -> Expr<f32> {
    let place = pointer.slice([0], [2]).pad(0.0, &[0], &[1], &[0]);
    let apart = place.broadcast_in_dim(&[N, 3], &[1]) - places;
    let nearness = (apart.square().reduce_sum([1]) + SOFTENING).rsqrt();
    let pull = nearness.square() * &nearness * pointer.index(0, 2);
    apart * pull.in_dim([0])
}

/// Returns the picture: each pixel has the light of all bodies, which falls off as a bell.
fn colours(places: &Array<f32>, tint: &Array<f32>) -> Expr<f32> {
    let bell = |dimension: i64| {
        let at = places.index(1, dimension) * SCALE + (SIZE / 2) as f32;
        let pixels = Expr::iota(&[SIZE, N], 0);
        ((pixels - at.in_dim([1])) * (1.0 / RADIUS)).square().neg().exp()
    };
    let (right, down) = (bell(0).reshape(&[1, SIZE, N]), bell(1).reshape(&[SIZE, 1, N]));
    let light = (down * right).reduce_sum([2]).broadcast_in_dim(&[SIZE, SIZE, 3], &[0, 1]);
    let colours = light * tint.in_dim([2]);
    &colours / (&colours + 0.6)
}
