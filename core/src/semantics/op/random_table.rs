//! The table of random operations, which are composed of others, as macros.

/// Calls a macro for each random operation that takes a key, with its row.
///
/// A row is `[documentation] method [type parameter] (operands) [element type] [sizes] -> type of the
/// result, sizes of the example's result; errors`. The type parameter has its bound and its type in
/// the example; an operand has its type, the type in the example, and its value there; `[R]` as the
/// element type stands for one that no operand has, and is given where types are known at run time.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_random {
    ($callback:ident) => {
        $callback! {
            [
                "Independent keys of this key, the same ones for the same key: an array of these sizes and a last dimension of 2, of which [`index`](crate::Builder::index) takes one. Draw all numbers of a program from keys of their own; a key that draws twice draws the same numbers. `jax.random.split`."
            ]
            random_split [] () [] [sizes] -> u32 (u32), [2, 3, 2];
            "[`TypeError`](crate::TypeError) by rule T1 and [`BuilderError`](crate::BuilderError) for other keys than U32\\[2\\]; [`ShapeError`](crate::ShapeError) by rules N1 and C1."
        }
        $callback! {
            [
                "A key of this key and a number, such as that of a step or of a layer: of an array of numbers, an array of keys with a last dimension of 2. `jax.random.fold_in`."
            ]
            random_fold_in [] (data: u32 (u32) = 7) [] [] -> u32 (u32), [2];
            "[`TypeError`](crate::TypeError) by rule T1 and [`BuilderError`](crate::BuilderError) for other keys than U32\\[2\\]."
        }
        $callback! {
            [
                "Random bits: each value of an unsigned type of 8, 16, 32 or 64 bits is equally likely. `jax.random.bits`."
            ]
            random_bits [R: Integer (u32)] () [R] [sizes] -> R (u32), [2, 3];
            "[`TypeError`](crate::TypeError) by rule T1 and [`BuilderError`](crate::BuilderError) for other keys than U32\\[2\\]; [`ShapeError`](crate::ShapeError) by rules N1 and C1."
        }
        $callback! {
            [
                "Random floats from `minval` up to, but without, `maxval`, which are scalars or have the sizes of the result: multiples of 2^-23 in F32 between 0 and 1, of 2^-10 in F16, 2^-7 in BF16 and 2^-52 in F64, scaled. (Scaling may round up to `maxval`, as it does in JAX.) `jax.random.uniform`."
            ]
            random_uniform [R: Float (f32)] (minval: R (f32) = 0.0, maxval: R (f32) = 1.0) [] [sizes] -> R (f32), [2, 3];
            "[`TypeError`](crate::TypeError) by rules T1 and T2 and [`BuilderError`](crate::BuilderError) for other keys than U32\\[2\\]; [`BroadcastError`](crate::BroadcastError) by rule S1; [`ShapeError`](crate::ShapeError) by rules N1 and C1."
        }
        $callback! {
            [
                "Random floats of the normal distribution with mean 0 and variance 1: [`erf_inv`](crate::Builder::erf_inv) of uniform floats between -1 and 1, times the square root of 2. In F32 none is beyond 5.5. `jax.random.normal`."
            ]
            random_normal [R: Float (f32)] () [R] [sizes] -> R (f32), [2, 3];
            "[`TypeError`](crate::TypeError) by rule T1 and [`BuilderError`](crate::BuilderError) for other keys than U32\\[2\\]; [`ShapeError`](crate::ShapeError) by rules N1 and C1."
        }
        $callback! {
            [
                "Random PREDs, each true with probability `p`, which is a scalar or has the sizes of the result: whether a uniform float of its type is below it. `jax.random.bernoulli`."
            ]
            random_bernoulli [] (p: f32 (f32) = 0.25) [] [sizes] -> bool (bool), [2, 3];
            "[`TypeError`](crate::TypeError) by rule T1 and [`BuilderError`](crate::BuilderError) for other keys than U32\\[2\\]; [`BroadcastError`](crate::BroadcastError) by rule S1; [`ShapeError`](crate::ShapeError) by rules N1 and C1."
        }
        $callback! {
            [
                "Random integers from `minval` up to, but without, `maxval`, which are scalars or have the sizes of the result; `minval` where it is not below `maxval`. They are remainders of 64 random bits, of 128 for types of 64 bits, computed in halves: of a number of integers that is not a power of 2, some are a little more likely than others. `jax.random.randint`."
            ]
            random_randint [R: Integer (i32)] (minval: R (i32) = 1, maxval: R (i32) = 7) [] [sizes] -> R (i32), [2, 3];
            "[`TypeError`](crate::TypeError) by rules T1 and T2 and [`BuilderError`](crate::BuilderError) for other keys than U32\\[2\\]; [`BroadcastError`](crate::BroadcastError) by rule S1; [`ShapeError`](crate::ShapeError) by rules N1 and C1."
        }
    };
}

/// The type of the element type that a row's `[R]` asks for, and the argument of that name.
#[doc(hidden)]
#[macro_export]
macro_rules! random_element_type {
    ($of:ident) => {
        $crate::semantics::element::ElementType
    };
    ($of:ident $argument:ident) => {
        $argument
    };
}

/// An argument in an example, after others or before or without them: the element type `of`, or sizes.
#[doc(hidden)]
#[macro_export]
macro_rules! random_example {
    (of $of:ident) => {
        ", of"
    };
    (first $of:ident) => {
        "of, "
    };
    (sizes $sizes:ident) => {
        ", [2, 3]"
    };
    (only $sizes:ident) => {
        "[2, 3]"
    };
}

// `macro_export` puts them at the root of the crate; they belong here.
#[doc(hidden)]
pub use {for_each_random, random_element_type, random_example};
