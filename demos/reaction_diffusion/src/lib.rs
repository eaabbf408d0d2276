//! Gray and Scott's reaction of two substances that diffuse, in egui, by a paint callback as eframe
//! takes it: the steps are a command buffer that `prepare` returns.

mod field;

use std::path::Path;

use egui::{Rect, Sense, Slider, Vec2};
use egui_wgpu::{Callback, CallbackResources, CallbackTrait, ScreenDescriptor};
use indim::{Context, wgpu};
use shell::{Blit, Demo, Frame, Gui, Input, Result};

pub use field::start;
use field::{Controls, Field, N};

/// Feeds and kills that make patterns of different kinds.
const KINDS: [(&str, f32, f32); 3] =
    [("corals", 0.0545, 0.062), ("cells that divide", 0.0367, 0.0649), ("worms", 0.078, 0.061)];

/// The state that egui's renderer keeps for the callbacks.
struct Resources {
    field: Field,
    blit: Blit,
    texture: wgpu::BindGroup,
    error: Option<indim::Error>,
}

/// A frame's paint callback.
struct Paint(Controls);

impl CallbackTrait for Paint {
    fn prepare(
        &self,
        _: &wgpu::Device,
        _: &wgpu::Queue,
        _: &ScreenDescriptor,
        _: &mut wgpu::CommandEncoder,
        resources: &mut CallbackResources,
    ) -> Vec<wgpu::CommandBuffer> {
        let Some(Resources { field, error, .. }) = resources.get_mut() else { return Vec::new() };
        let recorded = field.record(self.0);
        recorded.map_err(|refused| *error = Some(refused)).into_iter().collect()
    }

    fn paint(
        &self,
        _: egui::PaintCallbackInfo,
        pass: &mut wgpu::RenderPass<'static>,
        resources: &CallbackResources,
    ) {
        if let Some(Resources { blit, texture, .. }) = resources.get() {
            blit.draw(pass, texture);
        }
    }
}

pub struct ReactionDiffusion {
    gui: Gui,
    controls: Controls,
}

impl Demo for ReactionDiffusion {
    const NAME: &'static str = "reaction_diffusion";
    const MOUSE: &'static str = "sliders; the left button adds some of what grows";
    const RESIZES: bool = true;

    fn new(gpu: &Context, _: Option<&Path>) -> Result<Self> {
        let mut gui = Gui::new(gpu.device());
        let (field, blit) = (Field::new(gpu)?, Blit::new(gpu.device(), gui.format()));
        let texture = blit.bind(gpu.device(), &field.texture);
        gui.resources().insert(Resources { field, blit, texture, error: None });
        Ok(Self { gui, controls: Controls { feed: 0.0545, kill: 0.062, brush: [0.0; 3] } })
    }

    fn size(&self) -> [u32; 2] {
        [240 + N as u32, N as u32]
    }

    fn frame(&mut self, gpu: &Context, frame: &mut Frame<'_>) -> Result<()> {
        let Self { gui, controls } = self;
        gui.draw(gpu, frame, |ui| {
            let panel = egui::Panel::left("controls").exact_size(240.0).resizable(false);
            panel.show_separator_line(false).show(ui, |ui| {
                ui.heading("Reaction and diffusion");
                ui.add(Slider::new(&mut controls.feed, 0.01..=0.1).text("feed"));
                ui.add(Slider::new(&mut controls.kill, 0.04..=0.07).text("kill"));
                for (name, feed, kill) in KINDS {
                    if ui.button(name).clicked() {
                        (controls.feed, controls.kill) = (feed, kill);
                    }
                }
            });
            egui::CentralPanel::no_frame().show(ui, |ui| {
                let place = ui.available_rect_before_wrap();
                let side = place.size().min_elem();
                let square = Rect::from_center_size(place.center(), Vec2::splat(side));
                let response = ui.allocate_rect(square, Sense::drag());
                let at = response.interact_pointer_pos();
                let point = at.map_or(Vec2::ZERO, |at| (at - square.min) / side * N as f32);
                // The frame that releases the button still has a place.
                let touched = response.is_pointer_button_down_on() && side > 0.0;
                controls.brush = if touched { [point.y, point.x, 1.0] } else { [0.0; 3] };
                ui.painter().add(Callback::new_paint_callback(square, Paint(*controls)));
            });
        });
        let resources = gui.resources().get_mut::<Resources>();
        match resources.and_then(|resources| resources.error.take()) {
            Some(error) => Err(error.into()),
            None => Ok(()),
        }
    }

    fn submitted(&mut self) {
        // eframe does not notify its guests: see `Field::record`.
    }

    fn values(&mut self) -> Result<Vec<f32>> {
        match self.gui.resources().get_mut::<Resources>() {
            Some(resources) => Ok(resources.field.values()?),
            None => Err("egui's renderer has lost the field".into()),
        }
    }

    /// Presses the button for some frames, in the middle of the field.
    fn rehearsal(frame: u32) -> Input {
        let pressed = (1..4).contains(&frame);
        Input { frame, pressed, pointer: [500.0, 250.0], ..Input::default() }
    }
}
