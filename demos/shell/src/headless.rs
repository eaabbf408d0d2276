//! Draws without a window.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;

use indim::wgpu;

use crate::args::Options;
use crate::{Demo, Input, Renderer, Result, instance, open};

/// A picture in the host's memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    pub width: usize,
    pub height: usize,
    /// Red, green, blue and alpha of each pixel, row by row.
    pub bytes: Vec<u8>,
}

impl Picture {
    /// Returns by how many of 255 levels the picture differs at most from one whose pixels are the
    /// colours that `expected` returns for a row and a column, from this column on.
    pub fn difference(&self, first: usize, expected: impl Fn(usize, usize) -> [f32; 3]) -> f32 {
        let mut largest = 0.0_f32;
        for (at, pixel) in self.bytes.chunks_exact(4).enumerate() {
            let (row, column) = (at / self.width, at % self.width);
            if column >= first {
                for (byte, colour) in pixel.iter().zip(expected(row, column)) {
                    // Not `max`, which would pass over a NaN.
                    let difference = (f32::from(*byte) - colour.clamp(0.0, 1.0) * 255.0).abs();
                    largest = if difference <= largest { largest } else { difference };
                }
            }
        }
        largest
    }

    fn write(&self, path: &Path) -> Result<()> {
        let file = BufWriter::new(File::create(path)?);
        let mut encoder = png::Encoder::new(file, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        Ok(encoder.write_header()?.write_image_data(&self.bytes)?)
    }
}

/// Draws frames as the demo's rehearsal has the mouse move, and gives each to `take`. Prints how
/// good a guest indim was.
///
/// # Errors
/// It returns the errors of the demo and of `take`, and one in words if indim did more than to record.
pub fn frames<D: Demo>(count: u32, take: impl FnMut(u32, Picture) -> Result<()>) -> Result<()> {
    draw::<D>(count, &Options::default(), take)
}

fn draw<D: Demo>(
    count: u32,
    options: &Options,
    mut take: impl FnMut(u32, Picture) -> Result<()>,
) -> Result<()> {
    let instance = instance(wgpu::InstanceDescriptor::new_without_display_handle());
    let (adapter, device, queue) = open(&instance, None, options.adapter.as_deref())?;
    let mut renderer = Renderer::<D>::new(device.clone(), queue, options.file.clone())?;
    if let Some(size) = options.size {
        renderer.resize(size);
    }
    let readback = Readback::new(&device, renderer.size());
    for number in 0..count {
        renderer.frame(D::rehearsal(number), |encoder, picture| readback.copy(encoder, picture))?;
        take(number, readback.read(&device)?)?;
    }
    println!("{} on {}: {}", D::NAME, adapter.get_info().name, renderer.check_guest()?);
    Ok(())
}

/// Draws frames, and writes them to a directory.
pub(crate) fn write<D: Demo>(count: u32, directory: &Path, options: &Options) -> Result<()> {
    fs::create_dir_all(directory)?;
    draw::<D>(count, options, |number, picture| {
        picture.write(&directory.join(format!("{}-{number:04}.png", D::NAME)))
    })
}

/// Uses a demo as users may use its window: presses and drags within the picture and beside it,
/// turns the wheel far, resizes the window from one pixel on, restarts. The demo's values must stay
/// finite; `check` gets them after each size, and at the end.
///
/// # Errors
/// It returns the errors of the demo and of `check`, and one in words if values are not finite.
pub fn exercise<D: Demo>(mut check: impl FnMut(&[f32]) -> Result<()>) -> Result<()> {
    let instance = instance(wgpu::InstanceDescriptor::new_without_display_handle());
    let (_, device, queue) = open(&instance, None, None)?;
    let mut renderer = Renderer::<D>::new(device, queue, None)?;
    let own = renderer.size();
    let sizes = if D::RESIZES { vec![own, [1, 1], [300, 40], [900, 1000], own] } else { vec![own] };
    let mut number = 0;
    for round in 0..=sizes.len() {
        match sizes.get(round) {
            Some(size) => renderer.resize(*size),
            None => renderer.reset()?,
        }
        let [width, height] = renderer.size().map(|size| size as f32);
        for step in 0..12 {
            let far = if step < 10 { 1.0 } else { 40.0 };
            let pointer = [0.2 + 0.13 * (step % 7) as f32, 0.1 + 0.17 * (step % 5) as f32];
            let input = Input {
                frame: number,
                pointer: [pointer[0] * width * far, pointer[1] * height * far],
                // Clicks at first, and then it stays down.
                pressed: step % 2 == 1 || step > 6,
                scroll: if step % 6 < 3 { 40.0 } else { -40.0 },
                ..Input::default()
            };
            renderer.frame(input, |_, _| {})?;
            number += 1;
        }
        let values = renderer.demo().values()?;
        let broken = values.iter().filter(|value| !value.is_finite()).count();
        if broken > 0 {
            let of = values.len();
            return Err(format!("{broken} of {of} values are not finite in round {round}").into());
        }
        check(&values)?;
    }
    Ok(())
}

/// Reads a picture back as the renderer does: rows of 256 bytes, a map, a wait.
struct Readback {
    buffer: wgpu::Buffer,
    size: [u32; 2],
    row: u32,
}

impl Readback {
    fn new(device: &wgpu::Device, size: [u32; 2]) -> Self {
        let row = (4 * size[0]).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("readback"),
            size: u64::from(row) * u64::from(size[1]),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        Self { buffer, size, row }
    }

    fn copy(&self, encoder: &mut wgpu::CommandEncoder, picture: &wgpu::Texture) {
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(self.row),
            rows_per_image: None,
        };
        let to = wgpu::TexelCopyBufferInfo { buffer: &self.buffer, layout };
        encoder.copy_texture_to_buffer(picture.as_image_copy(), to, picture.size());
    }

    fn read(&self, device: &wgpu::Device) -> Result<Picture> {
        let (sender, receiver) = std::sync::mpsc::channel();
        self.buffer.map_async(wgpu::MapMode::Read, .., move |mapped| {
            // The receiver is there, below.
            let _ = sender.send(mapped);
        });
        device.poll(wgpu::PollType::wait_indefinitely())?;
        receiver.recv()??;
        let [width, height] = self.size.map(|size| size as usize);
        let mapped = self.buffer.get_mapped_range(..)?;
        let rows = mapped.chunks_exact(self.row as usize);
        let bytes = rows.flat_map(|row| &row[..4 * width]).copied().collect();
        drop(mapped);
        self.buffer.unmap();
        Ok(Picture { width, height, bytes })
    }
}
