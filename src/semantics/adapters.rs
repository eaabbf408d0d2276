//! Advice in errors about adapters: how to get one on this platform, and their names.

/// How to install a software driver, which works on any machine.
macro_rules! install {
    () => {
        "Mesa's lavapipe (Debian and Ubuntu: apt-get install mesa-vulkan-drivers libvulkan1; Fedora: dnf install mesa-vulkan-drivers vulkan-loader; Arch: pacman -S vulkan-swrast vulkan-icd-loader; Alpine: apk add mesa-vulkan-swrast vulkan-loader)"
    };
}

/// The message if no adapter is found. In a browser there is nothing to install.
pub(crate) const NO_ADAPTER: &str = if cfg!(target_arch = "wasm32") {
    "no GPU adapter found: WebGPU takes a page from https or localhost, in Chrome or Edge 113, Safari \
     26, Firefox 141 or later; where the browser has WebGPU and no adapter, its page chrome://gpu or \
     about:support gives the reason, and Chrome on Linux may need \
     chrome://flags/#enable-unsafe-webgpu"
} else {
    concat!("no GPU adapter found; install a driver, or a software one: ", install!())
};

/// The advice if adapters exist but none fits.
pub(crate) const OTHER_ADAPTER: &str = if cfg!(target_arch = "wasm32") {
    "use another browser, or this one on another machine"
} else {
    concat!(
        "choose another one by the options or WGPU_ADAPTER_NAME and WGPU_BACKEND, ",
        "or install a driver: ",
        install!()
    )
};

/// Names an adapter in a message; in a browser its name may be empty.
pub(crate) fn named(adapter: &str) -> String {
    if adapter.is_empty() { "the adapter".to_owned() } else { format!("adapter {adapter}") }
}
