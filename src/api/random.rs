//! Random numbers by counter, in all ways to call: on expressions, on arrays, on those typed at run
//! time, and eager.

use std::panic::Location;

use crate::api::any_expr::AnyExpr;
use crate::api::examples::gpu;
use crate::api::expr::Expr;
use crate::api::nodes::Nodes;
use crate::api::operand::IntoExpr;
use crate::api::operations;
use crate::device::arrays::typed::Array;
use crate::device::context::Context;
use indim_core::graph::build;
use indim_core::semantics::dims::Dims;
use indim_core::semantics::element::{Float, Integer};
use indim_core::semantics::error::Result;
use indim_core::semantics::op::random_table::{
    for_each_random, random_element_type, random_example,
};

macro_rules! element_type_of {
    ($of:ident) => {
        <$of as indim_core::semantics::element::Element>::ELEMENT_TYPE
    };
}

macro_rules! expr_method {
    (
        [$($doc:literal)+]
        $method:ident [$($R:ident: $bound:ident ($example_of:ident))?]
        ($($operand:ident: $of:ident ($operand_of:ident) = $value:literal),*)
        [$($element_type:ident)?] [$($sizes:ident)?] -> $result:ident ($result_of:ident), $shape:tt;
        $errors:literal
    ) => {
        $(#[doc = $doc])+
        ///
        /// ```
        /// let key = indim::Expr::random_key(1);
        #[doc = concat!(
            "let x: indim::Expr<", stringify!($result_of), "> = key.", stringify!($method), "(",
            $(stringify!($value), ", ",)* $(random_example!(only $sizes),)? ");\n",
            "assert_eq!(x.shape()?.dims(), ", stringify!($shape), ");",
        )]
        /// # Ok::<(), indim::Error>(())
        /// ```
        ///
        /// # Errors
        /// The expression keeps them for [`Expr::eval`].
        #[doc = $errors]
        #[track_caller]
        pub fn $method $(<$R: $bound>)? (
            &self,
            $($operand: impl IntoExpr<$of>,)*
            $($sizes: impl Dims,)?
        ) -> Expr<$result> {
            $(let $operand = $operand.into_expr();)*
            operations::lazily(Location::caller(), || {
                build::$method(
                    &mut Nodes,
                    self.node_ref()?,
                    $($operand.node_ref()?,)*
                    $(element_type_of!($element_type),)?
                    $(&$sizes.to_signed(),)?
                )
            })
        }
    };
}

macro_rules! array_method {
    (
        [$($doc:literal)+]
        $method:ident [$($R:ident: $bound:ident ($example_of:ident))?]
        ($($operand:ident: $of:ident ($operand_of:ident) = $value:literal),*)
        [$($element_type:ident)?] [$($sizes:ident)?] -> $result:ident ($result_of:ident), $shape:tt;
        $errors:literal
    ) => {
        $(#[doc = $doc])+
        ///
        #[doc = concat!("As [`Expr::", stringify!($method), "`].")]
        ///
        /// ```
        #[doc = gpu!()]
        #[doc = concat!(
            "let key = gpu.random_key(1)?;\n",
            "let x: indim::Expr<", stringify!($result_of), "> = key.", stringify!($method), "(",
            $(stringify!($value), ", ",)* $(random_example!(only $sizes),)? ");\n",
            "assert_eq!(x.shape()?.dims(), ", stringify!($shape), ");",
        )]
        /// # Ok::<(), indim::Error>(())
        /// ```
        #[track_caller]
        pub fn $method $(<$R: $bound>)? (
            &self,
            $($operand: impl IntoExpr<$of>,)*
            $($sizes: impl Dims,)?
        ) -> Expr<$result> {
            self.expr().$method($($operand,)* $($sizes)?)
        }
    };
}

macro_rules! any_method {
    (
        [$($doc:literal)+]
        $method:ident [$($R:ident: $bound:ident ($example_of:ident))?]
        ($($operand:ident: $of:ident ($operand_of:ident) = $value:literal),*)
        [$($element_type:ident)?] [$($sizes:ident)?] -> $result:ident ($result_of:ident), $shape:tt;
        $errors:literal
    ) => {
        $(#[doc = $doc])+
        ///
        /// ```
        /// let key = indim::AnyExpr::random_key(1)?;
        $(#[doc = concat!(
            "let ", stringify!($operand), " = indim::AnyExpr::constant(indim::Scalar::new::<",
            stringify!($operand_of), ">(", stringify!($value), "));",
        )])*
        #[doc = concat!(
            "let of = <", stringify!($result_of), " as indim::Element>::ELEMENT_TYPE;\n",
            "let x = key.", stringify!($method), "(", $("&", stringify!($operand), ", ",)*
            $(random_example!(first $element_type),)? $(random_example!(only $sizes),)? ")?;\n",
            "assert_eq!((x.element_type(), x.shape().dims()), (of, &", stringify!($shape), "[..]));",
        )]
        /// # Ok::<(), indim::Error>(())
        /// ```
        ///
        /// # Errors
        #[doc = $errors]
        pub fn $method(
            &self,
            $($operand: &Self,)*
            $(element_type: random_element_type!($element_type),)?
            $($sizes: impl Dims,)?
        ) -> Result<Self> {
            build::$method(
                &mut Nodes,
                &self.node,
                $(&$operand.node,)*
                $(random_element_type!($element_type element_type),)?
                $(&$sizes.to_signed(),)?
            )
            .map(Self::of)
        }
    };
}

macro_rules! function {
    (
        [$($doc:literal)+]
        $method:ident [$($R:ident: $bound:ident ($example_of:ident))?]
        ($($operand:ident: $of:ident ($operand_of:ident) = $value:literal),*)
        [$($element_type:ident)?] [$($sizes:ident)?] -> $result:ident ($result_of:ident), $shape:tt;
        $errors:literal
    ) => {
        $(#[doc = $doc])+
        ///
        /// ```
        #[doc = gpu!()]
        #[doc = concat!(
            "let key = gpu.random_key(1)?;\n",
            "let x: indim::Array<", stringify!($result_of), "> = indim::", stringify!($method),
            "(&key", $(", ", stringify!($value),)* $(random_example!(sizes $sizes),)? ")?;\n",
            "assert_eq!(x.shape().dims(), ", stringify!($shape), ");",
        )]
        /// # Ok::<(), indim::Error>(())
        /// ```
        ///
        /// # Errors
        /// It returns the errors of [`Expr::eval`].
        #[doc = $errors]
        pub fn $method $(<$R: $bound>)? (
            key: impl IntoExpr<u32>,
            $($operand: impl IntoExpr<$of>,)*
            $($sizes: impl Dims,)?
        ) -> Result<Array<$result>> {
            let key = key.into_expr();
            $(let $operand = $operand.into_expr();)*
            operations::eagerly(|| {
                build::$method(
                    &mut Nodes,
                    key.node_ref()?,
                    $($operand.node_ref()?,)*
                    $(element_type_of!($element_type),)?
                    $(&$sizes.to_signed(),)?
                )
            })
        }
    };
}

/// Random numbers by counter: those of `jax.random` with `jax_threefry_partitionable`. The expression
/// is a key, U32\[2\]; two words of any source are one, too.
impl Expr<u32> {
    /// Returns the key of a seed: `jax.random.PRNGKey`. Its words are scalars of the expression, so
    /// that keys of other seeds compile nothing new.
    ///
    /// ```
    /// use indim::{Context, Expr};
    ///
    /// let key = Expr::random_key(42);
    /// let dice: Expr<i32> = key.random_randint(1, 7, [4]);
    /// assert_eq!(Context::blocking()?.eval(&dice)?.to_vec_blocking()?, [1, 1, 4, 2]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    #[track_caller]
    pub fn random_key(seed: u64) -> Self {
        operations::lazily(Location::caller(), || build::random_key(&mut Nodes, seed))
    }

    for_each_random! { expr_method }
}

/// Random numbers by counter: those of `jax.random` with `jax_threefry_partitionable`. The array is a
/// key, U32\[2\].
impl Array<u32> {
    for_each_random! { array_method }
}

/// Random numbers by counter: those of `jax.random` with `jax_threefry_partitionable`. The value is a
/// key, U32\[2\].
impl AnyExpr {
    /// Returns the key of a seed, as [`Expr::random_key`] does.
    ///
    /// ```
    /// let key = indim::AnyExpr::random_key(42)?;
    /// assert_eq!((key.element_type(), key.shape().dims()), (indim::ElementType::U32, &[2][..]));
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// None; it returns a `Result` as other methods do.
    pub fn random_key(seed: u64) -> Result<Self> {
        build::random_key(&mut Nodes, seed).map(Self::of)
    }

    for_each_random! { any_method }
}

impl Context {
    /// Returns the key of a seed as an array, for loops and computations that take it as an argument:
    /// the high word of the seed, then the low one. [`Expr::random_key`] takes no memory.
    ///
    /// ```
    /// let key = indim::Context::blocking()?.random_key(42)?;
    /// assert_eq!(key.to_vec_blocking()?, [0, 42]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`DeviceError`](crate::DeviceError).
    #[track_caller]
    pub fn random_key(&self, seed: u64) -> Result<Array<u32>> {
        self.array([2], &[(seed >> 32) as u32, seed as u32])
    }
}

for_each_random! { function }
