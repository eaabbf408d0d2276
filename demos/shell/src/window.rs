//! Shows a demo in a window.

use std::sync::Arc;
use std::time::{Duration, Instant};

use indim::wgpu;
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::{ElementState, KeyEvent, MouseButton, MouseScrollDelta, WindowEvent};
use winit::event_loop::{ActiveEventLoop, EventLoop, OwnedDisplayHandle};
use winit::keyboard::{Key, NamedKey};
use winit::window::{Window, WindowId};

use crate::args::Options;
use crate::mouse::Mouse;
use crate::{Blit, Demo, Input, Renderer, Result, instance, open};

/// How long the title shows the time of the frames before.
const TITLE: Duration = Duration::from_millis(500);

/// Shows the demo until the window is closed.
pub(crate) fn show<D: Demo>(options: Options) -> Result<()> {
    let event_loop = EventLoop::new()?;
    let display = event_loop.owned_display_handle();
    let (mouse, frame, paused) = (Mouse::new(), 0, false);
    let mut app = App::<D> { display, options, shown: None, mouse, frame, paused, error: None };
    event_loop.run_app(&mut app)?;
    app.error.map_or(Ok(()), Err)
}

struct App<D> {
    display: OwnedDisplayHandle,
    options: Options,
    shown: Option<Shown<D>>,
    mouse: Mouse,
    /// The number of the next frame.
    frame: u32,
    paused: bool,
    error: Option<Box<dyn std::error::Error>>,
}

impl<D: Demo> App<D> {
    fn check<T>(&mut self, event_loop: &ActiveEventLoop, result: Result<T>) -> Option<T> {
        result
            .map_err(|error| {
                self.error = Some(error);
                event_loop.exit();
            })
            .ok()
    }

    fn key(&mut self, event_loop: &ActiveEventLoop, key: Key<&str>) {
        match key {
            Key::Named(NamedKey::Escape) => event_loop.exit(),
            Key::Named(NamedKey::Space) => self.paused = !self.paused,
            Key::Character("r" | "R") => {
                if let Some(shown) = &mut self.shown {
                    let started = shown.renderer.reset();
                    self.check(event_loop, started);
                }
            }
            _ => {}
        }
    }

    fn redraw(&mut self, event_loop: &ActiveEventLoop) {
        let Some(shown) = &mut self.shown else { return };
        let input = (!self.paused).then(|| self.mouse.input(self.frame));
        let drawn = shown.draw(input);
        if let Some(true) = self.check(event_loop, drawn) {
            self.mouse.seen();
            self.frame += u32::from(!self.paused);
        }
    }
}

impl<D: Demo> ApplicationHandler for App<D> {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.shown.is_none() {
            let shown = Shown::new(event_loop, self.display.clone(), &self.options);
            self.shown = self.check(event_loop, shown);
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(shown) = &mut self.shown else { return };
        match event {
            WindowEvent::CloseRequested => event_loop.exit(),
            WindowEvent::Resized(size) => shown.resize(size),
            WindowEvent::CursorMoved { position, .. } => {
                self.mouse.moved(shown.in_picture([position.x as f32, position.y as f32]));
            }
            WindowEvent::MouseInput { state, button: MouseButton::Left, .. } => {
                self.mouse.button(state == ElementState::Pressed);
            }
            // Some systems do not report a button that is released elsewhere.
            WindowEvent::Focused(false) => self.mouse.button(false),
            WindowEvent::MouseWheel { delta, .. } => self.mouse.scrolled(match delta {
                MouseScrollDelta::LineDelta(_, lines) => lines,
                MouseScrollDelta::PixelDelta(pixels) => pixels.y as f32 / 40.0,
            }),
            WindowEvent::KeyboardInput {
                event: KeyEvent { logical_key, state: ElementState::Pressed, repeat: false, .. },
                is_synthetic: false,
                ..
            } => self.key(event_loop, logical_key.as_ref()),
            WindowEvent::RedrawRequested => self.redraw(event_loop),
            _ => {}
        }
    }
}

/// A window with its demo.
struct Shown<D> {
    window: Arc<Window>,
    surface: wgpu::Surface<'static>,
    configuration: wgpu::SurfaceConfiguration,
    /// The surface's format without a conversion to sRGB: pictures are as the screen takes them.
    format: wgpu::TextureFormat,
    blit: Blit,
    renderer: Renderer<D>,
    /// The adapter and its backend.
    adapter: String,
    /// When the title was written, and the frames since then.
    titled: (Instant, u32),
}

impl<D: Demo> Shown<D> {
    fn new(
        event_loop: &ActiveEventLoop,
        display: OwnedDisplayHandle,
        options: &Options,
    ) -> Result<Self> {
        let attributes = Window::default_attributes().with_title(D::NAME);
        let window = Arc::new(event_loop.create_window(attributes)?);
        let display = Box::new(display);
        let instance = instance(wgpu::InstanceDescriptor::new_with_display_handle(display));
        let surface = instance.create_surface(window.clone())?;
        let (adapter, device, queue) = open(&instance, Some(&surface), options.adapter.as_deref())?;
        let PhysicalSize { width, height } = window.inner_size();
        let mut configuration = surface
            .get_default_config(&adapter, width.max(1), height.max(1))
            .ok_or("the adapter cannot draw on this window")?;
        let formats = surface.get_capabilities(&adapter).formats;
        if let Some(format) = formats.into_iter().find(|format| !format.is_srgb()) {
            configuration.format = format;
        }
        let format = configuration.format.remove_srgb_suffix();
        configuration.view_formats = vec![format];
        surface.configure(&device, &configuration);
        let blit = Blit::new(&device, format);
        let mut renderer = Renderer::new(device, queue, options.file.clone())?;
        let [width, height] = options.size.unwrap_or(renderer.size());
        // Where the size is not available, the picture is scaled.
        let _ = window.request_inner_size(PhysicalSize::new(width, height));
        if D::RESIZES {
            renderer.resize([configuration.width, configuration.height]);
        }
        let info = adapter.get_info();
        let (adapter, titled) = (format!("{}, {}", info.name, info.backend), (Instant::now(), 0));
        Ok(Self { window, surface, configuration, format, blit, renderer, adapter, titled })
    }

    fn resize(&mut self, size: PhysicalSize<u32>) {
        self.configuration.width = size.width.max(1);
        self.configuration.height = size.height.max(1);
        self.surface.configure(self.renderer.gpu().device(), &self.configuration);
        if D::RESIZES {
            self.renderer.resize([self.configuration.width, self.configuration.height]);
        }
        self.window.request_redraw();
    }

    /// Returns where the picture is drawn, as large as fits: from the left, from the top, width and
    /// height.
    fn place(&self) -> [f32; 4] {
        let window = [self.configuration.width as f32, self.configuration.height as f32];
        let picture = self.renderer.size().map(|size| size as f32);
        let scale = (window[0] / picture[0]).min(window[1] / picture[1]);
        let [width, height] = picture.map(|size| size * scale);
        [(window[0] - width) / 2.0, (window[1] - height) / 2.0, width, height]
    }

    fn in_picture(&self, [x, y]: [f32; 2]) -> [f32; 2] {
        let [left, top, width, height] = self.place();
        let [columns, rows] = self.renderer.size().map(|size| size as f32);
        [(x - left) / width * columns, (y - top) / height * rows]
    }

    /// Has the demo draw a frame, or shows the last one again, without an input. Returns false if
    /// there is nothing to draw on.
    fn draw(&mut self, input: Option<Input>) -> Result<bool> {
        use wgpu::CurrentSurfaceTexture as Current;
        let target = match self.surface.get_current_texture() {
            Current::Success(target) | Current::Suboptimal(target) => target,
            Current::Outdated | Current::Lost => {
                self.resize(self.window.inner_size());
                return Ok(false);
            }
            Current::Timeout | Current::Occluded | Current::Validation => {
                self.window.request_redraw();
                return Ok(false);
            }
        };
        self.title(input.is_none());
        let descriptor =
            wgpu::TextureViewDescriptor { format: Some(self.format), ..Default::default() };
        let view = target.texture.create_view(&descriptor);
        let ([left, top, width, height], blit) = (self.place(), &self.blit);
        let device = self.renderer.gpu().device().clone();
        let show = |encoder: &mut wgpu::CommandEncoder, picture: &wgpu::Texture| {
            let attachment = wgpu::RenderPassColorAttachment {
                view: &view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations::default(),
            };
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("blit"),
                color_attachments: &[Some(attachment)],
                ..Default::default()
            });
            pass.set_viewport(left, top, width, height, 0.0, 1.0);
            blit.draw(&mut pass, &blit.bind(&device, picture));
        };
        match input {
            Some(mut input) => {
                if D::RESIZES {
                    input.scale = self.window.scale_factor() as f32;
                }
                self.renderer.frame(input, show)?;
            }
            None => self.renderer.still(show),
        }
        self.window.pre_present_notify();
        self.renderer.gpu().queue().present(target);
        self.window.request_redraw();
        Ok(true)
    }

    /// Writes into the title, twice a second, the adapter and how long a frame took.
    fn title(&mut self, paused: bool) {
        let (since, frames) = &mut self.titled;
        *frames += 1;
        let elapsed = since.elapsed();
        if elapsed >= TITLE {
            let each = elapsed.as_secs_f64() * 1e3 / f64::from(*frames);
            let state = if paused { "paused".to_owned() } else { format!("{each:.1} ms") };
            self.window.set_title(&format!("{} - {} - {state}", D::NAME, self.adapter));
            self.titled = (Instant::now(), 0);
        }
    }
}
