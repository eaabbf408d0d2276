//! [`DeviceError`]: what the adapter or device cannot do, with advice on how to get one that can.

use crate::semantics::element::ElementType;
use crate::semantics::error_debug::debug_is_text;
use crate::semantics::shape::Shape;

debug_is_text! {
/// The adapter or device cannot, or can no longer, do what is asked.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// wgpu finds no adapter.
    #[error("{NO_ADAPTER}")]
    NoAdapter,
    /// There are adapters, but none fits.
    #[error("no GPU adapter{wanted} can compute; found: {found}; {OTHER_ADAPTER}")]
    NoFittingAdapter {
        /// The adapter asked for, in words; empty if none was.
        wanted: String,
        /// The available adapters, in words.
        found: String,
    },
    /// The adapter does not provide a device.
    #[error("{} did not provide a device: {reason}", named(adapter))]
    RequestDevice {
        /// The adapter's name; empty if a browser does not report it.
        adapter: String,
        /// The reason, in wgpu's words.
        reason: String,
    },
    /// The device is lost; make a new context.
    #[error("the device is lost ({reason}); its arrays are gone, make a new Context")]
    Lost {
        /// The reason, in the driver's words.
        reason: String,
    },
    /// The device's shaders lack an element type.
    #[error(
        "{element_type} needs {needed}, but the device has no {missing}; use {instead}, or an adapter with {missing}"
    )]
    Unsupported {
        /// The element type.
        element_type: ElementType,
        /// The features of wgpu that the type needs.
        needed: &'static str,
        /// The needed features that the device lacks.
        missing: String,
        /// The element type to use instead.
        instead: ElementType,
    },
    /// The device has no memory left, even after the context freed everything unused and tried
    /// again. The context remains usable.
    ///
    /// On OpenGL, wgpu does not check whether an allocation succeeded. If wgpu runs out of memory
    /// for itself, such as for commands, it reports [`DeviceError::Lost`] instead.
    #[error("out of device memory{}; drop arrays that are no longer used", for_bytes(*bytes))]
    OutOfMemory {
        /// The size of the allocation in bytes; 0 for commands or a kernel, whose size wgpu does
        /// not report.
        bytes: u64,
    },
    /// An array is larger than a limit of the device.
    #[error(
        "shape {shape} of {element_type} takes {bytes} bytes, but the device's {limit} is {allowed}; split the array"
    )]
    TooLarge {
        /// The element type.
        element_type: ElementType,
        /// The shape.
        shape: Shape,
        /// The array's size in bytes.
        bytes: u64,
        /// The limit's name in wgpu.
        limit: &'static str,
        /// The limit, in bytes.
        allowed: u64,
    },
    /// An array whose elements are taken at computed indices does not fit a binding of the device, or
    /// has more elements than positions count.
    #[error(
        "shape {shape} of {element_type} takes {bytes} bytes, but take reads an operand of at most {allowed} bytes ({limit}) and 2^32 - 1 elements, all of which one kernel binds; take from slices of it and select between these"
    )]
    TakenTooLarge {
        /// The element type.
        element_type: ElementType,
        /// The shape.
        shape: Shape,
        /// The array's size in bytes.
        bytes: u64,
        /// The limit's name in wgpu.
        limit: &'static str,
        /// The limit, in bytes.
        allowed: u64,
    },
    /// A kernel would take too many dispatches, each of which must keep to the device's limits.
    #[error(
        "computing {element_type}{shape} would take more than {most} dispatches in parts \
         that keep to the device's max_storage_buffer_binding_size of {binding} and \
         max_compute_workgroups_per_dimension of {workgroups}; split the array"
    )]
    TooManyParts {
        /// The element type of the result.
        element_type: ElementType,
        /// Its shape.
        shape: Shape,
        /// The largest number of dispatches that one kernel may take.
        most: usize,
        /// The device's `max_storage_buffer_binding_size`, in bytes.
        binding: u64,
        /// The device's `max_compute_workgroups_per_dimension`.
        workgroups: u32,
    },
    /// The options ask for a usage that buffers of arrays cannot have.
    #[error("the buffers of arrays cannot have the usage {usage}: {reason}")]
    ResultUsages {
        /// The flags.
        usage: String,
        /// The reason, with advice.
        reason: &'static str,
    },
    /// Passes are not timed.
    #[error(
        "no passes are timed: set ContextOptions::timings, on a device with the feature TIMESTAMP_QUERY"
    )]
    NoTimings,
    /// wgpu refuses a call that should be valid: a bug of this crate or of a driver.
    #[error("wgpu refuses {what}: {reason}")]
    Wgpu {
        /// The object or call that was refused.
        what: &'static str,
        /// The reason, in wgpu's words.
        reason: String,
    },
}
}

/// Names the size of an allocation for a message, if it is known.
fn for_bytes(bytes: u64) -> String {
    if bytes == 0 { String::new() } else { format!(" for {bytes} bytes") }
}

/// Names an adapter in a message; in a browser its name may be empty.
fn named(adapter: &str) -> String {
    if adapter.is_empty() { "the adapter".to_owned() } else { format!("adapter {adapter}") }
}

/// How to install a software driver, which works on any machine.
macro_rules! install {
    () => {
        "Mesa's lavapipe (Debian and Ubuntu: apt-get install mesa-vulkan-drivers libvulkan1; Fedora: dnf install mesa-vulkan-drivers vulkan-loader; Arch: pacman -S vulkan-swrast vulkan-icd-loader; Alpine: apk add mesa-vulkan-swrast vulkan-loader)"
    };
}

/// The message if no adapter is found. In a browser there is nothing to install.
const NO_ADAPTER: &str = if cfg!(target_arch = "wasm32") {
    "no GPU adapter found: WebGPU takes a page from https or localhost, in Chrome or Edge 113, Safari \
     26, Firefox 141 or later; where the browser has WebGPU and no adapter, its page chrome://gpu or \
     about:support gives the reason, and Chrome on Linux may need \
     chrome://flags/#enable-unsafe-webgpu"
} else {
    concat!("no GPU adapter found; install a driver, or a software one: ", install!())
};

/// The advice if adapters exist but none fits.
const OTHER_ADAPTER: &str = if cfg!(target_arch = "wasm32") {
    "use another browser, or this one on another machine"
} else {
    concat!(
        "choose another one with ContextOptions, or with WGPU_ADAPTER_NAME and WGPU_BACKEND, ",
        "or install a driver: ",
        install!()
    )
};
