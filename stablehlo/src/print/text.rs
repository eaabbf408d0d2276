//! [`text`]: a computation as a module with one function.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use indim_core::{Computation, Opcode};

use crate::print::body::{Body, Printed};
use crate::print::operation;
use crate::syntax::types::tensor;

/// An operation that StableHLO lacks, for which a computation is not printed: a call of a user-defined
/// function in WGSL.
///
/// ```
/// use indim::{Builder, ElementType::F32, WgslFunction};
///
/// let twice = WgslFunction::wgsl("fn twice(x: f32) -> f32 { return 2.0 * x; }")?;
/// let mut b = Builder::new();
/// let x = b.parameter(F32, [3])?;
/// let y = b.call(&twice, &[x], &[&[]])?;
/// let error = indim_stablehlo::text(&b.build(y)?).unwrap_err();
/// assert_eq!(error.to_string(), "StableHLO has no operation for call");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotInStableHlo {
    opcode: Opcode,
}

impl fmt::Display for NotInStableHlo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StableHLO has no operation for {}", self.opcode.method())
    }
}

impl std::error::Error for NotInStableHlo {}

/// Returns a computation as text: a module whose function `main` takes its parameters and returns
/// its results. Reading it gives the computation again. An operation that StableHLO and CHLO lack, such
/// as `log2`, is a composite: other readers compute its decomposition, which is less accurate.
///
/// ```
/// use indim_core::{Builder, ElementType::F32};
///
/// let mut b = Builder::new();
/// let (x, v) = (b.parameter(F32, [2, 3]).unwrap(), b.parameter(F32, [3]).unwrap());
/// let sum = b.add(x, v, [1]).unwrap();
/// let text = indim_stablehlo::text(&b.build(sum).unwrap())?;
/// assert!(text.contains("%0 = stablehlo.broadcast_in_dim %arg1, dims = [1]"), "{text}");
/// assert!(text.contains("%1 = stablehlo.add %arg0, %0 : tensor<2x3xf32>"), "{text}");
/// # Ok::<(), indim_stablehlo::NotInStableHlo>(())
/// ```
///
/// # Errors
/// A call of a user-defined function.
pub fn text(computation: &Computation) -> Result<String, NotInStableHlo> {
    let (mut functions, mut missing) = (String::new(), Vec::new());
    let mut written = HashSet::new();
    missing.push(("main".to_owned(), computation.clone()));
    // A decomposition may have others in it.
    while let Some((name, computation)) = missing.pop() {
        let (function, decompositions) = function(&name, &computation)?;
        functions.push_str(&function);
        let new = decompositions.into_iter().filter(|(name, _)| written.insert(name.clone()));
        missing.extend(new);
    }
    Ok(format!("module @indim {{\n{functions}}}\n"))
}

/// Returns a computation as a function, with the functions that its composites stand for.
fn function(
    name: &str,
    computation: &Computation,
) -> Result<(String, BTreeMap<String, Computation>), NotInStableHlo> {
    let mut body = Body::default();
    let needed = computation.needed_for(computation.roots());
    let mut values: Vec<Option<Printed>> = Vec::new();
    for (node, instruction) in computation.instructions().iter().enumerate() {
        if !needed[node] {
            values.push(None);
            continue;
        }
        let operands: Vec<&Printed> =
            instruction.operands.iter().filter_map(|&node| values[node].as_ref()).collect();
        let name = operation::print(&mut body, instruction, &operands)
            .ok_or_else(|| NotInStableHlo { opcode: instruction.operation.opcode() })?;
        values.push(Some(Printed::new(name, instruction)));
    }
    let parameters = computation.parameters().iter().enumerate();
    let parameters: Vec<String> = parameters
        .map(|(number, of)| format!("%arg{number}: {}", tensor(of.element_type, &of.shape)))
        .collect();
    let results: Vec<&Printed> =
        computation.roots().iter().filter_map(|&root| values[root].as_ref()).collect();
    let names: Vec<&str> = results.iter().map(|result| result.name.as_str()).collect();
    let types: Vec<String> = results.iter().map(|result| result.tensor()).collect();
    let (parameters, types) = (parameters.join(", "), types.join(", "));
    let decompositions = std::mem::take(&mut body.decompositions);
    let body = body.written(&format!("return {} : {types}", names.join(", ")));
    let visibility = if name == "main" { "public" } else { "private" };
    let text =
        format!("  func.func {visibility} @{name}({parameters}) -> ({types}) {{\n{body}  }}\n");
    Ok((text, decompositions))
}
