//! Defines [`Encoded`]: what of ours is in an encoder of the caller's.

use std::sync::Arc;

use crate::device::array::AnyArray;
use crate::device::memory::encoding::Encoding;

/// Commands of this crate in an encoder of yours, which you submit, or in a command buffer.
///
/// Call [`Encoded::submitted`] once they are submitted. Until then, the arrays that they write are
/// for further commands in the same encoder only ([`Context::encode`](crate::Context::encode),
/// [`Expr::encode_into`](crate::Expr::encode_into), [`AnyArray::buffer`]): to read or to evaluate
/// one is [`ArrayError::NotSubmitted`](crate::ArrayError::NotSubmitted).
///
/// Dropping it before says that they will not be submitted. Then their results stay as they are, and
/// a target has the elements that it had, provided that the encoder is not submitted after all. What
/// the commands use is kept until the encoder is dropped or has run.
///
/// ```no_run
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
/// let encoded = gpu.encode(&mut encoder, &exp, &[x.as_any()])?;
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
    /// None where there is nothing to do.
    encoding: Option<Arc<Encoding>>,
    results: Vec<AnyArray>,
}

impl Encoded {
    pub(crate) fn new(encoding: Option<Arc<Encoding>>, results: Vec<AnyArray>) -> Self {
        Self { encoding, results }
    }

    /// Returns the results, in the order of the computation's; none of commands that write into
    /// what existed.
    pub fn results(&self) -> &[AnyArray] {
        &self.results
    }

    /// Notes that you have submitted the encoder: results and targets can be used from now on, in
    /// the order of the queue, and memory that is no longer needed is used again. Call it on each, or
    /// on the last of a chain: it holds for the commands whose results these read, too.
    ///
    /// wgpu does not tell whether it refused the submission: if it did, for a pass of yours, do not
    /// call this, or results are whatever was in their memory.
    ///
    /// Call it after the submission and not before: an upload may otherwise overwrite what the
    /// commands are yet to read. Of an encoder that was dropped, results stay
    /// [`ArrayError::NotSubmitted`](crate::ArrayError::NotSubmitted), and a target has the elements
    /// that it had.
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
