//! Products of matrices: their rules, by XLA's `DotGeneral`.

use crate::semantics::data_movement::entry_of;
use crate::semantics::dims::Dims;
use crate::semantics::element::ElementType;
use crate::semantics::error::{Error, Result};
use crate::semantics::infer::TensorType;
use crate::semantics::rule::Rule;
use crate::semantics::shape::Shape;
use crate::semantics::type_error::TypeError;
use crate::semantics::view_error::ViewError;

/// The dimensions of a product, as XLA's `DotDimensionNumbers`: products of elements are summed along
/// *contracting* dimensions, and *batch* dimensions stand beside each other. The result has the batch
/// dimensions, the other ones of `lhs`, and the other ones of `rhs`.
///
/// ```
/// use indim::{DotDimensionNumbers, Expr};
///
/// // Eight products of a (2,5) and a (5,3) matrix.
/// let (x, y) = (Expr::<f32>::iota([8, 2, 5], 0), Expr::<f32>::iota([8, 5, 3], 0));
/// let numbers = DotDimensionNumbers::contracting([2], [1]).batch([0], [0]);
/// assert_eq!(x.dot_general(y, &numbers).shape()?.dims(), [8, 2, 3]);
/// # Ok::<(), indim::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct DotDimensionNumbers {
    /// The dimensions of `lhs` along which products are summed.
    pub lhs_contracting: Vec<i64>,
    /// The dimensions of `rhs` that match them, in this order.
    pub rhs_contracting: Vec<i64>,
    /// The dimensions of `lhs` that number the products.
    pub lhs_batch: Vec<i64>,
    /// The dimensions of `rhs` that match them, in this order.
    pub rhs_batch: Vec<i64>,
}

impl DotDimensionNumbers {
    /// Returns contracting dimensions of both operands, without batch dimensions.
    ///
    /// ```
    /// let numbers = indim::DotDimensionNumbers::contracting([1], [0]);
    /// assert_eq!((numbers.lhs_contracting, numbers.rhs_contracting), (vec![1], vec![0]));
    /// ```
    pub fn contracting(lhs: impl Dims, rhs: impl Dims) -> Self {
        let [lhs_contracting, rhs_contracting] = [lhs.to_signed(), rhs.to_signed()].map(Vec::from);
        Self { lhs_contracting, rhs_contracting, ..Self::default() }
    }

    /// Sets the batch dimensions of both operands.
    ///
    /// ```
    /// let numbers = indim::DotDimensionNumbers::contracting([2], [1]).batch([0], [0]);
    /// assert_eq!((numbers.lhs_batch, numbers.rhs_batch), (vec![0], vec![0]));
    /// ```
    #[must_use]
    pub fn batch(self, lhs: impl Dims, rhs: impl Dims) -> Self {
        let [lhs_batch, rhs_batch] = [lhs.to_signed(), rhs.to_signed()].map(Vec::from);
        Self { lhs_batch, rhs_batch, ..self }
    }
}

/// The dimensions of one operand, of which each is in one list.
pub(crate) struct Known {
    pub(crate) batch: Vec<usize>,
    pub(crate) free: Vec<usize>,
    pub(crate) contracting: Vec<usize>,
}

/// Checks rules T1, T2, M1 and M2. Returns the dimensions of both operands.
pub(crate) fn general(
    op: &'static str,
    [lhs, rhs]: [TensorType<'_>; 2],
    numbers: &DotDimensionNumbers,
) -> Result<[Known; 2]> {
    check_types(op, lhs.element_type, rhs.element_type)?;
    dimensions([lhs.shape, rhs.shape], numbers).map_err(Error::view(op))
}

/// Checks rule M3: vectors and matrices. Returns the last dimension of `lhs` and the first of `rhs`.
pub(crate) fn of_matrices(op: &'static str, shapes: [&Shape; 2]) -> Result<DotDimensionNumbers> {
    let names = ["lhs", "rhs"];
    for (name, operand) in names.into_iter().zip(shapes) {
        if !(1..=2).contains(&operand.rank()) {
            let operand = operand.clone();
            return Err(Error::view(op)(ViewError::DotRank { name, operand }));
        }
    }
    let last = shapes[0].rank() as i64 - 1;
    Ok(DotDimensionNumbers::contracting([last], [0]))
}

fn check_types(op: &'static str, lhs: ElementType, rhs: ElementType) -> Result<()> {
    if lhs == rhs {
        return Ok(());
    }
    let source =
        TypeError::Differ { first: "lhs", first_type: lhs, second: "rhs", second_type: rhs };
    Err(Error::Type { op, source })
}

/// Checks rules M1 and M2.
fn dimensions(
    shapes: [&Shape; 2],
    numbers: &DotDimensionNumbers,
) -> std::result::Result<[Known; 2], ViewError> {
    let DotDimensionNumbers { lhs_contracting, rhs_contracting, lhs_batch, rhs_batch } = numbers;
    let lists = [
        (["lhs_batch", "rhs_batch"], [lhs_batch, rhs_batch]),
        (["lhs_contracting", "rhs_contracting"], [lhs_contracting, rhs_contracting]),
    ];
    for (names, given) in lists {
        let lengths = given.map(Vec::len);
        if lengths[0] != lengths[1] {
            let remedy = "each dimension of one matches one of the other";
            return Err(ViewError::Lengths { lists: names, lengths, remedy, rule: Rule::M2 });
        }
    }
    let [lhs, rhs] = [0, 1].map(|side: usize| {
        let of_side = lists.map(|(names, given)| (names[side], given[side].as_slice()));
        known(["lhs", "rhs"][side], shapes[side], of_side)
    });
    let known = [lhs?, rhs?];
    let [lhs, rhs] = &known;
    let matched = [(lists[0].0, [&lhs.batch, &rhs.batch])];
    let contracted = [(lists[1].0, [&lhs.contracting, &rhs.contracting])];
    for (names, [left, right]) in matched.into_iter().chain(contracted) {
        let differ = |(l, r): &(&usize, &usize)| shapes[0].dims()[**l] != shapes[1].dims()[**r];
        if let Some((&l, &r)) = left.iter().zip(right).find(differ) {
            let operands = Box::new(shapes.map(Shape::clone));
            return Err(ViewError::DotSizes { lists: names, dimensions: [l, r], operands });
        }
    }
    Ok(known)
}

/// Checks rule M1 for one operand.
fn known(
    name: &'static str,
    operand: &Shape,
    lists: [(&'static str, &[i64]); 2],
) -> std::result::Result<Known, ViewError> {
    let mut unnamed = vec![true; operand.rank()];
    let mut known = [const { Vec::new() }; 2];
    for ((list, given), known) in lists.into_iter().zip(&mut known) {
        for (index, &dimension) in given.iter().enumerate() {
            let dimension = entry_of((list, Rule::M1), (index, dimension), operand)?;
            if !std::mem::replace(&mut unnamed[dimension], false) {
                let operand = operand.clone();
                return Err(ViewError::DotRepeats { name, operand, list, index, dimension });
            }
            known.push(dimension);
        }
    }
    let [batch, contracting] = known;
    let free = (0..operand.rank()).filter(|&d| unnamed[d]).collect();
    Ok(Known { batch, free, contracting })
}
