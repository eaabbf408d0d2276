//! Evaluates and explains expressions: one, or several at once, which share what they have in
//! common.

use std::sync::Arc;

use crate::api::any_expr::AnyExpr;
use crate::api::batches::{BATCH, Batches, batches};
use crate::api::expr::Expr;
use crate::api::expr_computation::cached_computation;
use crate::api::expr_node::{BoundComputation, Node};
use crate::device::arrays::array::AnyArray;
use crate::device::arrays::typed::Array;
use crate::device::context::Context;
use crate::device::run::execute::{self, Inputs};
use indim_compiler::explain::{Explanation, Source};
use indim_core::errors::array::ArrayError;
use indim_core::semantics::element::Element;
use indim_core::semantics::error::Result;
use indim_core::semantics::hash::FastMap;
use indim_core::semantics::tuples::for_tuples;

/// The result of one expression, private to this crate.
#[derive(Debug)]
pub struct Root(Arc<Node>);

/// Results in the order of their expressions.
#[derive(Debug)]
pub struct Results(std::vec::IntoIter<AnyArray>);

impl Results {
    fn next<T: Element>(&mut self) -> Result<Array<T>> {
        self.next_any()?.downcast()
    }

    fn next_any(&mut self) -> Result<AnyArray> {
        // There is one result for each root.
        self.0.next().ok_or_else(execute::no_kernel)
    }
}

mod sealed {
    use super::{Results, Root};
    use indim_core::semantics::error::Result;

    pub trait Sealed {
        /// The array of each expression, in the same order.
        type Arrays;

        /// Adds the expressions' roots.
        fn add_roots(&self, roots: &mut Vec<Root>) -> Result<()>;

        /// Takes the same number of results.
        fn take_from(&self, results: &mut Results) -> Result<Self::Arrays>;
    }
}

use sealed::Sealed;

/// Expressions that are computed together: one, a tuple of up to eight of any types, or a slice, an
/// array or a vector of one type. Each may be borrowed. The trait is sealed, so that methods can be
/// added to it.
///
/// ```
/// use indim::{Context, Expr};
///
/// let gpu = Context::blocking()?;
/// let x = Expr::<f32>::iota([3], 0);
/// let (twice, small) = gpu.eval((&x * 2.0, x.lt(1.0)))?; // a tuple of any types
/// assert_eq!(small.to_vec_blocking()?, [true, false, false]);
/// let powers = gpu.eval([x.square(), &x * x.square()])?; // an array of one type
/// assert_eq!(powers[1].to_vec_blocking()?, [0., 1., 8.]);
/// # assert_eq!(twice.to_vec_blocking()?, [0., 2., 4.]);
/// # Ok::<(), indim::Error>(())
/// ```
pub trait Exprs: Sealed {}

/// Computes several expressions at once, on the context of the arrays in them. Returns when their
/// kernels are recorded, without waiting for the GPU, as [`Expr::eval`] does.
///
/// What they share is computed once. Results of one shape share a kernel, which reads each operand
/// once, as far as the device binds enough buffers (WebGPU's default is 8, operands and results
/// together). Of more than 64 expressions, those that share no operations are computed in groups.
///
/// A value within them that is also held elsewhere may be kept for later evaluations, if it takes
/// at least eight operations and operands (a function is enough) and is broadcast to a result with
/// at least 16 times as many elements. So a loop may read results computed from a small, growing
/// value without ever evaluating that value.
///
/// ```
/// # let gpu = indim::Context::blocking()?;
/// # let [p, m, g] = [0.5_f32, 1., 2.].map(|x| gpu.full([8], x));
/// # let (p, m, g) = (p?, m?, g?);
/// let m = &m * 0.9 + &g * 0.1;
/// let p = &p - &m * 0.01;
/// let (p, m) = indim::eval((&p, &m))?; // one kernel
/// # Ok::<(), indim::Error>(())
/// ```
///
/// # Errors
/// The first error of an expression, as [`Error::Expression`](crate::Error::Expression) with its
/// place in the caller's source; [`ArrayError::TwoContexts`] if their arrays live on several
/// contexts; [`ArrayError::NoContext`] without an array (use [`Context::eval`]);
/// [`DeviceError`](crate::DeviceError).
pub fn eval<E: Exprs>(expressions: E) -> Result<E::Arrays> {
    eval_on(None, &expressions)
}

impl Context {
    /// Computes expressions on this context. Needed for those without arrays, which have no
    /// context.
    ///
    /// ```
    /// use indim::{Context, Expr};
    ///
    /// let gpu = Context::blocking()?;
    /// let (row, column) = (Expr::<i32>::iota([2, 2], 0), Expr::<i32>::iota([2, 2], 1));
    /// let (sum, product) = gpu.eval((&row + &column, &row * &column))?;
    /// assert_eq!(sum.to_vec_blocking()?, [0, 1, 1, 2]);
    /// assert_eq!(product.to_vec_blocking()?, [0, 0, 0, 1]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the errors of [`eval`], but not [`ArrayError::NoContext`].
    pub fn eval<E: Exprs>(&self, expressions: E) -> Result<E::Arrays> {
        eval_on(Some(self), &expressions)
    }

    /// Returns the kernels as which expressions are computed on this context, as
    /// [`explain`](crate::explain) does. Needed for those without arrays, which have no context.
    ///
    /// ```
    /// use indim::{Context, Expr};
    ///
    /// let gpu = Context::blocking()?;
    /// let x = Expr::<f32>::iota([8], 0);
    /// assert_eq!(gpu.explain(x.exp() + 1.0)?.kernels.len(), 1);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the errors of [`explain`](crate::explain), but not [`ArrayError::NoContext`].
    pub fn explain<E: Exprs>(&self, expressions: E) -> Result<Explanation> {
        explain_on(Some(self), &expressions)
    }
}

/// Returns the kernels as which [`eval`] computes these expressions, without running or compiling
/// anything: which results each kernel writes, how it reads its operands, and the bytes that it
/// moves. They are planned for the context of the arrays in the expressions, by its
/// [`Context::plan_limits`] and its [`ContextOptions::precision`](crate::ContextOptions::precision).
///
/// [`Source::Parameter`](crate::plan::Source::Parameter) numbers the arrays as they are met, each once:
/// in the first expression, operands from left to right, then in the next one. Arrays are assumed
/// to be allocated by the context; with foreign buffers at odd offsets a run may take other
/// kernels.
///
/// ```
/// # let gpu = indim::Context::blocking()?;
/// # let [p, m, g] = [0.5_f32, 1., 2.].map(|x| gpu.full([8], x));
/// # let (p, m, g) = (p?, m?, g?);
/// let m = &m * 0.9 + &g * 0.1;
/// let p = &p - &m * 0.01;
/// let explanation = indim::explain((&p, &m))?;
/// assert_eq!(explanation.kernels.len(), 1);
/// assert_eq!(explanation.kernels[0].writes.len(), 2);
/// # Ok::<(), indim::Error>(())
/// ```
///
/// # Errors
/// It returns the errors of [`eval`], but not [`DeviceError`](crate::DeviceError), and the error of
/// rule C1 for a value that is too large to be counted in bytes.
pub fn explain<E: Exprs>(expressions: E) -> Result<Explanation> {
    explain_on(None, &expressions)
}

/// Returns the nodes of expressions, in order.
pub(super) fn roots<E: Exprs>(expressions: &E) -> Result<Vec<Arc<Node>>> {
    let mut roots = Vec::new();
    expressions.add_roots(&mut roots)?;
    Ok(roots.into_iter().map(|Root(root)| root).collect())
}

fn explain_on<E: Exprs>(context: Option<&Context>, expressions: &E) -> Result<Explanation> {
    let roots = roots(expressions)?;
    let roots: Vec<&Arc<Node>> = roots.iter().collect();
    if roots.len() <= BATCH {
        return match roots.as_slice() {
            [] => Ok(Explanation::of_results(Vec::new())),
            roots => explain_batch(context, roots).map(|(explanation, _)| explanation),
        };
    }
    // Arrays are numbered in the order in which they appear in all expressions.
    let BoundComputation { arrays, .. } = BoundComputation::of(&roots, context)?;
    let numbers = arrays.iter().enumerate().map(|(number, array)| (array.address(), number));
    let numbers: FastMap<usize, usize> = numbers.collect();
    let Batches { batches, array } = batches(&roots);
    let context = context.or(array.map(|array| array.context()));
    let mut all = Explanation::of_results(vec![Source::Iota; roots.len()]);
    for batch in batches {
        let of_batch: Vec<&Arc<Node>> = batch.iter().map(|&number| roots[number]).collect();
        let (explanation, arrays) = explain_batch(context, &of_batch)?;
        let parameters: Vec<usize> = arrays.iter().map(|array| numbers[&array.address()]).collect();
        all.append(explanation, &batch, &parameters);
    }
    Ok(all)
}

/// Explains expressions that are planned together. Returns the arrays that are their parameters,
/// too.
fn explain_batch(
    context: Option<&Context>,
    roots: &[&Arc<Node>],
) -> Result<(Explanation, Vec<AnyArray>)> {
    let (bound, _) = BoundComputation::with_living(roots, context)?;
    let context = context_of(context, &bound)?;
    let (limits, precision) = (context.plan_limits(), context.precision());
    let explanation = limits.explain_first(&bound.computation, roots.len(), precision)?;
    Ok((explanation, bound.arrays))
}

fn eval_on<E: Exprs>(context: Option<&Context>, expressions: &E) -> Result<E::Arrays> {
    let roots = roots(expressions)?;
    let roots: Vec<&Arc<Node>> = roots.iter().collect();
    let arrays = match roots.as_slice() {
        [] => Vec::new(),
        [root] => match cached_computation(root) {
            Some(cached) => run_on(context, cached)?,
            None => eval_batch(context, &[root])?,
        },
        roots if roots.len() <= BATCH => eval_batch(context, roots)?,
        roots => eval_batches(context, roots)?,
    };
    expressions.take_from(&mut Results(arrays.into_iter()))
}

/// Evaluates many expressions, batch by batch.
fn eval_batches(context: Option<&Context>, roots: &[&Arc<Node>]) -> Result<Vec<AnyArray>> {
    let Batches { batches, array } = batches(roots);
    let context = context.or(array.map(|array| array.context()));
    let mut arrays: Vec<Option<AnyArray>> = vec![None; roots.len()];
    for batch in batches {
        let of_batch: Vec<&Arc<Node>> = batch.iter().map(|&number| roots[number]).collect();
        let made = eval_batch(context, &of_batch)?;
        batch.into_iter().zip(made).for_each(|(number, made)| arrays[number] = Some(made));
    }
    arrays.into_iter().map(|array| array.ok_or_else(execute::no_kernel)).collect()
}

/// Evaluates expressions that are planned together.
fn eval_batch(context: Option<&Context>, roots: &[&Arc<Node>]) -> Result<Vec<AnyArray>> {
    let (bound, living) = BoundComputation::with_living(roots, context)?;
    let mut arrays = run_on(context, &bound)?;
    for (node, array) in living.into_iter().zip(arrays.drain(roots.len()..)) {
        node.cache.living.get_or_init(|| array);
    }
    Ok(arrays)
}

fn run_on(context: Option<&Context>, bound: &BoundComputation) -> Result<Vec<AnyArray>> {
    let context = context_of(context, bound)?;
    let arguments: Vec<&AnyArray> = bound.arrays.iter().collect();
    let constants = bound.constants.as_deref();
    execute::execute(context, &bound.computation, Inputs { arguments: &arguments, constants })
}

impl<T: Element> Expr<T> {
    /// Computes the value on the context of the arrays in it. Returns when its kernels are
    /// recorded, without waiting for the GPU; the [crate](crate#laziness) describes when they are
    /// submitted.
    ///
    /// ```
    /// let x = indim::Context::blocking()?.array([3], &[1_f32, 2., 3.])?;
    /// let y = (&x * 2.0 + 1.0).eval()?; // recorded
    /// assert_eq!(y.to_vec_blocking()?, [3., 5., 7.]); // computed
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// The first error of the expression, as [`Error::Expression`](crate::Error::Expression) with
    /// its place in the caller's source; [`ArrayError::TwoContexts`] if its arrays live on several
    /// contexts; [`ArrayError::NoContext`] if it has no array (use [`Context::eval`]);
    /// [`DeviceError`](crate::DeviceError).
    pub fn eval(&self) -> Result<Array<T>> {
        eval(self)
    }

    /// Returns the kernels as which [`Expr::eval`] computes the value, on the context of the arrays
    /// in it. Nothing is run or compiled. [`explain`](crate::explain) has the details, and does so
    /// for several expressions at once.
    ///
    /// ```
    /// let x = indim::Context::blocking()?.zeros::<f32>([1024])?;
    /// let explanation = (x.exp() + &x).explain()?;
    /// assert_eq!(explanation.kernels.len(), 1);
    /// assert_eq!(explanation.kernels[0].bytes_read, 4096); // x is read once
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the errors of [`explain`](crate::explain).
    pub fn explain(&self) -> Result<Explanation> {
        explain(self)
    }
}

/// Returns the context on which a computation runs: the given one, or that of its arrays.
fn context_of<'a>(
    context: Option<&'a Context>,
    bound: &'a BoundComputation,
) -> Result<&'a Context> {
    let own = bound.arrays.first().map(|array| array.context());
    let context = context.or(own).ok_or(ArrayError::NoContext)?;
    if bound.arrays.iter().any(|array| !array.context().is(context)) {
        return Err(ArrayError::TwoContexts.into());
    }
    Ok(context)
}

impl<T: Element> Exprs for Expr<T> {}

impl<T: Element> Sealed for Expr<T> {
    type Arrays = Array<T>;

    fn add_roots(&self, roots: &mut Vec<Root>) -> Result<()> {
        roots.push(Root(self.node()?));
        Ok(())
    }

    fn take_from(&self, results: &mut Results) -> Result<Array<T>> {
        results.next()
    }
}

impl Exprs for AnyExpr {}

impl Sealed for AnyExpr {
    type Arrays = AnyArray;

    fn add_roots(&self, roots: &mut Vec<Root>) -> Result<()> {
        roots.push(Root(Arc::clone(&self.node)));
        Ok(())
    }

    fn take_from(&self, results: &mut Results) -> Result<AnyArray> {
        let array = results.next_any()?;
        // Another thread may have evaluated it meanwhile; one of the two arrays is kept.
        Ok(self.node.cache.array.get_or_init(|| array).clone())
    }
}

impl<E: Exprs + ?Sized> Exprs for &E {}

impl<E: Sealed + ?Sized> Sealed for &E {
    type Arrays = E::Arrays;

    fn add_roots(&self, roots: &mut Vec<Root>) -> Result<()> {
        (**self).add_roots(roots)
    }

    fn take_from(&self, results: &mut Results) -> Result<E::Arrays> {
        (**self).take_from(results)
    }
}

macro_rules! slices {
    ($([$($generics:tt)*] $array:ty, $list:ty;)*) => {$(
        impl<$($generics)*> Exprs for $list {}

        impl<$($generics)*> Sealed for $list {
            type Arrays = Vec<$array>;

            fn add_roots(&self, roots: &mut Vec<Root>) -> Result<()> {
                self.iter().try_for_each(|expr| expr.add_roots(roots))
            }

            fn take_from(&self, results: &mut Results) -> Result<Vec<$array>> {
                self.iter().map(|expr| expr.take_from(results)).collect()
            }
        }
    )*};
}

slices! {
    [T: Element] Array<T>, [Expr<T>];
    [T: Element, const N: usize] Array<T>, [Expr<T>; N];
    [T: Element] Array<T>, Vec<Expr<T>>;
    [] AnyArray, [AnyExpr];
    [const N: usize] AnyArray, [AnyExpr; N];
    [] AnyArray, Vec<AnyExpr>;
}

macro_rules! tuples {
    ($(($($expr:ident $number:tt)+))*) => {$(
        impl<$($expr: Exprs),+> Exprs for ($($expr,)+) {}

        impl<$($expr: Exprs),+> Sealed for ($($expr,)+) {
            type Arrays = ($($expr::Arrays,)+);

            fn add_roots(&self, roots: &mut Vec<Root>) -> Result<()> {
                $(self.$number.add_roots(roots)?;)+
                Ok(())
            }

            fn take_from(&self, results: &mut Results) -> Result<Self::Arrays> {
                Ok(($(self.$number.take_from(results)?,)+))
            }
        }
    )*};
}

for_tuples! { tuples }
