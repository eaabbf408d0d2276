//! Defines [`Labels`]: names of wgpu objects in profilers and messages.

/// The labels of all objects, which begin with the caller's prefix.
#[derive(Debug)]
pub(crate) struct Labels {
    pub(crate) array: String,
    pub(crate) batch: String,
    pub(crate) check: String,
    pub(crate) encoded: String,
    pub(crate) kernel: String,
    pub(crate) parameters: String,
    pub(crate) probe: String,
    pub(crate) staging: String,
    pub(crate) texture: String,
    pub(crate) timing: String,
    pub(crate) upload: String,
}

impl Labels {
    pub(crate) fn new(prefix: Option<&str>) -> Self {
        let label = |what| format!("{} {what}", prefix.unwrap_or("indim"));
        Self {
            array: label("array"),
            batch: label("batch"),
            check: label("buffer check"),
            encoded: label("encoded"),
            kernel: label("kernel"),
            parameters: label("parameters"),
            probe: label("probe"),
            staging: label("staging"),
            texture: label("texture"),
            timing: label("timing"),
            upload: label("upload"),
        }
    }
}
