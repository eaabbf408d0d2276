//! The test targets of this package are the folders beside this file, as README.md there lists them.
