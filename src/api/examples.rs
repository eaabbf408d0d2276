//! Parts of the examples in the documentation that the table of operations generates.

/// Lines of an example that make its context, on wgpu's backend that computes nothing: each example
/// is a process of its own, and opening an adapter takes longer than all else in it.
macro_rules! gpu {
    () => {
        "# let (device, queue) = indim::wgpu::Device::noop(&Default::default());\n\
         # let gpu = indim::Context::from_device(device, queue)?;"
    };
}

/// An operand that is not the first, in an example.
macro_rules! other {
    ($name:ident) => {
        "1.0"
    };
}

pub(super) use {gpu, other};
