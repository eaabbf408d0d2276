//! Arrays of the `ndarray` crate: to the device in any layout, and back.

use ndarray::{ArrayBase, ArrayD, ArrayViewD, Axis, Data, Dimension, IxDyn};

use crate::api::expr::Expr;
use crate::device::arrays::typed::Array;
use crate::device::context::Context;
use indim_core::errors::array::ArrayError;
use indim_core::semantics::element::Element;
use indim_core::semantics::error::Result;
use indim_core::semantics::shape::Shape;

impl Context {
    /// Uploads an array or a view of the `ndarray` crate, of any layout, as an array of its shape.
    ///
    /// It is [`Context::expr_from`], evaluated: nothing is computed where the elements lie in
    /// row-major order, and else one kernel orders them on the device. Where the array is only an
    /// operand of an expression, `expr_from` saves that kernel.
    ///
    /// ```
    /// # let gpu = indim::Context::blocking()?;
    /// use indim::ndarray::{Array2, s};
    ///
    /// let table = Array2::<f32>::zeros((1000, 8));
    /// let columns = gpu.array_from(&table.t())?;
    /// let even = gpu.array_from(&table.slice(s![..;2, ..]))?;
    /// assert_eq!(columns.to_ndarray_blocking()?, table.t().into_dyn());
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the same errors as [`Context::array`] and [`Expr::eval`].
    pub fn array_from<T: Element, S: Data<Elem = T>, D: Dimension>(
        &self,
        array: &ArrayBase<S, D>,
    ) -> Result<Array<T>> {
        self.expr_from(array)?.eval()
    }

    /// Uploads an array or a view of the `ndarray` crate, of any layout, as an expression of its
    /// shape.
    ///
    /// Elements that lie next to each other are uploaded as they lie, in any order of axes and in
    /// either direction; the expression is a transpose and a reversal of them. Of an axis with stride
    /// 0 one element is uploaded, which the expression broadcasts. An expression that uses this one
    /// reads through these views: no kernel is for them alone. Only the elements of a slice that has
    /// gaps between them are gathered in host memory first, once.
    ///
    /// ```
    /// # let gpu = indim::Context::blocking()?;
    /// use indim::ndarray::array;
    ///
    /// let table = array![[1_f32, 2.], [3., 4.]];
    /// let doubled = (gpu.expr_from(&table.t())? * 2.0).eval()?; // one kernel
    /// assert_eq!(doubled.to_vec_blocking()?, [2., 6., 4., 8.]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the same errors as [`Context::array`].
    pub fn expr_from<T: Element, S: Data<Elem = T>, D: Dimension>(
        &self,
        array: &ArrayBase<S, D>,
    ) -> Result<Expr<T>> {
        let mut view = array.view().into_dyn();
        let shape = Shape::from(view.shape());
        let stretched = collapse(&mut view);
        let collapsed = Shape::from(view.shape());
        let expr = match view.as_slice() {
            Some(elements) => self.array(&collapsed, elements)?.expr(),
            None => self.ordered(view)?,
        };
        if !stretched {
            return Ok(expr);
        }
        let dimensions: Vec<i64> = (0..).take(shape.rank()).collect();
        Ok(expr.broadcast_in_dim(&signed(shape.dims()), &dimensions))
    }

    /// Uploads a view whose elements do not lie in row-major order.
    fn ordered<T: Element>(&self, mut view: ArrayViewD<'_, T>) -> Result<Expr<T>> {
        let backwards: Vec<usize> = (0..view.ndim())
            .filter(|&axis| view.len_of(Axis(axis)) > 1 && view.stride_of(Axis(axis)) < 0)
            .collect();
        for &axis in &backwards {
            view.invert_axis(Axis(axis));
        }
        // The axes in the order of memory, the one of the longest stride first.
        let mut axes: Vec<usize> = (0..view.ndim()).collect();
        axes.sort_by_key(|&axis| std::cmp::Reverse(view.stride_of(Axis(axis))));
        let expr = match view.as_slice_memory_order() {
            Some(elements) => {
                let sizes: Vec<usize> = axes.iter().map(|&axis| view.len_of(Axis(axis))).collect();
                let mut places = vec![0; axes.len()];
                for (place, &axis) in (0..).zip(&axes) {
                    places[axis] = place;
                }
                self.array(sizes, elements)?.expr().transpose(&places)
            }
            None => {
                let gathered: Vec<T> = view.iter().copied().collect();
                self.array(view.shape(), &gathered)?.expr()
            }
        };
        Ok(if backwards.is_empty() { expr } else { expr.reverse(&signed(&backwards)) })
    }
}

/// Leaves one element of each axis along which all are the same one, and returns whether there was
/// such an axis.
fn collapse<T>(view: &mut ArrayViewD<'_, T>) -> bool {
    let mut stretched = false;
    for axis in 0..view.ndim() {
        if view.len_of(Axis(axis)) > 1 && view.stride_of(Axis(axis)) == 0 && !view.is_empty() {
            view.collapse_axis(Axis(axis), 0);
            stretched = true;
        }
    }
    stretched
}

fn signed(numbers: &[usize]) -> Vec<i64> {
    // The sizes of an array with elements are signed numbers.
    numbers.iter().map(|&number| i64::try_from(number).unwrap_or(i64::MAX)).collect()
}

impl<T: Element> Array<T> {
    /// Reads the elements back as an array of the `ndarray` crate, in row-major order, once all that
    /// the array depends on has run. `into_dimensionality` makes the number of its axes part of its
    /// type. The elements are copied once, from the device's memory.
    ///
    /// May be awaited on any executor, as [`Array::to_vec`].
    ///
    /// ```
    /// # fn main() -> indim::Result<()> {
    /// # pollster::block_on(async {
    /// use indim::{Context, ndarray::array};
    ///
    /// let x = Context::new().await?.array([2, 2], &[1_f32, 2., 3., 4.])?;
    /// assert_eq!(x.to_ndarray().await?, array![[1., 2.], [3., 4.]].into_dyn());
    /// # Ok(())
    /// # })
    /// # }
    /// ```
    ///
    /// # Errors
    /// It returns the same errors as [`Array::to_vec`]; [`ArrayError::NdarrayShape`].
    pub async fn to_ndarray(&self) -> Result<ArrayD<T>> {
        shaped(self.shape(), self.to_vec().await?)
    }

    /// Blocking version of [`Array::to_ndarray`].
    ///
    /// ```
    /// use indim::{Context, ndarray::array};
    ///
    /// let x = Context::blocking()?.array([2, 2], &[1_f32, 2., 3., 4.])?;
    /// assert_eq!(x.to_ndarray_blocking()?, array![[1., 2.], [3., 4.]].into_dyn());
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the same errors as [`Array::to_ndarray`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn to_ndarray_blocking(&self) -> Result<ArrayD<T>> {
        shaped(self.shape(), self.to_vec_blocking()?)
    }
}

/// Makes an array of elements in row-major order, without a copy.
fn shaped<T>(shape: &Shape, elements: Vec<T>) -> Result<ArrayD<T>> {
    let made = ArrayD::from_shape_vec(IxDyn(shape.dims()), elements);
    made.map_err(|_| ArrayError::NdarrayShape { shape: shape.clone() }.into())
}
