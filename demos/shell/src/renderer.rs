//! Has a demo draw frame by frame, and submits them.

use std::path::PathBuf;

use indim::{Context, Stats, wgpu};

use crate::{Demo, Frame, Input, Result, texture};

/// A demo on a device, with its picture.
pub struct Renderer<D> {
    gpu: Context,
    demo: D,
    file: Option<PathBuf>,
    picture: wgpu::Texture,
    frames: u32,
    after_second: Option<Stats>,
}

impl<D: Demo> Renderer<D> {
    /// Makes the demo, of a file if it takes one, and a picture of its size.
    ///
    /// # Errors
    /// It returns the errors of the demo.
    pub fn new(device: wgpu::Device, queue: wgpu::Queue, file: Option<PathBuf>) -> Result<Self> {
        // The renderer's device, so that indim's results are available to its passes, and theirs to
        // indim.
        let gpu = Context::from_device(device, queue)?;
        let demo = D::new(&gpu, file.as_deref())?;
        let picture = texture(gpu.device(), "picture", demo.size());
        Ok(Self { gpu, demo, file, picture, frames: 0, after_second: None })
    }

    pub fn gpu(&self) -> &Context {
        &self.gpu
    }

    pub fn demo(&mut self) -> &mut D {
        &mut self.demo
    }

    /// Starts the demo anew. The picture keeps its size.
    ///
    /// # Errors
    /// It returns the errors of the demo.
    pub fn reset(&mut self) -> Result<()> {
        self.demo = D::new(&self.gpu, self.file.as_deref())?;
        Ok(())
    }

    /// Returns the width and height of the picture.
    pub fn size(&self) -> [u32; 2] {
        [self.picture.width(), self.picture.height()]
    }

    /// Gives the picture another size.
    pub fn resize(&mut self, size: [u32; 2]) {
        self.picture = texture(self.gpu.device(), "picture", size);
    }

    /// Has the demo draw, and `show` record the use of the picture; submits all of it at once.
    ///
    /// # Errors
    /// It returns the errors of the demo.
    pub fn frame(
        &mut self,
        input: Input,
        show: impl FnOnce(&mut wgpu::CommandEncoder, &wgpu::Texture),
    ) -> Result<()> {
        let Self { gpu, demo, picture, .. } = self;
        let descriptor = wgpu::CommandEncoderDescriptor { label: Some(D::NAME) };
        let mut encoder = gpu.device().create_command_encoder(&descriptor);
        let mut before = Vec::new();
        let mut frame = Frame { encoder: &mut encoder, before: &mut before, picture, input };
        demo.frame(gpu, &mut frame)?;
        show(&mut encoder, picture);
        gpu.queue().submit(before.into_iter().chain([encoder.finish()]));
        demo.submitted();
        self.frames += 1;
        if self.frames == 2 {
            self.after_second = Some(gpu.stats());
        }
        Ok(())
    }

    /// Has `show` record the use of the last frame's picture, and submits that.
    pub fn still(&mut self, show: impl FnOnce(&mut wgpu::CommandEncoder, &wgpu::Texture)) {
        let descriptor = wgpu::CommandEncoderDescriptor { label: Some("still") };
        let mut encoder = self.gpu.device().create_command_encoder(&descriptor);
        show(&mut encoder, &self.picture);
        self.gpu.queue().submit([encoder.finish()]);
    }

    /// Checks that since the second frame indim has submitted nothing, read nothing back, and made
    /// no buffer and no kernel. Returns a sentence with the result, or that there were too few
    /// frames.
    ///
    /// # Errors
    /// A sentence that lists its actions.
    pub fn check_guest(&self) -> Result<String> {
        let Some(before) = self.after_second.filter(|_| self.frames > 2) else {
            return Ok("what indim does in each frame is counted from the third one on".to_owned());
        };
        let after = self.gpu.stats();
        let counts = [
            ("submissions", after.submissions - before.submissions),
            ("readbacks' bytes", after.downloaded_bytes - before.downloaded_bytes),
            ("readbacks' buffers", after.staging_allocations - before.staging_allocations),
            ("arrays' buffers", after.allocations - before.allocations),
            ("bytes of parameters", after.uniform_bytes - before.uniform_bytes),
            ("kernels", after.compilations - before.compilations),
        ];
        let frames = u64::from(self.frames - 2);
        let dispatches = (after.dispatches - before.dispatches) / frames;
        if counts.iter().all(|(_, count)| *count == 0) {
            let names = counts.map(|(name, _)| name).join(", ");
            return Ok(format!(
                "indim, in {frames} frames: {dispatches} dispatches each; no new {names}"
            ));
        }
        let made = counts.iter().filter(|(_, count)| *count > 0);
        let made: Vec<String> = made.map(|(name, count)| format!("{count} {name}")).collect();
        Err(format!("after the second frame, in {frames} frames: {}", made.join(", ")).into())
    }
}
