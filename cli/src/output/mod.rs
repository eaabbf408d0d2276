//! Printing results, and writing them to files.

pub(crate) mod answer;
pub(crate) mod bar;
pub(crate) mod file_format;
pub(crate) mod folder_lock;
pub(crate) mod json;
pub(crate) mod picture;
pub(crate) mod printed;
pub(crate) mod result_file;
pub(crate) mod result_files;
pub(crate) mod result_names;
pub(crate) mod temporary;
pub(crate) mod terminal;
pub(crate) mod whole_files;
