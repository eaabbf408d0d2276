//! Writes the kernels between arrays and textures.

use std::fmt::Write as _;

use super::library::{self, Choices};
use crate::compile::arithmetic::Arithmetic;

/// The invocations of a workgroup along each of the two dimensions.
pub(crate) const WORKGROUP: u32 = 8;

/// The formats of textures that can be written as storage on all devices and hold only floats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum TexelFormat {
    Rgba8Unorm,
    Rgba16Float,
    R32Float,
    Rgba32Float,
}

impl TexelFormat {
    /// The name in WGSL.
    fn name(self) -> &'static str {
        match self {
            Self::Rgba8Unorm => "rgba8unorm",
            Self::Rgba16Float => "rgba16float",
            Self::R32Float => "r32float",
            Self::Rgba32Float => "rgba32float",
        }
    }
}

/// A kernel that moves all texels of a mip level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TextureKernel {
    pub(crate) format: TexelFormat,
    /// The elements of the array for each texel: 1, 3 or 4.
    pub(crate) channels: u32,
    /// The position of the array's first element in its binding, in elements.
    pub(crate) first: u32,
    /// True if the texture is written, false if the array is.
    pub(crate) writes_texture: bool,
}

impl TextureKernel {
    /// Returns the text of the module, with the entry point `main`.
    pub(crate) fn text(self) -> String {
        let mut main = String::new();
        let access = if self.writes_texture { "read" } else { "read_write" };
        let image = if self.writes_texture {
            format!("texture_storage_2d<{}, write>", self.format.name())
        } else {
            "texture_2d<f32>".to_owned()
        };
        let _ =
            writeln!(main, "@group(0) @binding(0) var<storage, {access}> elements: array<f32>;");
        let _ = writeln!(main, "@group(0) @binding(1) var image: {image};\n");
        let _ = writeln!(main, "@compute @workgroup_size({WORKGROUP}, {WORKGROUP})");
        main.push_str("fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n");
        main.push_str("    let size = textureDimensions(image);\n");
        main.push_str("    if (any(id.xy >= size)) {\n        return;\n    }\n");
        let Self { channels, first, .. } = self;
        let _ = writeln!(main, "    let at = {first}u + (id.y * size.x + id.x) * {channels}u;");
        if self.writes_texture {
            self.write_store(&mut main);
        } else {
            self.write_load(&mut main);
        }
        main.push_str("}\n");
        let mut text = library::needed_by(&main, CHOICES);
        text.push_str(&main);
        text
    }

    fn write_load(self, main: &mut String) {
        main.push_str("    let texel = textureLoad(image, id.xy, 0);\n");
        for channel in 0..self.channels {
            let value = match self.format {
                // The precision of the conversion is up to the device.
                TexelFormat::Rgba8Unorm => {
                    format!("xla_quotient(floor(texel[{channel}] * 255.0 + 0.5), 255.0)")
                }
                _ => format!("texel[{channel}]"),
            };
            let _ = writeln!(main, "    elements[at + {channel}u] = {value};");
        }
    }

    fn write_store(self, main: &mut String) {
        let element = |channel: u32| format!("elements[at + {channel}u]");
        let channels: Vec<String> = (0..self.channels).map(element).collect();
        let texel = match channels.as_slice() {
            // One value is a grey.
            [grey] => format!("vec4<f32>(vec3<f32>({grey}), 1.0)"),
            [r, g, b] => format!("vec4<f32>({r}, {g}, {b}, 1.0)"),
            all => format!("vec4<f32>({})", all.join(", ")),
        };
        let _ = writeln!(main, "    let texel = {texel};");
        if matches!(self.format, TexelFormat::Rgba8Unorm | TexelFormat::Rgba16Float) {
            let bits = "(bitcast<vec4<u32>>(texel) & vec4<u32>(0x7fffffffu))";
            let is_number = format!("{bits} <= vec4<u32>(0x7f800000u)");
            let _ = writeln!(main, "    let number = select(vec4<f32>(), texel, {is_number});");
        }
        let rounded = match self.format {
            // The device chooses how the store rounds, but it leaves these values unchanged.
            TexelFormat::Rgba8Unorm => {
                "floor(clamp(number, vec4<f32>(0.0), vec4<f32>(1.0)) * 255.0 + 0.5) / 255.0"
            }
            // Some devices store an infinity as another value, which changes its neighbours.
            TexelFormat::Rgba16Float => {
                "xla_f16_round_4(clamp(number, vec4<f32>(-65504.0), vec4<f32>(65504.0)))"
            }
            TexelFormat::R32Float | TexelFormat::Rgba32Float => "texel",
        };
        let _ = writeln!(main, "    textureStore(image, id.xy, {rounded});");
    }
}

/// For functions with several versions, those that are correct on every device.
const CHOICES: Choices =
    Choices { arithmetic: Arithmetic::portable(), int64: false, through_f64: false };
