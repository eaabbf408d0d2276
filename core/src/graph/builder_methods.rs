//! The methods of [`Builder`] that the table of operations gives it.

use crate::graph::build;
use crate::graph::builder::{Builder, Op};
use crate::semantics::dims::Dims;
use crate::semantics::element::ElementType;
use crate::semantics::error::Result;
use crate::semantics::op::table::{attribute, attribute_type, example_type, for_each_op};
use crate::semantics::opcode::Opcode;

macro_rules! method {
    (by_hand $($rest:tt)*) => {};
    (binary $class:ident $name:ident $method:ident $bound:ident $result:ident [$($doc:literal)+] []) => {
        $(#[doc = $doc])+
        ///
        /// [`Builder::binary`] describes `broadcast_dimensions`.
        ///
        /// ```
        #[doc = concat!(
            "let mut b = indim::Builder::new();\n",
            "let x = b.parameter(<", example_type!($bound), " as indim::Element>::ELEMENT_TYPE, [2, 3])?;\n",
            "let v = b.parameter(<", example_type!($bound), " as indim::Element>::ELEMENT_TYPE, [3])?;\n",
            "let y = b.", stringify!($method), "(x, v, [1])?;",
        )]
        /// assert_eq!(b.shape(y)?.dims(), [2, 3]);
        /// # Ok::<(), indim::Error>(())
        /// ```
        ///
        /// # Errors
        /// [`TypeError`](crate::TypeError) by rules T1 and T2;
        /// [`BroadcastError`](crate::BroadcastError) by rules B1 to B8;
        /// [`ShapeError`](crate::ShapeError) by rule C1.
        #[allow(clippy::should_implement_trait, reason = "XlaBuilder's name; it takes broadcast_dimensions")]
        pub fn $method(&mut self, lhs: Op, rhs: Op, broadcast_dimensions: impl Dims) -> Result<Op> {
            self.binary(Opcode::$name, lhs, rhs, broadcast_dimensions)
        }
    };
    (unary $class:ident $name:ident $method:ident $bound:ident $result:ident [$($doc:literal)+] []) => {
        $(#[doc = $doc])+
        ///
        /// ```
        #[doc = concat!(
            "let mut b = indim::Builder::new();\n",
            "let x = b.parameter(<", example_type!($bound), " as indim::Element>::ELEMENT_TYPE, [2, 3])?;\n",
            "let y = b.", stringify!($method), "(x)?;",
        )]
        /// assert_eq!(b.shape(y)?.dims(), [2, 3]);
        /// # Ok::<(), indim::Error>(())
        /// ```
        ///
        /// # Errors
        /// [`TypeError`](crate::TypeError) by rule T1.
        #[allow(clippy::should_implement_trait, reason = "XlaBuilder's name")]
        pub fn $method(&mut self, operand: Op) -> Result<Op> {
            self.unary(Opcode::$name, operand)
        }
    };
    (
        structured Convert $name:ident $method:ident $bound:ident $result:ident [$($doc:literal)+]
        [operand; to: Type = $to:ident; $shape:tt; $errors:literal]
    ) => {
        $(#[doc = $doc])+
        ///
        /// ```
        #[doc = concat!(
            "let mut b = indim::Builder::new();\n",
            "let x = b.parameter(indim::ElementType::F32, [2, 3])?;\n",
            "let to = <", stringify!($to), " as indim::Element>::ELEMENT_TYPE;\n",
            "let y = b.", stringify!($method), "(x, to)?;\n",
            "assert_eq!((b.element_type(y)?, b.shape(y)?), (to, &", stringify!($shape), ".into()));",
        )]
        /// # Ok::<(), indim::Error>(())
        /// ```
        ///
        /// # Errors
        #[doc = $errors]
        pub fn $method(&mut self, operand: Op, to: ElementType) -> Result<Op> {
            build::convert(self, Opcode::$name, &operand, to)
        }
    };
    (
        structured $class:ident $name:ident $method:ident $bound:ident $result:ident [$($doc:literal)+]
        [$first:ident $(, $other:ident)*; $($attribute:ident: $kind:ident = $value:tt),*; $shape:tt; $errors:literal]
    ) => {
        $(#[doc = $doc])+
        ///
        /// ```
        /// let mut b = indim::Builder::new();
        #[doc = concat!(
            "let of = <", example_type!($bound), " as indim::Element>::ELEMENT_TYPE;\n",
            "let ", stringify!($first), " = b.parameter(of, [2, 3])?;",
        )]
        $(#[doc = concat!("let ", stringify!($other), " = b.parameter(of, [])?;")])*
        #[doc = concat!(
            "let y = b.", stringify!($method), "(", stringify!($first $(, $other)* $(, $value)*), ")?;\n",
            "assert_eq!(b.shape(y)?.dims(), ", stringify!($shape), ");",
        )]
        /// # Ok::<(), indim::Error>(())
        /// ```
        ///
        /// # Errors
        #[doc = $errors]
        pub fn $method(
            &mut self,
            $first: Op,
            $($other: Op,)*
            $($attribute: attribute_type!($kind),)*
        ) -> Result<Op> {
            build::$method(self, &$first $(, &$other)* $(, attribute!($kind $attribute))*)
        }
    };
}

/// The operations of the table that are called alike.
impl Builder {
    for_each_op! { method }
}
