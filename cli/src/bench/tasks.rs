//! Lists the tasks of a run: patterns, each in an element type.

use std::str::FromStr;

use indim::wgpu::Features;
use indim::{Context, ElementType};

use super::patterns::Pattern;
use crate::report::diagnostic::{Diagnostic, Result};
use crate::report::suggest;

/// A pattern and the element type of its arrays.
pub(crate) type Task = (Pattern, ElementType);

/// A value of `--type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Types {
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

/// Returns the tasks for the named patterns, or all patterns, in F32 or in each of these types that
/// they support.
pub(crate) fn tasks(names: &[String], types: &[Types]) -> Result<Vec<Task>> {
    let patterns = chosen(names)?;
    if types.is_empty() {
        return Ok(patterns.into_iter().map(|pattern| (pattern, ElementType::F32)).collect());
    }
    let types = types.iter().flat_map(|named| match named {
        Types::One(of) => std::slice::from_ref(of),
        Types::All => ElementType::ALL,
    });
    let mut tasks = Vec::new();
    for &of in types {
        for &pattern in &patterns {
            if pattern.takes(of) {
                tasks.push((pattern, of));
            } else if !names.is_empty() {
                let name = pattern.name();
                return Err(Diagnostic::new(format!(
                    "{name} is measured in f32 only, not in {of}"
                )));
            }
        }
    }
    Ok(tasks)
}

/// Returns the patterns of these names, or all of them.
fn chosen(names: &[String]) -> Result<Vec<Pattern>> {
    if names.is_empty() {
        return Ok(Pattern::ALL.to_vec());
    }
    let known = || Pattern::ALL.iter().map(|pattern| pattern.name());
    names
        .iter()
        .map(|name| {
            let found = Pattern::ALL.iter().copied().find(|pattern| pattern.name() == name);
            found.ok_or_else(|| {
                let meant = suggest::nearest(name, known())
                    .map(|near| format!("did you mean `{near}`? "))
                    .unwrap_or_default();
                let all: Vec<&str> = known().collect();
                Diagnostic::new(format!("there is no pattern `{name}`"))
                    .help(format!("{meant}the patterns are {}", all.join(", ")))
            })
        })
        .collect()
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
        let tasks = |names: &[&str], types: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            let types: Vec<Types> = types.iter().map(|name| name.parse().unwrap()).collect();
            tasks(&names, &types).map_err(|error| error.message().to_owned())
        };
        let same = |of| (Pattern::Same, of);
        assert_eq!(tasks(&["same"], &[]), Ok(vec![same(ElementType::F32)]));
        assert_eq!(
            tasks(&["same"], &["u8", "bf16"]),
            Ok(vec![same(ElementType::U8), same(ElementType::Bf16)])
        );
        assert_eq!(tasks(&["same"], &["all"]).unwrap().len(), ElementType::ALL.len());
        let message = tasks(&["tanh"], &["s32"]).unwrap_err();
        assert_eq!(message, "tanh is measured in f32 only, not in s32");
        assert!(tasks(&[], &["s32"]).unwrap().iter().all(|(p, _)| *p != Pattern::Tanh));
        assert!("u7".parse::<Types>().unwrap_err().ends_with("f64 and c64, or all"));
    }
}
