//! A photograph in linear light: that of a PNG file, or one that is made up.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use indim::{Context, wgpu};
use shell::Result;

/// A photograph with a longer side is scaled down, since a screen shows no more of it and some
/// adapters bind only 128 MiB.
const MAX_SIDE: usize = 2048;

/// A PNG file of more pixels a side is refused, since one row of it may take gigabytes.
const MAX_READ: u32 = 100_000;

/// Red, green, blue and 1 of each pixel, row by row; 1 is what the sensor takes for white, and the
/// sun is more.
#[derive(Debug, Clone)]
pub struct Photograph {
    width: usize,
    height: usize,
    pub pixels: Vec<[f32; 4]>,
}

impl Photograph {
    /// Reads a PNG file of 8 bits, in sRGB. One that is wider or higher than 2,048 pixels becomes
    /// smaller while it is read, row by row, and is never in memory as a whole.
    ///
    /// # Errors
    /// It returns the errors of reading the file, with its name.
    pub fn read(path: &Path) -> Result<Self> {
        let decoded = Self::decoded(path);
        Ok(decoded.map_err(|error| format!("{}: {error}", path.display()))?)
    }

    fn decoded(path: &Path) -> Result<Self> {
        let mut decoder = png::Decoder::new(BufReader::new(File::open(path)?));
        decoder.set_transformations(png::Transformations::ALPHA | png::Transformations::STRIP_16);
        let mut reader = decoder.read_info()?;
        let (width, height) = reader.info().size();
        let side = width.max(height);
        if side > MAX_READ {
            return Err(format!("it is {width} x {height}; {MAX_READ} pixels are the most").into());
        }
        let samples = reader.output_color_type().0.samples();
        let mut means = Means::new(width as usize, height as usize, samples);
        if reader.info().interlaced {
            // Its rows come in seven passes.
            if side as usize > MAX_SIDE {
                let why = "too large to be read interlaced; save it without interlacing";
                return Err(format!("it is {width} x {height}, {why}").into());
            }
            let mut bytes = vec![0; reader.output_buffer_size().ok_or("it is too large")?];
            reader.next_frame(&mut bytes)?;
            bytes.chunks_exact(samples * width as usize).for_each(|row| means.row(row));
        } else {
            while let Some(row) = reader.next_row()? {
                means.row(row.data());
            }
        }
        Ok(means.photograph)
    }

    /// Makes up an evening by a lake between mountains, 960 x 640.
    pub fn made_up() -> Self {
        let (width, height) = (960, 640);
        let pixel = |at: usize| {
            let (x, y) = ((at % width) as f32 / height as f32, (at / width) as f32 / height as f32);
            let [red, green, blue] = evening(x, y);
            [red, green, blue, 1.0]
        };
        Self { width, height, pixels: (0..width * height).map(pixel).collect() }
    }

    pub fn size(&self) -> [usize; 2] {
        [self.width, self.height]
    }

    /// Uploads it as a texture on the renderer's device, in 32-bit floats.
    pub fn texture(&self, gpu: &Context) -> wgpu::Texture {
        let (width, height) = (self.width as u32, self.height as u32);
        let texture = gpu.device().create_texture(&wgpu::TextureDescriptor {
            label: Some("photograph"),
            size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba32Float,
            usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
            view_formats: &[],
        });
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(16 * width),
            rows_per_image: None,
        };
        let bytes = bytemuck::cast_slice(&self.pixels);
        gpu.queue().write_texture(texture.as_image_copy(), bytes, layout, texture.size());
        texture
    }
}

/// Makes a photograph of the mean of each square of pixels, from one row after the other.
struct Means {
    photograph: Photograph,
    width: usize,
    height: usize,
    /// Of each pixel of a row, of which the first three are colours, or the first is grey.
    samples: usize,
    /// The side of a square.
    side: usize,
    /// The sums of the squares begun by the rows taken.
    sums: Vec<[f32; 3]>,
    rows: usize,
    /// The light of each byte.
    linear: [f32; 256],
}

impl Means {
    fn new(width: usize, height: usize, samples: usize) -> Self {
        let side = width.max(height).div_ceil(MAX_SIDE).max(1);
        let linear = |byte: usize| {
            let x = byte as f32 / 255.0;
            if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
        };
        let size = [width, height].map(|pixels| (pixels / side).max(1));
        Self {
            photograph: Photograph { width: size[0], height: size[1], pixels: Vec::new() },
            width,
            height,
            samples,
            side,
            sums: vec![[0.0; 3]; size[0]],
            rows: 0,
            linear: std::array::from_fn(linear),
        }
    }

    /// Takes the next row. Incomplete squares at the right and at the bottom are left out, unless
    /// there are no others.
    fn row(&mut self, bytes: &[u8]) {
        let colours = if self.samples < 3 { [0, 0, 0] } else { [0, 1, 2] };
        for (sum, square) in self.sums.iter_mut().zip(bytes.chunks(self.samples * self.side)) {
            for pixel in square.chunks_exact(self.samples) {
                for (sum, colour) in sum.iter_mut().zip(colours) {
                    *sum += self.linear[usize::from(pixel[colour])];
                }
            }
        }
        self.rows += 1;
        let down = if self.height < self.side { self.height } else { self.side };
        let photograph = &mut self.photograph;
        if self.rows % down == 0 && self.rows / down <= photograph.height {
            let count = (down * self.side.min(self.width)) as f32;
            let means = self.sums.iter().map(|sum| sum.map(|sum| sum / count));
            photograph.pixels.extend(means.map(|[red, green, blue]| [red, green, blue, 1.0]));
            self.sums.fill([0.0; 3]);
        }
    }
}

/// The water begins at this share of the height, from the top.
const SHORE: f32 = 0.66;

/// Returns the light at a place; the picture is 1 high.
fn evening(x: f32, y: f32) -> [f32; 3] {
    if y < SHORE {
        return land_and_sky(x, y);
    }
    // Ripples shift what is mirrored, and more so near by.
    let depth = (y - SHORE) / (1.0 - SHORE);
    let swell = noise(x * 7.0, 9.0 / (depth + 0.05)) - 0.5;
    let ripple = noise(x * 24.0, 40.0 / (depth + 0.10)) - 0.5;
    let ripple = (swell + ripple * 0.7) * (0.006 + 0.04 * depth);
    let mirrored = land_and_sky(x + 0.2 * ripple, SHORE - (y - SHORE) * 0.9 + ripple);
    let [red, green, blue] = mirrored.map(|light| light * (0.75 - 0.35 * depth));
    [red + 0.004, green + 0.010, blue + 0.018]
}

fn land_and_sky(x: f32, y: f32) -> [f32; 3] {
    let sun = [1.02, 0.30];
    let distance = ((x - sun[0]).powi(2) + (y - sun[1]).powi(2)).sqrt();
    let up = (1.0 - y / SHORE).clamp(0.0, 1.0);
    let glow = (-5.0 * distance).exp();
    let disc = 1.0 / (1.0 + ((distance - 0.035) * 400.0).exp());
    let sky = [
        0.10 + 0.75 * (1.0 - up).powi(3) + 3.0 * glow + 40.0 * disc,
        0.16 + 0.34 * (1.0 - up).powi(3) + 1.4 * glow + 30.0 * disc,
        0.38 + 0.06 * (1.0 - up).powi(2) + 0.4 * glow + 14.0 * disc,
    ];
    // Clouds in bands, lit from below.
    let cloud = (fractal(x * 1.6 + 3.0, y * 6.5) * 2.4 - 1.05).clamp(0.0, 1.0) * (0.3 + 0.7 * up);
    let lit = [0.30 + 1.9 * glow, 0.17 + 0.85 * glow, 0.19 + 0.45 * glow];
    let mut light = [0, 1, 2].map(|i| sky[i] + (lit[i] - sky[i] * 0.55) * cloud * 0.8);
    // Ridges, the nearest last: each is darker than the one behind it, which the haze covers.
    for ridge in 0..4 {
        let near = ridge as f32 / 3.0;
        let top = 0.44 + 0.055 * ridge as f32
            - 0.26
                * (1.0 - 0.55 * near)
                * (fractal(x * (1.1 + 0.9 * near) + 7.3 * ridge as f32, 0.5) - 0.35);
        if y > top {
            let haze = (1.0 - near) * 0.55 + 0.16 * ((y - top) / 0.2).min(1.0) * (1.0 - near);
            let rock = 0.6 + 0.8 * fractal(x * 14.0 + ridge as f32, y * 22.0);
            let dark = [0.030, 0.042, 0.060].map(|light| light * rock);
            let mist = [0.42 + 1.3 * glow, 0.30 + 0.62 * glow, 0.33 + 0.22 * glow];
            light = [0, 1, 2].map(|i| dark[i] + (mist[i] - dark[i]) * haze);
        }
    }
    light
}

/// Returns noise of five scales, about 0 to 1.
fn fractal(x: f32, y: f32) -> f32 {
    (0..5)
        .map(|i| {
            noise(x * (1 << i) as f32, y * (1 << i) as f32 + 17.0 * i as f32) * 0.52
                / (1 << i) as f32
        })
        .sum()
}

/// Returns noise from 0 to 1, smooth between the points of the integers.
fn noise(x: f32, y: f32) -> f32 {
    let smooth = |t: f32| t * t * (3.0 - 2.0 * t);
    let (s, t) = (smooth(x - x.floor()), smooth(y - y.floor()));
    let at = |i: i32, j: i32| {
        let (i, j) = (x.floor() as i32 + i, y.floor() as i32 + j);
        let mut bits = (i.wrapping_mul(0x27d4_eb2d) ^ j.wrapping_mul(0x1656_67b1)) as u32;
        bits = (bits ^ bits >> 15).wrapping_mul(0x2c1b_3c6d);
        bits = (bits ^ bits >> 12).wrapping_mul(0x297a_2d39);
        (bits ^ bits >> 15) as f32 / u32::MAX as f32
    };
    let (top, bottom) =
        (at(0, 0) + (at(1, 0) - at(0, 0)) * s, at(0, 1) + (at(1, 1) - at(0, 1)) * s);
    top + (bottom - top) * t
}
