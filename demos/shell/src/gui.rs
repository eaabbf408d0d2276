//! egui on a demo's picture. The shell gives it the left button and the pointer, and no keys.

use egui_wgpu::{CallbackResources, RendererOptions, ScreenDescriptor};
use indim::{Context, wgpu};

use crate::Frame;

/// The format of the shell's pictures.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// egui with its renderer.
pub struct Gui {
    context: egui::Context,
    renderer: egui_wgpu::Renderer,
    was_pressed: bool,
}

impl Gui {
    /// Draws on the shell's pictures.
    pub fn new(device: &wgpu::Device) -> Self {
        let options = RendererOptions::PREDICTABLE;
        let renderer = egui_wgpu::Renderer::new(device, FORMAT, options);
        Self { context: egui::Context::default(), renderer, was_pressed: false }
    }

    /// Returns what callbacks draw on.
    pub fn format(&self) -> wgpu::TextureFormat {
        FORMAT
    }

    /// Returns the resources that callbacks of [`egui_wgpu::CallbackTrait`] share.
    pub fn resources(&mut self) -> &mut CallbackResources {
        &mut self.renderer.callback_resources
    }

    /// Draws a frame of egui over the whole picture, as eframe does: callbacks prepare, then there
    /// is one render pass.
    pub fn draw(&mut self, gpu: &Context, frame: &mut Frame<'_>, ui: impl FnMut(&mut egui::Ui)) {
        let (device, queue) = (gpu.device(), gpu.queue());
        let input = self.input(frame);
        let mut output = self.context.run_ui(input, ui);
        let scale = output.pixels_per_point;
        let jobs = self.context.tessellate(output.shapes, scale);
        for (id, deltas) in &output.textures_delta.set {
            for delta in deltas {
                self.renderer.update_texture(device, queue, *id, delta);
            }
        }
        let size_in_pixels = [frame.picture.width(), frame.picture.height()];
        let screen = ScreenDescriptor { size_in_pixels, pixels_per_point: scale };
        let renderer = &mut self.renderer;
        let prepared = renderer.update_buffers(device, queue, frame.encoder, &jobs, &screen);
        frame.before.extend(prepared);
        let view = frame.picture.create_view(&Default::default());
        let attachment = wgpu::RenderPassColorAttachment {
            view: &view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations::default(),
        };
        let pass = frame.encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("egui"),
            color_attachments: &[Some(attachment)],
            ..Default::default()
        });
        renderer.render(&mut pass.forget_lifetime(), &jobs, &screen);
        for id in &output.textures_delta.free {
            renderer.free_texture(id);
        }
        output.textures_delta.clear();
    }

    fn input(&mut self, frame: &Frame<'_>) -> egui::RawInput {
        let input = frame.input;
        let points = |pixels: [f32; 2]| pixels.map(|pixels| pixels / input.scale);
        let size = points([frame.picture.width(), frame.picture.height()].map(|size| size as f32));
        let pos = egui::Pos2::from(points(input.pointer));
        let mut events = vec![egui::Event::PointerMoved(pos)];
        if input.pressed != self.was_pressed {
            self.was_pressed = input.pressed;
            events.push(egui::Event::PointerButton {
                pos,
                button: egui::PointerButton::Primary,
                pressed: input.pressed,
                modifiers: egui::Modifiers::NONE,
            });
        }
        let mut raw = egui::RawInput {
            screen_rect: Some(egui::Rect::from_min_size(egui::Pos2::ZERO, size.into())),
            time: Some(f64::from(input.frame) / 60.0),
            events,
            ..Default::default()
        };
        raw.viewports.entry(raw.viewport_id).or_default().native_pixels_per_point =
            Some(input.scale);
        raw
    }
}
