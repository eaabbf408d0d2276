//! Counts the code that a call of a function gives compilers, including the functions that it
//! calls, which compilers inline.

use naga::valid::ModuleInfo;
use naga::{
    ArraySize, BinaryOperator, Block, Expression, Function, Handle, MathFunction, Module,
    ScalarKind, Statement, TypeInner,
};

use crate::graph::function::indices;

/// The counts of one call.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Weight {
    /// The operations of the text, for an estimate of its time. An access by a run-time index
    /// counts as the operations that it is compiled to.
    pub(super) operations: usize,
    /// The work of compilers, in operations on single values: each expression counts by its number
    /// of values, each statement, argument and variable counts, and what is compiled to many
    /// instructions counts as these.
    pub(super) compiled: usize,
    pub(super) loops: usize,
    /// The depth of nested calls.
    pub(super) depth: usize,
}

impl Weight {
    fn with_callee(self, callee: Self) -> Self {
        Self {
            operations: self.operations.saturating_add(callee.operations),
            compiled: self.compiled.saturating_add(callee.compiled),
            loops: self.loops.saturating_add(callee.loops),
            depth: self.depth.max(callee.depth.saturating_add(1)),
        }
    }
}

/// Returns the counts of a call of each function.
pub(super) fn weights(module: &Module, info: &ModuleInfo) -> Vec<Weight> {
    let mut values = Vec::with_capacity(module.types.len());
    for (_, ty) in module.types.iter() {
        values.push(values_of(&ty.inner, &values));
    }
    let weigher = Weigher { module, info, values };
    // Functions come after those that they call.
    let mut all: Vec<Weight> = Vec::with_capacity(module.functions.len());
    for (handle, function) in module.functions.iter() {
        let of_calls = calls(function).into_iter().map(|callee| all[callee.index()]);
        let own = weigher.own(handle, function);
        all.push(of_calls.fold(own, Weight::with_callee));
    }
    all
}

/// Returns the functions that a function calls, one entry for each call.
pub(super) fn calls(function: &Function) -> Vec<Handle<Function>> {
    let callee = |statement: &Statement| match statement {
        Statement::Call { function, .. } => Some(*function),
        _ => None,
    };
    statements(function).into_iter().filter_map(callee).collect()
}

/// Returns the number of statements of each function, with those of its calls, after which an
/// invocation goes on by one of two ways.
pub(super) fn forks(module: &Module) -> Vec<usize> {
    let mut all: Vec<usize> = Vec::with_capacity(module.functions.len());
    for (_, function) in module.functions.iter() {
        let own = statements(function).into_iter().map(fork);
        let of_calls = calls(function).into_iter().map(|callee| all[callee.index()]);
        all.push(own.chain(of_calls).fold(0, usize::saturating_add));
    }
    all
}

fn fork(statement: &Statement) -> usize {
    // The end of a loop is the other way of its condition, and is not counted.
    let goes_on = |block: &Block| !block.is_empty() && !matches!(block[..], [Statement::Break]);
    let returns = |block: &Block| matches!(block.last(), Some(Statement::Return { .. }));
    match statement {
        Statement::If { accept, reject, .. } => {
            usize::from(returns(accept) || goes_on(accept) && goes_on(reject))
        }
        Statement::Switch { cases, .. } => cases.len().saturating_sub(1),
        _ => 0,
    }
}

/// Returns the statements of a function, including those in blocks.
fn statements(function: &Function) -> Vec<&Statement> {
    let mut all = Vec::new();
    let mut blocks = vec![&function.body];
    while let Some(block) = blocks.pop() {
        for statement in block.iter() {
            all.push(statement);
            match statement {
                Statement::Block(inner) => blocks.push(inner),
                Statement::If { accept, reject, .. } => blocks.extend([accept, reject]),
                Statement::Loop { body, continuing, .. } => blocks.extend([body, continuing]),
                Statement::Switch { cases, .. } => {
                    blocks.extend(cases.iter().map(|case| &case.body));
                }
                _ => {}
            }
        }
    }
    all
}

/// Returns the values of a type, given those of the types before it.
fn values_of(inner: &TypeInner, known: &[usize]) -> usize {
    match inner {
        TypeInner::Vector { size, .. } => *size as usize,
        TypeInner::Matrix { columns, rows, .. } => *columns as usize * *rows as usize,
        TypeInner::Array { base, size: ArraySize::Constant(count), .. } => {
            known[base.index()].saturating_mul(count.get() as usize)
        }
        TypeInner::Struct { members, .. } => {
            members.iter().fold(0, |sum: usize, m| sum.saturating_add(known[m.ty.index()]))
        }
        _ => 1,
    }
}

struct Weigher<'a> {
    module: &'a Module,
    info: &'a ModuleInfo,
    /// The values of each type.
    values: Vec<usize>,
}

impl Weigher<'_> {
    fn own(&self, handle: Handle<Function>, function: &Function) -> Weight {
        let mut weight = Weight { depth: 1, ..Weight::default() };
        for (of, expression) in function.expressions.iter() {
            let compiled = self.expression(handle, function, of, expression);
            weight.compiled = weight.compiled.saturating_add(compiled);
            weight.operations = weight.operations.saturating_add(match expression {
                Expression::Access { .. } => compiled,
                _ => usize::from(computes(expression)),
            });
        }
        for (_, variable) in function.local_variables.iter() {
            let values = self.values[variable.ty.index()];
            weight.compiled = weight.compiled.saturating_add(values);
        }
        for statement in statements(function) {
            weight.loops += usize::from(matches!(statement, Statement::Loop { .. }));
            let compiled = match statement {
                Statement::Emit(_) | Statement::Block(_) => 0,
                Statement::Store { value, .. } => self.values_at(handle, *value),
                Statement::Call { arguments, .. } => arguments
                    .iter()
                    .fold(1, |sum: usize, &of| sum.saturating_add(self.values_at(handle, of))),
                // SwiftShader takes more than linear time in branches, 20 s for 1,300 of them.
                Statement::If { .. } => 8,
                Statement::Switch { cases, .. } => 96 * cases.len(),
                _ => 1,
            };
            weight.compiled = weight.compiled.saturating_add(compiled);
        }
        weight
    }

    fn inner(&self, function: Handle<Function>, of: Handle<Expression>) -> &TypeInner {
        self.info[function][of].ty.inner_with(&self.module.types)
    }

    fn values_at(&self, function: Handle<Function>, of: Handle<Expression>) -> usize {
        values_of(self.inner(function, of), &self.values)
    }

    fn is_lookup(&self, function: &Function, base: Handle<Expression>) -> bool {
        indices::is_table(self.module, function, base)
    }

    fn expression(
        &self,
        handle: Handle<Function>,
        function: &Function,
        of: Handle<Expression>,
        expression: &Expression,
    ) -> usize {
        let values = self.values_at(handle, of);
        let at = |of: Handle<Expression>| self.values_at(handle, of);
        match expression {
            Expression::Literal(_)
            | Expression::Constant(_)
            | Expression::ZeroValue(_)
            | Expression::LocalVariable(_)
            | Expression::GlobalVariable(_) => 0,
            Expression::Access { base, .. } => {
                let inner = match self.inner(handle, *base) {
                    TypeInner::Pointer { base, .. } => &self.module.types[*base].inner,
                    inner => inner,
                };
                let whole = values_of(inner, &self.values);
                match inner {
                    _ if self.is_lookup(function, *base) => whole,
                    TypeInner::Array { .. } | TypeInner::Matrix { .. } => variable_access(whole),
                    _ => 4,
                }
            }
            Expression::Binary { op, left, right } => {
                let (left_values, right_values) = (at(*left), at(*right));
                let each = match (op, self.inner(handle, *left), self.inner(handle, *right)) {
                    (BinaryOperator::Multiply, TypeInner::Matrix { .. }, _)
                    | (BinaryOperator::Multiply, _, TypeInner::Matrix { .. }) => 8,
                    (BinaryOperator::Divide | BinaryOperator::Modulo, inner, _) => {
                        let by_number =
                            matches!(function.expressions[*right], Expression::Literal(_));
                        match inner.scalar_kind() {
                            Some(ScalarKind::Sint | ScalarKind::Uint) if by_number => 16,
                            // Lavapipe took 18 ms for each.
                            Some(ScalarKind::Sint | ScalarKind::Uint) => 96,
                            _ => 4,
                        }
                    }
                    _ => 1,
                };
                values.max(left_values).max(right_values).saturating_mul(each)
            }
            Expression::Math { fun, arg, .. } => {
                values.max(at(*arg)).saturating_mul(instructions(*fun))
            }
            _ => values,
        }
    }
}

/// Returns the weight of an access by a run-time index, in an array or a matrix of this many values
/// that is not a constant. (Drivers keep such an array in registers and choose among all of them:
/// in each copy of a text, an access took lavapipe 8 ms for 16 values, 12 ms for 64, and 0.9 s for
/// 256.)
fn variable_access(values: usize) -> usize {
    (values.saturating_pow(3) / 4400).saturating_add(32)
}

/// Returns the approximate number of instructions of a WGSL function for one value.
fn instructions(function: MathFunction) -> usize {
    use MathFunction as M;
    match function {
        M::Abs | M::Min | M::Max | M::Clamp | M::Saturate | M::Fma | M::Step | M::Dot => 2,
        M::Exp | M::Exp2 | M::Log | M::Log2 => 16,
        // On a CPU without AVX-512 lavapipe took 32 s for 420 sines.
        M::Sin | M::Cos | M::Tan | M::Pow | M::Cosh | M::Sinh | M::Tanh => 32,
        M::Asinh | M::Acosh | M::Atanh => 32,
        // Lavapipe took 28 s for 230 of them.
        M::Acos | M::Asin | M::Atan | M::Atan2 => 96,
        _ => 8,
    }
}

fn computes(expression: &Expression) -> bool {
    !matches!(
        expression,
        Expression::Literal(_)
            | Expression::Constant(_)
            | Expression::ZeroValue(_)
            | Expression::FunctionArgument(_)
            | Expression::LocalVariable(_)
            | Expression::CallResult(_)
    )
}
