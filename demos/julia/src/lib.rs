//! Julia sets: complex arrays, z² + c, and a zoom.

use std::path::Path;

use indim::num_complex::Complex32;
use indim::{Array, Builder, Computation, Context, ElementType, Encoded, Expr, Scalar, wgpu};
use shell::{Demo, Frame, Input, Result, settings_buffer};

const WIDTH: i64 = 960;
const HEIGHT: i64 = 720;
/// Steps in one kernel, and how often it runs.
const STEPS: usize = 12;
const ROUNDS: usize = 16;
/// The distances from pixel to pixel between which the wheel zooms: nearer, pixels are one number of
/// 32 bits; farther, the set is one pixel.
const NEAREST: f32 = 1e-8;
const FARTHEST: f32 = 0.1;
/// Beyond this |z|², z goes to infinity.
const LIMIT: f32 = 256.0;

pub struct Julia {
    /// The parts of the centre and of c, and the distance from pixel to pixel.
    view: [f32; 5],
    /// The renderer's buffer of them: shape (2) of complex numbers, and a scalar.
    buffer: wgpu::Buffer,
    points: Array<Complex32>,
    distance: Array<f32>,
    steps: Computation,
    /// These are z at its begin and the number of its steps by then, shapes (HEIGHT, WIDTH).
    plane: Array<Complex32>,
    zeros: Array<f32>,
    /// How soon z goes beyond the limit, shape (HEIGHT, WIDTH).
    escapes: Array<f32>,
    /// The phase of a wave at which each channel begins, shape (3).
    phases: Array<f32>,
    /// Shape (HEIGHT, WIDTH, 3).
    colours: Array<f32>,
    encoded: Vec<Encoded>,
}

impl Demo for Julia {
    const NAME: &'static str = "julia";
    const MOUSE: &'static str = "the wheel zooms; the left button with a movement changes the set";

    fn new(gpu: &Context, _: Option<&Path>) -> Result<Self> {
        let zeros = |shape: &[usize]| gpu.array(shape, &vec![0.0; shape.iter().product()]);
        let (height, width) = (HEIGHT as usize, WIDTH as usize);
        let buffer = settings_buffer(gpu.device(), "view", 20);
        Ok(Self {
            view: [0.0, 0.0, -0.8, 0.156, 3.3 / WIDTH as f32],
            points: gpu.array_from_buffer([2], buffer.clone(), 0)?,
            distance: gpu.array_from_buffer([], buffer.clone(), 16)?,
            buffer,
            steps: steps()?,
            plane: zeros(&[height, width])?.complex(0.0).eval()?,
            zeros: zeros(&[height, width])?,
            escapes: zeros(&[height, width])?,
            phases: gpu.array([3], &[0.62, 0.52, 0.38])?,
            colours: zeros(&[height, width, 3])?,
            encoded: Vec::new(),
        })
    }

    fn size(&self) -> [u32; 2] {
        [WIDTH as u32, HEIGHT as u32]
    }

    fn frame(&mut self, gpu: &Context, frame: &mut Frame<'_>) -> Result<()> {
        let Input { pointer: [x, y], pressed, scroll, .. } = frame.input;
        let from_middle = [x - (WIDTH / 2) as f32, y - (HEIGHT / 2) as f32];
        let [re, im, c_re, c_im, distance] = &mut self.view;
        // The point under the pointer stays there.
        let nearer = (*distance * 0.9_f32.powf(scroll)).clamp(NEAREST, FARTHEST);
        *re += from_middle[0] * (*distance - nearer);
        *im += from_middle[1] * (*distance - nearer);
        *distance = nearer;
        if pressed {
            [*c_re, *c_im] = from_middle.map(|pixels| pixels * 2.0 / WIDTH as f32);
        }
        gpu.queue().write_buffer(&self.buffer, 0, bytemuck::bytes_of(&self.view));

        let plane = plane(&self.points, &self.distance).named("plane");
        self.encoded.push(plane.encode_into(frame.encoder, &mut self.plane)?);
        let (mut z, mut count) = (self.plane.as_any().clone(), self.zeros.as_any().clone());
        for _ in 0..ROUNDS {
            let arguments = [&z, &count, self.points.as_any()];
            let encoded = self.steps.on(gpu, &arguments)?.encode(frame.encoder)?;
            (z, count) = (encoded.results()[0].clone(), encoded.results()[1].clone());
            self.encoded.push(encoded);
        }
        let escapes = escapes(&z.downcast()?, &count.downcast()?).named("escapes");
        self.encoded.push(escapes.encode_into(frame.encoder, &mut self.escapes)?);
        let colours = colours(&self.escapes, &self.phases).named("colours");
        self.encoded.push(colours.encode_into(frame.encoder, &mut self.colours)?);
        self.encoded.push(self.colours.encode_to_texture(frame.encoder, frame.picture, 0, 0)?);
        Ok(())
    }

    fn submitted(&mut self) {
        self.encoded.drain(..).for_each(|encoded| encoded.submitted());
    }

    fn values(&mut self) -> Result<Vec<f32>> {
        Ok(self.colours.to_vec_blocking()?)
    }

    /// Zooms to a fixed point of z² + c, around which the set is a spiral at every scale.
    fn rehearsal(frame: u32) -> Input {
        Input { frame, scroll: frame.min(1) as f32, pointer: [326.5, 382.1], ..Input::default() }
    }
}

/// Returns the points of the pixels. The plane is never uploaded: a row of real parts and a column
/// of imaginary ones stretch to it.
fn plane(points: &Array<Complex32>, distance: &Array<f32>) -> Expr<Complex32> {
    let right = (Expr::iota(&[1, WIDTH], 1) - (WIDTH / 2) as f32) * distance;
    let down = (Expr::iota(&[HEIGHT, 1], 0) - (HEIGHT / 2) as f32) * distance;
    right.complex(down) + points.index(0, 0)
}

/// Returns the computation of some steps of z² + c, which stop beyond the limit, and of their
/// number: of z, the number so far and c, two results in one kernel.
fn steps() -> Result<Computation> {
    let sizes = [HEIGHT as usize, WIDTH as usize];
    let mut b = Builder::new();
    let mut z = b.parameter(ElementType::C64, sizes)?;
    let mut count = b.parameter(ElementType::F32, sizes)?;
    let points = b.parameter(ElementType::C64, [2])?;
    let c = b.slice(points, &[1], &[2], &[1])?;
    let c = b.reshape(c, &[])?;
    let limit = b.constant(Scalar::new(LIMIT))?;
    for _ in 0..STEPS {
        let (re, im) = (b.real(z)?, b.imag(z)?);
        let (re, im) = (b.mul(re, re, &[])?, b.mul(im, im, &[])?);
        let size = b.add(re, im, &[])?;
        let inside = b.le(size, limit, &[])?;
        let one = b.convert_element_type(inside, ElementType::F32)?;
        count = b.add(count, one, &[])?;
        let square = b.mul(z, z, &[])?;
        let next = b.add(square, c, &[])?;
        z = b.select(inside, next, z)?;
    }
    Ok(b.build_all(&[z, count])?.named("z² + c"))
}

/// Returns the number of steps as a smooth function of where z gets beyond the limit, and -1 where
/// it does not.
fn escapes(z: &Array<Complex32>, count: &Array<f32>) -> Expr<f32> {
    let size = z.real().square() + z.imag().square();
    let beyond = (size.max(LIMIT).log() * (1.0 / LIMIT.ln())).log() * (1.0 / 2_f32.ln());
    count.lt((STEPS * ROUNDS) as f32).select(count + 1.0 - beyond, -1.0)
}

/// Returns waves of colours, shape (HEIGHT, WIDTH, 3), and black within the set.
fn colours(escapes: &Array<f32>, phases: &Array<f32>) -> Expr<f32> {
    let turns = (escapes.max(0.0).sqrt() * 0.21).broadcast_in_dim(&[HEIGHT, WIDTH, 3], &[0, 1]);
    let waves = ((turns + phases.in_dim([2])) * std::f32::consts::TAU).cos();
    let light = escapes.lt(0.0).select(0.0, 0.5).broadcast_in_dim(&[HEIGHT, WIDTH, 3], &[0, 1]);
    &light - waves * &light
}
