//! Checks the command on EXPR and operands of any text. Right text is computed, to the values of
//! the program that it was written from; wrong text gives an error that points at the place; and no
//! letter of the text gets into a shader.

use indim::Literal;
use indim_cli::{Outcome, Session};

use crate::files::{self, Folder};
use crate::report;
use crate::soup;
use crate::spell;
use indim_testing::programs::compare::compare;
use indim_testing::programs::generate;
use indim_testing::programs::interpreter;
use indim_testing::programs::program::{Id, Program, Type};
use indim_testing::random::Random;

/// Operations beyond moves in a program that is computed: kernels take a while to compile.
const MOST_OPERATIONS: usize = 3;
/// Elements of a result that is computed.
const MOST_ELEMENTS: usize = 2_000;

pub fn check(session: &mut Session, random: &mut Random) -> Result<(), String> {
    match random.weighted(&[25, 25, 20, 30]) {
        0 => {
            let bytes = random.rest();
            if bytes.is_empty() {
                nearly(session, random)
            } else {
                any_expression(session, &String::from_utf8_lossy(&bytes))
            }
        }
        1 => nearly(session, random),
        2 => any_array(session, random),
        _ => program(session, random),
    }
}

fn nearly(session: &mut Session, random: &mut Random) -> Result<(), String> {
    any_expression(session, &soup::expression(random))
}

/// Any text as EXPR.
fn any_expression(session: &mut Session, text: &str) -> Result<(), String> {
    // An argument ends at a NUL, and one that begins like an option or a file would be taken for
    // it.
    let text = text.replace('\0', " ");
    let text = if text.starts_with(['-', '@']) { format!(" {text}") } else { text };
    let operands = operands();
    for numpy in [false, true] {
        let mut arguments = vec!["explain".to_owned(), "--wgsl".to_owned()];
        arguments.extend(numpy.then(|| "--numpy".to_owned()));
        arguments.push(text.clone());
        arguments.extend(operands.iter().cloned());
        let outcome = session.run(arguments);
        pointed(&outcome, &text).map_err(|why| format!("{why}\nof EXPR {text:?}"))?;
        only_our_letters(&outcome).map_err(|why| format!("{why}\nof EXPR {text:?}"))?;
        // Only some texts are computed, to save time; it makes no difference which.
        if !numpy && text.len() % 4 == 0 && is_small(&outcome) {
            computed(session, &text, &operands, &outcome)
                .map_err(|why| format!("{why}\nof EXPR {text:?}"))?;
        }
    }
    Ok(())
}

/// Operands of all the names that any text may have.
pub(super) fn operands() -> Vec<String> {
    let arrays = ["f32:[[1,2,3],[4,5,6]]", "s32:[7,8,9]", "pred:[true,false]", "c64:2i", "u8:+5"];
    soup::NAMES
        .iter()
        .zip(arrays.iter().cycle())
        .map(|(name, array)| format!("{name}={array}"))
        .collect()
}

/// Returns whether an explanation is of few operations and few elements in each kernel.
pub(super) fn is_small(explained: &Outcome) -> bool {
    let head = |line: &&str| line.starts_with("result") || line.starts_with("kernel ");
    let heads =
        || explained.stdout.lines().take_while(|line| !line.contains("in WGSL")).filter(head);
    // `kernel 1 of 2: 3 operations, writes temporary 0, f32[2,3]`
    let operations = |line: &str| {
        let (_, rest) = line.split_once(": ")?;
        rest.split_once(" operation")?.0.parse::<usize>().ok()
    };
    let sizes = |line: &str| {
        let (_, list) = line.rsplit_once('[')?;
        let mut sizes = list.strip_suffix(']')?.split(',').filter(|size| !size.is_empty());
        sizes.try_fold(1usize, |count, size| count.checked_mul(size.parse().ok()?))
    };
    explained.code == 0
        && heads().filter_map(operations).sum::<usize>() <= MOST_OPERATIONS
        && heads().all(|line| sizes(line).is_some_and(|count| count <= MOST_ELEMENTS))
}

/// Computes what could be explained, and checks that an array of the same type comes of it.
fn computed(
    session: &mut Session,
    text: &str,
    operands: &[String],
    explained: &Outcome,
) -> Result<(), String> {
    let question = ["eval".to_owned(), text.to_owned()];
    let outcome = session.run(question.into_iter().chain(operands.iter().cloned()));
    report::checked(&outcome)?;
    // `result: f32[2]`, or `result m: f32[2]` of a result that eval calls `m`.
    let head = explained.stdout.lines().next();
    let head = head.map(|line| line.trim_start_matches("result").trim_start_matches([':', ' ']));
    if outcome.code == 0 && outcome.stdout.lines().next() == head {
        Ok(())
    } else {
        Err(format!("{head:?} is explained, and eval gives {outcome:?}"))
    }
}

/// The answer is right, and an error in the text has a mark.
fn pointed(outcome: &Outcome, text: &str) -> Result<(), String> {
    report::checked(outcome)?;
    if outcome.code == 0 {
        return Ok(());
    }
    match report::excerpt(&outcome.stderr)? {
        Some(line) if report::shown(text).contains(&line) => Ok(()),
        Some(line) => Err(format!("{line:?} is not in the text\n{}", outcome.stderr)),
        // No one place makes a computation too large for every device.
        None if outcome.stderr.contains("max_") => Ok(()),
        None => Err(format!("it points nowhere\n{}", outcome.stderr)),
    }
}

/// The shaders of an explanation: everything after the first of their headings.
fn shaders(outcome: &Outcome) -> &str {
    outcome.stdout.split_once("\nkernel 1 in WGSL:\n").map_or("", |(_, wgsl)| wgsl)
}

/// WGSL is ASCII, and no line of it can come from a user's comment.
fn only_our_letters(outcome: &Outcome) -> Result<(), String> {
    let wgsl = shaders(outcome);
    let ours = |c: char| c.is_ascii_graphic() || c == ' ' || c == '\n';
    match wgsl.chars().find(|&c| !ours(c) || c == '#') {
        Some(c) => Err(format!("{c:?} is in a shader:\n{wgsl}")),
        None => Ok(()),
    }
}

/// Any text as an operand's array.
fn any_array(session: &mut Session, random: &mut Random) -> Result<(), String> {
    let raw = if random.percent(50) { random.rest() } else { Vec::new() };
    let array = if raw.is_empty() {
        soup::array(random)
    } else {
        // A text that names a file is opened, and one that ends in .npy is always a name.
        String::from_utf8_lossy(&raw).replace(['/', '\0', 'y'], "_")
    };
    let outcome = session.run(["explain".to_owned(), "x".to_owned(), format!("x={array}")]);
    report::checked(&outcome).map_err(|why| format!("{why}\nof the array {array:?}"))?;
    match report::excerpt(&outcome.stderr) {
        // A shape that cannot be counted is refused where EXPR uses it.
        Ok(Some(line)) if line != "x" && !report::shown(&array).contains(&line) => {
            Err(format!("{line:?} is not in {array:?}\n{}", outcome.stderr))
        }
        _ => Ok(()),
    }
}

/// A program that is right, written as EXPR in two ways, optionally with a second result: the
/// shaders are the same, and what is computed is what the interpreter gives.
fn program(session: &mut Session, random: &mut Random) -> Result<(), String> {
    let case = generate::small_case(random);
    let files = random.percent(50);
    let program = spell::writable(&case.program, files);
    let (style, computed) = (spell::style(random), random.percent(25));
    let second = random.percent(40).then(|| random.below(program.nodes.len()));
    let plain = spell::Style { first_name: usize::MAX, wordy: false, ..style };
    let folder = Folder::create();
    let mut explained: Vec<Outcome> = Vec::new();
    for style in [style, plain] {
        let Some(text) = spell::expression(&program, style) else { return Ok(()) };
        let Some(operands) = spell::operands(&program, style, &folder, files) else {
            return Ok(());
        };
        let written = Written { program: &program, text, second, operands };
        let told = |why: String| {
            format!(
                "{why}\nof EXPRs {:?}\nof\n{program}",
                written.exprs(|_, value| value.to_owned())
            )
        };
        let question = ["explain".to_owned(), "--wgsl".to_owned()].into_iter();
        let exprs = written.exprs(|_, value| value.to_owned());
        let outcome = session.run(question.chain(exprs).chain(written.operands.clone()));
        report::checked(&outcome).map_err(told)?;
        only_our_letters(&outcome).map_err(told)?;
        written.headed(&outcome).map_err(told)?;
        explained.push(outcome);
        if computed && spell::operations(&program) <= MOST_OPERATIONS {
            values(session, &written, &folder).map_err(told)?;
        }
    }
    if shaders(&explained[0]) == shaders(&explained[1]) {
        Ok(())
    } else {
        Err(format!("the shaders depend on names and comments:\n{program}"))
    }
}

/// A program as arguments of the command.
struct Written<'a> {
    program: &'a Program,
    text: spell::Text,
    /// The node that is a result besides the last one, named `second`.
    second: Option<Id>,
    operands: Vec<String>,
}

impl Written<'_> {
    /// The nodes that are results.
    fn results(&self) -> impl Iterator<Item = Id> + use<> {
        [self.program.nodes.len() - 1].into_iter().chain(self.second)
    }

    /// The EXPRs, whose results are written by `spell` from the values that they are.
    fn exprs(&self, spell: impl Fn(Id, &str) -> String) -> Vec<String> {
        let of = |node: Id| spell(node, &self.text.values[node]);
        let mut results = self.results();
        let first =
            results.next().map(|node| self.text.ending_in(&format!("first = {}", of(node))));
        // Names go from one EXPR to the next.
        let second = results.next().map(|node| format!("second = {}", of(node)));
        first.into_iter().chain(second).collect()
    }

    /// An explanation begins with the results' types.
    fn headed(&self, outcome: &Outcome) -> Result<(), String> {
        let lines = outcome.stdout.lines();
        for ((line, node), name) in lines.zip(self.results()).zip(["first", "second"]) {
            let head = format!("result {name}: {}", self.program.nodes[node].ty);
            if !line.starts_with(&head) {
                return Err(format!("no {head:?} but {outcome:?}"));
            }
        }
        Ok(())
    }
}

/// The results' elements are the interpreter's.
fn values(session: &mut Session, written: &Written<'_>, folder: &Folder) -> Result<(), String> {
    let all = interpreter::evaluate(written.program);
    let exprs = written.exprs(|node, text| spell::storable(all[node].ty.element, text).1);
    let files: Vec<(Id, String, &str)> = written
        .results()
        .zip(["first", "second"])
        .map(|(node, name)| (node, folder.path(&format!("{name}.npy")), name))
        .collect();
    let outputs =
        files.iter().flat_map(|(_, path, name)| ["-o".to_owned(), format!("{name}={path}")]);
    let question = ["eval".to_owned()].into_iter().chain(exprs).chain(outputs);
    let outcome = session.run(question.chain(written.operands.iter().cloned()));
    report::checked(&outcome)?;
    if outcome.code != 0 {
        return Err(outcome.stderr);
    }
    for (node, path, _) in &files {
        let want = &all[*node];
        let (stored, _) = spell::storable(want.ty.element, "");
        let bytes = files::read(path, &Type::new(stored, &want.ty.dims))?;
        let literal = Literal::new(want.ty.element, want.ty.dims.as_slice(), bytes);
        compare(want, &literal.map_err(|e| e.to_string())?)?;
    }
    Ok(())
}
