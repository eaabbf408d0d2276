//! Writes the kernels between arrays and textures.

use std::fmt::Write as _;

use super::versions::versions;
use crate::arithmetic::Arithmetic;

/// The invocations of a workgroup along each of the two dimensions.
pub const WORKGROUP: u32 = 8;

/// The formats of textures that can be written as storage on all devices and hold only floats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TexelFormat {
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

/// The value that a load of a texel returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Texel {
    Float,
    Uint,
    Sint,
    Depth,
}

impl Texel {
    /// The type of the texture in WGSL.
    fn texture(self) -> &'static str {
        match self {
            Self::Float => "texture_2d<f32>",
            Self::Uint => "texture_2d<u32>",
            Self::Sint => "texture_2d<i32>",
            Self::Depth => "texture_depth_2d",
        }
    }
}

/// Which channels of texels are read as multiples of 1 / n, exactly: the precision of the conversion
/// is otherwise up to the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Steps {
    None,
    /// All, by this n.
    All(u32),
    /// The fourth, by 255; the colours are decoded from sRGB.
    Alpha,
}

/// What a kernel does with a texture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TexelAccess {
    Write(TexelFormat),
    Read(Texel, Steps),
}

/// A kernel that moves all texels of a mip level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TextureKernel {
    pub access: TexelAccess,
    /// The elements of the array for each texel: 1 to 4.
    pub channels: u32,
    /// The position of the array's first element in its binding, in elements.
    pub first: u32,
}

impl TextureKernel {
    /// Returns the text of the module, with the entry point `main`.
    pub fn text(self) -> String {
        let mut main = String::new();
        let (access, image) = match self.access {
            TexelAccess::Write(format) => {
                ("read", format!("texture_storage_2d<{}, write>", format.name()))
            }
            TexelAccess::Read(texel, _) => ("read_write", texel.texture().to_owned()),
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
        match self.access {
            TexelAccess::Write(format) => self.write_store(format, &mut main),
            TexelAccess::Read(texel, steps) => self.write_load(texel, steps, &mut main),
        }
        main.push_str("}\n");
        // Those that are correct on every device.
        let versions = versions(Arithmetic::portable(), false, false);
        let mut text = indim_shaders::needed_by(&main, versions);
        text.push_str(&main);
        text
    }

    fn write_load(self, texel: Texel, steps: Steps, main: &mut String) {
        main.push_str("    let texel = textureLoad(image, id.xy, 0);\n");
        for channel in 0..self.channels {
            let loaded = match texel {
                Texel::Float => format!("texel[{channel}]"),
                Texel::Uint | Texel::Sint => format!("f32(texel[{channel}])"),
                Texel::Depth => "texel".to_owned(),
            };
            let steps = match steps {
                Steps::All(steps) => Some(steps),
                Steps::Alpha if channel == 3 => Some(255),
                Steps::Alpha | Steps::None => None,
            };
            let value = match steps {
                Some(n) => format!("xla_quotient(floor({loaded} * {n}.0 + 0.5), {n}.0)"),
                None => loaded,
            };
            let _ = writeln!(main, "    elements[at + {channel}u] = {value};");
        }
    }

    fn write_store(self, format: TexelFormat, main: &mut String) {
        let element = |channel: u32| format!("elements[at + {channel}u]");
        let channels: Vec<String> = (0..self.channels).map(element).collect();
        let texel = match channels.as_slice() {
            // One value is a grey.
            [grey] => format!("vec4<f32>(vec3<f32>({grey}), 1.0)"),
            [r, g, b] => format!("vec4<f32>({r}, {g}, {b}, 1.0)"),
            all => format!("vec4<f32>({})", all.join(", ")),
        };
        let _ = writeln!(main, "    let texel = {texel};");
        if matches!(format, TexelFormat::Rgba8Unorm | TexelFormat::Rgba16Float) {
            let bits = "(bitcast<vec4<u32>>(texel) & vec4<u32>(0x7fffffffu))";
            let is_number = format!("{bits} <= vec4<u32>(0x7f800000u)");
            let _ = writeln!(main, "    let number = select(vec4<f32>(), texel, {is_number});");
        }
        let rounded = match format {
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
