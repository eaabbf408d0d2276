//! Charges that Bevy moves, and the field around them, which indim computes on Bevy's device, in
//! Bevy's encoder, into Bevy's texture.

mod field;
mod run;
mod scene;

use bevy::core_pipeline::schedule::camera_driver;
use bevy::prelude::*;
use bevy::render::extract_resource::ExtractResourcePlugin;
use bevy::render::render_asset::RenderAssets;
use bevy::render::renderer::{
    RenderContext, RenderDevice, RenderGraph, RenderGraphSystems, RenderQueue,
};
use bevy::render::texture::GpuImage;
use bevy::render::{Extract, ExtractSchedule, RenderApp, RenderStartup};
use indim::{Array, Context, Encoded, wgpu};

pub use run::{frames, show, write};
pub use scene::{CHARGES, ORBITS};
use scene::{Charge, Picture};

/// Pixels down and across.
pub const N: i64 = 640;

/// The field, in the render world.
#[derive(Resource)]
struct Field {
    gpu: Context,
    /// To the right, up, and charge: of the entities, and Bevy's buffer of them, shape (CHARGES, 3).
    places: [[f32; 3]; CHARGES],
    charges: (wgpu::Buffer, Array<f32>),
    /// Colours of positive and of negative potentials, shape (2, 3).
    palette: Array<f32>,
    /// Shapes (N, N) and (N, N, 3).
    potential: Array<f32>,
    net: Array<f32>,
    colours: Array<f32>,
    encoded: Vec<Encoded>,
}

/// Has the field drawn in each frame, before the cameras see it.
struct FieldPlugin;

impl Plugin for FieldPlugin {
    fn build(&self, app: &mut App) {
        app.add_plugins(ExtractResourcePlugin::<Picture>::default());
        let record = record.in_set(RenderGraphSystems::Render).before(camera_driver);
        app.sub_app_mut(RenderApp)
            .add_systems(RenderStartup, open)
            .add_systems(ExtractSchedule, extract)
            .add_systems(RenderGraph, (record, submitted.in_set(RenderGraphSystems::Finish)));
    }
}

/// Runs when there is a device, and again if Bevy opens another because this one was lost.
fn open(mut commands: Commands, device: Res<RenderDevice>, queue: Res<RenderQueue>) -> Result {
    let gpu = Context::from_device(device.wgpu_device().clone(), (**queue).clone())?;
    let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: Some("charges"),
        size: (CHARGES * 12) as u64,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let n = N as usize;
    let zeros = |shape: &[usize]| -> indim::Result<Array<f32>> {
        let array = gpu.array(shape, &vec![0.0; shape.iter().product()])?;
        // From here on in place, even if others hold the array, such as an expression that reads
        // it.
        array.buffer()?;
        Ok(array)
    };
    commands.insert_resource(Field {
        places: [[0.0; 3]; CHARGES],
        charges: (buffer.clone(), gpu.array_from_buffer([CHARGES, 3], buffer, 0)?),
        palette: gpu.array([2, 3], &[1.0, 0.42, 0.10, 0.12, 0.46, 1.0])?,
        potential: zeros(&[n, n])?,
        net: zeros(&[n, n])?,
        colours: zeros(&[n, n, 3])?,
        encoded: Vec::new(),
        gpu,
    });
    Ok(())
}

fn extract(mut field: ResMut<Field>, charges: Extract<Query<(&Charge, &Transform)>>) {
    for (place, (charge, transform)) in field.places.iter_mut().zip(&charges) {
        *place = [transform.translation.x, transform.translation.y, charge.0];
    }
}

fn record(
    field: ResMut<Field>,
    mut context: RenderContext,
    picture: Res<Picture>,
    images: Res<RenderAssets<GpuImage>>,
) -> Result {
    let Some(image) = images.get(&picture.0) else { return Ok(()) };
    let (field, encoder) = (field.into_inner(), context.command_encoder());
    let Field { charges: (buffer, charges), potential, net, colours, encoded, .. } = field;
    field.gpu.queue().write_buffer(buffer, 0, bytemuck::bytes_of(&field.places));
    let heights = field::potential(charges).named("potential");
    encoded.push(heights.encode_into(encoder, &mut *potential)?);
    let lines = field::net(charges, potential).named("net");
    encoded.push(lines.encode_into(encoder, &mut *net)?);
    let seen = field::colours(potential, net, &field.palette).named("colours");
    encoded.push(seen.encode_into(encoder, &mut *colours)?);
    encoded.push(colours.encode_to_texture(encoder, &image.texture, 0, 0)?);
    Ok(())
}

/// Runs when Bevy has submitted its encoders.
fn submitted(mut field: ResMut<Field>) {
    field.encoded.drain(..).for_each(|encoded| encoded.submitted());
}
