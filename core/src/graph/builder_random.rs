//! The methods of [`Builder`] that make random numbers.

use crate::graph::build;
use crate::graph::builder::{Builder, Op};
use crate::semantics::dims::Dims;
use crate::semantics::error::Result;
use crate::semantics::op::random_table::{for_each_random, random_element_type, random_example};

macro_rules! method {
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
        /// let mut b = indim::Builder::new();
        /// let key = b.random_key(1)?;
        $(#[doc = concat!(
            "let ", stringify!($operand), " = b.constant(indim::Scalar::new::<",
            stringify!($operand_of), ">(", stringify!($value), "))?;",
        )])*
        #[doc = concat!(
            "let of = <", stringify!($result_of), " as indim::Element>::ELEMENT_TYPE;\n",
            "let x = b.", stringify!($method), "(key", $(", ", stringify!($operand),)*
            $(random_example!(of $element_type),)? $(random_example!(sizes $sizes),)? ")?;\n",
            "assert_eq!((b.element_type(x)?, b.shape(x)?.dims()), (of, &", stringify!($shape), "[..]));",
        )]
        /// # Ok::<(), indim::Error>(())
        /// ```
        ///
        /// # Errors
        #[doc = $errors]
        pub fn $method(
            &mut self,
            key: Op,
            $($operand: Op,)*
            $(element_type: random_element_type!($element_type),)?
            $($sizes: impl Dims,)?
        ) -> Result<Op> {
            build::$method(
                self,
                &key,
                $(&$operand,)*
                $(random_element_type!($element_type element_type),)?
                $(&$sizes.to_signed(),)?
            )
        }
    };
}

/// Random numbers by counter: those of `jax.random` with `jax_threefry_partitionable`.
impl Builder {
    /// Adds the key of a seed, U32\[2\]: `jax.random.PRNGKey`. Keys of other seeds make the same
    /// kernels; a key that is a parameter takes other seeds without another computation.
    ///
    /// ```
    /// let mut b = indim::Builder::new();
    /// let key = b.random_key(42)?;
    /// assert_eq!((b.element_type(key)?, b.shape(key)?.dims()), (indim::ElementType::U32, &[2][..]));
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// None; it returns a `Result` as other methods do.
    pub fn random_key(&mut self, seed: u64) -> Result<Op> {
        build::random_key(self, seed)
    }

    for_each_random! { method }
}
