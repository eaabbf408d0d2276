//! Defines [`Encoded`]: our commands in a caller-owned encoder.

use std::sync::Arc;

use crate::device::arrays::array::AnyArray;
use crate::device::memory::encoding::Encoding;

/// Commands of this crate in your encoder, which you submit, or in a command buffer.
///
/// Call [`Encoded::submitted`] once they are submitted. Until then, the arrays that they write are
/// for further commands in the same encoder only ([`Bound::encode`](crate::Bound::encode),
/// [`Expr::encode_into`](crate::Expr::encode_into), [`AnyArray::buffer`]): reading or evaluating
/// one returns [`ArrayError::NotSubmitted`](crate::ArrayError::NotSubmitted).
///
/// Dropping it earlier declares that they will not be submitted. Their results then stay unusable,
/// and a target keeps its elements, provided that the encoder is not submitted after all. What the
/// commands use is kept until the encoder is dropped or has run.
///
/// ```
/// # fn main() -> indim::Result<()> {
/// use indim::{Builder, Context, ElementType};
///
/// let mut b = Builder::new();
/// let x = b.parameter(ElementType::F32, [4])?;
/// let root = b.exp(x)?;
/// let exp = b.build(root)?;
///
/// let gpu = Context::blocking()?;
/// let x = gpu.zeros::<f32>([4])?;
/// let mut encoder = gpu.device().create_command_encoder(&Default::default());
/// let encoded = exp.on(&gpu, &[x.as_any()])?.encode(&mut encoder)?;
/// gpu.queue().submit([encoder.finish()]);
/// encoded.submitted();
/// let [result] = encoded.results() else { unreachable!("the computation has one result") };
/// assert_eq!(result.to_literal_blocking()?.to_vec::<f32>()?, [1.; 4]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "its results are usable once you have called `submitted`"]
pub struct Encoded {
    /// `None` if there is nothing to do.
    encoding: Option<Arc<Encoding>>,
    results: Vec<AnyArray>,
}

impl Encoded {
    pub(crate) fn new(encoding: Option<Arc<Encoding>>, results: Vec<AnyArray>) -> Self {
        Self { encoding, results }
    }

    /// Returns the results, in the order of the computation. Commands that write into an existing
    /// array have none.
    ///
    /// ```
    /// let gpu = indim::Context::blocking()?;
    /// let x = gpu.array([2], &[1_f32, 2.])?;
    /// let (commands, encoded) = indim::bind((&x + 1.0, &x * 2.0))?.command_buffer()?;
    /// gpu.queue().submit([commands]);
    /// encoded.submitted();
    /// let [sum, product] = encoded.results() else { unreachable!("there are two results") };
    /// assert_eq!(sum.to_literal_blocking()?.to_vec::<f32>()?, [2., 3.]);
    /// assert_eq!(product.to_literal_blocking()?.to_vec::<f32>()?, [2., 4.]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn results(&self) -> &[AnyArray] {
        &self.results
    }

    /// Notes that you have submitted the encoder: results and targets can be used from now on, in
    /// the order of the queue, and memory that is no longer needed is reused. Call it on each, or
    /// on the last of a chain: it includes the commands whose results these read.
    ///
    /// wgpu does not report whether it rejected the submission. If one of your passes made it do
    /// so, do not call this: the results would be whatever was in their memory.
    ///
    /// Call it after the submission and not before: an upload may otherwise overwrite what the
    /// commands are yet to read. If the encoder was dropped, using its results still returns
    /// [`ArrayError::NotSubmitted`](crate::ArrayError::NotSubmitted), and a target keeps its
    /// elements.
    ///
    /// ```
    /// let gpu = indim::Context::blocking()?;
    /// let x = gpu.array([2], &[1_f32, 2.])?;
    /// let (commands, encoded) = (&x * 2.0).bind()?.command_buffer()?;
    /// assert!(encoded.results()[0].to_literal_blocking().is_err()); // not yet
    /// gpu.queue().submit([commands]);
    /// encoded.submitted();
    /// assert!(encoded.results()[0].to_literal_blocking().is_ok());
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn submitted(&self) {
        if let Some(encoding) = &self.encoding {
            encoding.submitted();
        }
    }
}

impl Drop for Encoded {
    fn drop(&mut self) {
        if let Some(encoding) = &self.encoding {
            encoding.dropped();
        }
    }
}
