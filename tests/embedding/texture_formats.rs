//! Tests reading textures of formats that cannot be written as storage: what wgpu writes into them is
//! what arrays have.

use indim::{Array, Context, wgpu};
use indim_testing::contexts::{gpu, values};
use wgpu::TextureFormat as Format;

use crate::encoded::{encoder, submit};
use crate::textures::made;

fn read(gpu: &Context, texture: &wgpu::Texture, mip: u32, layer: u32) -> Array<f32> {
    let mut encoder = encoder(gpu);
    let (array, encoded) = gpu.array_from_texture(&mut encoder, texture, mip, layer).unwrap();
    submit(gpu, encoder);
    encoded.submitted();
    array
}

/// Writes bytes to a mip level of a layer, by the queue.
fn write(gpu: &Context, texture: &wgpu::Texture, mip: u32, layer: u32, bytes: &[u8]) {
    let [width, height] = [texture.width(), texture.height()].map(|size| (size >> mip).max(1));
    gpu.queue().write_texture(
        wgpu::TexelCopyTextureInfo {
            texture,
            mip_level: mip,
            origin: wgpu::Origin3d { x: 0, y: 0, z: layer },
            aspect: wgpu::TextureAspect::All,
        },
        bytes,
        wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(bytes.len() as u32 / height),
            rows_per_image: None,
        },
        wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
    );
}

/// Returns the elements of a texture of 16 by 16 texels after each byte was written to each channel,
/// with the bytes of each texel, and the array's shape.
fn elements_of_all_bytes(gpu: &Context, format: Format) -> (Vec<f32>, Vec<Vec<u8>>, Vec<usize>) {
    let channels = format.block_copy_size(None).unwrap();
    let texel = |i: u32| (0..channels).map(|c| (i * (2 * c + 1) + 40 * c) as u8).collect();
    let texels: Vec<Vec<u8>> = (0..256).map(texel).collect();
    let usage = wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST;
    let texture = made(gpu, format, [16, 16, 2], 1, usage);
    write(gpu, &texture, 0, 1, &texels.concat());
    let array = read(gpu, &texture, 0, 1);
    (values(&array), texels, array.shape().dims().to_vec())
}

#[test]
fn eight_bits_of_each_kind_are_read_exactly() {
    let gpu = gpu();
    let unorm = |byte: u8| f32::from(byte) / 255.0;
    let snorm = |byte: u8| f32::from(byte.cast_signed().max(-127)) / 127.0;
    let sint = |byte: u8| f32::from(byte.cast_signed());
    type Value = fn(u8) -> f32;
    let kinds: [(Format, Value); 9] = [
        (Format::Rgba8Unorm, unorm),
        (Format::R8Unorm, unorm),
        (Format::Rg8Unorm, unorm),
        (Format::R8Snorm, snorm),
        (Format::Rg8Snorm, snorm),
        (Format::R8Uint, f32::from),
        (Format::Rg8Uint, f32::from),
        (Format::R8Sint, sint),
        (Format::Rg8Sint, sint),
    ];
    for (format, value) in kinds {
        let (elements, texels, shape) = elements_of_all_bytes(&gpu, format);
        let expected: Vec<f32> = texels.concat().into_iter().map(value).collect();
        assert_eq!(elements, expected, "{format:?}");
        let channels = texels[0].len();
        let dims = [16, 16, channels];
        assert_eq!(shape, if channels == 1 { &dims[..2] } else { &dims[..] }, "{format:?}");
    }
}

#[test]
fn blue_first_is_read_as_red_first() {
    let gpu = gpu();
    let (elements, texels, _) = elements_of_all_bytes(&gpu, Format::Bgra8Unorm);
    let red_first = texels.iter().flat_map(|texel| [texel[2], texel[1], texel[0], texel[3]]);
    let expected: Vec<f32> = red_first.map(|byte| f32::from(byte) / 255.0).collect();
    assert_eq!(elements, expected);
}

/// Returns the byte that a linear colour is stored as.
fn srgb_byte(linear: f32) -> u8 {
    let x = f64::from(linear);
    let encoded = if x <= 0.0031308 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 };
    (encoded * 255.0).round() as u8
}

#[test]
fn srgb_colours_are_decoded_and_alpha_is_not() {
    let gpu = gpu();
    for (format, places) in
        [(Format::Rgba8UnormSrgb, [0, 1, 2, 3]), (Format::Bgra8UnormSrgb, [2, 1, 0, 3])]
    {
        let (elements, texels, shape) = elements_of_all_bytes(&gpu, format);
        assert_eq!(shape, [16, 16, 4]);
        for (found, texel) in elements.chunks(4).zip(&texels) {
            let colours: Vec<u8> = found[..3].iter().map(|&linear| srgb_byte(linear)).collect();
            let expected: Vec<u8> = places[..3].iter().map(|&place| texel[place]).collect();
            assert_eq!(colours, expected, "{format:?}: {found:?}");
            assert_eq!(found[3], f32::from(texel[3]) / 255.0, "{format:?}");
        }
        // Linear: the middle of the bytes is a fifth of the light.
        let middle = texels.iter().position(|texel| texel[places[0]] == 128).unwrap();
        assert!((elements[4 * middle] - 0.2158).abs() < 1e-3, "{}", elements[4 * middle]);
    }
}

#[test]
fn depth_of_sixteen_bits_is_read_exactly() {
    let gpu = gpu();
    let usage = wgpu::TextureUsages::TEXTURE_BINDING
        | wgpu::TextureUsages::RENDER_ATTACHMENT
        | wgpu::TextureUsages::COPY_DST;
    let texture = made(&gpu, Format::Depth16Unorm, [256, 256, 1], 1, usage);
    let all: Vec<u16> = (0..=u16::MAX).collect();
    let bytes: Vec<u8> = all.iter().flat_map(|depth| depth.to_le_bytes()).collect();
    write(&gpu, &texture, 0, 0, &bytes);
    let array = read(&gpu, &texture, 0, 0);
    assert_eq!(array.shape().dims(), [256, 256]);
    let expected: Vec<f32> = all.iter().map(|&depth| f32::from(depth) / 65535.0).collect();
    assert!(values(&array) == expected);
}

/// Clears a mip level of a layer to this depth.
fn clear(gpu: &Context, texture: &wgpu::Texture, mip: u32, layer: u32, depth: f32) {
    let view = texture.create_view(&wgpu::TextureViewDescriptor {
        dimension: Some(wgpu::TextureViewDimension::D2),
        base_mip_level: mip,
        mip_level_count: Some(1),
        base_array_layer: layer,
        array_layer_count: Some(1),
        ..Default::default()
    });
    let mut encoder = encoder(gpu);
    drop(encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
            view: &view,
            depth_ops: Some(wgpu::Operations {
                load: wgpu::LoadOp::Clear(depth),
                store: wgpu::StoreOp::Store,
            }),
            stencil_ops: None,
        }),
        ..Default::default()
    }));
    submit(gpu, encoder);
}

#[test]
fn depth_that_a_pass_wrote_is_read() {
    let gpu = gpu();
    let usage = wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::RENDER_ATTACHMENT;
    let formats =
        [(Format::Depth16Unorm, 1e-5), (Format::Depth24Plus, 1e-7), (Format::Depth32Float, 0.0)];
    for (format, precision) in formats {
        let texture = made(&gpu, format, [12, 10, 2], 2, usage);
        let at = |mip: u32, layer: u32| (mip * 2 + layer + 1) as f32 / 7.0;
        let all = [(0, 0), (0, 1), (1, 0), (1, 1)];
        for (mip, layer) in all {
            clear(&gpu, &texture, mip, layer, at(mip, layer));
        }
        for (mip, layer) in all {
            let array = read(&gpu, &texture, mip, layer);
            assert_eq!(array.shape().dims(), [10 >> mip, 12 >> mip]);
            let near = |depth: &f32| (depth - at(mip, layer)).abs() <= precision;
            assert!(values(&array).iter().all(near), "{format:?} {mip} {layer}");
        }
    }
}
