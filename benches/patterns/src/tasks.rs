//! Lists the tasks of a run: patterns, each in an element type.

use std::str::FromStr;

use indim::wgpu::Features;
use indim::{Context, ElementType};

use crate::error::{BenchError, Result};
use crate::patterns::Pattern;

/// A pattern and the element type of its arrays.
pub type Task = (Pattern, ElementType);

/// One type, or all of them, by its name or `all`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Types {
    /// A type.
    One(ElementType),
    /// All types that the adapter supports.
    All,
}

impl FromStr for Types {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text {
            "all" => Ok(Self::All),
            name => name.parse().map(Self::One).map_err(|error| format!("{error}, or all")),
        }
    }
}

/// Returns the tasks for these patterns, or for all without one, in F32 or in each of these types
/// that they support.
pub fn tasks(named: &[Pattern], types: &[Types]) -> Result<Vec<Task>> {
    let patterns = if named.is_empty() { Pattern::ALL } else { named };
    if types.is_empty() {
        return Ok(patterns.iter().map(|&pattern| (pattern, ElementType::F32)).collect());
    }
    let types = types.iter().flat_map(|named| match named {
        Types::One(of) => std::slice::from_ref(of),
        Types::All => ElementType::ALL,
    });
    let mut tasks = Vec::new();
    for &of in types {
        for &pattern in patterns {
            if pattern.takes(of) {
                tasks.push((pattern, of));
            } else if !named.is_empty() {
                let name = pattern.name();
                let message = format!("{name} is measured in f32 only, not in {of}");
                return Err(BenchError::new(message));
            }
        }
    }
    Ok(tasks)
}

/// Returns true if the device supports this type.
pub(crate) fn is_supported(gpu: &Context, of: ElementType) -> bool {
    let needed = Features::SHADER_F64 | Features::SHADER_INT64;
    of != ElementType::F64 || gpu.device().features().contains(needed)
}

/// Returns the name of a task.
pub(crate) fn label((pattern, of): Task) -> String {
    match of {
        ElementType::F32 => pattern.name().to_owned(),
        of => format!("{} {of}", pattern.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_measured_where_they_make_sense() {
        let tasks = |patterns: &[Pattern], types: &[&str]| {
            let types: Vec<Types> = types.iter().map(|name| name.parse().unwrap()).collect();
            tasks(patterns, &types).map_err(|error| error.to_string())
        };
        let same = |of| (Pattern::Same, of);
        assert_eq!(tasks(&[Pattern::Same], &[]), Ok(vec![same(ElementType::F32)]));
        assert_eq!(
            tasks(&[Pattern::Same], &["u8", "bf16"]),
            Ok(vec![same(ElementType::U8), same(ElementType::Bf16)])
        );
        assert_eq!(tasks(&[Pattern::Same], &["all"]).unwrap().len(), ElementType::ALL.len());
        let message = tasks(&[Pattern::Tanh], &["s32"]).unwrap_err();
        assert_eq!(message, "tanh is measured in f32 only, not in s32");
        assert!(tasks(&[], &["s32"]).unwrap().iter().all(|(p, _)| *p != Pattern::Tanh));
        assert!("u7".parse::<Types>().unwrap_err().ends_with("f64 and c64, or all"));
    }
}
