//! Tests moves between arrays and textures: every format, every number of channels, any width, mip
//! levels and layers, and refusals.

use indim::half::f16;
use indim::{Array, Context, Error, TextureError, wgpu};
use indim_testing::contexts::{gpu, iota, values};

use crate::encoded::{encoder, is_not_submitted, submit, uploaded};

const FORMATS: [wgpu::TextureFormat; 4] = [
    wgpu::TextureFormat::Rgba8Unorm,
    wgpu::TextureFormat::Rgba16Float,
    wgpu::TextureFormat::R32Float,
    wgpu::TextureFormat::Rgba32Float,
];

/// The sizes of textures, in texels a row and rows: none needs rows of 256 bytes.
const SIZES: [(u32, u32); 4] = [(1, 1), (7, 5), (33, 18), (130, 3)];

fn texture(gpu: &Context, format: wgpu::TextureFormat, size: (u32, u32)) -> wgpu::Texture {
    let usage = wgpu::TextureUsages::STORAGE_BINDING
        | wgpu::TextureUsages::TEXTURE_BINDING
        | wgpu::TextureUsages::COPY_SRC;
    made(gpu, format, [size.0, size.1, 1], 1, usage)
}

pub(crate) fn made(
    gpu: &Context,
    format: wgpu::TextureFormat,
    [width, height, layers]: [u32; 3],
    mip_level_count: u32,
    usage: wgpu::TextureUsages,
) -> wgpu::Texture {
    gpu.device().create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width, height, depth_or_array_layers: layers },
        mip_level_count,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    })
}

/// Returns the bytes of a mip level of a layer, copied by the test.
fn bytes(gpu: &Context, texture: &wgpu::Texture, mip: u32, layer: u32) -> Vec<u8> {
    let texel = texture.format().block_copy_size(None).unwrap();
    let [width, height] = [texture.width(), texture.height()].map(|size| (size >> mip).max(1));
    let row = (width * texel).next_multiple_of(256);
    let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: u64::from(row * height),
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let mut encoder = encoder(gpu);
    encoder.copy_texture_to_buffer(
        wgpu::TexelCopyTextureInfo {
            texture,
            mip_level: mip,
            origin: wgpu::Origin3d { x: 0, y: 0, z: layer },
            aspect: wgpu::TextureAspect::All,
        },
        wgpu::TexelCopyBufferInfo {
            buffer: &buffer,
            layout: wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(row),
                rows_per_image: None,
            },
        },
        wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
    );
    submit(gpu, encoder);
    buffer.map_async(wgpu::MapMode::Read, .., |mapped| mapped.unwrap());
    gpu.device().poll(wgpu::PollType::wait_indefinitely()).unwrap();
    let view = buffer.get_mapped_range(..).unwrap();
    let rows = view.chunks(row as usize);
    rows.flat_map(|row| row[..(width * texel) as usize].to_vec()).collect()
}

fn write(gpu: &Context, array: &Array<f32>, texture: &wgpu::Texture, mip: u32, layer: u32) {
    let mut encoder = encoder(gpu);
    let encoded = array.encode_to_texture(&mut encoder, texture, mip, layer).unwrap();
    submit(gpu, encoder);
    encoded.submitted();
}

fn read(gpu: &Context, texture: &wgpu::Texture, mip: u32, layer: u32) -> Array<f32> {
    let mut encoder = encoder(gpu);
    let (array, encoded) = gpu.array_from_texture(&mut encoder, texture, mip, layer).unwrap();
    assert!(is_not_submitted(array.to_vec_blocking()));
    submit(gpu, encoder);
    encoded.submitted();
    array
}

/// Returns the texel that elements of an array become: grey, opaque or as they are.
fn texel(elements: &[f32]) -> [f32; 4] {
    match *elements {
        [grey] => [grey, grey, grey, 1.0],
        [r, g, b] => [r, g, b, 1.0],
        [r, g, b, a] => [r, g, b, a],
        _ => panic!("{elements:?}"),
    }
}

/// Returns the bytes of one channel in a format.
fn channel_bytes(format: wgpu::TextureFormat, value: f32) -> Vec<u8> {
    match format {
        wgpu::TextureFormat::Rgba8Unorm => {
            vec![(value.clamp(0.0, 1.0) * 255.0 + 0.5).floor() as u8]
        }
        wgpu::TextureFormat::Rgba16Float => {
            f16::from_f32(value.clamp(-65504.0, 65504.0)).to_le_bytes().to_vec()
        }
        _ => value.to_le_bytes().to_vec(),
    }
}

fn expected_bytes(format: wgpu::TextureFormat, elements: &[f32], channels: usize) -> Vec<u8> {
    let shown = if format == wgpu::TextureFormat::R32Float { 1 } else { 4 };
    let texels = elements.chunks(channels).map(texel);
    texels
        .flat_map(|texel| texel[..shown].to_vec())
        .flat_map(|value| channel_bytes(format, value))
        .collect()
}

/// Returns values beyond 0 and 1, between the steps of each format, and special ones.
fn hard_values(count: usize) -> Vec<f32> {
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        2.0,
        0.5,
        f32::INFINITY,
        f32::NEG_INFINITY,
        65504.0,
        65519.996,
        65520.0,
        1e-7,
        6e-8,
        5.96e-8,
        6.2e-5,
        1.0 / 3.0,
        1.0 + 1.0 / 2048.0,
        1.0004884,
        254.499 / 255.0,
    ];
    let steps = (0..count).map(|i| i as f32 / 510.0 + 1e-4);
    special.into_iter().chain(steps).take(count).collect()
}

#[test]
fn arrays_of_all_channels_and_any_width_become_texels() {
    let gpu = gpu();
    for format in FORMATS {
        let is_single = format == wgpu::TextureFormat::R32Float;
        let all: &[Option<usize>] =
            if is_single { &[None, Some(1)] } else { &[None, Some(1), Some(3), Some(4)] };
        for (width, height) in SIZES {
            for &channels in all {
                let mut dims = vec![height as usize, width as usize];
                dims.extend(channels);
                let elements = hard_values(dims.iter().product());
                let array = gpu.array(dims, &elements).unwrap();
                let texture = texture(&gpu, format, (width, height));
                write(&gpu, &array, &texture, 0, 0);
                let expected = expected_bytes(format, &elements, channels.unwrap_or(1));
                let found = bytes(&gpu, &texture, 0, 0);
                assert!(
                    found == expected,
                    "{format:?} {width} x {height} {channels:?}: {found:?}, not {expected:?}"
                );
            }
        }
    }
}

#[test]
fn all_steps_of_eight_bits_are_kept_and_what_lies_between_is_rounded() {
    let gpu = gpu();
    // Thirds of steps lie on no tie.
    let elements: Vec<f32> = (0..3 * 256).map(|i| i as f32 / (3.0 * 255.0)).collect();
    let array = gpu.array([1, 3 * 256], &elements).unwrap();
    let texture = texture(&gpu, wgpu::TextureFormat::Rgba8Unorm, (3 * 256, 1));
    write(&gpu, &array, &texture, 0, 0);
    let found = bytes(&gpu, &texture, 0, 0);
    let reds: Vec<u8> = found.chunks(4).map(|texel| texel[0]).collect();
    let expected: Vec<u8> = (0..3 * 256).map(|i: u32| ((i + 1) / 3).min(255) as u8).collect();
    assert_eq!(reds, expected);
}

#[test]
fn what_is_no_number_is_black() {
    let gpu = gpu();
    let array = gpu.array([1, 5], &[f32::NAN; 5]).unwrap();
    for (format, black) in [
        (wgpu::TextureFormat::Rgba8Unorm, vec![0, 0, 0, 255]),
        (wgpu::TextureFormat::Rgba16Float, vec![0, 0, 0, 0, 0, 0, 0, 60]),
    ] {
        let texture = texture(&gpu, format, (5, 1));
        write(&gpu, &array, &texture, 0, 0);
        assert_eq!(bytes(&gpu, &texture, 0, 0), black.repeat(5), "{format:?}");
    }
}

#[test]
fn what_is_written_is_read_back() {
    let gpu = gpu();
    for format in FORMATS {
        for (width, height) in SIZES {
            let texture = texture(&gpu, format, (width, height));
            let channels = if format == wgpu::TextureFormat::R32Float { 1 } else { 4 };
            let count = (width * height) as usize * channels;
            // Multiples of a step of eight bits; of F16, numbers that it has.
            let elements: Vec<f32> = (0..count)
                .map(|i| match format {
                    wgpu::TextureFormat::Rgba8Unorm => (i % 256) as f32 / 255.0,
                    wgpu::TextureFormat::Rgba16Float => (i % 2048) as f32 / 64.0 - 9.0,
                    _ => i as f32 / 3.0 - 100.0,
                })
                .collect();
            let dims = [height as usize, width as usize, channels];
            write(&gpu, &gpu.array(dims, &elements).unwrap(), &texture, 0, 0);
            let back = read(&gpu, &texture, 0, 0);
            let dims = if channels == 1 { &dims[..2] } else { &dims[..] };
            assert_eq!(back.shape().dims(), dims);
            assert!(values(&back) == elements, "{format:?} {width} x {height}");
        }
    }
}

#[test]
fn mip_levels_and_layers_are_apart() {
    let gpu = gpu();
    let usage = wgpu::TextureUsages::STORAGE_BINDING
        | wgpu::TextureUsages::TEXTURE_BINDING
        | wgpu::TextureUsages::COPY_SRC;
    let texture = made(&gpu, wgpu::TextureFormat::R32Float, [20, 12, 3], 3, usage);
    let size = |mip: u32| [12_usize >> mip, 20 >> mip];
    let array = |mip: u32, layer: u32| {
        let count = size(mip).iter().product();
        iota(count).iter().map(|x| x + 1000.0 * (mip * 3 + layer) as f32).collect::<Vec<f32>>()
    };
    for (mip, layer) in (0..3).flat_map(|mip| (0..3).map(move |layer| (mip, layer))) {
        let elements = array(mip, layer);
        write(&gpu, &gpu.array(size(mip), &elements).unwrap(), &texture, mip, layer);
    }
    for (mip, layer) in (0..3).flat_map(|mip| (0..3).map(move |layer| (mip, layer))) {
        assert_eq!(values(&read(&gpu, &texture, mip, layer)), array(mip, layer));
    }
}

/// An array may begin anywhere in a caller-owned buffer; a result goes into a texture in the
/// encoder that computes it.
#[test]
fn results_and_buffers_of_the_callers_go_into_textures() {
    let gpu = gpu();
    let outside = uploaded(&gpu, &iota(300));
    let range = outside.buffer().unwrap();
    let array = gpu.array_from_buffer::<f32>([5, 7], range.buffer, 4 * 13).unwrap();
    let texture = texture(&gpu, wgpu::TextureFormat::R32Float, (7, 5));
    write(&gpu, &array, &texture, 0, 0);
    let expected: Vec<f32> = (13..13 + 35).map(|i| i as f32).collect();
    assert_eq!(values(&read(&gpu, &texture, 0, 0)), expected);

    let mut target = gpu.array([5, 7], &[0.0; 35]).unwrap();
    let before = gpu.stats().submissions;
    let mut encoder = encoder(&gpu);
    let _step = (&array * 2.0).encode_into(&mut encoder, &mut target).unwrap();
    let shown = target.encode_to_texture(&mut encoder, &texture, 0, 0).unwrap();
    let (back, encoded) = gpu.array_from_texture(&mut encoder, &texture, 0, 0).unwrap();
    submit(&gpu, encoder);
    shown.submitted();
    encoded.submitted();
    assert_eq!(gpu.stats().submissions, before);
    let expected: Vec<f32> = expected.iter().map(|x| x * 2.0).collect();
    assert_eq!(values(&back), expected);
    assert_eq!(values(&target), expected);
}

#[test]
fn textures_that_do_not_fit_are_refused_by_name() {
    let gpu = gpu();
    let array = gpu.array([4, 6, 3], &iota(72)).unwrap();
    let usage = wgpu::TextureUsages::STORAGE_BINDING | wgpu::TextureUsages::TEXTURE_BINDING;
    let message = |texture: &wgpu::Texture, mip, layer| {
        let mut encoder = encoder(&gpu);
        let error = array.encode_to_texture(&mut encoder, texture, mip, layer).unwrap_err();
        submit(&gpu, encoder);
        assert!(matches!(error, Error::Texture(_)), "{error}");
        error.to_string()
    };
    let unorm = wgpu::TextureFormat::Rgba8Unorm;
    let only_sampled = made(&gpu, unorm, [6, 4, 1], 1, wgpu::TextureUsages::TEXTURE_BINDING);
    assert_eq!(
        message(&only_sampled, 0, 0),
        "the texture's usage is TEXTURE_BINDING, but STORAGE_BINDING is needed; create it with that flag"
    );
    let only_written = made(&gpu, unorm, [6, 4, 1], 1, wgpu::TextureUsages::STORAGE_BINDING);
    let mut commands = encoder(&gpu);
    let error = gpu.array_from_texture(&mut commands, &only_written, 0, 0).unwrap_err();
    assert!(matches!(error, Error::Texture(TextureError::Usage { .. })), "{error}");
    let sampled = wgpu::TextureUsages::TEXTURE_BINDING;
    for (format, advice) in [
        (wgpu::TextureFormat::Rgba8UnormSrgb, "view_formats"),
        (wgpu::TextureFormat::Bgra8Unorm, "render pass"),
        (wgpu::TextureFormat::Bgra8UnormSrgb, "render pass"),
        (wgpu::TextureFormat::R8Unorm, "beside it"),
        (wgpu::TextureFormat::Depth32Float, "beside it"),
    ] {
        let texture = made(&gpu, format, [6, 4, 1], 1, sampled);
        let text = message(&texture, 0, 0);
        assert!(text.contains(&format!("{format:?}")) && text.contains(advice), "{text}");
    }
    let packed = made(&gpu, wgpu::TextureFormat::Rgb10a2Unorm, [6, 4, 1], 1, sampled);
    let error = gpu.array_from_texture(&mut commands, &packed, 0, 0).unwrap_err();
    assert!(matches!(error, Error::Texture(TextureError::Format { .. })), "{error}");
    assert_eq!(
        error.to_string(),
        "the texture's format is Rgb10a2Unorm, but only those that Context::array_from_texture lists can be read; draw it into a texture of one of these"
    );
    let texture = made(&gpu, unorm, [6, 4, 2], 2, usage);
    assert_eq!(
        message(&texture, 2, 0),
        "mip level 2 was asked for, but the texture has 2, numbered from 0"
    );
    assert_eq!(
        message(&texture, 0, 2),
        "array layer 2 was asked for, but the texture has 2, numbered from 0"
    );
    assert_eq!(
        message(&texture, 1, 0),
        "an array of shape [4, 6, 3] does not fit 3 x 2 texels; its shape must be [2, 3] or [2, 3, C], where C is 1, 3 or 4"
    );
    let single = made(&gpu, wgpu::TextureFormat::R32Float, [6, 4, 1], 1, usage);
    assert!(message(&single, 0, 0).ends_with("where C is 1"));
    let volume = gpu.device().create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width: 6, height: 4, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D3,
        format: unorm,
        usage,
        view_formats: &[],
    });
    assert_eq!(
        message(&volume, 0, 0),
        "the texture is D3 with samples per texel: 1; take a 2D texture of one sample"
    );
    // Refused work is not in the encoder.
    submit(&gpu, commands);
}

/// wgpu numbers the textures of each instance alike, and would take one for another.
#[test]
fn a_texture_of_another_device_is_refused() {
    let (one, other) = (gpu(), gpu());
    let mine = texture(&one, wgpu::TextureFormat::R32Float, (3, 2));
    let theirs = texture(&other, wgpu::TextureFormat::R32Float, (3, 2));
    let array = one.array([2, 3], &iota(6)).unwrap();
    write(&one, &array, &mine, 0, 0);
    let black = one.array([2, 3], &[0.0; 6]).unwrap();
    let mut commands = encoder(&one);
    let is_refused = |error: Error| {
        assert!(matches!(error, Error::Texture(TextureError::OtherDevice)), "{error}");
    };
    is_refused(black.encode_to_texture(&mut commands, &theirs, 0, 0).unwrap_err());
    is_refused(one.array_from_texture(&mut commands, &theirs, 0, 0).unwrap_err());
    submit(&one, commands);
    assert_eq!(values(&read(&one, &mine, 0, 0)), iota(6));
}
