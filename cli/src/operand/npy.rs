//! Error messages of `indim_npy` in the command's words.

use indim::ElementType;
use indim_npy::NpyError;

/// Returns the reason why a file is not an array.
pub(crate) fn reason(error: &NpyError) -> String {
    match error {
        NpyError::Raw(2) => "its elements are 2 raw bytes each, as ml_dtypes saves bfloat16; save `x.view(np.uint16)` and write `bitcast_convert(x, bf16)`, or save `x.astype(np.float32)`".to_owned(),
        other => other.to_string(),
    }
}

/// Returns help on a result that the format has no type for.
pub(crate) fn instead(element_type: ElementType) -> &'static str {
    match element_type {
        ElementType::Bf16 => {
            "`convert(EXPR, f32)` has the same values, `bitcast_convert(EXPR, u16)` the same bits"
        }
        ElementType::S4 => "`convert(EXPR, s8)` has the same values",
        ElementType::U4 => "`convert(EXPR, u8)` has the same values",
        _ => "convert it to a type that NumPy has",
    }
}
