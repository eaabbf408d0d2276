//! [`text`]: a computation as a module with one function.

use std::fmt;

use indim_core::{Computation, Opcode};

use crate::print::body::{Body, Printed};
use crate::print::operation;
use crate::syntax::types::tensor;

/// An operation that StableHLO lacks, for which a computation is not printed.
///
/// ```
/// use indim_core::{Builder, ElementType::F32};
///
/// let mut b = Builder::new();
/// let x = b.parameter(F32, [3]).unwrap();
/// let y = b.log2(x).unwrap();
/// let error = indim_stablehlo::text(&b.build(y).unwrap()).unwrap_err();
/// assert_eq!(error.to_string(), "StableHLO has no operation for log2");
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
/// its results. Reading it gives the computation again.
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
/// An operation that StableHLO and CHLO lack, such as `log2`.
pub fn text(computation: &Computation) -> Result<String, NotInStableHlo> {
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
    let body = body.written(&format!("return {} : {types}", names.join(", ")));
    Ok(format!(
        "module @indim {{\n  func.func public @main({parameters}) -> ({types}) {{\n{body}  }}\n}}\n"
    ))
}
