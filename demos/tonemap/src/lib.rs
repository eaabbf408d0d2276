//! Develops a photograph: exposure, gains of the channels, a vignette, and a curve that keeps the
//! brightest parts, in one kernel between two textures.

mod photograph;

use std::path::Path;

use indim::{Array, Context, Encoded, Expr, wgpu};
use shell::{Demo, Frame, Input, Result, settings_buffer};

pub use photograph::Photograph;

/// Exposures and gains go this far, in stops; beyond, all is black or white, and then not finite.
const STOPS: f32 = 12.0;

pub struct Tonemap {
    /// Linear light, as the renderer has it. It might draw it anew each frame.
    photograph: wgpu::Texture,
    /// Stops of exposure, how warm, and how dark the corners are.
    settings: [f32; 3],
    last: Input,
    /// The renderer's buffer of red's, green's and blue's factors, and of the vignette's strength.
    buffer: wgpu::Buffer,
    gains: Array<f32>,
    vignette: Array<f32>,
    /// Shape (height, width, 3).
    developed: Array<f32>,
    encoded: Vec<Encoded>,
}

impl Demo for Tonemap {
    const NAME: &'static str = "tonemap";
    const MOUSE: &'static str = "a drag with the left button to the right exposes longer, one down \
                                 darkens the corners; the wheel warms";
    const FILE: Option<&'static str> = Some("PHOTO.png");

    fn new(gpu: &Context, file: Option<&Path>) -> Result<Self> {
        let photograph = file.map_or_else(|| Ok(Photograph::made_up()), Photograph::read)?;
        let [width, height] = photograph.size();
        let buffer = settings_buffer(gpu.device(), "settings", 16);
        let developed = gpu.array([height, width, 3], &vec![0.0; height * width * 3])?;
        // From here on in place, even if others hold the array.
        developed.buffer()?;
        Ok(Self {
            photograph: photograph.texture(gpu),
            settings: [0.0, 0.0, 0.3],
            last: Input::default(),
            gains: gpu.array_from_buffer([3], buffer.clone(), 0)?,
            vignette: gpu.array_from_buffer([], buffer.clone(), 12)?,
            buffer,
            developed,
            encoded: Vec::new(),
        })
    }

    fn size(&self) -> [u32; 2] {
        [self.photograph.width(), self.photograph.height()]
    }

    fn frame(&mut self, gpu: &Context, frame: &mut Frame<'_>) -> Result<()> {
        let factors = self.factors(frame.input);
        gpu.queue().write_buffer(&self.buffer, 0, bytemuck::bytes_of(&factors));
        let (light, read) = gpu.array_from_texture(frame.encoder, &self.photograph, 0, 0)?;
        let developed = develop(&light, &self.gains, &self.vignette).named("develop");
        self.encoded.push(read);
        self.encoded.push(developed.encode_into(frame.encoder, &mut self.developed)?);
        self.encoded.push(self.developed.encode_to_texture(frame.encoder, frame.picture, 0, 0)?);
        Ok(())
    }

    fn submitted(&mut self) {
        self.encoded.drain(..).for_each(|encoded| encoded.submitted());
    }

    fn values(&mut self) -> Result<Vec<f32>> {
        Ok(self.developed.to_vec_blocking()?)
    }

    /// Goes through exposures, dark to bright, and from cold to warm.
    fn rehearsal(frame: u32) -> Input {
        let pointer = [(frame * 40) as f32, (frame * 5) as f32];
        Input { frame, pointer, pressed: true, scroll: 0.5, ..Input::default() }
    }
}

impl Tonemap {
    /// Dragging to the right exposes longer, dragging down darkens the corners, and the wheel
    /// warms. Returns the expression's arguments.
    fn factors(&mut self, input: Input) -> [f32; 4] {
        let [width, height] = self.size().map(|size| size as f32);
        let [exposure, warmth, vignette] = &mut self.settings;
        if input.pressed && self.last.pressed {
            *exposure += 6.0 * (input.pointer[0] - self.last.pointer[0]) / width;
            *exposure = exposure.clamp(-STOPS, STOPS);
            *vignette += 2.0 * (input.pointer[1] - self.last.pointer[1]) / height;
            *vignette = vignette.clamp(0.0, 2.0);
        }
        *warmth = (*warmth + 0.05 * input.scroll).clamp(-STOPS, STOPS);
        self.last = input;
        let [red, blue] = [*warmth, -*warmth].map(|stops| (*exposure + stops).exp2());
        [red, exposure.exp2(), blue, *vignette]
    }
}

/// Returns the picture for the screen, shape (height, width, 3), from linear light.
fn develop(light: &Array<f32>, gains: &Array<f32>, vignette: &Array<f32>) -> Expr<f32> {
    let [height, width] = [0, 1].map(|dimension| light.shape().dims()[dimension] as i64);
    let from_middle = |sizes: &[i64], dimension, size: i64| {
        (Expr::iota(sizes, dimension) - (size - 1) as f32 * 0.5) * (2.0 / width as f32)
    };
    let (down, right) = (from_middle(&[height, 1], 0, height), from_middle(&[1, width], 1, width));
    // Light falls off by the fourth power of the cosine of its angle to a lens's axis.
    let falls = ((down.square() + right.square()) * vignette + 1.0).square().reciprocal();
    let light = light.slice(&[0, 0, 0], &[height, width, 3]);
    let x = light * gains.in_dim([2]) * falls.in_dim([0, 1]);
    // Krzysztof Narkowicz's fit of the Academy's filmic curve.
    let curve = (&x * (&x * 2.51 + 0.03)) / (&x * (&x * 2.43 + 0.59) + 0.14);
    let shown = curve.clamp(0.0, 1.0);
    // sRGB's transfer function.
    let power = shown.max(1e-6).pow(1.0 / 2.4) * 1.055 - 0.055;
    shown.le(0.0031308).select(&shown * 12.92, power)
}
