//! [`FunctionBody`]: a function of the user's own after it was checked; [`Call`], an operation that
//! calls one.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::semantics::element::{ElementType, Form};
use crate::semantics::opcode::Cost;

/// A parameter of a function, or one of its results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Value {
    /// The name of the parameter, or of the struct's member; empty for a result that is no struct.
    pub(crate) name: String,
    /// The form in which a shader has the value, which says what element types it can be.
    pub(crate) form: Form,
}

/// A function that was checked.
#[derive(Debug)]
#[cfg_attr(not(feature = "functions"), expect(dead_code, reason = "nothing is called"))]
pub(crate) struct FunctionBody {
    /// The user's text.
    #[cfg_attr(not(feature = "serde"), allow(dead_code, reason = "it is for serialization"))]
    pub(crate) text: String,
    /// The name in the user's text.
    pub(crate) name: String,
    pub(crate) parameters: Vec<Value>,
    /// The results: one, or those of a struct.
    pub(crate) results: Vec<Value>,
    /// True if the function returns a struct.
    pub(crate) returns_struct: bool,
    /// The text without comments, in which each name of the user's has a prefix that no other
    /// function has.
    pub(crate) wgsl: String,
    /// The function's name in that text.
    pub(crate) entry: String,
    /// The number of operations that one call computes.
    pub(crate) operations: usize,
    pub(crate) cost: Cost,
    /// The types of 64 bits that it computes with.
    pub(crate) wide: Vec<ElementType>,
}

/// A function, shared by all who call it. Functions are equal if their texts and costs are.
#[derive(Debug, Clone)]
pub(crate) struct SharedFunction(pub(crate) Arc<FunctionBody>);

impl SharedFunction {
    fn key(&self) -> (&str, Cost) {
        (&self.0.wgsl, self.0.cost)
    }
}

impl PartialEq for SharedFunction {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.key() == other.key()
    }
}

impl Eq for SharedFunction {}

impl Hash for SharedFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // The name has a hash of the text.
        self.0.entry.hash(state);
        self.0.cost.hash(state);
    }
}

/// An operation that is one result of a call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Call {
    pub(crate) function: SharedFunction,
    /// The number of the result, among those of the function.
    pub(crate) result: usize,
}

impl Call {
    pub(crate) fn cost(&self) -> Cost {
        self.function.0.cost
    }

    pub(crate) fn operations(&self) -> usize {
        self.function.0.operations
    }
}

/// Returns the type in WGSL of a value of this form.
#[cfg(feature = "functions")]
pub(crate) fn wgsl_name(form: Form) -> &'static str {
    match form {
        Form::Bool => "bool",
        Form::S32 => "i32",
        Form::U32 => "u32",
        Form::S64 => "i64",
        Form::U64 => "u64",
        Form::F32 => "f32",
        Form::F64 => "f64",
        Form::C64 => "vec2<f32>",
    }
}

/// Returns the element type of a result of this form.
#[cfg(feature = "functions")]
pub(crate) fn element_type(form: Form) -> ElementType {
    match form {
        Form::Bool => ElementType::Pred,
        Form::S32 => ElementType::S32,
        Form::U32 => ElementType::U32,
        Form::S64 => ElementType::S64,
        Form::U64 => ElementType::U64,
        Form::F32 => ElementType::F32,
        Form::F64 => ElementType::F64,
        Form::C64 => ElementType::C64,
    }
}
