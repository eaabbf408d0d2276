//! The table's operations as methods on expressions, on arrays, and on operands with `in_dim` where
//! they change no shape. They never panic; the expression keeps an error for [`Expr::eval`].

use std::panic::Location;

use crate::api::examples::{gpu, other};
use crate::api::expr::Expr;
use crate::api::nodes::Nodes;
use crate::api::operand::{InDim, IntoExpr, Operand};
use crate::api::operations;
use crate::device::arrays::typed::Array;
use indim_core::graph::build;
use indim_core::semantics::element::{
    Bitwise, ComplexPart, Conjugable, Element, Float, Inexact, Integer, Number, Ordered, Real,
    Signed,
};
use indim_core::semantics::op::table::{
    attribute, attribute_type, example_type, for_each_op, result_element,
};
use indim_core::semantics::opcode::Opcode;

/// The methods of one class of operations.
macro_rules! note {
    (View) => {
        "As every view, it copies nothing."
    };
    (Broadcast) => {
        "It copies nothing."
    };
    (Move) => {
        "What reads it copies nothing."
    };
    ($class:ident) => {
        ""
    };
}

macro_rules! expr_method {
    (structured View Slice $($rest:tt)*) => {};
    (by_hand $($rest:tt)*) => {};
    (binary $class:ident $name:ident $method:ident $bound:ident $result:ident [$($doc:literal)+] []) => {
        $(#[doc = $doc])+
        ///
        /// The expression keeps an error, by rules B1 to B9 and C1, for [`Expr::eval`].
        ///
        /// ```
        #[doc = concat!(
            "let x = indim::Expr::<", example_type!($bound), ">::iota([2, 3], 0);\n",
            "let v = indim::Expr::<", example_type!($bound), ">::iota([3], 0);\n",
            "assert_eq!(x.", stringify!($method), "(v.in_dim([1])).shape()?.dims(), [2, 3]);",
        )]
        /// # Ok::<(), indim::Error>(())
        /// ```
        #[track_caller]
        pub fn $method(&self, rhs: impl Operand<T>) -> Expr<result_element!($result)>
        where
            T: $bound,
        {
            operations::binary(Opcode::$name, self, rhs, Location::caller())
        }
    };
    (unary $class:ident $name:ident $method:ident $bound:ident $result:ident [$($doc:literal)+] []) => {
        $(#[doc = $doc])+
        ///
        /// ```
        #[doc = concat!(
            "let x = indim::Expr::<", example_type!($bound), ">::iota([2, 3], 0);\n",
            "assert_eq!(x.", stringify!($method), "().shape()?.dims(), [2, 3]);",
        )]
        /// # Ok::<(), indim::Error>(())
        /// ```
        #[track_caller]
        pub fn $method(&self) -> Expr<result_element!($result)>
        where
            T: $bound,
        {
            operations::unary(Opcode::$name, self, Location::caller())
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
            "let x = indim::Expr::<f32>::iota([2, 3], 0);\n",
            "let y = x.", stringify!($method), "::<", stringify!($to), ">();\n",
            "assert_eq!(y.shape()?.dims(), ", stringify!($shape), ");",
        )]
        /// # Ok::<(), indim::Error>(())
        /// ```
        ///
        /// # Errors
        /// The expression keeps them for [`Expr::eval`].
        #[doc = $errors]
        #[track_caller]
        pub fn $method<R: Element>(&self) -> Expr<R> {
            operations::convert(Opcode::$name, self, Location::caller())
        }
    };
    (
        structured $class:ident $name:ident $method:ident $bound:ident $result:ident [$($doc:literal)+]
        [$first:ident $(, $other:ident)*; $($attribute:ident: $kind:ident = $value:tt),*; $shape:tt; $errors:literal]
    ) => {
        $(#[doc = $doc])+
        #[doc = note!($class)]
        ///
        /// ```
        #[doc = concat!(
            "let x = indim::Expr::<", example_type!($bound), ">::iota([2, 3], 0);\n",
            "let y = x.", stringify!($method), "(",
            $(other!($other), ", ",)* stringify!($($value),*), ");\n",
            "assert_eq!(y.shape()?.dims(), ", stringify!($shape), ");",
        )]
        /// # Ok::<(), indim::Error>(())
        /// ```
        ///
        /// # Errors
        /// The expression keeps them for [`Expr::eval`].
        #[doc = $errors]
        #[track_caller]
        pub fn $method(
            &self,
            $($other: impl IntoExpr<T>,)*
            $($attribute: attribute_type!($kind),)*
        ) -> Expr<result_element!($result)>
        where
            T: $bound,
        {
            $(let $other = $other.into_expr();)*
            operations::lazily(Location::caller(), || {
                build::$method(
                    &mut Nodes,
                    self.node_ref()?
                    $(, $other.node_ref()?)*
                    $(, attribute!($kind $attribute))*
                )
            })
        }
    };
}

macro_rules! array_method {
    (structured View Slice $($rest:tt)*) => {};
    (by_hand $($rest:tt)*) => {};
    (binary $class:ident $name:ident $method:ident $bound:ident $result:ident [$($doc:literal)+] []) => {
        $(#[doc = $doc])+
        ///
        #[doc = concat!("As [`Expr::", stringify!($method), "`].")]
        ///
        /// ```
        #[doc = gpu!()]
        #[doc = concat!(
            "let x = gpu.zeros::<", example_type!($bound), ">([2, 3])?;\n",
            "let v = gpu.zeros::<", example_type!($bound), ">([3])?;\n",
            "assert_eq!(x.", stringify!($method), "(v.in_dim([1])).shape()?.dims(), [2, 3]);",
        )]
        /// # Ok::<(), indim::Error>(())
        /// ```
        #[track_caller]
        pub fn $method(&self, rhs: impl Operand<T>) -> Expr<result_element!($result)>
        where
            T: $bound,
        {
            self.expr().$method(rhs)
        }
    };
    (unary $class:ident $name:ident $method:ident $bound:ident $result:ident [$($doc:literal)+] []) => {
        $(#[doc = $doc])+
        ///
        #[doc = concat!("As [`Expr::", stringify!($method), "`].")]
        ///
        /// ```
        #[doc = gpu!()]
        #[doc = concat!(
            "let x = gpu.zeros::<", example_type!($bound), ">([2, 3])?;\n",
            "assert_eq!(x.", stringify!($method), "().shape()?.dims(), [2, 3]);",
        )]
        /// # Ok::<(), indim::Error>(())
        /// ```
        #[track_caller]
        pub fn $method(&self) -> Expr<result_element!($result)>
        where
            T: $bound,
        {
            self.expr().$method()
        }
    };
    (
        structured Convert $name:ident $method:ident $bound:ident $result:ident [$($doc:literal)+]
        [operand; to: Type = $to:ident; $shape:tt; $errors:literal]
    ) => {
        $(#[doc = $doc])+
        ///
        #[doc = concat!("As [`Expr::", stringify!($method), "`].")]
        ///
        /// ```
        #[doc = gpu!()]
        #[doc = concat!(
            "let x = gpu.zeros::<f32>([2, 3])?;\n",
            "let y = x.", stringify!($method), "::<", stringify!($to), ">();\n",
            "assert_eq!(y.shape()?.dims(), ", stringify!($shape), ");",
        )]
        /// # Ok::<(), indim::Error>(())
        /// ```
        #[track_caller]
        pub fn $method<R: Element>(&self) -> Expr<R> {
            self.expr().$method()
        }
    };
    (
        structured $class:ident $name:ident $method:ident $bound:ident $result:ident [$($doc:literal)+]
        [$first:ident $(, $other:ident)*; $($attribute:ident: $kind:ident = $value:tt),*; $shape:tt; $errors:literal]
    ) => {
        $(#[doc = $doc])+
        ///
        #[doc = concat!("As [`Expr::", stringify!($method), "`].")]
        ///
        /// ```
        #[doc = gpu!()]
        #[doc = concat!(
            "let x = gpu.zeros::<", example_type!($bound), ">([2, 3])?;\n",
            "let y = x.", stringify!($method), "(",
            $(other!($other), ", ",)* stringify!($($value),*), ");\n",
            "assert_eq!(y.shape()?.dims(), ", stringify!($shape), ");",
        )]
        /// # Ok::<(), indim::Error>(())
        /// ```
        #[track_caller]
        pub fn $method(
            &self,
            $($other: impl IntoExpr<T>,)*
            $($attribute: attribute_type!($kind),)*
        ) -> Expr<result_element!($result)>
        where
            T: $bound,
        {
            self.expr().$method($($other,)* $($attribute),*)
        }
    };
}

macro_rules! in_dim_method {
    (by_hand $($rest:tt)*) => {};
    (binary $class:ident $name:ident $method:ident $bound:ident $result:ident [$($doc:literal)+] []) => {
        $(#[doc = $doc])+
        ///
        /// The result is an `InDim` again beside a scalar, else an expression, which keeps an error, by
        /// rules B1 to B9 and C1, for [`Expr::eval`].
        ///
        /// ```
        #[doc = concat!(
            "let x = indim::Expr::<", example_type!($bound), ">::iota([2, 3], 0);\n",
            "let v = indim::Expr::<", example_type!($bound), ">::iota([3], 0);\n",
            "assert_eq!(v.in_dim([1]).", stringify!($method), "(x).shape()?.dims(), [2, 3]);",
        )]
        /// # Ok::<(), indim::Error>(())
        /// ```
        #[track_caller]
        pub fn $method<O: Operand<T>>(&self, rhs: O) -> O::BesideInDim<result_element!($result)>
        where
            T: $bound,
        {
            operations::beside_in_dim(Opcode::$name, self.clone(), rhs, Location::caller())
        }
    };
    (unary $class:ident $name:ident $method:ident $bound:ident $result:ident [$($doc:literal)+] []) => {
        $(#[doc = $doc])+
        ///
        /// The operand keeps its `broadcast_dimensions`.
        ///
        /// ```
        #[doc = concat!(
            "let v = indim::Expr::<", example_type!($bound), ">::iota([3], 0);\n",
            "let y: indim::InDim<_> = v.in_dim([1]).", stringify!($method), "();",
        )]
        /// ```
        #[track_caller]
        pub fn $method(&self) -> InDim<result_element!($result)>
        where
            T: $bound,
        {
            let location = Location::caller();
            self.map(|expr| operations::unary(Opcode::$name, expr, location))
        }
    };
    (
        structured Convert ConvertElementType $method:ident $bound:ident $result:ident
        [$($doc:literal)+] [$($arguments:tt)*]
    ) => {
        $(#[doc = $doc])+
        ///
        /// The operand keeps its `broadcast_dimensions`.
        ///
        /// ```
        /// let v = indim::Expr::<f32>::iota([3], 0);
        #[doc = concat!(
            "let y: indim::InDim<i32> = v.in_dim([1]).", stringify!($method), "();",
        )]
        /// ```
        #[track_caller]
        pub fn $method<R: Element>(&self) -> InDim<R> {
            let location = Location::caller();
            self.map(|expr| operations::convert(Opcode::ConvertElementType, expr, location))
        }
    };
    (
        structured Format $name:ident $method:ident $bound:ident $result:ident [$($doc:literal)+]
        [$first:ident; $($attribute:ident: $kind:ident = $value:tt),*; $shape:tt; $errors:literal]
    ) => {
        $(#[doc = $doc])+
        ///
        /// The operand keeps its `broadcast_dimensions`.
        ///
        /// ```
        /// let v = indim::Expr::<f32>::iota([3], 0);
        #[doc = concat!(
            "let y: indim::InDim<_> = v.in_dim([1]).", stringify!($method), "(",
            stringify!($($value),*), ");",
        )]
        /// ```
        ///
        /// # Errors
        /// The expression keeps them for [`Expr::eval`].
        #[doc = $errors]
        #[track_caller]
        pub fn $method(&self, $($attribute: attribute_type!($kind)),*) -> InDim<result_element!($result)>
        where
            T: $bound,
        {
            let location = Location::caller();
            self.map(|expr| {
                operations::lazily(location, || {
                    build::$method(&mut Nodes, expr.node_ref()? $(, attribute!($kind $attribute))*)
                })
            })
        }
    };
    // They change the shape, or take operands that `in_dim` cannot stand beside.
    (structured $($rest:tt)*) => {};
}

/// The operations of the table that are called alike.
impl<T: Element> Expr<T> {
    for_each_op! { expr_method }
}

/// The operations of the table that are called alike.
impl<T: Element> Array<T> {
    for_each_op! { array_method }
}

/// The operations of the table that change no shape.
impl<T: Element> InDim<T> {
    for_each_op! { in_dim_method }
}
