//! Tests of low limits on wgpu's `noop` backend: folded dispatches, windows of arrays larger than a
//! binding, few storage buffers, memory that runs out.

use indim::plan::Schedule;
use indim::{Array, Builder, Context, DeviceError, ElementType, Error, Expr, wgpu};
use indim_testing::process;

use super::noop::{accepted, context, ones, says};

#[test]
fn constants_beyond_a_small_uniform_are_read_from_storage() {
    let gpu =
        context(wgpu::Limits { max_uniform_buffer_binding_size: 256, ..wgpu::Limits::default() });
    let x = ones(&gpu, &[5, 7]);
    for constants in [1, 100] {
        let sum = (0..constants).fold(x.expr(), |sum, n| sum + n as f32);
        accepted(&gpu, &sum);
    }
    assert_eq!(gpu.stats().dispatches, 2);
}

/// Values that the result does not need are not required of the device.
#[test]
fn an_unused_value_of_f64_is_not_refused() {
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
    let gpu = Context::from_device(device, queue).unwrap();
    let mut b = Builder::new();
    let x = b.parameter(ElementType::F32, [5]).unwrap();
    b.convert_element_type(x, ElementType::F64).unwrap();
    let root = b.neg(x).unwrap();
    let x = ones(&gpu, &[5]);
    gpu.run(&b.build(root).unwrap(), &[x.as_any()]).unwrap();
    let mut b = Builder::new();
    let parameter = b.parameter(ElementType::F32, [5]).unwrap();
    let within = b.convert_element_type(parameter, ElementType::F64).unwrap();
    let root = b.convert_element_type(within, ElementType::F32).unwrap();
    let error = gpu.run(&b.build(root).unwrap(), &[x.as_any()]).unwrap_err();
    let unsupported = DeviceError::Unsupported {
        element_type: ElementType::F64,
        needed: "the features SHADER_F64 and SHADER_INT64",
        missing: "SHADER_F64 and SHADER_INT64".to_owned(),
        instead: ElementType::F32,
    };
    assert_eq!(error.to_string(), unsupported.to_string());
}

#[test]
fn a_small_workgroup_is_enough() {
    let gpu = context(wgpu::Limits {
        max_compute_invocations_per_workgroup: 16,
        ..wgpu::Limits::default()
    });
    for shape in [[1, 1000], [40, 8], [40, 7]] {
        let column = ones(&gpu, &shape[..1]);
        accepted(&gpu, &(ones(&gpu, &shape) + column.in_dim([0])));
    }
}

// ---- dispatches ---------------------------------------------------------------------------------

/// wgpu limits the workgroups in one dimension.
#[test]
fn dispatches_are_folded() {
    let most = 16;
    let gpu = context(wgpu::Limits {
        max_compute_workgroups_per_dimension: most,
        ..wgpu::Limits::default()
    });
    for (shape, dimension, schedule) in [
        (&[1, 60_000][..], 0, Schedule::Flat),
        (&[512, 208], 0, Schedule::Rows),
        (&[4000, 31], 0, Schedule::Periods),
        (&[300, 7, 31], 1, Schedule::Carry),
    ] {
        let mut b = Builder::new();
        let x = b.parameter(ElementType::F32, shape).unwrap();
        let line = b.parameter(ElementType::F32, [shape[dimension]]).unwrap();
        let sum = b.add(x, line, &[dimension as i64]).unwrap();
        let sum = b.build(sum).unwrap();
        let kernel = &gpu.plan_limits().explain(&sum).unwrap().kernels[0];
        let [columns, lines] = kernel.workgroups;
        assert_eq!(kernel.schedule, schedule);
        assert!(columns <= most && (2..=most).contains(&lines), "{:?}", kernel.workgroups);
        let (x, line) = (ones(&gpu, shape), ones(&gpu, &[shape[dimension]]));
        let result = gpu.run(&sum, &[x.as_any(), line.as_any()]).unwrap();
        result.to_literal_blocking().unwrap();
    }
    type Reduced = fn(&Array<f32>) -> Expr<f32>;
    let of: [(_, Reduced, _); 3] = [
        ([5000, 3], |x| x.reduce_sum([1]), Schedule::FoldRows),
        ([3, 40_000], |x| x.reduce_sum([0]), Schedule::FoldColumns),
        ([5000, 40], |x| x.softmax([1]), Schedule::Passes),
    ];
    for (sizes, of, schedule) in of {
        let reduced = of(&ones(&gpu, &sizes));
        let kernel = reduced.explain().unwrap().kernels.remove(0);
        let [columns, lines] = kernel.workgroups;
        assert_eq!((kernel.schedule, kernel.dispatches), (schedule, 1));
        assert!(columns <= most && (2..=most).contains(&lines), "{:?}", kernel.workgroups);
        accepted(&gpu, &reduced);
    }
    // Past the square of the limit it takes several dispatches.
    let before = gpu.stats().dispatches;
    accepted(&gpu, &Expr::<f32>::iota(&[1_200_000], 0));
    let dispatches = gpu.stats().dispatches - before;
    let a_group = u64::from(gpu.plan_limits().tuning.workgroup_size) * 16;
    assert_eq!(dispatches, 1_200_000_u64.div_ceil(256 * a_group).next_power_of_two());
}

/// The limit that devices have: 65,535.
#[test]
fn large_dispatches_are_folded() {
    // Small workgroups, so that the array need not be as large.
    let limits = wgpu::Limits {
        max_compute_invocations_per_workgroup: 32,
        max_compute_workgroup_size_x: 32,
        ..wgpu::Limits::default()
    };
    let gpu = context(limits);
    let plan = gpu.plan_limits();
    let a_group = i64::from(plan.tuning.workgroup_size * plan.tuning.quads_per_invocation * 4);
    let elements = 65_537 * a_group;
    let many = Expr::<f32>::iota(&[1], 0).is_finite().broadcast(&[elements]);
    let array = gpu.eval(&many).unwrap();
    assert_eq!(array.shape().dims(), [elements as usize, 1]);
    gpu.wait().unwrap();
    assert_eq!(gpu.stats().dispatches, 1);
}

// ---- low limits ---------------------------------------------------------------------------------

#[test]
fn few_storage_buffers_cut_an_expression_into_kernels() {
    let gpu = context(wgpu::Limits {
        max_storage_buffers_per_shader_stage: 4,
        ..wgpu::Limits::default()
    });
    let arrays: Vec<_> = (0..40).map(|_| ones(&gpu, &[6])).collect();
    let sum = arrays.iter().skip(1).fold(arrays[0].expr(), |sum, array| sum + array);
    accepted(&gpu, &sum);
    // Three operands a kernel: the first one takes three arrays, each further one two.
    assert_eq!(gpu.stats().dispatches, 20);

    // A tree of the same arrays.
    let before = gpu.stats().dispatches;
    let mut level: Vec<Expr<f32>> = arrays.iter().map(|a| a.expr()).collect();
    while level.len() > 1 {
        level = level
            .chunks(2)
            .map(|pair| pair[1..].iter().fold(pair[0].clone(), |a, b| a * b))
            .collect();
    }
    accepted(&gpu, &level[0]);
    let dispatches = gpu.stats().dispatches - before;
    assert!((20..=39).contains(&dispatches), "{dispatches}");

    // A ternary operation just fits.
    let p = gpu.array([6], &[true; 6]).unwrap();
    accepted(&gpu, &p.select(&arrays[0], &arrays[1]));
}

#[test]
fn arrays_larger_than_a_binding_are_dispatched_in_parts() {
    let gpu =
        context(wgpu::Limits { max_storage_buffer_binding_size: 1024, ..wgpu::Limits::default() });
    let x = ones(&gpu, &[256]);
    accepted(&gpu, &-&x);
    assert_eq!(gpu.stats().dispatches, 1);
    // 257 elements: their padding passes the limit.
    accepted(&gpu, &-ones(&gpu, &[257]));
    assert_eq!(gpu.stats().dispatches, 3);
    let wide = indim::broadcast(&x, &[3]).unwrap();
    assert_eq!(wide.to_vec_blocking().unwrap().len(), 3 * 256);
    let foreign = |elements: u64, offset: u64| {
        let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 8192,
            usage: wgpu::BufferUsages::STORAGE,
            mapped_at_creation: false,
        });
        gpu.array_from_buffer::<f32>([elements as usize], buffer, offset).unwrap()
    };
    for (elements, offset) in [(257, 0), (256, 256), (1000, 260), (1024, 4096)] {
        accepted(&gpu, &-foreign(elements, offset));
    }
    let before = gpu.stats().dispatches;
    let wide = Expr::<f32>::iota(&[4, 256], 0);
    accepted(&gpu, &wide);
    assert_eq!(gpu.stats().dispatches, before + 4);
    // Intermediate values need no array, so that they may be larger than one.
    accepted(&gpu, &wide.lt(2.0));
    assert_eq!(gpu.stats().dispatches, before + 5);
}

#[test]
fn buffers_larger_than_the_device_has_are_refused() {
    let gpu = context(wgpu::Limits { max_buffer_size: 1 << 16, ..wgpu::Limits::default() });
    let refused = gpu.array([1 << 14, 2], &[1u32; 1 << 15]);
    assert!(matches!(refused, Err(Error::Device(DeviceError::TooLarge { .. }))));
    says(
        refused,
        "shape [16384, 2] of u32 takes 131072 bytes, but the device's max_buffer_size is 65536; \
         split the array",
    );
    let x = ones(&gpu, &[1 << 14]);
    accepted(&gpu, &-x);
}

/// A caller-owned buffer may have the largest size there is, which need not be a multiple of the
/// words that kernels read.
#[test]
fn a_foreign_array_of_the_largest_size_is_read() {
    for size in [1000, 1020] {
        let gpu = context(wgpu::Limits {
            max_buffer_size: size,
            max_storage_buffer_binding_size: size,
            max_uniform_buffer_binding_size: 512,
            ..wgpu::Limits::default()
        });
        for bytes in [size as usize, 3, 962] {
            let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size,
                usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            });
            let array = gpu.array_from_buffer::<u8>([bytes], buffer, 0).unwrap();
            for _ in 0..2 {
                assert_eq!(array.to_vec_blocking().unwrap().len(), bytes);
                assert_eq!(pollster::block_on(array.to_vec()).unwrap().len(), bytes);
            }
        }
        // The first reading's buffer serves the others of its size.
        assert_eq!(gpu.stats().staging_allocations, 2);
    }
}

/// One array seen from more sides than there are bindings, none of which is near another.
#[test]
fn an_array_seen_from_many_sides_is_bound_in_several_kernels() {
    let limits = wgpu::Limits {
        max_storage_buffer_binding_size: 1 << 12,
        max_storage_buffers_per_shader_stage: 4,
        ..wgpu::Limits::default()
    };
    let gpu = context(limits);
    let x = ones(&gpu, &[48, 48]);
    let views = [&[][..], &[0], &[1], &[0, 1]].map(|dimensions| x.reverse(dimensions));
    let turned = views.iter().map(|view| view.transpose(&[1, 0]));
    let sum = views.iter().cloned().chain(turned).reduce(|sum, view| sum + view).unwrap();
    accepted(&gpu, &sum);
    assert!(gpu.stats().dispatches > 10, "{:?}", gpu.stats());
}

/// A binding holds only a part of a row of either operand, so that each element would be a
/// dispatch.
#[test]
fn what_would_take_too_many_dispatches_is_refused() {
    let limits = wgpu::Limits { max_storage_buffer_binding_size: 1024, ..wgpu::Limits::default() };
    let gpu = context(limits);
    let x = ones(&gpu, &[512, 512]);
    let refused = (&x + x.transpose(&[1, 0])).eval();
    assert!(matches!(refused, Err(Error::Device(DeviceError::TooManyParts { .. }))));
    says(
        refused,
        "computing f32[512, 512] would take more than 65536 dispatches in parts that keep \
         to the device's max_storage_buffer_binding_size of 1024 and \
         max_compute_workgroups_per_dimension of 65535; split the array",
    );
    accepted(&gpu, &-x);
}

/// With four storage buffers, a kernel whose constants take one more reads two arrays.
#[test]
fn constants_in_storage_leave_fewer_arrays() {
    let gpu = context(wgpu::Limits {
        max_uniform_buffer_binding_size: 1024,
        max_storage_buffers_per_shader_stage: 4,
        ..wgpu::Limits::default()
    });
    let [x, y, z] = [(); 3].map(|()| ones(&gpu, &[5, 7]));
    let sum = (0..400).fold(&x + &y, |sum, n| sum * &z + n as f32);
    accepted(&gpu, &sum);
    let p = gpu.array([5, 7], &[true; 35]).unwrap();
    let chosen = p.select(&x + 1.0, &y + 2.0);
    accepted(&gpu, &(0..400).fold(chosen, |sum, n| sum * 2.0 + n as f32));
}

/// With four storage buffers, a call of a function with loops reads two arrays, since the word that
/// records whether a loop has run too often is also bound.
#[test]
fn calls_of_functions_keep_to_the_storage_buffers() {
    let gpu = context(wgpu::Limits {
        max_storage_buffers_per_shader_stage: 4,
        ..wgpu::Limits::default()
    });
    let [x, y, z, w] = [(); 4].map(|()| ones(&gpu, &[5]));
    let function = |text| indim::Function::wgsl(text).unwrap();
    let plain = function("fn plain(a: f32, b: f32, c: f32) -> f32 { return a + b * c; }");
    accepted(&gpu, &(plain.call::<f32>((&x, &y, &z)).unwrap() * &w));
    let looped = function(
        "fn looped(a: f32, b: f32) -> f32 { var s = a; while s < 9.0 { s += b; } return s; }",
    );
    let call = || looped.call::<f32>((&x, &y)).unwrap();
    accepted(&gpu, &(call() * &z + &w));
    accepted(&gpu, &call().clamp(&z, &w));
    accepted(&gpu, &looped.call::<f32>((&(&x + &y), &(&z * &w))).unwrap());
    let three = function(
        "fn three(a: f32, b: f32, c: f32) -> f32 { var s = a; while s < 9.0 { s += b; } return s * c; }",
    );
    accepted(&gpu, &three.call::<f32>((&x, &y, 2.0)).unwrap());
    says(
        three.call::<f32>((&x, &y, &z)).unwrap().eval(),
        "three: it takes 3 arrays at once, and the device binds 2 to a kernel beside the result; give fewer arrays, such as two real ones as one complex one",
    );
    let four = function("fn four(a: f32, b: f32, c: f32, d: f32) -> f32 { return a * b * c * d; }");
    says(
        four.call::<f32>((&x, &y, &z, &w)).unwrap().eval(),
        "four: it takes 4 arrays at once, and the device binds 3 to a kernel beside the result; give fewer arrays, such as two real ones as one complex one",
    );
    accepted(&gpu, &-&x);
}

#[test]
fn too_few_storage_buffers_are_an_error() {
    for buffers in 0..3 {
        let gpu = context(wgpu::Limits {
            max_storage_buffers_per_shader_stage: buffers,
            ..wgpu::Limits::default()
        });
        let (x, y) = (ones(&gpu, &[4]), ones(&gpu, &[4]));
        let error = (&x + &y).eval().unwrap_err();
        assert!(matches!(error, Error::Device(DeviceError::Wgpu { .. })), "{error}");
        assert_eq!(x.to_vec_blocking().unwrap(), [1.0; 4], "the context still works");
    }
}

/// The test runs in a process of its own, whose memory is limited: the backend's buffers lie in it.
#[cfg(target_os = "linux")]
#[test]
fn memory_that_runs_out_is_an_error() {
    if !process::alone("noop_limits::memory_that_runs_out_is_an_error", Some(1_000_000)) {
        return;
    }
    let gpu = context(wgpu::Limits::unlimited());
    let x = ones(&gpu, &[1 << 9]);
    for _ in 0..2 {
        says(
            indim::broadcast(&x, &[1 << 19]),
            "out of device memory for 1073741824 bytes; drop arrays that are no longer used",
        );
        accepted(&gpu, &-&x);
    }
}
