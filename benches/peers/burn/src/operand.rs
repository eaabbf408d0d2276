//! Operands whose elements the CPU can recompute, so that none are kept.

use burn::tensor::{Device, Tensor, TensorData};

/// A tensor on the device, and the elements it was made of.
pub struct Operand<const D: usize> {
    pub tensor: Tensor<D>,
    pub shape: [usize; D],
    seed: usize,
}

impl<const D: usize> Operand<D> {
    pub fn new(device: &Device, shape: [usize; D], seed: usize) -> Self {
        let data: Vec<f32> = (0..shape.iter().product()).map(|at| element(seed, at)).collect();
        let tensor = Tensor::from_data(TensorData::new(data, shape), device);
        Self { tensor, shape, seed }
    }

    /// A handle to the same memory.
    pub fn get(&self) -> Tensor<D> {
        self.tensor.clone()
    }

    /// The element that is broadcast to `index` of a result.
    pub fn at(&self, index: [usize; D]) -> f32 {
        let flat = index
            .iter()
            .zip(self.shape)
            .fold(0, |flat, (&index, size)| flat * size + index.min(size - 1));
        element(self.seed, flat)
    }

    /// All elements, in row-major order.
    pub fn all(&self) -> impl Iterator<Item = f32> {
        (0..self.elements()).map(|flat| element(self.seed, flat))
    }

    pub fn elements(&self) -> usize {
        self.shape.iter().product()
    }

    pub fn bytes(&self) -> usize {
        self.elements() * size_of::<f32>()
    }
}

/// Elements in [-1, 1), spread evenly (Weyl's sequence of the golden ratio); another run of them for
/// each seed. peers.py has the same.
fn element(seed: usize, at: usize) -> f32 {
    let turn = (at as u32)
        .wrapping_mul(2_654_435_769)
        .wrapping_add((seed as u32).wrapping_mul(1_013_904_223));
    (turn >> 8) as f32 / (1 << 23) as f32 - 1.0
}
