//! Measures the functions on a type, in chunks.

use indim::{Context, ElementType};

use crate::Result;
use crate::state::{Current, Settings};
use crate::sweep::{Work, pipeline};
use crate::typed::chunk::Chunk;
use crate::typed::function::Function;
use crate::typed::inputs::Inputs;
use crate::typed::library;

/// The sweep of one function.
#[derive(Debug)]
pub struct Sweep<'a> {
    function: &'a Function,
    settings: &'a Settings,
    inputs: &'a Inputs,
}

impl<'a> Sweep<'a> {
    /// Returns the sweep of one function.
    pub fn new(function: &'a Function, settings: &'a Settings, inputs: &'a Inputs) -> Self {
        Self { function, settings, inputs }
    }

    fn element_type(&self) -> ElementType {
        self.function.operand
    }

    /// Operands, or pairs of them.
    fn length(&self) -> u64 {
        if self.function.is_binary() {
            self.settings.pairs
        } else {
            Inputs::count(self.element_type(), self.settings.inputs)
        }
    }

    /// Returns how many chunks there are.
    pub fn chunks(&self) -> u64 {
        self.length().div_ceil(self.settings.chunk.into())
    }

    /// Returns the chunk of this number.
    pub fn chunk(&self, number: u64) -> Chunk {
        let first = number * u64::from(self.settings.chunk);
        let numbers = first..self.length().min(first + u64::from(self.settings.chunk));
        let element_type = self.element_type();
        if self.function.is_binary() {
            let pairs = numbers.map(|number| self.inputs.pair(element_type, number));
            let (lhs, rhs): (Vec<u64>, Vec<u64>) = pairs.map(|[a, b]| (a, b)).unzip();
            return Chunk { lhs: lhs.into(), rhs: rhs.into() };
        }
        let lhs = numbers.map(|number| self.inputs.unary(element_type, number)).collect();
        Chunk { lhs, rhs: [].into() }
    }

    /// Measures from `begin` on, and calls `progress` after every chunk; it says whether to go on.
    ///
    /// # Errors
    /// The error that the device or `progress` reports.
    pub fn run(
        &self,
        context: &Context,
        begin: Current,
        progress: impl FnMut(&Current) -> Result<bool>,
    ) -> Result<Current> {
        let compute = |number| {
            let chunk = self.chunk(number);
            let results = library::compute(context, self.function, &chunk)?;
            Ok((chunk, results))
        };
        let judge =
            |(chunk, results): &(Chunk, Vec<u64>)| vec![self.function.judge(chunk, results)];
        pipeline(Work { chunks: self.chunks(), compute, judge }, begin, progress)
    }
}
