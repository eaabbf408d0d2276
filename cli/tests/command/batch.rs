//! Tests `indim batch`: each line has the same answer as from `indim eval`, before the next one is
//! read, and a wrong line does not stop those after it.
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use crate::common::{command, eval, indim, with_stdin};

/// A running batch that waits for lines.
struct Running {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Running {
    fn start(operands: &[&str]) -> Self {
        let mut child = command()
            .arg("batch")
            .args(operands)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, input, output: BufReader::new(output) }
    }

    /// Writes a line, and reads its answer of two lines.
    fn ask(&mut self, line: &str) -> String {
        self.input.write_all(format!("{line}\n").as_bytes()).unwrap();
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        self.output.read_line(&mut answer).unwrap();
        answer
    }

    fn end(self) -> Option<i32> {
        let Self { mut child, input, .. } = self;
        drop(input);
        child.wait().unwrap().code()
    }
}

#[test]
fn an_answer_comes_before_the_next_line() {
    let mut batch = Running::start(&["x=[1,2]"]);
    assert_eq!(batch.ask("x + 1"), "f32[2]\n[2. 3.]\n");
    assert_eq!(batch.ask("\n  # a comment\r\nx * 2 # two"), "f32[2]\n[2. 4.]\n");
    assert_eq!(batch.end(), Some(0));
}

#[test]
fn a_name_stays_for_the_lines_behind_it() {
    let mut batch = Running::start(&["x=[1,2]", "--numpy"]);
    assert_eq!(batch.ask("y = x + 1"), "y: f32[2]\n[2. 3.]\n");
    assert_eq!(batch.ask("y = y * y"), "y: f32[2]\n[4. 9.]\n");
    assert_eq!(batch.ask("t = y - x; x = t * 2"), "x: f32[2]\n[ 6. 14.]\n");
    assert_eq!(batch.ask("x"), "f32[2]\n[ 6. 14.]\n");
    assert_eq!(batch.ask("p = x > y"), "p: pred[2]\n[ True  True]\n");
    assert_eq!(batch.ask("select(p, x, y)"), "f32[2]\n[ 6. 14.]\n");
    assert_eq!(batch.end(), Some(0));
}

#[test]
fn a_line_that_fails_is_named_and_the_next_goes_on() {
    let long = "1+".repeat(600_000);
    let input = format!("x + 1\n\nxx\nx +\nt = x; 2\n{long}\ny = x * 2\ny");
    let outcome = with_stdin(&["batch", "x=[1]", "other=[2]"], &input);
    assert_eq!(outcome.stdout, "f32[1]\n[2.]\nf32[]\n2.0\ny: f32[1]\n[2.]\nf32[1]\n[2.]\n");
    assert_eq!(
        outcome.stderr,
        "error: line 3: unknown name `xx`\n  |\n  | xx\n  | ^^\n  = help: the operands are x, other; add `xx=ARRAY` to the command\n\
         error: line 4: expected a value, but EXPR ends here\n  |\n  | x +\n  |    ^\n\
         warning: the value that EXPR names `t` is not used\n\
         error: line 6: the line is too long; the most are 1048576 bytes\n\
         error: lines that failed: 3 of 7\n"
    );
    assert_eq!(outcome.code, Some(1));
}

#[test]
fn operands_are_checked_before_the_first_line() {
    let outcome = with_stdin(&["batch", "x=[1", "y=[2]"], "");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), ""));
    assert!(outcome.stderr.starts_with("error: operand `x`: `[` is never closed"));
    let outcome = indim(&["batch", "x + 1"]);
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.contains("an EXPR stands in a line of the standard input"));
}

#[test]
fn a_closed_output_ends_it_quietly() {
    let mut child = command()
        .args(["batch", "x=[1]"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    // It may end before it has read all lines.
    let _ = input.write_all("x + 1\n".repeat(3).as_bytes());
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

/// Expressions of 20 structurally different kernels, each with a placeholder for a number.
const STRUCTURES: [&str; 20] = [
    "tanh(x)*@",
    "x+@",
    "x*x-@",
    "exp(x)/@",
    "max(x,@)",
    "min(x,@)-x",
    "sin(x)+@",
    "cos(x)*@",
    "select(x>@,x,0)",
    "abs(x)-@",
    "sqrt(abs(x))*@",
    "x+x+@",
    "x**2+@",
    "y*x+@",
    "y-x*@",
    "floor(x)*@",
    "ceil(x)+@",
    "clamp(0,x,@)",
    "-x*@",
    "z = x/@",
];

#[test]
fn ten_thousand_lines_take_less_than_a_millisecond_each() {
    let mut batch = Running::start(&["x=[1,2,3]", "y=[4,5,6]"]);
    // These compile all kernels.
    for structure in STRUCTURES {
        batch.ask(&structure.replace('@', "0.5"));
    }
    let begin = Instant::now();
    for number in 0..10_000 {
        let structure = STRUCTURES[number % STRUCTURES.len()];
        let answer = batch.ask(&structure.replace('@', &format!("{number}.5")));
        assert!(answer.contains("f32[3]\n["), "{answer}");
    }
    let taken = begin.elapsed();
    assert_eq!(batch.end(), Some(0));
    assert!(taken < Duration::from_secs(10), "10,000 lines took {taken:?}");
}

/// A process for each line starts a context and compiles a kernel each time.
#[test]
#[ignore = "long: in `.ci/run`"]
fn two_hundred_lines_are_fifty_times_as_fast_as_as_many_processes() {
    let lines: Vec<String> = (0..200).map(|number| format!("x * {number}.5 + y")).collect();
    let operands = ["x=[1,2,3]", "y=[4,5,6]"];
    // Together they take less than a scheduler's delay, so the best of five counts.
    let mut together = Duration::MAX;
    let mut answers = String::new();
    for _ in 0..5 {
        let begin = Instant::now();
        let outcome = with_stdin(&["batch", operands[0], operands[1]], &lines.join("\n"));
        together = together.min(begin.elapsed());
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
        answers = outcome.stdout;
    }
    let begin = Instant::now();
    let each: String = lines.iter().map(|line| eval(&[line, operands[0], operands[1]])).collect();
    let apart = begin.elapsed();
    assert_eq!(answers, each);
    let ratio = apart.as_secs_f64() / together.as_secs_f64();
    println!(
        "200 lines: {together:?} together, {apart:?} in processes of their own, {ratio:.0} times"
    );
    assert!(ratio > 50.0, "only {ratio:.1} times as fast: {together:?} against {apart:?}");
}
