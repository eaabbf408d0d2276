//! Tests the messages of refused element types.

use indim::ElementType::{C64, F32, Pred, S32, U8, U16, U32, U64};
use indim::{Builder, ElementType};

use indim_testing::messages::{apply, refused};

#[test]
fn t1_types_that_are_not_accepted() {
    let x: &[usize] = &[2];
    assert_eq!(
        apply([(F32, x), (F32, x)], |b, [x, y]| b.and(x, y, &[])),
        "and: lhs has element type f32; this operation accepts pred, s4, s8, s16, s32, s64, u4, \
         u8, u16, u32 and u64; convert it with convert_element_type"
    );
    assert_eq!(
        apply([(F32, x), (Pred, x)], |b, [x, y]| b.sub(x, y, &[])),
        "sub: rhs has element type pred; this operation accepts s4, s8, s16, s32, s64, u4, u8, \
         u16, u32, u64, f16, bf16, f32, f64 and c64; convert it with convert_element_type"
    );
    assert_eq!(
        apply([(U32, x)], |b, [x]| b.abs(x)),
        "abs: operand has element type u32; this operation accepts s4, s8, s16, s32, s64, f16, \
         bf16, f32, f64 and c64; convert it with convert_element_type"
    );
    assert_eq!(
        apply([(S32, x)], |b, [x]| b.sin(x)),
        "sin: operand has element type s32; this operation accepts f16, bf16, f32, f64 and c64; \
         convert it with convert_element_type"
    );
    assert_eq!(
        apply([(Pred, x); 3], |b, [min, x, max]| b.clamp(min, x, max)),
        "clamp: x has element type pred; this operation accepts s4, s8, s16, s32, s64, u4, u8, \
         u16, u32, u64, f16, bf16, f32 and f64; convert it with convert_element_type"
    );
    let mut b = Builder::new();
    assert_eq!(
        refused(&mut b, |b| b.iota(Pred, &[2], 0)),
        "iota: the result has element type pred; this operation accepts s4, s8, s16, s32, s64, \
         u4, u8, u16, u32, u64, f16, bf16, f32, f64 and c64; make it one of these and convert \
         the result with convert_element_type"
    );
}

#[test]
fn t2_to_t4_types_that_do_not_fit_together() {
    let x: &[usize] = &[2];
    assert_eq!(
        apply([(F32, x), (S32, x)], |b, [x, y]| b.add(x, y, &[])),
        "add: lhs has element type f32 and rhs has s32; convert one of them with \
         convert_element_type"
    );
    assert_eq!(
        apply([(Pred, x), (F32, x), (U32, x)], |b, [p, x, y]| b.select(p, x, y)),
        "select: on_true has element type f32 and on_false has u32; convert one of them with \
         convert_element_type"
    );
    assert_eq!(
        apply([(S32, x), (F32, x), (F32, x)], |b, [min, x, max]| b.clamp(min, x, max)),
        "clamp: min has element type s32 and x has f32; convert one of them with \
         convert_element_type"
    );
    assert_eq!(
        apply([(S32, x), (F32, x), (F32, x)], |b, [p, x, y]| b.select(p, x, y)),
        "select: pred has element type s32, but it must be pred; compare or convert it first"
    );
    assert_eq!(
        apply([(Pred, x)], |b, [x]| b.bitcast_convert_type(x, F32)),
        "bitcast_convert_type: the bits of pred are not f32; pred is bitcast to pred only; use \
         convert_element_type"
    );
    assert_eq!(
        apply([(S32, x), (S32, x)], |b, [from, to]| b.next_after(from, to)),
        "next_after: from has element type s32; this operation accepts f16, bf16, f32 and f64; \
         convert it with convert_element_type"
    );
    assert_eq!(
        apply([(F32, x), (S32, x)], |b, [from, to]| b.next_after(from, to)),
        "next_after: from has element type f32 and to has s32; convert one of them with \
         convert_element_type"
    );
    assert_eq!(
        apply([(U32, x)], |b, [x]| b.reduce_precision(x, 5, 10)),
        "reduce_precision: operand has element type u32; this operation accepts f16, bf16, f32 \
         and f64; convert it with convert_element_type"
    );
    for (exponent_bits, mantissa_bits) in [(0, 10), (5, -1), (i64::MIN, i64::MIN)] {
        assert_eq!(
            apply([(F32, x)], |b, [x]| b.reduce_precision(x, exponent_bits, mantissa_bits)),
            format!(
                "reduce_precision: the format has {exponent_bits} exponent bits and \
                 {mantissa_bits} mantissa bits, but it takes 1 or more of the first and 0 or more \
                 of the second; f16 is 5 and 10, bf16 is 8 and 7"
            )
        );
    }
    assert_eq!(
        apply([(C64, x)], |b, [x]| b.bitcast_convert_type(x, U64)),
        "bitcast_convert_type: the bits of c64 are not u64; a complex type is bitcast to itself only; \
         use convert_element_type"
    );
    assert_eq!(
        apply([(U8, &[2, 3])], |b, [x]| b.bitcast_convert_type(x, F32)),
        "bitcast_convert_type: u8 is 8 bits wide and f32 32 bits, so that 4 elements become one, but \
         the operand's shape [2, 3] has a last dimension of size 3; reshape it so that its last \
         dimension has size 4"
    );
    assert_eq!(
        apply([(U8, &[])], |b, [x]| b.bitcast_convert_type(x, U16)),
        "bitcast_convert_type: u8 is 8 bits wide and u16 16 bits, so that 2 elements become one, but \
         the operand's shape [] has no dimension; reshape it so that its last dimension has size 2"
    );
    assert_eq!(
        "f8".parse::<ElementType>().unwrap_err().to_string(),
        "`f8` is not an element type; those are pred, s4, s8, s16, s32, s64, u4, u8, u16, u32, u64, f16, \
         bf16, f32, f64 and c64"
    );
}
