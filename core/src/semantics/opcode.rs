//! [`Opcode`]: the operations, with the properties that the [`table`](super::op::table) gives them.
//!
//! Inference, code generation, the docs and the tests read these: a type that an operation does not
//! list is refused (rule T1). Names and accepted types are XLA's. The code generator has a table of
//! the operations in WGSL; a test checks that the two tables agree on the types.

use crate::semantics::element::{ElementType, Form};
use crate::semantics::op::table::op_table;

/// The class of an operation: how many operands it takes and how they broadcast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OpClass {
    /// It takes two operands and `broadcast_dimensions`. The result has their element type; that of
    /// [`Opcode::Complex`] is C64.
    Binary,
    /// It takes two operands and `broadcast_dimensions`. The result is PRED.
    Compare,
    /// It takes two operands, of which only scalars broadcast, and no `broadcast_dimensions`.
    Pair,
    /// It takes one operand.
    Unary,
    /// It takes one operand and the floating-point format to round it to.
    Format,
    /// It takes one operand and the element type to convert it to.
    Convert,
    /// It takes three operands, of which only scalars broadcast.
    Ternary,
    /// It takes one operand and the shape to broadcast it to.
    Broadcast,
    /// It takes one operand and returns its elements in another order, or only some of them.
    View,
    /// It takes one operand or more and puts their elements, and a padding value, at other places of
    /// its result. A kernel selects between views of the operands.
    Move,
    /// It takes one operand and combines its elements along some dimensions.
    Reduce,
    /// It takes no operand.
    Nullary,
    /// It takes the operands of a user-defined function.
    Call,
}

/// The cost of evaluating an operation once, by which the planner decides where not to repeat it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Cost {
    /// A few instructions.
    Cheap,
    /// Tens of instructions. The planner does not repeat such an operation over a space larger than
    /// its own.
    Costly,
    /// Hundreds of instructions. In addition, a kernel's text holds at most one copy of it for each
    /// element of a quad.
    Heavy,
}

use Cost::{Cheap, Costly, Heavy};
use ElementType::{Bf16, C64, F16, F32, F64, Pred, S4, S8, S16, S32, S64, U4, U8, U16, U32, U64};

/// What the table says of one operation.
struct OpInfo {
    name: &'static str,
    method: &'static str,
    class: OpClass,
    arguments: &'static [&'static str],
    /// The accepted types of the operands, or of the result of an operation without operands.
    types: &'static [ElementType],
    result: ResultType,
    properties: Properties,
}

/// The element type of a result, by that of the operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ResultType {
    /// The operands'.
    Same,
    /// PRED.
    Pred,
    /// C64.
    Complex,
    /// F32 for C64, else the operands': that of a magnitude.
    Magnitude,
    /// F32 for C64, else the operands': that of a real or imaginary part.
    Part,
}

/// What kernels need to know of an operation.
#[derive(Debug, Clone, Copy)]
struct Properties {
    /// The cost on F32 and on integers of up to 32 bits.
    cost: Cost,
    /// Types with another cost, and that one.
    other: (&'static [ElementType], Cost),
    /// The types that a result fits if the operands do.
    fits: &'static [ElementType],
    /// True if [`Precision`](crate::Precision) makes no difference.
    exact: bool,
}

const fn cheap() -> Properties {
    Properties { cost: Cheap, other: (&[], Cheap), fits: &[], exact: false }
}

const fn costly() -> Properties {
    Properties { cost: Costly, ..cheap() }
}

const fn heavy() -> Properties {
    Properties { cost: Heavy, ..cheap() }
}

impl Properties {
    const fn on(self, types: &'static [ElementType], cost: Cost) -> Self {
        Self { other: (types, cost), ..self }
    }

    const fn fits(self, types: &'static [ElementType]) -> Self {
        Self { fits: types, ..self }
    }

    const fn exact(self) -> Self {
        Self { exact: true, ..self }
    }
}

macro_rules! opcodes {
    ([] $(
        $(#[doc = $doc:literal])+
        $name:ident $method:ident $class:ident $(($($arguments:tt)*))? $bound:ident
            -> $result:ident, $properties:expr;
    )*) => {
        /// An operation, by XLA's name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Opcode {
            $($(#[doc = $doc])+ $name,)*
            /// A call of a user-defined function; not in [`Opcode::ALL`].
            Call,
        }

        impl Opcode {
            /// Every operation, in the order of the table.
            pub const ALL: &'static [Opcode] = &[$(Opcode::$name),*];

            /// Returns what the operation computes, as its documentation says it, in Markdown.
            ///
            /// ```
            /// assert!(indim::Opcode::Tanh.description().contains("tangent"));
            /// ```
            pub fn description(self) -> &'static str {
                // Outside the table, so that programs which do not ask for it leave the text out.
                match self {
                    $(Self::$name => concat!($($doc),+),)*
                    Self::Call => "A call of a user-defined function.",
                }
                .trim_start()
            }
        }

        static TABLE: &[OpInfo] = &[$(OpInfo {
            name: stringify!($name),
            method: stringify!($method),
            class: OpClass::$class,
            arguments: arguments!($class $($($arguments)*)?),
            types: accepted!($bound),
            result: ResultType::$result,
            properties: $properties,
        },)*
        // The properties of a call depend on its function.
        OpInfo {
            name: "Call",
            method: "call",
            class: OpClass::Call,
            arguments: &["function", "operands", "broadcast_dimensions"],
            types: &[],
            result: ResultType::Same,
            properties: cheap(),
        }];
    };
}

/// The names of an operation's arguments.
macro_rules! arguments {
    (Unary) => { &["operand"] };
    ($class:ident) => { &["lhs", "rhs", "broadcast_dimensions"] };
    ($class:ident $($operand:ident),*; $($attribute:ident $(: $kind:ident = $value:tt)?),* $(; $($rest:tt)*)?) => {
        &[$(stringify!($operand),)* $(stringify!($attribute),)*]
    };
}

/// The element types that have a trait of Rust's.
macro_rules! accepted {
    (Element) => {
        ANY
    };
    (Number) => {
        NUMBERS
    };
    (Ordered) => {
        ORDERED
    };
    (Real) => {
        REALS
    };
    (Integer) => {
        INTEGERS
    };
    (Bitwise) => {
        BITWISE
    };
    (Signed) => {
        SIGNED
    };
    (Inexact) => {
        INEXACT
    };
    (Float) => {
        FLOATS
    };
    // XLA also accepts F64 in these two, for complex numbers of two F64, a type that this crate
    // lacks.
    (ComplexPart) => {
        &[F32]
    };
    (Conjugable) => {
        &[F32, C64]
    };
}

// The sets of element types that XLA's operations accept.
const ANY: &[ElementType] = ElementType::ALL;
const NUMBERS: &[ElementType] =
    &[S4, S8, S16, S32, S64, U4, U8, U16, U32, U64, F16, Bf16, F32, F64, C64];
const ORDERED: &[ElementType] =
    &[Pred, S4, S8, S16, S32, S64, U4, U8, U16, U32, U64, F16, Bf16, F32, F64];
const REALS: &[ElementType] = &[S4, S8, S16, S32, S64, U4, U8, U16, U32, U64, F16, Bf16, F32, F64];
const INTEGERS: &[ElementType] = &[S4, S8, S16, S32, S64, U4, U8, U16, U32, U64];
const BITWISE: &[ElementType] = &[Pred, S4, S8, S16, S32, S64, U4, U8, U16, U32, U64];
const SIGNED: &[ElementType] = &[S4, S8, S16, S32, S64, F16, Bf16, F32, F64, C64];
const INEXACT: &[ElementType] = &[F16, Bf16, F32, F64, C64];
const FLOATS: &[ElementType] = &[F16, Bf16, F32, F64];
// Sets of types on which costs differ.
const NARROW_FLOATS: &[ElementType] = &[F16, Bf16];
const NOT_F32: &[ElementType] = &[S4, S8, S16, S32, S64, U4, U8, U16, U32, U64, F64, C64];

op_table! { [opcodes] }

impl Opcode {
    fn info(self) -> &'static OpInfo {
        &TABLE[self as usize]
    }

    /// Returns XLA's name, such as `ShiftRightLogical`.
    ///
    /// ```
    /// assert_eq!(indim::Opcode::ShiftLeft.name(), "ShiftLeft");
    /// ```
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Returns the snake-case name, such as `shift_right_logical`, which methods and functions
    /// have.
    ///
    /// ```
    /// assert_eq!(indim::Opcode::ShiftLeft.method(), "shift_left");
    /// ```
    pub fn method(self) -> &'static str {
        self.info().method
    }

    /// Returns the operation with this XLA name, if there is one.
    ///
    /// ```
    /// use indim::Opcode;
    ///
    /// assert_eq!(Opcode::from_name("ShiftLeft"), Some(Opcode::ShiftLeft));
    /// assert_eq!(Opcode::from_name("shift_left"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|op| op.name() == name)
    }

    /// Returns the operation with this snake-case name, if there is one.
    ///
    /// ```
    /// use indim::Opcode;
    ///
    /// assert_eq!(Opcode::from_method("shift_left"), Some(Opcode::ShiftLeft));
    /// assert_eq!(Opcode::from_method("ShiftLeft"), None);
    /// ```
    pub fn from_method(method: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|op| op.method() == method)
    }

    /// Returns the names of the arguments, in XlaBuilder's order: the operands, then lists and
    /// numbers.
    ///
    /// ```
    /// use indim::Opcode;
    ///
    /// assert_eq!(Opcode::Clamp.arguments(), ["min", "x", "max"]);
    /// ```
    pub fn arguments(self) -> &'static [&'static str] {
        self.info().arguments
    }

    /// Returns the element type of the result for operands of this type; for `Select`, that of the
    /// values. It is `None` for conversions and calls, and for a type that the operation does not
    /// accept.
    ///
    /// ```
    /// use indim::{ElementType::{C64, F32, Pred}, Opcode};
    ///
    /// assert_eq!(Opcode::Lt.result_type(F32), Some(Pred));
    /// assert_eq!(Opcode::Lt.result_type(C64), None); // which has no order
    /// ```
    pub fn result_type(self, operand: ElementType) -> Option<ElementType> {
        let chosen = matches!(self.class(), OpClass::Convert | OpClass::Call);
        (!chosen && self.accepts(operand)).then(|| self.result_of(operand))
    }

    /// Returns the element type of the result for operands that were checked.
    pub(crate) fn result_of(self, operand: ElementType) -> ElementType {
        match self.info().result {
            ResultType::Pred => Pred,
            ResultType::Complex => C64,
            ResultType::Magnitude | ResultType::Part if operand == C64 => F32,
            ResultType::Same | ResultType::Magnitude | ResultType::Part => operand,
        }
    }

    /// Returns the operation's class.
    ///
    /// ```
    /// use indim::{OpClass, Opcode};
    ///
    /// assert_eq!(Opcode::Lt.class(), OpClass::Compare);
    /// let unary = Opcode::ALL.iter().filter(|opcode| opcode.class() == OpClass::Unary);
    /// assert!(unary.count() > 30);
    /// ```
    pub fn class(self) -> OpClass {
        self.info().class
    }

    /// Checks whether the operation takes operands of this element type (rule T1). For `Iota` this
    /// is the result's type, and for `Select` the type of the values.
    ///
    /// ```
    /// use indim::{ElementType, Opcode};
    ///
    /// assert!(Opcode::Exp.accepts(ElementType::C64));
    /// assert!(!Opcode::Exp.accepts(ElementType::S32));
    /// ```
    pub fn accepts(self, element_type: ElementType) -> bool {
        self.info().types.contains(&element_type)
    }

    /// Returns the element types that [`Opcode::accepts`] accepts.
    ///
    /// ```
    /// use indim::{ElementType::{Bf16, F16, F32, F64}, Opcode};
    ///
    /// assert_eq!(Opcode::Cbrt.accepted().collect::<Vec<_>>(), [F16, Bf16, F32, F64]);
    /// ```
    pub fn accepted(self) -> impl Iterator<Item = ElementType> {
        self.info().types.iter().copied()
    }

    /// Checks whether the result, for operands that a narrow type can represent, also fits that
    /// type, so that a kernel need not round or wrap it.
    #[doc(hidden)]
    pub fn stays_in_type(self, element_type: ElementType) -> bool {
        self.info().properties.fits.contains(&element_type)
    }

    /// Checks whether a [`Precision`](crate::Precision) makes a difference to results in F32.
    ///
    /// ```
    /// use indim::Opcode;
    ///
    /// assert!(Opcode::Exp.rounds());
    /// assert!(!Opcode::Neg.rounds());
    /// ```
    pub fn rounds(self) -> bool {
        let computes = matches!(self.class(), OpClass::Binary | OpClass::Unary)
            || matches!(self, Self::Clamp | Self::ReduceSum | Self::ReduceProd);
        computes && !self.info().properties.exact
    }

    /// Returns the cost on F32 and on integers of up to 32 bits.
    #[doc(hidden)]
    pub fn cost(self) -> Cost {
        self.info().properties.cost
    }

    /// Returns the cost on operands of this type.
    #[doc(hidden)]
    pub fn cost_on(self, element_type: ElementType) -> Cost {
        let (types, other) = self.info().properties.other;
        match self.cost() {
            _ if types.contains(&element_type) => other,
            Costly if element_type.form() == Form::F64 => Heavy,
            cost => cost,
        }
    }
}
