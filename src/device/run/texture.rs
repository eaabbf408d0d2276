//! Moves arrays into textures, and texels into arrays, by kernels in caller-owned encoders.

use std::sync::Arc;

use crate::device::arrays::array::AnyArray;
use crate::device::arrays::typed::Array;
use crate::device::context::Context;
#[cfg(not(target_arch = "wasm32"))]
use crate::device::guard::error_scope::Raised;
use crate::device::guard::span::span;
use crate::device::memory::encoding::{Encoding, Role};
use crate::device::memory::pool::BufferUse;
use crate::device::program::commands::encode_pass;
use crate::device::recording::reclaim;
use crate::device::run::encode::{check_encoded, encode_uses};
use crate::device::run::encoded::Encoded;
use indim_compiler::wgsl::texture::{
    Steps, Texel, TexelAccess, TexelFormat, TextureKernel, WORKGROUP,
};
use indim_core::errors::device::DeviceError;
use indim_core::errors::texture::TextureError;
use indim_core::semantics::element::{Element, ElementType};
use indim_core::semantics::error::Result;
use indim_core::semantics::shape::Shape;

impl Array<f32> {
    /// Records in your encoder that the array is written to one mip level of one layer of a
    /// texture. You submit the encoder, and then call [`Encoded::submitted`].
    ///
    /// With H rows of W texels, the array's shape is [H, W] or [H, W, C], where C is 1, 3 or 4; a
    /// single value is written to all colours, and alpha is 1 unless there is a fourth value. The
    /// texture is a 2D one with `STORAGE_BINDING`, of one of these formats:
    ///
    /// - `Rgba8Unorm`: elements are clamped to 0 and 1, and rounded to the nearest of 256 steps; a
    ///   NaN is 0;
    /// - `Rgba16Float`: elements are clamped to -65504 and 65504, its largest numbers, and rounded to
    ///   the nearest F16, ties to even; a NaN is 0;
    /// - `Rgba32Float`, and `R32Float` for one value per texel: elements are unchanged.
    ///
    /// ```
    /// # use indim::wgpu;
    /// # let gpu = indim::Context::blocking()?;
    /// # let texture = gpu.device().create_texture(&wgpu::TextureDescriptor {
    /// #     label: None,
    /// #     size: wgpu::Extent3d { width: 3, height: 2, depth_or_array_layers: 1 },
    /// #     mip_level_count: 1,
    /// #     sample_count: 1,
    /// #     dimension: wgpu::TextureDimension::D2,
    /// #     format: wgpu::TextureFormat::Rgba8Unorm,
    /// #     usage: wgpu::TextureUsages::STORAGE_BINDING | wgpu::TextureUsages::TEXTURE_BINDING,
    /// #     view_formats: &[],
    /// # });
    /// let grey = gpu.full([2, 3], 0.2_f32)?; // the texture is Rgba8Unorm, 3 wide and 2 high
    /// let mut encoder = gpu.device().create_command_encoder(&Default::default());
    /// let written = grey.encode_to_texture(&mut encoder, &texture, 0, 0)?;
    /// // ... your pass that samples the texture
    /// # let (texels, read) = gpu.array_from_texture(&mut encoder, &texture, 0, 0)?;
    /// gpu.queue().submit([encoder.finish()]);
    /// written.submitted();
    /// # read.submitted();
    /// # assert_eq!(texels.to_vec_blocking()?[..4], [0.2, 0.2, 0.2, 1.0]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`TextureError`]; [`ArrayError::NotSubmitted`](crate::ArrayError::NotSubmitted) as for
    /// [`Bound::encode`](crate::Bound::encode); [`DeviceError::TooLarge`] for an array that is larger than
    /// `max_storage_buffer_binding_size`; [`DeviceError`].
    pub fn encode_to_texture(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        texture: &wgpu::Texture,
        mip: u32,
        layer: u32,
    ) -> Result<Encoded> {
        let context = self.context();
        context.gpu().device.lost.check()?;
        let before = check_encoded(&[self.as_any()])?;
        let format = written_format(texture.format())?;
        let level = Level::of(context, texture, mip, layer)?;
        check_usage(texture, wgpu::TextureUsages::STORAGE_BINDING, "STORAGE_BINDING")?;
        let channels = level.channels(format, self.shape())?;
        let (array, access) = (self.as_any(), TexelAccess::Write(format));
        let moves = Move { array, level, channels, access };
        Ok(Encoded::new(moves.encode(context, encoder, before)?, Vec::new()))
    }
}

impl Context {
    /// Records in your encoder that one mip level of one layer of a texture is read into a new
    /// array, which [`Encoded::submitted`] makes usable: for H rows of W texels, of shape [H, W] if
    /// the format has one channel, and otherwise [H, W, C] with C channels, in the order red, green,
    /// blue, alpha.
    ///
    /// The texture is a 2D one with `TEXTURE_BINDING`, of one of these formats:
    ///
    /// - `Rgba8Unorm`, `Bgra8Unorm`, `R8Unorm`, `Rg8Unorm`: n / 255, correctly rounded;
    /// - `R8Snorm`, `Rg8Snorm`: n / 127, where -128 counts as -127;
    /// - `R8Uint`, `R8Sint`, `Rg8Uint`, `Rg8Sint`: the integers;
    /// - `Rgba8UnormSrgb`, `Bgra8UnormSrgb`: linear colours, which the device decodes with the
    ///   precision of its sampling, and alpha as in `Rgba8Unorm`;
    /// - `Rgba16Float`, `R32Float`, `Rgba32Float`: the elements, unchanged;
    /// - `Depth16Unorm`: n / 65535, correctly rounded; `Depth24Plus`, `Depth32Float`: the depth, from
    ///   0 to 1, as the device has it.
    ///
    /// Keep the [`Encoded`]: `let (array, _) = ..` would drop it at once, and the array could never
    /// be used.
    ///
    /// ```
    /// # use indim::wgpu;
    /// # let gpu = indim::Context::blocking()?;
    /// # let texture = gpu.device().create_texture(&wgpu::TextureDescriptor {
    /// #     label: None,
    /// #     size: wgpu::Extent3d { width: 3, height: 2, depth_or_array_layers: 1 },
    /// #     mip_level_count: 1,
    /// #     sample_count: 1,
    /// #     dimension: wgpu::TextureDimension::D2,
    /// #     format: wgpu::TextureFormat::R32Float,
    /// #     usage: wgpu::TextureUsages::STORAGE_BINDING | wgpu::TextureUsages::TEXTURE_BINDING,
    /// #     view_formats: &[],
    /// # });
    /// let mut encoder = gpu.device().create_command_encoder(&Default::default());
    /// // ... your pass that writes the texture, R32Float, 3 wide and 2 high; here it is 0 to 5
    /// # let numbers = gpu.array([2, 3], &[0_f32, 1., 2., 3., 4., 5.])?;
    /// # let written = numbers.encode_to_texture(&mut encoder, &texture, 0, 0)?;
    /// let (texels, read) = gpu.array_from_texture(&mut encoder, &texture, 0, 0)?;
    /// gpu.queue().submit([encoder.finish()]);
    /// read.submitted();
    /// # written.submitted();
    /// assert_eq!(texels.shape().dims(), [2, 3]);
    /// assert_eq!(texels.to_vec_blocking()?, [0., 1., 2., 3., 4., 5.]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the errors of [`Array::encode_to_texture`].
    pub fn array_from_texture(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        texture: &wgpu::Texture,
        mip: u32,
        layer: u32,
    ) -> Result<(Array<f32>, Encoded)> {
        self.gpu().device.lost.check()?;
        let (texel, channels, steps) = read_format(texture.format())?;
        let level = Level::of(self, texture, mip, layer)?;
        check_usage(texture, wgpu::TextureUsages::TEXTURE_BINDING, "TEXTURE_BINDING")?;
        let [height, width] = [level.height, level.width].map(|size| size as usize);
        let shape: Shape = match channels {
            1 => [height, width].into(),
            _ => [height, width, channels as usize].into(),
        };
        let array = reclaim::checked_with_retry(&self.inner.stream, || {
            AnyArray::uninitialized(self, f32::ELEMENT_TYPE, &shape, BufferUse::Encoded)
        })?;
        let access = TexelAccess::Read(texel, steps);
        let moves = Move { array: &array, level, channels, access };
        let encoding = moves.encode(self, encoder, Vec::new())?;
        let encoded = Encoded::new(encoding, vec![array.clone()]);
        Ok((array.downcast()?, encoded))
    }
}

/// A mip level of a texture layer that can be written or read.
struct Level<'a> {
    texture: &'a wgpu::Texture,
    mip: u32,
    layer: u32,
    width: u32,
    height: u32,
}

impl<'a> Level<'a> {
    #[cfg_attr(
        target_arch = "wasm32",
        expect(unused_variables, reason = "nobody else's are there")
    )]
    fn of(context: &Context, texture: &'a wgpu::Texture, mip: u32, layer: u32) -> Result<Self> {
        if texture.dimension() != wgpu::TextureDimension::D2 || texture.sample_count() != 1 {
            let dimension = format!("{:?}", texture.dimension());
            return Err(TextureError::Kind { dimension, samples: texture.sample_count() }.into());
        }
        let layers = texture.depth_or_array_layers();
        let levels = texture.mip_level_count();
        for (what, index, count) in [("mip level", mip, levels), ("array layer", layer, layers)] {
            if index >= count {
                return Err(TextureError::Index { what, index, count }.into());
            }
        }
        #[cfg(not(target_arch = "wasm32"))]
        check_owner(context, texture)?;
        let [width, height] = [texture.width(), texture.height()].map(|size| (size >> mip).max(1));
        Ok(Self { texture, mip, layer, width, height })
    }

    /// Returns how many elements of an array of this shape belong to each texel.
    fn channels(&self, format: TexelFormat, shape: &Shape) -> Result<u32> {
        let (wanted, channels): (&[usize], _) = match format {
            TexelFormat::R32Float => (&[1], "1"),
            _ => (&[1, 3, 4], "1, 3 or 4"),
        };
        let [height, width] = [self.height, self.width].map(|size| size as usize);
        match *shape.dims() {
            [h, w] if [h, w] == [height, width] => Ok(1),
            [h, w, c] if [h, w] == [height, width] && wanted.contains(&c) => Ok(c as u32),
            _ => {
                let (array, width, height) = (shape.clone(), self.width, self.height);
                Err(TextureError::Shape { array, width, height, channels }.into())
            }
        }
    }
}

/// Returns the format as which texels are written.
fn written_format(format: wgpu::TextureFormat) -> Result<TexelFormat> {
    use wgpu::TextureFormat as Format;
    let advice = match format {
        Format::Rgba8Unorm => return Ok(TexelFormat::Rgba8Unorm),
        Format::Rgba16Float => return Ok(TexelFormat::Rgba16Float),
        Format::R32Float => return Ok(TexelFormat::R32Float),
        Format::Rgba32Float => return Ok(TexelFormat::Rgba32Float),
        Format::Rgba8UnormSrgb => {
            "create it as Rgba8Unorm, with Rgba8UnormSrgb among its view_formats, and draw with a view of that format"
        }
        Format::Bgra8Unorm | Format::Bgra8UnormSrgb => {
            "take a texture of Rgba8Unorm beside it, and draw that into it in a render pass, which orders the channels"
        }
        _ => "take a texture of one of these beside it, and copy or draw between the two",
    };
    let formats = "Rgba8Unorm, Rgba16Float, R32Float and Rgba32Float can be written";
    Err(TextureError::Format { format: format!("{format:?}"), formats, advice }.into())
}

/// Returns what a load of a texel returns, the channels that it has, and which are rounded.
fn read_format(format: wgpu::TextureFormat) -> Result<(Texel, u32, Steps)> {
    use wgpu::TextureFormat as Format;
    Ok(match format {
        Format::Rgba8Unorm | Format::Bgra8Unorm => (Texel::Float, 4, Steps::All(255)),
        Format::Rgba8UnormSrgb | Format::Bgra8UnormSrgb => (Texel::Float, 4, Steps::Alpha),
        Format::R8Unorm => (Texel::Float, 1, Steps::All(255)),
        Format::Rg8Unorm => (Texel::Float, 2, Steps::All(255)),
        Format::R8Snorm => (Texel::Float, 1, Steps::All(127)),
        Format::Rg8Snorm => (Texel::Float, 2, Steps::All(127)),
        Format::R8Uint => (Texel::Uint, 1, Steps::None),
        Format::Rg8Uint => (Texel::Uint, 2, Steps::None),
        Format::R8Sint => (Texel::Sint, 1, Steps::None),
        Format::Rg8Sint => (Texel::Sint, 2, Steps::None),
        Format::Rgba16Float | Format::Rgba32Float => (Texel::Float, 4, Steps::None),
        Format::R32Float => (Texel::Float, 1, Steps::None),
        Format::Depth16Unorm => (Texel::Depth, 1, Steps::All(65535)),
        Format::Depth24Plus | Format::Depth32Float => (Texel::Depth, 1, Steps::None),
        _ => {
            let advice = "draw it into a texture of one of these";
            let formats = "those that Context::array_from_texture lists can be read";
            let format = format!("{format:?}");
            return Err(TextureError::Format { format, formats, advice }.into());
        }
    })
}

/// Checks that the texture is one of this device. Every wgpu instance numbers its textures the same
/// way, so a texture of another instance would be mistaken for the one with that number here. But
/// an error that a texture raises goes to its own device, and a view of a mip level beyond the last
/// raises one.
#[cfg(not(target_arch = "wasm32"))]
fn check_owner(context: &Context, texture: &wgpu::Texture) -> Result<()> {
    let beyond = wgpu::TextureViewDescriptor {
        base_mip_level: texture.mip_level_count(),
        mip_level_count: Some(1),
        ..wgpu::TextureViewDescriptor::default()
    };
    match context.gpu().device.raised_on(|| drop(texture.create_view(&beyond))) {
        Raised::Here => Ok(()),
        Raised::Elsewhere | Raised::Nowhere => Err(TextureError::OtherDevice.into()),
    }
}

fn check_usage(
    texture: &wgpu::Texture,
    needed: wgpu::TextureUsages,
    missing: &'static str,
) -> Result<()> {
    if texture.usage().contains(needed) {
        return Ok(());
    }
    let names: Vec<&str> = texture.usage().iter_names().map(|(name, _)| name).collect();
    Err(TextureError::Usage { usage: names.join(" | "), missing }.into())
}

/// A move between an array and a mip level of its size.
struct Move<'a> {
    array: &'a AnyArray,
    level: Level<'a>,
    /// The elements for each texel.
    channels: u32,
    access: TexelAccess,
}

impl Move<'_> {
    fn encode(
        &self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        before: Vec<Arc<Encoding>>,
    ) -> Result<Option<Arc<Encoding>>> {
        span!("record");
        let Self { array, level, channels, access } = self;
        let writes_texture = matches!(access, TexelAccess::Write(_));
        let (gpu, device) = (context.gpu(), &context.gpu().device);
        let elements = u64::from(level.width) * u64::from(level.height) * u64::from(*channels);
        let layout = array.storage().layout();
        let bytes = u64::from(layout.offset) + elements * 4;
        let allowed = gpu.limits.max_storage_buffer_binding_size;
        if bytes > allowed {
            let (element_type, shape) = (ElementType::F32, array.shape().clone());
            let limit = "max_storage_buffer_binding_size";
            let too_large = DeviceError::TooLarge { element_type, shape, bytes, limit, allowed };
            return Err(too_large.into());
        }
        let (access, channels, first) = (*access, *channels, layout.offset / 4);
        let kernel = TextureKernel { access, channels, first };
        #[cfg(target_arch = "wasm32")]
        context.inner.forget_tainted(&device.deferred_errors);
        let pipeline = context.inner.textures.get(device, kernel)?;
        let binding = array.storage().binding(&(0..bytes));
        let label = device.labels.texture.as_str();
        device.counters.bind_groups.add(1);
        let bindings = device.checked("the bindings of a texture", None, || {
            let view = level.texture.create_view(&wgpu::TextureViewDescriptor {
                label: Some(label),
                dimension: Some(wgpu::TextureViewDimension::D2),
                base_mip_level: level.mip,
                mip_level_count: Some(1),
                base_array_layer: level.layer,
                array_layer_count: Some(1),
                ..wgpu::TextureViewDescriptor::default()
            });
            let elements = wgpu::BufferBinding {
                buffer: binding.buffer,
                offset: binding.offset,
                size: std::num::NonZeroU64::new(binding.size),
            };
            let resources = [
                wgpu::BindingResource::Buffer(elements),
                wgpu::BindingResource::TextureView(&view),
            ];
            let entry = |(resource, binding)| wgpu::BindGroupEntry { binding, resource };
            let entries: Vec<_> = resources.into_iter().zip(0..).map(entry).collect();
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some(label),
                layout: &pipeline.bindings,
                entries: &entries,
            })
        });
        let bindings = device.check_failure(bindings)?;
        let groups = [level.width, level.height].map(|size| size.div_ceil(WORKGROUP));
        let record = |encoder: &mut wgpu::CommandEncoder| {
            encode_pass(device, gpu.timer.as_ref(), encoder, label, |pass| {
                pass.set_pipeline(&pipeline.pipeline);
                pass.set_bind_group(0, &bindings, &[]);
                pass.dispatch_workgroups(groups[0], groups[1], 1);
            });
        };
        let role = if writes_texture { Role::Operand } else { Role::Result };
        let encoding = encode_uses(context, encoder, vec![(*array, role)], before, record)?;
        let counters = &device.counters;
        counters.dispatches.add(1);
        if writes_texture {
            counters.read_bytes.add(elements * 4)
        } else {
            counters.written_bytes.add(elements * 4)
        }
        Ok(Some(encoding))
    }
}
