//! The app, in a window and without one.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;
use std::time::Duration;

use bevy::prelude::*;
use bevy::render::RenderApp;
use bevy::render::gpu_readback::{Readback, ReadbackComplete};
use bevy::render::renderer::RenderDevice;
use bevy::time::TimeUpdateStrategy;
use bevy::window::{ExitCondition, WindowResolution};
use bevy::winit::WinitPlugin;
use indim::{Stats, wgpu};

use crate::scene::{Picture, ScenePlugin};
use crate::{Field, FieldPlugin, N};

/// Shows the field in a window, until that is closed.
pub fn show() -> AppExit {
    let window = Window {
        title: "bevy_field".into(),
        resolution: WindowResolution::new(N as u32, N as u32),
        resizable: false,
        ..default()
    };
    app(Some(window)).run()
}

/// Draws frames, a sixtieth of a second apart, and gives the bytes of each, red, green, blue and
/// alpha row by row, to `take`. Prints how good a guest indim was.
///
/// # Errors
/// It returns the errors of `take`, and one in words if Bevy stops or if indim did more than to record.
pub fn frames(count: usize, mut take: impl FnMut(usize, Vec<u8>) -> Result) -> Result {
    let mut app = app(None);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs(1) / 60))
        .init_resource::<Taken>()
        .add_systems(PostStartup, read_back);
    app.finish();
    app.cleanup();
    let mut stats = Vec::new();
    // Bevy delivers a frame's pixels at the beginning of the next one.
    for frame in 0..=count {
        app.update();
        if app.should_exit().is_some() {
            return Err("Bevy has stopped, and has logged why".into());
        }
        let world = app.sub_app(RenderApp).world();
        stats.push(world.resource::<Field>().gpu.stats());
        let device = world.resource::<RenderDevice>().wgpu_device();
        device.poll(wgpu::PollType::wait_indefinitely())?;
        let bytes = app.world_mut().resource_mut::<Taken>().0.take();
        if let Some(before) = frame.checked_sub(1) {
            take(before, bytes.ok_or_else(|| format!("there is no picture of frame {before}"))?)?;
        }
    }
    println!("bevy_field: {}", check_guest(&stats)?);
    Ok(())
}

/// Draws frames, and writes them to a directory.
///
/// # Errors
/// It returns the errors of [`frames`], and those of writing files.
pub fn write(count: usize, directory: &Path) -> Result {
    fs::create_dir_all(directory)?;
    frames(count, |frame, bytes| {
        let file = File::create(directory.join(format!("bevy_field-{frame:04}.png")))?;
        let mut encoder = png::Encoder::new(BufWriter::new(file), N as u32, N as u32);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        Ok(encoder.write_header()?.write_image_data(&bytes)?)
    })
}

fn app(window: Option<Window>) -> App {
    let headless = window.is_none();
    let exit_condition =
        if headless { ExitCondition::DontExit } else { ExitCondition::OnAllClosed };
    let window = WindowPlugin { primary_window: window, exit_condition, ..default() };
    let plugins = DefaultPlugins.set(window);
    let mut app = App::new();
    if headless {
        app.add_plugins(plugins.disable::<WinitPlugin>())
    } else {
        app.add_plugins(plugins)
    };
    app.add_plugins((ScenePlugin, FieldPlugin));
    app
}

/// Holds the bytes of the picture once Bevy has read them back.
#[derive(Resource, Default)]
struct Taken(Option<Vec<u8>>);

/// Has Bevy read the picture in each frame. Its rows are a multiple of 256 bytes, and so they come
/// without gaps.
fn read_back(mut commands: Commands, picture: Res<Picture>) {
    commands.spawn(Readback::texture(picture.0.clone())).observe(
        |done: On<ReadbackComplete>, mut taken: ResMut<Taken>| {
            taken.0 = Some(done.data.clone());
        },
    );
}

/// Checks that after the second frame indim has submitted nothing, read nothing back, and made no
/// buffer and no kernel. With fewer frames, it returns a sentence that they are too few.
fn check_guest(stats: &[Stats]) -> Result<String> {
    let (Some(before), Some(after), true) = (stats.get(1), stats.last(), stats.len() > 2) else {
        return Ok("what indim does in each frame is counted from the third one on".to_owned());
    };
    let counts = [
        ("submissions", after.submissions - before.submissions),
        ("readbacks' bytes", after.downloaded_bytes - before.downloaded_bytes),
        ("readbacks' buffers", after.staging_allocations - before.staging_allocations),
        ("arrays' buffers", after.allocations - before.allocations),
        ("bytes of parameters", after.uniform_bytes - before.uniform_bytes),
        ("kernels", after.compilations - before.compilations),
    ];
    let frames = stats.len() - 2;
    if counts.iter().any(|(_, count)| *count > 0) {
        return Err(format!("after the second frame, in {frames} frames, new: {counts:?}").into());
    }
    let dispatches = (after.dispatches - before.dispatches) / frames as u64;
    let names = counts.map(|(name, _)| name).join(", ");
    Ok(format!("indim, in {frames} frames: {dispatches} dispatches each; no new {names}"))
}
