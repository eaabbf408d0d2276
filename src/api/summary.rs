//! Reads the elements that printing an array shows, and no others.

use crate::api::any_expr::AnyExpr;
use crate::device::arrays::array::AnyArray;
use crate::device::arrays::typed::Array;
use indim_core::semantics::element::Element;
use indim_core::semantics::error::Result;
use indim_core::semantics::print::summary::Summary;

impl AnyArray {
    /// Reads what printing the array shows, which the result's `Display` writes as NumPy does; see
    /// [`Array::summary`].
    ///
    /// ```
    /// # fn main() -> indim::Result<()> {
    /// # pollster::block_on(async {
    /// use indim::{Context, Literal};
    ///
    /// let gpu = Context::new().await?;
    /// let x = gpu.upload(&Literal::from_slice([2, 2], &[1_f32, 2.5, -3., 4.])?)?;
    /// assert_eq!(x.summary().await?.to_string(), "[[ 1.   2.5]\n [-3.   4. ]]");
    /// # Ok(())
    /// # })
    /// # }
    /// ```
    ///
    /// # Errors
    /// It returns the errors of [`AnyArray::to_literal`]; [`DeviceError`](crate::DeviceError).
    pub async fn summary(&self) -> Result<Summary> {
        let mut summary = Summary::new(self.element_type(), self.shape().clone())?;
        let shown = shown(self, &summary)?.to_literal().await?;
        summary.fill(shown.into_bytes());
        Ok(summary)
    }

    /// Blocking version of [`AnyArray::summary`].
    ///
    /// ```
    /// use indim::{Context, Literal};
    ///
    /// let gpu = Context::blocking()?;
    /// let x = gpu.upload(&Literal::from_slice([2, 2], &[1_f32, 2.5, -3., 4.])?)?;
    /// assert_eq!(x.summary_blocking()?.to_string(), "[[ 1.   2.5]\n [-3.   4. ]]");
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the same errors as [`AnyArray::summary`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn summary_blocking(&self) -> Result<Summary> {
        let mut summary = Summary::new(self.element_type(), self.shape().clone())?;
        let shown = shown(self, &summary)?.to_literal_blocking()?;
        summary.fill(shown.into_bytes());
        Ok(summary)
    }
}

impl<T: Element> Array<T> {
    /// Reads what printing the array shows: all elements, or, of an array of more than 1,000, three
    /// at each end of a dimension that has more than six. No others are read back. The result's
    /// `Display` writes them as NumPy does.
    ///
    /// ```
    /// # fn main() -> indim::Result<()> {
    /// let gpu = indim::Context::blocking()?;
    /// let x = gpu.array([2, 2], &[1_f32, 2.5, -3., 4.])?;
    /// println!("{}", x.summary_blocking()?);
    /// // [[ 1.   2.5]
    /// //  [-3.   4. ]]
    /// let long = gpu.arange::<i32>(1_000_000)?.summary_blocking()?;
    /// assert_eq!(long.to_string(), "[     0      1      2 ... 999997 999998 999999]");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// It returns the errors of [`Array::to_vec`]; [`DeviceError`](crate::DeviceError).
    pub async fn summary(&self) -> Result<Summary> {
        self.as_any().summary().await
    }

    /// Blocking version of [`Array::summary`].
    ///
    /// ```
    /// let x = indim::Context::blocking()?.arange::<i32>(5000)?;
    /// assert_eq!(x.summary_blocking()?.to_string(), "[   0    1    2 ... 4997 4998 4999]");
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the same errors as [`Array::summary`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn summary_blocking(&self) -> Result<Summary> {
        self.as_any().summary_blocking()
    }
}

/// Returns the elements that a summary of the array shows, as an array: the ends of abbreviated
/// dimensions are joined on the device.
fn shown(array: &AnyArray, summary: &Summary) -> Result<AnyArray> {
    let gaps = summary.gaps();
    if gaps.is_empty() {
        return Ok(array.clone());
    }
    let mut value = AnyExpr::from(array);
    let mut sizes = array.shape().dims().to_vec();
    for (dimension, edge) in gaps {
        let starts = vec![0; sizes.len()];
        let (mut first, mut limits) = (starts.clone(), sizes.clone());
        limits[dimension] = edge;
        let front = value.slice(&starts, &limits)?;
        first[dimension] = sizes[dimension] - edge;
        let back = value.slice(&first, &sizes)?;
        value = AnyExpr::concatenate(&[front, back], i64::try_from(dimension).unwrap_or(i64::MAX))?;
        sizes[dimension] = 2 * edge;
    }
    array.context().eval(&value)
}
