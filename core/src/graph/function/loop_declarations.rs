//! Writes the declarations for a text with counters in its loops.

use crate::graph::function::body::{LoopBounds, Loops, OVER_DRIVER};
use crate::semantics::text::replaced;

/// The name of the variable with the number of the invocation in its workgroup, for drivers that
/// may end loops.
pub const INVOCATION: &str = "invocation";

/// The declarations of a counted text, apart from those of its bounds, if the driver does not end
/// loops. `{n}` stands for the prefix.
const ENDED_BY_TEXT: &str = "fn {n}begin(loop_number: u32) {}
fn {n}leave(loop_number: u32) {}
fn {n}done(loop_number: u32) {}
";

/// The same for a driver that ends loops: a bit for each loop records that an invocation is in it.
/// The bits are atomic, in workgroup memory, so that compilers do not treat them as known.
const ENDED_BY_DRIVER: &str = "var<workgroup> {n}inside: array<atomic<u32>, {words}>;
fn {n}begin(loop_number: u32) {
    atomicOr(&{n}inside[{word}], 1u << (loop_number % 32u));
}
fn {n}leave(loop_number: u32) {
    atomicAnd(&{n}inside[{word}], ~(1u << (loop_number % 32u)));
}
fn {n}done(loop_number: u32) {
    if (atomicLoad(&{n}inside[{word}]) >> (loop_number % 32u)) % 2u == 1u && {n}over == 0u {
        {n}over = {driver}u;
    }
}
";

/// The declarations of the functions that continue or end a loop by a condition.
const CONDITIONS: &str = "fn {n}goes(loop_number: u32, condition: bool) -> bool {
    if !condition { {n}leave(loop_number); }
    return condition;
}
fn {n}ends(loop_number: u32, condition: bool) -> bool {
    if condition { {n}leave(loop_number); }
    return condition;
}
";

/// Returns the declarations for a counted text, whose names have this prefix. If `by_driver` is
/// given, the driver may end loops by itself; it is the number of invocations in a workgroup, and
/// the variable [`INVOCATION`] has the invocation's number.
pub fn declarations(prefix: &str, loops: Loops, by_driver: Option<u32>) -> String {
    let Loops { count, bounds: LoopBounds { iterations, total }, .. } = loops;
    let functions = match by_driver {
        Some(invocations) => {
            let each = count.div_ceil(32);
            let words = (each * invocations as usize).to_string();
            let word = format!("{INVOCATION} * {each}u + loop_number / 32u");
            let values =
                [("{words}", words), ("{word}", word), ("{driver}", OVER_DRIVER.to_string())];
            values.iter().fold(ENDED_BY_DRIVER.to_owned(), |text, (name, value)| {
                replaced(&text, name, value)
            })
        }
        None => ENDED_BY_TEXT.to_owned(),
    };
    let text = format!(
        "const {{n}}most = {iterations}u;\nconst {{n}}total = {total}u;\n\
         var<private> {{n}}steps: u32;\nvar<private> {{n}}over: u32;\n{functions}{CONDITIONS}"
    );
    replaced(&text, "{n}", prefix)
}
