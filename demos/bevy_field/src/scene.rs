//! Sets up the entities that carry charges and go round, and the picture that is shown.

use bevy::asset::RenderAssetUsages;
use bevy::prelude::*;
use bevy::render::RenderApp;
use bevy::render::extract_resource::ExtractResource;
use indim::wgpu::{TextureFormat, TextureUsages};

use crate::N;

pub const CHARGES: usize = 5;

/// Each charge, the middle of its orbit, to the right of the picture's and up in pixels, the orbit's
/// radius, and its turns in a second.
pub const ORBITS: [(f32, [f32; 2], f32, f32); CHARGES] = [
    (2.0, [-40.0, 20.0], 70.0, 0.11),
    (1.0, [150.0, -110.0], 60.0, -0.17),
    (-1.0, [-180.0, -120.0], 50.0, 0.23),
    (-1.0, [140.0, 140.0], 80.0, 0.13),
    (-1.0, [-130.0, 190.0], 40.0, -0.19),
];

#[derive(Component)]
pub(crate) struct Charge(pub(crate) f32);

#[derive(Component)]
struct Orbit {
    middle: Vec2,
    radius: f32,
    turns: f32,
}

/// Holds the image that the field is drawn to, and that the sprite shows.
#[derive(Resource, Clone, ExtractResource)]
#[extract_app(RenderApp)]
pub(crate) struct Picture(pub(crate) Handle<Image>);

pub(crate) struct ScenePlugin;

impl Plugin for ScenePlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Startup, spawn).add_systems(Update, go_round);
    }
}

fn spawn(mut commands: Commands, mut images: ResMut<Assets<Image>>) {
    // Kernels write to a view that is not sRGB, and sprites read one that is.
    let (format, view) = (TextureFormat::Rgba8Unorm, Some(TextureFormat::Rgba8UnormSrgb));
    let mut image = Image::new_target_texture(N as u32, N as u32, format, view);
    image.asset_usage = RenderAssetUsages::RENDER_WORLD;
    image.texture_descriptor.usage =
        TextureUsages::STORAGE_BINDING | TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_SRC;
    if let Some(view) = &mut image.texture_view_descriptor {
        view.usage = Some(TextureUsages::TEXTURE_BINDING);
    }
    let picture = images.add(image);
    commands.spawn(Camera2d);
    commands.spawn(Sprite::from_image(picture.clone()));
    commands.insert_resource(Picture(picture));
    for (charge, middle, radius, turns) in ORBITS {
        let colour = Color::srgb(0.5 + charge, 0.9, 0.5 - charge);
        let sprite = Sprite::from_color(colour, Vec2::splat(9.0));
        let orbit = Orbit { middle: middle.into(), radius, turns };
        commands.spawn((Charge(charge), orbit, sprite, Transform::default()));
    }
}

/// Moves the charges. The first one is where the pointer is.
fn go_round(
    time: Res<Time>,
    window: Option<Single<&Window>>,
    mut charges: Query<(&Orbit, &mut Transform)>,
) {
    for (orbit, mut transform) in &mut charges {
        let angle = time.elapsed_secs() * orbit.turns * std::f32::consts::TAU;
        let place = orbit.middle + Vec2::from_angle(angle) * orbit.radius;
        transform.translation = place.extend(1.0);
    }
    let pointer = window.and_then(|window| Some(window.cursor_position()? - window.size() * 0.5));
    if let (Some(pointer), Some((_, mut transform))) = (pointer, charges.iter_mut().next()) {
        transform.translation = Vec3::new(pointer.x, -pointer.y, 1.0);
    }
}
