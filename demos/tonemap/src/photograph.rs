//! A photograph in linear light: that of a PNG file, or one that is made up.

use std::fs::File;
use std::io::BufReader;

use indim::{Context, wgpu};
use shell::Result;

/// A photograph with a longer side is made smaller, for a screen shows no more of it, and adapters
/// bind arrays of 128 MiB at least.
const MAX_SIDE: usize = 2048;

/// Red, green, blue and 1 of each pixel, row by row; 1 is what the sensor takes for white, and the
/// sun is more.
#[derive(Debug, Clone)]
pub struct Photograph {
    width: usize,
    height: usize,
    pub pixels: Vec<[f32; 4]>,
}

impl Photograph {
    /// Reads a PNG file of 8 bits, in sRGB, at most 2,048 pixels wide and high.
    ///
    /// # Errors
    /// It returns the errors of reading the file, with its name.
    pub fn read(path: String) -> Result<Self> {
        let photograph = Self::decoded(&path).map_err(|error| format!("{path}: {error}"))?;
        let side = photograph.width.max(photograph.height);
        Ok(photograph.reduced(side.div_ceil(MAX_SIDE)))
    }

    fn decoded(path: &str) -> Result<Self> {
        let mut decoder = png::Decoder::new(BufReader::new(File::open(path)?));
        decoder.set_transformations(png::Transformations::ALPHA | png::Transformations::STRIP_16);
        let mut reader = decoder.read_info()?;
        let mut bytes = vec![0; reader.output_buffer_size().ok_or("the picture is too large")?];
        let info = reader.next_frame(&mut bytes)?;
        let linear = |byte: u8| {
            let x = f32::from(byte) / 255.0;
            if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
        };
        let samples = info.color_type.samples();
        let colours = if samples < 3 { [0, 0, 0] } else { [0, 1, 2] };
        let pixel = |pixel: &[u8]| {
            let [red, green, blue] = colours.map(|channel| linear(pixel[channel]));
            [red, green, blue, 1.0]
        };
        let pixels = bytes[..info.buffer_size()].chunks_exact(samples).map(pixel).collect();
        Ok(Self { width: info.width as usize, height: info.height as usize, pixels })
    }

    /// Returns the photograph with the mean of each square of pixels in place of the square.
    fn reduced(self, side: usize) -> Self {
        if side <= 1 {
            return self;
        }
        let (width, height) = ((self.width / side).max(1), (self.height / side).max(1));
        let pixel = |at: usize| {
            let (column, row) = (at % width * side, at / width * side);
            let rows = row..(row + side).min(self.height);
            let square = rows.flat_map(|row| {
                let end = (column + side).min(self.width);
                &self.pixels[row * self.width + column..row * self.width + end]
            });
            let (mut sum, mut count) = ([0.0; 4], 0.0);
            for pixel in square {
                sum = [0, 1, 2, 3].map(|channel| sum[channel] + pixel[channel]);
                count += 1.0;
            }
            sum.map(|channel| channel / count)
        };
        Self { width, height, pixels: (0..width * height).map(pixel).collect() }
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

    /// Uploads it as a texture of the renderer's, in 32-bit floats.
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
