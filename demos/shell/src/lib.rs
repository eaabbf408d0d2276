//! The parts of the demos that do not use indim: a window, a run without one, and a device.
//!
//! A [`Demo`] is a guest of this renderer: it records its frame in an encoder on the renderer's
//! device, and the renderer submits it. [`run`] shows it in a window, or, with `--frames N --out
//! DIR`, draws N frames on any adapter and writes each as a PNG file.

mod args;
mod blit;
mod device;
mod gui;
mod headless;
mod mouse;
mod renderer;
mod window;

pub use args::run;
pub use blit::Blit;
pub use device::{instance, open, settings_buffer, texture};
pub use gui::Gui;
pub use headless::{Picture, exercise, frames};
pub use renderer::Renderer;

use std::path::Path;

use indim::{Context, wgpu};

/// Errors of indim, of files, of windows.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// The mouse, and which frame it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Input {
    /// 0 for the first frame.
    pub frame: u32,
    /// In pixels of the picture: from the left, from the top.
    pub pointer: [f32; 2],
    /// True while the left button is down.
    pub pressed: bool,
    /// Lines that the wheel was turned since the frame before, away from the user.
    pub scroll: f32,
    /// Pixels of the picture in one logical pixel of the screen.
    pub scale: f32,
}

impl Default for Input {
    fn default() -> Self {
        Self { frame: 0, pointer: [-1e4; 2], pressed: false, scroll: 0.0, scale: 1.0 }
    }
}

/// One frame of the renderer.
pub struct Frame<'a> {
    /// Submitted when the frame is recorded.
    pub encoder: &'a mut wgpu::CommandEncoder,
    /// Submitted in one call with the encoder, before it.
    pub before: &'a mut Vec<wgpu::CommandBuffer>,
    /// The demo draws here what is shown: RGBA in 8 bits, as the screen takes them, with all usages but `COPY_DST`.
    pub picture: &'a wgpu::Texture,
    pub input: Input,
}

/// Draws pictures, one a frame.
pub trait Demo: Sized {
    const NAME: &'static str;
    /// What the mouse does, for `--help`.
    const MOUSE: &'static str;
    /// The name in `--help` of the file that the demo takes, if it takes one.
    const FILE: Option<&'static str> = None;
    /// True if the picture is to have the window's size, whatever that is.
    const RESIZES: bool = false;

    /// Starts, with the file that the command line names.
    ///
    /// # Errors
    /// It returns the errors of indim and of reading the file.
    fn new(gpu: &Context, file: Option<&Path>) -> Result<Self>;

    /// Returns the width and height of the picture, or of that in a run without a window.
    fn size(&self) -> [u32; 2];

    /// Records one frame.
    ///
    /// # Errors
    /// It returns the errors of indim.
    fn frame(&mut self, gpu: &Context, frame: &mut Frame<'_>) -> Result<()>;

    /// Called when the frame is submitted.
    fn submitted(&mut self);

    /// Returns the demo's values, which must be finite whatever the user does. Called after
    /// `submitted`, by tests.
    ///
    /// # Errors
    /// It returns the errors of indim.
    fn values(&mut self) -> Result<Vec<f32>>;

    /// Returns the mouse's actions in a run without a window.
    fn rehearsal(frame: u32) -> Input {
        Input { frame, ..Input::default() }
    }
}
