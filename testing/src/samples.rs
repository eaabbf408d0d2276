//! Makes operands of every type.

use indim::ElementType;

use crate::oracle::{format, integer};
use ElementType::{C64, F32, Pred};

/// Bit patterns of some usual and some odd values.
pub fn samples(element_type: ElementType) -> Vec<u64> {
    let float = |x: f64, element| format::of(element).map_or(0, |format| format.encode(x));
    const FLOATS: [f64; 8] = [0.5, -0.25, 3.0, -2.0, 0.0, f64::INFINITY, f64::NAN, 0.875];
    match element_type {
        Pred => vec![0, 1, 1, 0, 1, 0, 0, 1],
        C64 => FLOATS.iter().map(|&x| float(x, F32) | float(0.75 - x / 2.0, F32) << 32).collect(),
        real if format::of(real).is_some() => FLOATS.map(|x| float(x, real)).to_vec(),
        whole => {
            let (least, largest) = integer::limits(whole);
            let numbers = [5, -3, 0, 1, 2, 7, least, largest];
            numbers.map(|number| integer::encode(whole, number)).to_vec()
        }
    }
}
