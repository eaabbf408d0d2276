//! The methods of [`AnyExpr`] that the table of operations gives it.

use crate::api::any_expr::AnyExpr;
use crate::api::nodes::Nodes;
use indim_core::graph::build;
use indim_core::semantics::dims::Dims;
use indim_core::semantics::element::ElementType;
use indim_core::semantics::error::Result;
use indim_core::semantics::op::table::{attribute, attribute_type, example_type, for_each_op};
use indim_core::semantics::opcode::Opcode;

macro_rules! method {
    (by_hand $($rest:tt)*) => {};
    (structured View Slice $($rest:tt)*) => {};
    (binary $class:ident $name:ident $method:ident $bound:ident $result:ident [$($doc:literal)+] []) => {
        $(#[doc = $doc])+
        ///
        /// [`AnyExpr::binary`] describes `broadcast_dimensions`.
        ///
        /// ```
        #[doc = concat!(
            "let element_type = <", example_type!($bound), " as indim::Element>::ELEMENT_TYPE;\n",
            "let x = indim::AnyExpr::iota(element_type, [2, 3], 0)?;\n",
            "let v = indim::AnyExpr::iota(element_type, [3], 0)?;\n",
            "assert_eq!(x.", stringify!($method), "(&v, [1])?.shape().dims(), [2, 3]);",
        )]
        /// # Ok::<(), indim::Error>(())
        /// ```
        ///
        /// # Errors
        /// [`TypeError`](crate::TypeError) by rules T1 and T2;
        /// [`BroadcastError`](crate::BroadcastError) by rules B1 to B8;
        /// [`ShapeError`](crate::ShapeError) by rule C1.
        pub fn $method(&self, rhs: &Self, broadcast_dimensions: impl Dims) -> Result<Self> {
            Self::binary(Opcode::$name, self, rhs, broadcast_dimensions)
        }
    };
    (unary $class:ident $name:ident $method:ident $bound:ident $result:ident [$($doc:literal)+] []) => {
        $(#[doc = $doc])+
        ///
        /// ```
        #[doc = concat!(
            "let element_type = <", example_type!($bound), " as indim::Element>::ELEMENT_TYPE;\n",
            "let x = indim::AnyExpr::iota(element_type, [2, 3], 0)?;\n",
            "assert_eq!(x.", stringify!($method), "()?.shape(), x.shape());",
        )]
        /// # Ok::<(), indim::Error>(())
        /// ```
        ///
        /// # Errors
        /// [`TypeError`](crate::TypeError) by rule T1.
        pub fn $method(&self) -> Result<Self> {
            Self::unary(Opcode::$name, self)
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
            "let x = indim::AnyExpr::iota(indim::ElementType::F32, [2, 3], 0)?;\n",
            "let to = <", stringify!($to), " as indim::Element>::ELEMENT_TYPE;\n",
            "let y = x.", stringify!($method), "(to)?;\n",
            "assert_eq!((y.element_type(), y.shape().dims()), (to, &", stringify!($shape), "[..]));",
        )]
        /// # Ok::<(), indim::Error>(())
        /// ```
        ///
        /// # Errors
        #[doc = $errors]
        pub fn $method(&self, to: ElementType) -> Result<Self> {
            build::convert(&mut Nodes, Opcode::$name, &self.node, to).map(Self::of)
        }
    };
    (
        structured $class:ident $name:ident $method:ident $bound:ident $result:ident [$($doc:literal)+]
        [$first:ident $(, $other:ident)*; $($attribute:ident: $kind:ident = $value:tt),*; $shape:tt; $errors:literal]
    ) => {
        $(#[doc = $doc])+
        ///
        /// ```
        #[doc = concat!(
            "let of = <", example_type!($bound), " as indim::Element>::ELEMENT_TYPE;\n",
            "let ", stringify!($first), " = indim::AnyExpr::iota(of, [2, 3], 0)?;",
        )]
        $(#[doc = concat!(
            "let ", stringify!($other), " = indim::AnyExpr::constant(indim::Scalar::new(1_f32));",
        )])*
        #[doc = concat!(
            "let y = ", stringify!($first), ".", stringify!($method), "(",
            $("&", stringify!($other), ", ",)* stringify!($($value),*), ")?;\n",
            "assert_eq!(y.shape().dims(), ", stringify!($shape), ");",
        )]
        /// # Ok::<(), indim::Error>(())
        /// ```
        ///
        /// # Errors
        #[doc = $errors]
        pub fn $method(
            &self,
            $($other: &Self,)*
            $($attribute: attribute_type!($kind),)*
        ) -> Result<Self> {
            build::$method(
                &mut Nodes,
                &self.node
                $(, &$other.node)*
                $(, attribute!($kind $attribute))*
            )
            .map(Self::of)
        }
    };
}

/// The operations of the table that are called alike.
impl AnyExpr {
    for_each_op! { method }
}
