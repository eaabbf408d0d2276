//! Stores a computation by `serde`: as the version of the format, the texts of user-defined
//! functions, and the builder calls that make the computation. Reading checks the texts and makes
//! these calls, so the rules of both apply to all data.

use serde::de::{self, Deserializer};
use serde::ser::{self, Serializer};
use serde::{Deserialize, Serialize};

use crate::graph::builder::{Builder, Op};
use crate::graph::calls::{Call, MOST_COST};
use crate::graph::computation::Computation;
use crate::graph::function::body::stored_cost;
use crate::graph::function::stored::StoredFunction;
use crate::graph::write_calls::write_calls;

/// The version of the format that is written, and the one that is read.
const VERSION: u32 = 1;

/// A computation as it is stored. The version comes first, so that it is read before all else.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Computation", deny_unknown_fields)]
struct Stored {
    version: Version,
    name: Option<String>,
    /// The user-defined functions that are called, by number.
    #[serde(default)]
    functions: Vec<StoredFunction>,
    calls: Vec<Call>,
    /// The numbers of the calls that give the results.
    results: Vec<usize>,
}

#[derive(Serialize)]
struct Version(u32);

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u32::deserialize(deserializer)? {
            VERSION => Ok(Self(VERSION)),
            given => Err(de::Error::custom(format_args!(
                "the computation is of format version {given}, and this library reads version {VERSION}; read it with a library that knows version {given}, or write it anew with this one"
            ))),
        }
    }
}

impl Serialize for Computation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let written = write_calls(self).map_err(ser::Error::custom)?;
        let stored = Stored {
            version: Version(VERSION),
            name: self.name.as_deref().map(str::to_owned),
            functions: written.functions.iter().map(StoredFunction::of).collect(),
            calls: written.calls,
            results: written.results,
        };
        stored.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Computation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let stored = Stored::deserialize(deserializer)?;
        stored.build().map_err(de::Error::custom)
    }
}

impl Stored {
    /// Checks the functions and makes the calls.
    fn build(self) -> Result<Computation, String> {
        let mut builder = Builder::new();
        let mut ops: Vec<Op> = Vec::new();
        let mut cost = 0usize;
        let mut functions = Vec::new();
        for (number, function) in self.functions.iter().enumerate() {
            count(&mut cost, stored_cost(&function.text))
                .and_then(|()| function.check())
                .map(|function| functions.push(function))
                .map_err(|why| format!("function {number}: {why}"))?;
        }
        for (number, call) in self.calls.iter().enumerate() {
            let mut rank = 0;
            for operand in call.operands() {
                let op = known(&ops, operand).map_err(|why| format!("call {number}: {why}"))?;
                rank = rank.max(builder.shape(op).map_or(0, |shape| shape.rank()));
            }
            // All operands were found.
            let op = count(&mut cost, call.cost(rank))
                .and_then(|()| {
                    let made = call.make(&mut builder, &functions, |operand| ops[operand]);
                    made.map_err(|why| why.to_string())
                })
                .map_err(|why| format!("call {number}: {why}"))?;
            ops.push(op);
        }
        let roots = self.results.iter().map(|&result| known(&ops, result));
        let roots: Vec<Op> =
            roots.collect::<Result<_, _>>().map_err(|why| format!("results: {why}"))?;
        let computation = builder.build_all(&roots).map_err(|why| why.to_string())?;
        Ok(match self.name {
            Some(name) => computation.named(&name),
            None => computation,
        })
    }
}

/// Adds the cost of what is about to be made.
fn count(cost: &mut usize, added: usize) -> Result<(), String> {
    *cost = cost.saturating_add(added);
    if *cost > MOST_COST {
        return Err(format!(
            "the computation costs more than {MOST_COST}, which is the most that is read; make it of several computations"
        ));
    }
    Ok(())
}

/// Returns the value of an earlier call.
fn known(ops: &[Op], number: usize) -> Result<Op, String> {
    let none = || match ops.len() {
        0 => format!("value {number} is used, but no call stands before this"),
        count => {
            format!("value {number} is used, but the values before this are 0 to {}", count - 1)
        }
    };
    ops.get(number).copied().ok_or_else(none)
}
