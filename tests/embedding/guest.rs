//! Tests what a host requests of a guest: labels with its prefix, its buffer usages, times of
//! passes.

use indim::{Context, ContextOptions, DeviceError, Error, wgpu};
use indim_testing::contexts::{gpu, options};
use std::time::Duration;

use crate::encoded::{counting, encoder, submit, uploaded};
use crate::textures::made;

#[test]
fn errors_of_wgpus_name_objects_with_the_callers_prefix() {
    for (label, expected) in [(None, "indim array"), (Some("engine"), "engine array")] {
        let mut options = options();
        options.label = label.map(str::to_owned);
        let gpu = Context::blocking_with_options(options).unwrap();
        let array = uploaded(&gpu, &counting(100, 0.0));
        let range = array.buffer().unwrap();
        range.buffer.destroy();
        let scope = gpu.device().push_error_scope(wgpu::ErrorFilter::Validation);
        let mut encoder = encoder(&gpu);
        encoder.clear_buffer(&range.buffer, 0, None);
        submit(&gpu, encoder);
        let error = pollster::block_on(scope.pop()).unwrap().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn arrays_have_the_usages_that_were_asked_for() {
    use wgpu::BufferUsages as Usages;
    let wanted = Usages::VERTEX | Usages::INDEX | Usages::UNIFORM | Usages::INDIRECT;
    let with = |usages| {
        let mut options = options();
        options.result_usages = Some(usages);
        Context::blocking_with_options(options)
    };
    let gpu = with(wanted).unwrap();
    let x = uploaded(&gpu, &counting(100, 0.0));
    let y = (&x + 1.0).eval().unwrap();
    for array in [x, y] {
        let usage = array.buffer().unwrap().buffer.usage();
        assert!(usage.contains(wanted), "{usage:?}");
    }
    let refused = with(Usages::VERTEX | Usages::QUERY_RESOLVE).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the buffers of arrays cannot have the usage QUERY_RESOLVE: it is none of VERTEX, INDEX, UNIFORM, INDIRECT and MAP_READ"
    );
    // The adapters of the tests map buffers of any usage; this device was made without that.
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
    let mut options = ContextOptions::default();
    options.result_usages = Some(Usages::MAP_READ);
    let refused = Context::from_device_with_options(device, queue, &options).unwrap_err();
    assert!(matches!(refused, Error::Device(DeviceError::ResultUsages { .. })), "{refused}");
}

#[test]
fn a_result_is_mapped_by_the_caller_where_that_was_asked_for() {
    let mut options = options();
    options.result_usages = Some(wgpu::BufferUsages::MAP_READ);
    let gpu = Context::blocking_with_options(options).unwrap();
    let y = (uploaded(&gpu, &counting(100, 0.0)) + 1.0).eval().unwrap();
    let range = y.buffer().unwrap();
    range.buffer.map_async(wgpu::MapMode::Read, .., |mapped| mapped.unwrap());
    gpu.device().poll(wgpu::PollType::wait_indefinitely()).unwrap();
    let bytes = range.buffer.get_mapped_range(..).unwrap()[..400].to_vec();
    range.buffer.unmap();
    let expected: Vec<u8> = counting(100, 1.0).iter().flat_map(|x| x.to_le_bytes()).collect();
    assert_eq!(bytes, expected);
}

#[test]
fn passes_are_timed_under_their_names() {
    let mut options = options();
    options.timings = true;
    let gpu = Context::blocking_with_options(options).unwrap();
    assert!(gpu.device().features().contains(wgpu::Features::TIMESTAMP_QUERY));
    let count = 1 << 20;
    let x = uploaded(&gpu, &counting(count, 0.0));
    gpu.wait().unwrap();
    gpu.timings().unwrap();
    let _one = x.sin().named("sines").eval().unwrap();
    let _other = (&x + 1.0).eval().unwrap();
    let mut target = uploaded(&gpu, &counting(count, 0.0));
    let format = wgpu::TextureFormat::R32Float;
    let texture = made(&gpu, format, [1024, 1024, 1], 1, wgpu::TextureUsages::STORAGE_BINDING);
    let image = gpu.array([1024, 1024], &counting(count, 0.0)).unwrap();
    gpu.flush().unwrap();
    let mut commands = encoder(&gpu);
    let step = x.cos().named("cosines").encode_into(&mut commands, &mut target).unwrap();
    let shown = image.encode_to_texture(&mut commands, &texture, 0, 0).unwrap();
    let mut dropped = encoder(&gpu);
    let mut unchanged = uploaded(&gpu, &counting(count, 0.0));
    drop((&x * 2.0).named("never").encode_into(&mut dropped, &mut unchanged).unwrap());
    drop(dropped);
    submit(&gpu, commands);
    step.submitted();
    shown.submitted();
    gpu.wait().unwrap();
    let timings = gpu.timings().unwrap();
    let names: Vec<&str> = timings.iter().map(|timing| timing.name.as_str()).collect();
    assert_eq!(names, ["sines", "indim batch", "cosines", "indim texture"]);
    for timing in &timings {
        assert!(timing.duration > Duration::ZERO, "{timing:?}");
        assert!(timing.duration < Duration::from_secs(20), "{timing:?}");
    }
    assert_eq!(gpu.timings().unwrap(), [], "each is told once");
}

#[test]
fn passes_that_nobody_asks_about_take_bounded_memory() {
    let mut options = options();
    options.timings = true;
    let gpu = Context::blocking_with_options(options).unwrap();
    let x = uploaded(&gpu, &counting(64, 0.0));
    for _ in 0..1500 {
        let _ = (&x + 1.0).eval().unwrap();
        gpu.flush().unwrap();
    }
    gpu.wait().unwrap();
    assert_eq!(gpu.timings().unwrap().len(), 1024);
    let _ = (&x + 1.0).eval().unwrap();
    gpu.wait().unwrap();
    assert_eq!(gpu.timings().unwrap().len(), 1);
}

#[test]
fn a_context_that_times_nothing_says_so() {
    let error = gpu().timings().unwrap_err();
    assert!(matches!(error, Error::Device(DeviceError::NoTimings)), "{error}");
}
