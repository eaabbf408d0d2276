//! The state of lowering EXPRs, with the parts that every node needs: names, element types of bare
//! numbers, broadcasting.
//!
//! All rules on shapes and types are the library's; this file adds the place in EXPR where a rule
//! was broken, and the correct spelling.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use indim_core::{
    BroadcastError, Builder, Computation, ElementType, Error, Op, Opcode, Precision, Scalar, Shape,
    Side, WgslFunction,
};

use crate::lower::promotion_notes::Promotions;
use crate::lower::scope::Scope;
use crate::report::diagnostic::{Diagnostic, Result};
use crate::report::suggest::nearest;
use crate::syntax::foreign;
use crate::syntax::lexer::Symbol;
use crate::syntax::names;
use crate::syntax::narrow;
use crate::syntax::number::Number;
use crate::syntax::parsed::Parsed;
use crate::syntax::parser::{Kind, Node, NodeId, Statement};

/// The part of an operand that EXPR depends on.
#[derive(Debug, Clone)]
pub struct Declared {
    /// Its name in EXPR.
    pub name: String,
    /// The type of its elements.
    pub element_type: ElementType,
    /// Its sizes.
    pub shape: Shape,
}

/// The result of lowering EXPRs: one computation, with names for its parameters and results.
#[derive(Debug)]
pub struct Lowered {
    /// Computes all results.
    pub computation: Computation,
    /// The number of the operand for each parameter of the computation.
    pub parameters: Vec<usize>,
    /// The name of each result that has one.
    pub names: Vec<Option<String>>,
    /// Notes for the user.
    pub notes: Vec<String>,
    /// How to avoid the f64 that operands were promoted to, if any were.
    pub narrower: Option<String>,
}

/// A lowered node.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NodeValue {
    Op(Op),
    /// A bare number, which takes its element type from the other operands.
    Number(Number),
    /// `inf` or `nan`, which takes its element type like a number, among types that have it; f32
    /// otherwise.
    NotFinite(f64),
}

pub(crate) struct Lowering<'a> {
    /// The EXPR that is being lowered.
    parsed: &'a Parsed,
    operands: &'a [Declared],
    /// The number of each operand, by its name.
    numbers: HashMap<&'a str, usize>,
    pub(crate) builder: Builder,
    /// The names given by statements, which shadow operands.
    scope: Scope<'a, NodeValue>,
    /// The results, with their optional names.
    results: Vec<(Option<&'a str>, Op)>,
    result_names: HashSet<&'a str>,
    /// The value of each node except leaves, which are looked up on use.
    values: Vec<Option<NodeValue>>,
    /// The dimensions given by an `in_dim` call, by the call's node.
    in_dims: HashMap<NodeId, Vec<i64>>,
    /// The parameter for each operand in use, by the operand's number.
    parameters: HashMap<usize, Op>,
    /// The operands' numbers, in the order of their parameters.
    order: Vec<usize>,
    /// True if NumPy's implicit rule is on.
    pub(crate) numpy: bool,
    /// The conversions made by this rule.
    pub(crate) promotions: Promotions,
    /// The user-defined functions.
    functions: &'a [WgslFunction],
}

/// The inputs and settings for lowering EXPRs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Given<'a> {
    /// The arrays that EXPR may name.
    pub operands: &'a [Declared],
    /// The user-defined functions that EXPR may call.
    pub functions: &'a [WgslFunction],
    /// True if NumPy's implicit rule is on.
    pub numpy: bool,
    /// The precision of all operations.
    pub precision: Precision,
}

impl<'a> Lowering<'a> {
    /// Begins to lower an EXPR.
    pub(crate) fn new(parsed: &'a Parsed, given: Given<'a>) -> Self {
        let Given { operands, functions, numpy, precision } = given;
        let numbers = operands
            .iter()
            .enumerate()
            .map(|(number, operand)| (operand.name.as_str(), number))
            .collect();
        let mut builder = Builder::new();
        builder.set_precision(precision);
        Self {
            parsed,
            operands,
            numbers,
            builder,
            scope: Scope::new(),
            results: Vec::new(),
            result_names: HashSet::new(),
            values: Vec::new(),
            in_dims: HashMap::new(),
            parameters: HashMap::new(),
            order: Vec::new(),
            numpy,
            promotions: Promotions::default(),
            functions,
        }
    }

    /// Returns the user-defined function of this name, if there is one.
    pub(crate) fn function(&self, name: &str) -> Option<&'a WgslFunction> {
        self.functions.iter().find(|function| function.name() == name)
    }

    /// Returns the names of the user-defined functions.
    pub(crate) fn functions(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.functions.iter().map(WgslFunction::name)
    }

    /// Returns an operand of a call, with its dimensions from `in_dim`, if any.
    pub(crate) fn operand(
        &mut self,
        id: NodeId,
        number_type: ElementType,
    ) -> Result<(Op, Option<Vec<i64>>)> {
        let value = self.any_value(id)?;
        Ok((self.typed(id, value, number_type)?, self.in_dims.get(&id).cloned()))
    }

    /// Stores the value of a lowered node.
    pub(crate) fn set(&mut self, id: NodeId, value: NodeValue) {
        self.values[id.index()] = Some(value);
    }

    /// Continues with this EXPR, keeping names and operands.
    pub(crate) fn go_on(&mut self, parsed: &'a Parsed) {
        self.parsed = parsed;
        self.values = vec![None; parsed.tree.len()];
        self.in_dims.clear();
    }

    /// Binds the statement's value to its name, which is required.
    pub(crate) fn assign(&mut self, statement: &'a Statement) -> Result<()> {
        let value = self.value(statement.root)?;
        let Some(name) = &statement.name else {
            let span = self.node(statement.root).span.clone();
            return Err(Diagnostic::at(
                span,
                "this value has no name and is not the last one of EXPR, so that nothing can use it",
            )
            .help("name it, as in `t = x + 1; t * t`, or make it an EXPR of its own"));
        };
        self.scope.give(self.text(name), value, false);
        Ok(())
    }

    /// Makes the statement's value a result, and binds it to the statement's name, if it has one.
    pub(crate) fn add_result(&mut self, statement: &'a Statement) -> Result<()> {
        let value = self.value(statement.root)?;
        let op = self.typed(statement.root, value, ElementType::F32)?;
        let name = statement.name.as_ref().map(|name| self.text(name));
        if let (Some(name), Some(span)) = (name, &statement.name) {
            if !self.result_names.insert(name) {
                let message = format!("two EXPRs name their result `{name}`");
                return Err(Diagnostic::at(span.clone(), message).help(
                    "give one of them another name, or write both in one EXPR, with `;` between them",
                ));
            }
            self.scope.give(name, value, true);
        }
        self.results.push((name, op));
        Ok(())
    }

    /// Returns the computation of all results.
    pub(crate) fn finish(self) -> Result<Lowered> {
        let Self { builder, order: parameters, scope, results, promotions, .. } = self;
        let roots: Vec<Op> = results.iter().map(|(_, op)| *op).collect();
        let computation = builder.build_all(&roots).map_err(|e| Diagnostic::new(e.to_string()))?;
        let names = results.into_iter().map(|(name, _)| name.map(str::to_owned)).collect();
        let (mut notes, narrower) = promotions.finish();
        notes.append(&mut scope.finish());
        Ok(Lowered { computation, parameters, names, notes, narrower })
    }

    pub(crate) fn node(&self, id: NodeId) -> &'a Node {
        self.parsed.tree.node(id)
    }

    /// Returns the rank of a value.
    pub(crate) fn rank(&self, value: NodeValue) -> usize {
        match value {
            NodeValue::Op(op) => self.builder.shape(op).map_or(0, Shape::rank),
            NodeValue::Number(_) | NodeValue::NotFinite(_) => 0,
        }
    }

    pub(crate) fn text(&self, span: &Range<usize>) -> &'a str {
        self.parsed.text(span).unwrap_or_default()
    }

    /// Returns a node's text for a hint, or `short` if it is long.
    pub(crate) fn quote(&self, id: NodeId, short: &'static str) -> &'a str {
        let text = self.text(&self.node(id).span);
        if text.len() <= 24 && !text.contains(char::is_control) { text } else { short }
    }

    /// Converts a library error into one that points at a node.
    pub(crate) fn at(&self, id: NodeId) -> impl Fn(Error) -> Box<Diagnostic> + use<> {
        let at = self.node(id).at.clone();
        move |error| Diagnostic::at(at.clone(), error.to_string())
    }

    /// Returns the value of a node where `in_dim` is not allowed.
    pub(crate) fn value(&mut self, id: NodeId) -> Result<NodeValue> {
        if self.in_dims.contains_key(&id) {
            let node = self.node(id);
            return Err(Diagnostic::at(
                node.span.clone(),
                "in_dim stands only directly on an operand of a binary operation, whose broadcast_dimensions it gives",
            )
            .help("elsewhere write `broadcast_in_dim(v, [2, 3], [1])`, with the sizes of the result and the dimensions of it that v's go to"));
        }
        self.any_value(id)
    }

    /// Returns the value of a node, without the dimensions of an `in_dim`.
    fn any_value(&mut self, id: NodeId) -> Result<NodeValue> {
        let node = self.node(id);
        match &node.kind {
            &Kind::Number(number) => match number.element_type() {
                Some(named) => self.number(id, number, named).map(NodeValue::Op),
                None => Ok(NodeValue::Number(number)),
            },
            // The span includes parentheses around it, which are not part of the name.
            Kind::Name => self.name(self.text(&node.at), &node.at),
            Kind::List(_) => Err(Diagnostic::at(
                node.span.clone(),
                "a list is not an array here; it only gives sizes or dimensions to a function",
            )
            .help("make it an operand, as in `indim eval \"x + v\" x=2x3.npy \"v=[7, 8, 9]\"`")),
            _ => self.values[id.index()]
                .ok_or_else(|| Diagnostic::at(node.span.clone(), "this has no value")),
        }
    }

    /// Marks a node as `in_dim` with these dimensions.
    pub(crate) fn annotate(&mut self, id: NodeId, dimensions: Vec<i64>) {
        self.in_dims.insert(id, dimensions);
    }

    fn name(&mut self, name: &str, span: &Range<usize>) -> Result<NodeValue> {
        if let Some(value) = self.scope.take(name) {
            return Ok(value);
        }
        if let Some(&number) = self.numbers.get(name) {
            return self.parameter(number, span).map(NodeValue::Op);
        }
        let typed = |(value, of): (f64, Option<ElementType>)| narrow::float(value, of?);
        let constant = match (name, narrow::not_finite(name)) {
            ("true", _) => Scalar::new(true),
            ("false", _) => Scalar::new(false),
            (_, Some((value, None))) => return Ok(NodeValue::NotFinite(value)),
            (_, found) => found.and_then(typed).ok_or_else(|| self.unknown_name(name, span))?,
        };
        let made = self.builder.constant(constant);
        made.map(NodeValue::Op).map_err(|e| Diagnostic::at(span.clone(), e.to_string()))
    }

    fn parameter(&mut self, number: usize, span: &Range<usize>) -> Result<Op> {
        if let Some(&op) = self.parameters.get(&number) {
            return Ok(op);
        }
        let operand = &self.operands[number];
        let op =
            self.builder.parameter(operand.element_type, operand.shape.clone()).map_err(|e| {
                Diagnostic::at(span.clone(), format!("operand `{}`: {e}", operand.name))
            })?;
        self.parameters.insert(number, op);
        self.order.push(number);
        Ok(op)
    }

    fn unknown_name(&self, name: &str, span: &Range<usize>) -> Box<Diagnostic> {
        let error = Diagnostic::at(span.clone(), format!("unknown name `{name}`"));
        if names::is_function(name) {
            return error.help(format!("`{name}` is a function: {}", names::usage(name)));
        }
        if name.parse::<ElementType>().is_ok() {
            return error
                .help("an element type stands only in `convert`, `bitcast_convert` and `iota`");
        }
        if let Some(constant) = foreign::constant(name) {
            return error.help(constant);
        }
        let names = self.operands.iter().map(|operand| operand.name.as_str());
        let known = names.clone().chain(["inf", "nan", "true", "false"]);
        if let Some(near) = nearest(name, known.chain(self.scope.names())) {
            return error.help(format!("did you mean `{near}`?"));
        }
        if name.len() > 64 {
            return error;
        }
        let given = match self.operands.len() {
            0 => "no operands are given".to_owned(),
            n => {
                let more = if n > 8 { ", ..." } else { "" };
                format!("the operands are {}{more}", names.take(8).collect::<Vec<_>>().join(", "))
            }
        };
        error.help(format!("{given}; add `{name}=ARRAY` to the command"))
    }

    /// Returns the element type for bare numbers among these values: that of the first array, or
    /// f32.
    pub(crate) fn type_among(&mut self, values: &[NodeValue]) -> Result<ElementType> {
        for value in values {
            if let NodeValue::Op(op) = value {
                return self.builder.element_type(*op).map_err(|e| Diagnostic::new(e.to_string()));
            }
        }
        Ok(ElementType::F32)
    }

    /// Returns the value of a node as an array; a bare number becomes a constant of the given type.
    pub(crate) fn array(&mut self, id: NodeId, number_type: ElementType) -> Result<Op> {
        let value = self.value(id)?;
        self.typed(id, value, number_type)
    }

    pub(crate) fn typed(
        &mut self,
        id: NodeId,
        value: NodeValue,
        number_type: ElementType,
    ) -> Result<Op> {
        match value {
            NodeValue::Op(op) => Ok(op),
            NodeValue::Number(number) => self.number(id, number, number_type),
            NodeValue::NotFinite(value) => {
                let scalar =
                    narrow::float(value, number_type).unwrap_or_else(|| Scalar::new(value as f32));
                self.builder.constant(scalar).map_err(self.at(id))
            }
        }
    }

    /// Converts a number to a constant of this type.
    fn number(&mut self, id: NodeId, number: Number, to: ElementType) -> Result<Op> {
        let span = &self.node(id).span;
        let scalar = if self.numpy { number.to_weak_scalar(to) } else { number.to_scalar(to) };
        let scalar = scalar.map_err(|why| {
            let error = Diagnostic::at(
                span.clone(),
                format!("the number {} {why}", self.quote(id, "here")),
            );
            if number.element_type().is_some() || narrow::float(0.0, to).is_some() {
                return error;
            }
            error.help(format!("a bare number takes the element type of the operand that it meets, here {to}; `convert` that operand first"))
        })?;
        self.builder.constant(scalar).map_err(self.at(id))
    }

    /// Lowers a prefix operator.
    pub(crate) fn unary(
        &mut self,
        id: NodeId,
        symbol: Symbol,
        operand: NodeId,
    ) -> Result<NodeValue> {
        let opcode = if symbol == Symbol::Tilde { Opcode::Not } else { Opcode::Neg };
        let value = self.value(operand)?;
        if let (Opcode::Neg, NodeValue::NotFinite(value)) = (opcode, value) {
            return Ok(NodeValue::NotFinite(-value));
        }
        let operand = self.typed(operand, value, ElementType::F32)?;
        self.builder.unary(opcode, operand).map(NodeValue::Op).map_err(self.at(id))
    }

    /// Lowers an infix operator.
    pub(crate) fn symbol(
        &mut self,
        id: NodeId,
        symbol: Symbol,
        lhs: NodeId,
        rhs: NodeId,
    ) -> Result<NodeValue> {
        let numpy = self.numpy;
        self.binary(id, |lhs_type| opcode_of(symbol, lhs_type, numpy), lhs, rhs, &[])
    }

    /// Lowers a binary operation or compare, written as a symbol or by name.
    pub(crate) fn binary(
        &mut self,
        id: NodeId,
        opcode: impl Fn(ElementType) -> Opcode,
        lhs: NodeId,
        rhs: NodeId,
        given: &[i64],
    ) -> Result<NodeValue> {
        let values = [self.any_value(lhs)?, self.any_value(rhs)?];
        // Only `>>` depends on the type, and it is neither a compare nor a float operation.
        let any = opcode(ElementType::F32);
        if let Some(exact) = self.exact_compare(id, any, [lhs, rhs], values, given)? {
            return Ok(NodeValue::Op(exact));
        }
        let common_type = self.common_type(id, Some(any), &values)?;
        self.refuse_negative_power(id, any, rhs, values[1], common_type)?;
        let l = self.promoted(id, lhs, values[0], common_type)?;
        let r = self.promoted(id, rhs, values[1], common_type)?;
        let at = self.at(id);
        let opcode = opcode(self.builder.element_type(l).map_err(&at)?);
        let dimensions = self.dimensions(id, opcode, [lhs, rhs], [l, r], given)?;
        let made = self.builder.binary(opcode, l, r, &dimensions);
        made.map(NodeValue::Op).map_err(|error| {
            let bare = !values.iter().any(|value| matches!(value, NodeValue::Op(_)));
            self.refused(id, [lhs, rhs], bare, error)
        })
    }

    /// Returns the error of a binary operation, with help.
    pub(crate) fn refused(
        &self,
        id: NodeId,
        operands: [NodeId; 2],
        bare: bool,
        error: Error,
    ) -> Box<Diagnostic> {
        let help = self.binary_help(&error, id, operands, bare);
        let diagnostic = self.at(id)(error);
        match help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }

    /// Returns the `broadcast_dimensions` of a binary operation: from `in_dim`, given as a list, by
    /// NumPy's rule, or none.
    pub(crate) fn dimensions(
        &self,
        id: NodeId,
        opcode: Opcode,
        [lhs, rhs]: [NodeId; 2],
        [l, r]: [Op; 2],
        given: &[i64],
    ) -> Result<Vec<i64>> {
        let at = self.at(id);
        let l_shape = self.builder.shape(l).map_err(&at)?;
        let r_shape = self.builder.shape(r).map_err(&at)?;
        let refuse = |source| at(Error::Broadcast { op: opcode.method(), source });
        // This gives the error of rule B9 for the operand of this shape, which carries `given`.
        let higher = |side, shape: &Shape, other: &Shape, given: &[i64], operand: NodeId| {
            let (shape, other_shape, given) = (shape.clone(), other.clone(), given.to_vec());
            let error =
                refuse(BroadcastError::InDimOnHigherRank { side, shape, other_shape, given });
            if other.rank() > 0 {
                return error;
            }
            let call = self.quote(operand, "in_dim(...)");
            error.help(format!(
                "`{call}` goes around all of an operand: `x + in_dim(v * 2, 1)`, not `x + in_dim(v, 1) * 2`"
            ))
        };
        match (self.in_dims.get(&lhs), self.in_dims.get(&rhs)) {
            (Some(_), _) | (_, Some(_)) if !given.is_empty() => {
                let message = "broadcast_dimensions are given twice, by in_dim and by a list";
                let at = self.node(id).at.clone();
                Err(Diagnostic::at(at, message).help("keep one of them"))
            }
            (Some(lhs), Some(rhs)) => {
                Err(refuse(BroadcastError::InDimTwice { lhs: lhs.clone(), rhs: rhs.clone() }))
            }
            (Some(given), None) if l_shape.rank() > r_shape.rank() => {
                Err(higher(Side::Lhs, l_shape, r_shape, given, lhs))
            }
            (None, Some(given)) if r_shape.rank() > l_shape.rank() => {
                Err(higher(Side::Rhs, r_shape, l_shape, given, rhs))
            }
            (Some(dimensions), None) | (None, Some(dimensions)) => Ok(dimensions.clone()),
            (None, None) if given.is_empty() && self.numpy && l_shape.rank() != r_shape.rank() => {
                let (l, r) = (l_shape.rank(), r_shape.rank());
                Ok(indim_core::numpy::broadcast_dimensions(l.min(r), l.max(r)))
            }
            (None, None) => Ok(given.to_vec()),
        }
    }
}

/// Returns the operation for a symbol, given the type of its left operand. NumPy's `%` is Python's,
/// not C's.
fn opcode_of(symbol: Symbol, lhs: ElementType, numpy: bool) -> Opcode {
    match symbol {
        Symbol::Plus => Opcode::Add,
        Symbol::Minus => Opcode::Sub,
        Symbol::Star => Opcode::Mul,
        Symbol::Slash => Opcode::Div,
        Symbol::Percent if numpy => Opcode::Remainder,
        Symbol::Percent => Opcode::Rem,
        Symbol::StarStar => Opcode::Pow,
        Symbol::Ampersand => Opcode::And,
        Symbol::Bar => Opcode::Or,
        // `~` is unary; the parser never makes such a node.
        Symbol::Caret | Symbol::Tilde => Opcode::Xor,
        Symbol::ShiftLeft => Opcode::ShiftLeft,
        Symbol::ShiftRight if lhs.integer_range().is_some_and(|(least, _)| least == 0) => {
            Opcode::ShiftRightLogical
        }
        Symbol::ShiftRight => Opcode::ShiftRightArithmetic,
        Symbol::EqualEqual => Opcode::Eq,
        Symbol::NotEqual => Opcode::Ne,
        Symbol::Less => Opcode::Lt,
        Symbol::LessEqual => Opcode::Le,
        Symbol::Greater => Opcode::Gt,
        Symbol::GreaterEqual => Opcode::Ge,
    }
}
