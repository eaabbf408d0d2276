//! Floors of `same` in types other than F32: they walk through memory in the same way, and add
//! whole words.

use indim::ElementType;

use crate::kernel::{Floor, Kernel, Tuning, WORKGROUP};
use crate::template::Constant;

const NARROW: &str = include_str!("floors/typed/narrow.wgsl");
const NARROW_WIDE: &str = include_str!("floors/typed/narrow_wide.wgsl");
const HALVES: &str = include_str!("floors/typed/halves.wgsl");

/// The bytes of a word, and the words of an invocation.
const WORD_BYTES: u64 = 16;
const WIDE_BYTES: u64 = 32;
const EACH: usize = 4;

/// Returns the floor of `same` for arrays of `bytes` bytes. Without 64-bit integers in shaders,
/// types of 64 bits have none.
pub(crate) fn floor(of: ElementType, bytes: u64, tuning: Tuning, int64: bool) -> Option<Floor> {
    let kernel = match native(of) {
        Some(_) if !int64 => return None,
        Some(native) => wide(&format!("alias Wide = vec4<{native}>;\n{PLUS}"), bytes, &[], tuning),
        None => {
            let (sum, constants) = sum(of)?;
            let halves = if sum == NARROW { NARROW_WIDE } else { HALVES };
            if tuning.wide && of == ElementType::Pred {
                wide(EITHER, bytes, &[], tuning)
            } else if tuning.wide {
                wide(&format!("{sum}{halves}"), bytes, &constants, tuning)
            } else {
                tuning.words(
                    &format!("{sum}{}", include_str!("floors/typed/same.wgsl")),
                    bytes.div_ceil(WORD_BYTES) as usize,
                    &constants,
                )
            }
        }
    };
    // The last invocations write past the end, where the buffer has room.
    let invocations =
        kernel.groups.iter().map(|&n| u64::from(n)).product::<u64>() * WORKGROUP as u64;
    let room = invocations * EACH as u64 * WIDE_BYTES;
    Some(Floor { room, ..Floor::one(kernel, 2) })
}

/// Returns the WGSL type for an element type of 64 bits; an access takes four of it.
fn native(of: ElementType) -> Option<&'static str> {
    match of {
        ElementType::S64 => Some("i64"),
        ElementType::U64 => Some("u64"),
        ElementType::F64 => Some("f64"),
        _ => None,
    }
}

const PLUS: &str = "
fn wide_sum(a: Wide, b: Wide) -> Wide {
    return a + b;
}

";

/// Truth values are 0 or 1, so one OR handles all bits of a word.
const EITHER: &str = "alias Wide = vec4<u64>;

fn wide_sum(a: Wide, b: Wide) -> Wide {
    return a | b;
}

";

/// Returns the template that adds a word of 16 bytes, and its constants.
fn sum(of: ElementType) -> Option<(String, Vec<Constant>)> {
    let top = |top| (NARROW.to_owned(), vec![("TOP", top)]);
    let all = |sum| {
        let text = format!(
            "alias Word = vec4<u32>;\n\nfn sum(a: Word, b: Word) -> Word {{\n    return {sum};\n}}\n\n"
        );
        (text, Vec::new())
    };
    let floats = "bitcast<Word>(bitcast<vec4<f32>>(a) + bitcast<vec4<f32>>(b))";
    Some(match of {
        ElementType::Pred => all("a | b"),
        ElementType::S4 | ElementType::U4 => top(0x8888_8888),
        ElementType::S8 | ElementType::U8 => top(0x8080_8080),
        ElementType::S16 | ElementType::U16 => top(0x8000_8000),
        ElementType::S32 | ElementType::U32 => all("a + b"),
        ElementType::F16 => (include_str!("floors/typed/f16.wgsl").to_owned(), Vec::new()),
        ElementType::Bf16 => (include_str!("floors/typed/bf16.wgsl").to_owned(), Vec::new()),
        ElementType::F32 | ElementType::C64 => all(floats),
        _ => return None,
    })
}

/// Makes a kernel of words of 32 bytes side by side.
fn wide(sum: &str, bytes: u64, constants: &[Constant], tuning: Tuning) -> Kernel {
    let template = format!("{sum}{}", include_str!("floors/typed/same_wide.wgsl"));
    let invocations = (bytes.div_ceil(WIDE_BYTES) as usize).div_ceil(EACH);
    let constants = [constants, &[("EACH", EACH)]].concat();
    tuning.kernel(&template, [invocations, 1, WORKGROUP], &constants)
}
