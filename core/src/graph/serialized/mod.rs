//! Stores a computation by `serde`: as the version of the format, the texts of user-defined
//! functions, and the instructions. Reading checks the texts and adds the operations to a builder, so
//! the rules of both apply to all data.
//!
//! [`attributes`] stores opcodes and constants, and [`reader`] adds what is read; [`version_1`] reads
//! the format before this one.
//! Files of this folder import `semantics`, `graph` and each other.

pub(super) mod attributes;
mod reader;
mod version_1;

use std::borrow::Cow;

use serde::de::{self, Deserializer};
use serde::ser::{self, Serializer};
use serde::{Deserialize, Serialize};

use crate::graph::builder::{Builder, Op};
use crate::graph::computation::{Computation, Instruction};
use crate::graph::function::body::{SharedFunction, stored_cost};
use crate::graph::function::stored::StoredFunction;
use crate::graph::operation::Operation;
use crate::graph::serialized::reader::{Cost, Reader, cost};
use crate::graph::serialized::version_1::Call;
use crate::semantics::hash::FastMap;

/// The version of the format that is written.
const VERSION: u32 = 2;

/// A computation as it is written. The version comes first, so that it is read before all else.
#[derive(Serialize)]
#[serde(rename = "Computation")]
struct Written<'a> {
    version: u32,
    name: Option<&'a str>,
    /// The user-defined functions that are called, by number.
    functions: Vec<StoredFunction>,
    instructions: Vec<Cow<'a, Instruction>>,
    /// The numbers of the instructions that give the results.
    results: Vec<usize>,
}

/// A computation as it is read.
#[derive(Deserialize)]
#[serde(rename = "Computation", deny_unknown_fields)]
struct Read {
    version: Version,
    name: Option<String>,
    #[serde(default)]
    functions: Vec<StoredFunction>,
    instructions: Option<Vec<Instruction>>,
    /// What version 1 has in place of instructions.
    calls: Option<Vec<Call>>,
    results: Vec<usize>,
}

struct Version(u32);

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u32::deserialize(deserializer)? {
            known @ 1..=VERSION => Ok(Self(known)),
            given => Err(de::Error::custom(format_args!(
                "the computation is of format version {given}, and this library reads versions 1 to {VERSION}; read it with a library that knows version {given}, or write it anew with this one"
            ))),
        }
    }
}

impl Serialize for Computation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut written = Written {
            version: VERSION,
            name: self.name.as_deref(),
            functions: Vec::new(),
            instructions: Vec::new(),
            results: Vec::new(),
        };
        written.add(self).map_err(ser::Error::custom)?;
        written.serialize(serializer)
    }
}

impl<'a> Written<'a> {
    /// Adds the instructions that results need, and all parameters.
    fn add(&mut self, computation: &'a Computation) -> Result<(), String> {
        let instructions = &computation.instructions;
        let needed = computation.needed_for(&computation.roots);
        let mut new_ids = vec![0; instructions.len()];
        let mut functions: FastMap<&SharedFunction, usize> = FastMap::default();
        let mut total = Cost { total: 0, done: "stored" };
        for (node, instruction) in instructions.iter().enumerate() {
            let is_parameter = matches!(instruction.operation, Operation::Parameter(_));
            if !needed[node] && !is_parameter {
                continue;
            }
            let rank = |&operand: &usize| instructions[operand].shape.rank();
            let rank = instruction.operands.iter().map(rank).max().unwrap_or(0);
            total.add(cost(instruction, rank))?;
            let mut instruction = Cow::Borrowed(instruction);
            if instruction.operands.iter().any(|&operand| new_ids[operand] != operand) {
                let operands = &mut instruction.to_mut().operands;
                operands.iter_mut().for_each(|operand| *operand = new_ids[*operand]);
            }
            if let Operation::Call { function, .. } = instruction.operation {
                let called = &instructions.functions[function];
                let next = functions.len();
                let number = *functions.entry(called).or_insert(next);
                if number == next {
                    total.add(stored_cost(&called.0.text))?;
                    self.functions.push(StoredFunction::of(called));
                }
                if let (true, Operation::Call { function, .. }) =
                    (number != function, &mut instruction.to_mut().operation)
                {
                    *function = number;
                }
            }
            new_ids[node] = self.instructions.len();
            self.instructions.push(instruction);
        }
        self.results = computation.roots.iter().map(|&root| new_ids[root]).collect();
        Ok(())
    }
}

impl<'de> Deserialize<'de> for Computation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = Read::deserialize(deserializer)?;
        read.build().map_err(de::Error::custom)
    }
}

impl Read {
    /// Checks the functions and adds the operations.
    fn build(self) -> Result<Computation, String> {
        let mut reader = Reader {
            builder: Builder::new(),
            ops: Vec::new(),
            cost: Cost { total: 0, done: "read" },
            functions: Vec::new(),
        };
        for (number, function) in self.functions.iter().enumerate() {
            let read = reader.cost.add(stored_cost(&function.text)).and_then(|()| function.check());
            reader.functions.push(read.map_err(|why| format!("function {number}: {why}"))?);
        }
        match (self.version, self.instructions, self.calls) {
            (Version(1), None, Some(calls)) => {
                for (number, call) in calls.iter().enumerate() {
                    reader.call(call).map_err(|why| format!("call {number}: {why}"))?;
                }
            }
            (Version(VERSION), Some(instructions), None) => {
                for (number, instruction) in instructions.iter().enumerate() {
                    let added = reader.instruction(instruction);
                    added.map_err(|why| format!("instruction {number}: {why}"))?;
                }
            }
            (Version(1), ..) => return Err("version 1 has calls, and no instructions".to_owned()),
            _ => return Err(format!("version {VERSION} has instructions, and no calls")),
        }
        let roots = self.results.iter().map(|&result| reader.value(result));
        let roots: Vec<Op> =
            roots.collect::<Result<_, _>>().map_err(|why| format!("results: {why}"))?;
        let computation = reader.builder.build_all(&roots).map_err(|why| why.to_string())?;
        Ok(match self.name {
            Some(name) => computation.named(&name),
            None => computation,
        })
    }
}
