//! Builds a function anew, statement by statement: variables are replaced by their values where
//! these are known, calls by what the called function computes, and each expression is rewritten by
//! the rules.

use std::collections::HashMap;

use naga::front::Typifier;
use naga::proc::ResolveContext;
use naga::{
    Block, Expression, Function, Handle, LocalVariable, Module, Range, Span, Statement, TypeInner,
};

use super::arithmetic::Rules;

type Value = Handle<Expression>;

/// Returns a function with its sums rewritten. If `inline` is true, what it calls becomes part of
/// it where that returns at its end only.
pub(super) fn function(module: &Module, old: &Function, rules: Rules, inline: bool) -> Function {
    let mut out = old.clone();
    out.local_variables.clear();
    out.expressions.clear();
    out.named_expressions.clear();
    out.body = Block::new();
    let mut rebuild = Rebuild {
        module,
        rules,
        inline,
        out,
        types: Typifier::new(),
        block: Block::new(),
        known: HashMap::new(),
    };
    let mut frame = rebuild.enter(old, None);
    rebuild.walk(&mut frame, &old.body);
    rebuild.out.body = rebuild.block;
    rebuild.out
}

/// A function whose statements are walked through, with the replacements for its expressions.
struct Frame<'a> {
    function: &'a Function,
    values: HashMap<Value, Value>,
    locals: HashMap<Handle<LocalVariable>, Handle<LocalVariable>>,
    /// The call's result, where the function becomes part of another.
    arguments: Option<Vec<Value>>,
}

pub(super) struct Rebuild<'a> {
    module: &'a Module,
    pub(super) rules: Rules,
    inline: bool,
    out: Function,
    types: Typifier,
    /// The statements of the block that is being built.
    block: Block,
    /// The value that a variable has here, where that does not depend on a branch or a loop.
    known: HashMap<Handle<LocalVariable>, Value>,
}

impl<'a> Rebuild<'a> {
    fn enter(&mut self, function: &'a Function, arguments: Option<Vec<Value>>) -> Frame<'a> {
        let (values, locals) = (HashMap::new(), HashMap::new());
        let mut frame = Frame { function, values, locals, arguments };
        for (handle, local) in function.local_variables.iter() {
            let mut copy = local.clone();
            copy.init = None;
            let new = self.out.local_variables.append(copy, Span::UNDEFINED);
            frame.locals.insert(handle, new);
            // In a loop the variable of a called function begins anew each time.
            let value = match local.init {
                Some(init) => self.value(&mut frame, init),
                None => self.append(Expression::ZeroValue(local.ty)),
            };
            let pointer = self.append(Expression::LocalVariable(new));
            self.store(pointer, value);
        }
        frame
    }

    // ---- statements -----------------------------------------------------------------------------

    fn walk(&mut self, frame: &mut Frame<'a>, block: &'a Block) {
        for statement in block.iter() {
            self.statement(frame, statement);
        }
    }

    fn inner(&mut self, frame: &mut Frame<'a>, block: &'a Block) -> Block {
        let outer = std::mem::take(&mut self.block);
        self.walk(frame, block);
        std::mem::replace(&mut self.block, outer)
    }

    fn push(&mut self, statement: Statement) {
        self.block.push(statement, Span::UNDEFINED);
    }

    fn statement(&mut self, frame: &mut Frame<'a>, statement: &'a Statement) {
        match *statement {
            Statement::Emit(ref range) => {
                for handle in range.clone() {
                    let value = self.copy(frame, handle);
                    frame.values.insert(handle, value);
                }
            }
            Statement::Block(ref block) => self.walk(frame, block),
            Statement::If { condition, ref accept, ref reject } => {
                let condition = self.value(frame, condition);
                let before = self.known.clone();
                let accept = self.inner(frame, accept);
                let mut after = std::mem::replace(&mut self.known, before);
                let reject = self.inner(frame, reject);
                after.retain(|local, value| self.known.get(local) == Some(value));
                self.known = after;
                self.push(Statement::If { condition, accept, reject });
            }
            Statement::Loop { ref body, ref continuing, break_if } => {
                for local in frame.assigned(body).into_iter().chain(frame.assigned(continuing)) {
                    self.known.remove(&local);
                }
                let before = self.known.clone();
                let body = self.inner(frame, body);
                // The body may come here by `continue`, before it has stored anything.
                self.known = before.clone();
                let outer = std::mem::take(&mut self.block);
                self.walk(frame, continuing);
                let break_if = break_if.map(|condition| self.value(frame, condition));
                let continuing = std::mem::replace(&mut self.block, outer);
                self.known = before;
                self.push(Statement::Loop { body, continuing, break_if });
            }
            Statement::Return { value } => {
                let value = value.map(|value| self.value(frame, value));
                self.push(Statement::Return { value });
            }
            Statement::Store { pointer, value } => {
                let (pointer, value) = (self.value(frame, pointer), self.value(frame, value));
                self.store(pointer, value);
            }
            Statement::Atomic { pointer, fun, value, result } => {
                let (pointer, value) = (self.value(frame, pointer), self.value(frame, value));
                let result = result.map(|old| {
                    let new = self.append(frame.function.expressions[old].clone());
                    frame.values.insert(old, new);
                    new
                });
                self.push(Statement::Atomic { pointer, fun, value, result });
            }
            Statement::Call { function, ref arguments, result } => {
                self.call(frame, function, arguments, result);
            }
            Statement::Break | Statement::Continue | Statement::ControlBarrier(_) => {
                self.push(statement.clone());
            }
            ref other => panic!("no kernel has this statement: {other:?}"),
        }
    }

    /// Calls a function, or walks through its body where that becomes part of this one.
    fn call(
        &mut self,
        frame: &mut Frame<'a>,
        function: Handle<Function>,
        arguments: &[Value],
        result: Option<Value>,
    ) {
        let arguments: Vec<Value> =
            arguments.iter().map(|&argument| self.value(frame, argument)).collect();
        let callee = &self.module.functions[function];
        let new = match (result, callee.body.last()) {
            (Some(_), Some(&Statement::Return { value: Some(value) }))
                if self.inline && returns(&callee.body) == 1 =>
            {
                let mut inner = self.enter(callee, Some(arguments));
                for statement in callee.body.iter().take(callee.body.len() - 1) {
                    self.statement(&mut inner, statement);
                }
                Some(self.value(&mut inner, value))
            }
            _ => {
                let result = result.map(|_| self.append(Expression::CallResult(function)));
                self.push(Statement::Call { function, arguments, result });
                result
            }
        };
        if let (Some(old), Some(new)) = (result, new) {
            frame.values.insert(old, new);
        }
    }

    fn store(&mut self, pointer: Value, value: Value) {
        match self.out.expressions[pointer] {
            Expression::LocalVariable(local) => {
                self.known.insert(local, value);
            }
            _ => {
                if let Some(local) = root(&self.out, pointer) {
                    self.known.remove(&local);
                }
            }
        }
        self.push(Statement::Store { pointer, value });
    }

    // ---- expressions ----------------------------------------------------------------------------

    /// Returns the replacement of an old expression, which is made if it needs no statement.
    fn value(&mut self, frame: &mut Frame<'a>, old: Value) -> Value {
        if let Some(&value) = frame.values.get(&old) {
            return value;
        }
        let expression = &frame.function.expressions[old];
        let value = match *expression {
            Expression::FunctionArgument(number) => match &frame.arguments {
                Some(arguments) => arguments[number as usize],
                None => self.append(expression.clone()),
            },
            Expression::LocalVariable(local) => {
                self.append(Expression::LocalVariable(frame.locals[&local]))
            }
            _ if expression.needs_pre_emit() => self.append(expression.clone()),
            // A constant expression: it is written where it is used.
            _ => return self.copy(frame, old),
        };
        frame.values.insert(old, value);
        value
    }

    /// Rebuilds an expression from the replacements of its operands.
    fn copy(&mut self, frame: &mut Frame<'a>, old: Value) -> Value {
        let mut expression = frame.function.expressions[old].clone();
        for operand in operands(&mut expression) {
            *operand = self.value(frame, *operand);
        }
        if let Expression::Load { pointer } = expression
            && let Some(value) = self.loaded(pointer)
        {
            return value;
        }
        self.make(expression)
    }

    fn loaded(&mut self, pointer: Value) -> Option<Value> {
        match self.out.expressions[pointer] {
            Expression::LocalVariable(local) => self.known.get(&local).copied(),
            Expression::AccessIndex { base, index } => match self.out.expressions[base] {
                Expression::LocalVariable(local) => {
                    let base = *self.known.get(&local)?;
                    Some(self.make(Expression::AccessIndex { base, index }))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Appends an expression with the statement that evaluates it.
    pub(super) fn emit(&mut self, expression: Expression) -> Value {
        if expression.needs_pre_emit() {
            return self.append(expression);
        }
        let value = self.append(expression);
        self.push(Statement::Emit(Range::new_from_bounds(value, value)));
        if self.inner_type(value).pointer_space().is_none() {
            // With a name it is written as a `let`, and not inside the expressions that use it.
            self.out.named_expressions.insert(value, "v".to_owned());
        }
        value
    }

    fn append(&mut self, expression: Expression) -> Value {
        let value = self.out.expressions.append(expression, Span::UNDEFINED);
        let Function { local_variables, arguments, expressions, .. } = &self.out;
        let context = ResolveContext::with_locals(self.module, local_variables, arguments);
        self.types
            .grow(value, expressions, &context)
            .unwrap_or_else(|error| panic!("no type of {:?}: {error}", expressions[value]));
        value
    }

    pub(super) fn expression(&self, value: Value) -> &Expression {
        &self.out.expressions[value]
    }

    pub(super) fn inner_type(&self, value: Value) -> &TypeInner {
        self.types.get(value, &self.module.types)
    }

    /// Returns whether a value is the parameter block's zero, as a number or in every lane.
    pub(super) fn is_params_zero(&self, value: Value) -> bool {
        match *self.expression(value) {
            Expression::Splat { value, .. } => self.is_params_zero(value),
            Expression::Load { pointer } => {
                let Expression::AccessIndex { base, index } = *self.expression(pointer) else {
                    return false;
                };
                let Expression::GlobalVariable(global) = *self.expression(base) else {
                    return false;
                };
                let global = &self.module.global_variables[global];
                match &self.module.types[global.ty].inner {
                    TypeInner::Struct { members, .. } => {
                        members[index as usize].name.as_deref() == Some("zero")
                    }
                    _ => false,
                }
            }
            _ => false,
        }
    }
}

impl Frame<'_> {
    /// The variables that a block stores to.
    fn assigned(&self, block: &Block) -> Vec<Handle<LocalVariable>> {
        let mut found = Vec::new();
        each_statement(block, &mut |statement| {
            if let Statement::Store { pointer, .. } = *statement
                && let Some(local) = root(self.function, pointer)
            {
                found.extend(self.locals.get(&local).copied());
            }
        });
        found
    }
}

/// The variable that a pointer leads into.
fn root(function: &Function, pointer: Value) -> Option<Handle<LocalVariable>> {
    match function.expressions[pointer] {
        Expression::LocalVariable(local) => Some(local),
        Expression::AccessIndex { base, .. } | Expression::Access { base, .. } => {
            root(function, base)
        }
        _ => None,
    }
}

fn returns(block: &Block) -> usize {
    let mut count = 0;
    each_statement(block, &mut |statement| {
        count += usize::from(matches!(statement, Statement::Return { .. }));
    });
    count
}

fn each_statement(block: &Block, visit: &mut impl FnMut(&Statement)) {
    for statement in block.iter() {
        visit(statement);
        match statement {
            Statement::Block(block) => each_statement(block, visit),
            Statement::If { accept, reject, .. } => {
                each_statement(accept, visit);
                each_statement(reject, visit);
            }
            Statement::Loop { body, continuing, .. } => {
                each_statement(body, visit);
                each_statement(continuing, visit);
            }
            _ => {}
        }
    }
}

/// The operands of an expression of a kind that kernels contain.
fn operands(expression: &mut Expression) -> Vec<&mut Value> {
    match expression {
        Expression::Compose { components, .. } => components.iter_mut().collect(),
        Expression::Access { base, index } => vec![base, index],
        Expression::AccessIndex { base: operand, .. }
        | Expression::Splat { value: operand, .. }
        | Expression::Swizzle { vector: operand, .. }
        | Expression::Load { pointer: operand }
        | Expression::Unary { expr: operand, .. }
        | Expression::Relational { argument: operand, .. }
        | Expression::As { expr: operand, .. }
        | Expression::ArrayLength(operand) => vec![operand],
        Expression::Binary { left, right, .. } => vec![left, right],
        Expression::Select { condition, accept, reject } => vec![condition, accept, reject],
        Expression::Math { arg, arg1, arg2, arg3, .. } => {
            let others = [arg1, arg2, arg3].into_iter().filter_map(Option::as_mut);
            std::iter::once(arg).chain(others).collect()
        }
        other if other.needs_pre_emit() => Vec::new(),
        other => panic!("no kernel has this expression: {other:?}"),
    }
}
