//! Programs mean the same however their lines are broken and wherever comments stand.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use indim_stablehlo::{Module, Problems};

/// Returns a text with another space between its words: `inner` between angle brackets, `outer`
/// elsewhere. Strings stay as they are, comments are dropped.
fn spaced(text: &str, inner: &str, outer: &str) -> String {
    let (mut result, mut chars) = (String::new(), text.chars().peekable());
    let (mut depth, mut is_string) = (0_usize, false);
    while let Some(c) = chars.next() {
        let is_comment = !is_string && c == '/' && chars.peek() == Some(&'/');
        if is_comment {
            while chars.next_if(|&c| c != '\n').is_some() {}
            continue;
        }
        if !is_string && c.is_whitespace() {
            while chars.next_if(|c| c.is_whitespace()).is_some() {}
            result.push_str(if depth > 0 { inner } else { outer });
            continue;
        }
        match c {
            '"' => is_string = !is_string,
            '\\' if is_string => {
                result.push(c);
                result.extend(chars.next());
                continue;
            }
            '<' if !is_string => depth += 1,
            '>' if !is_string && !result.ends_with('-') => depth = depth.saturating_sub(1),
            _ => {}
        }
        result.push(c);
    }
    result
}

/// Returns a text on one line, with a line for each word, and with comments that look like operations.
fn spellings(text: &str) -> [String; 3] {
    let comment = " // %0 = \"a.b\"( {\n";
    [(" ", " "), ("\n", "\n"), (comment, comment)].map(|(inner, outer)| spaced(text, inner, outer))
}

/// Returns all that the functions of a program compute, or what is wrong with each.
fn read(text: &str) -> Result<Vec<Result<String, Vec<String>>>, Problems> {
    let module = Module::parse("p.mlir", text)?;
    let function = |name: &&str| match module.program_with_checks(name) {
        Ok(program) => {
            let checks = program.checks().len();
            Ok(format!("{:?} {:?} {checks}", program.computation(), program.constants()))
        }
        Err(problems) => Err(messages(&problems)),
    };
    Ok(module.functions().iter().map(function).collect())
}

fn messages(problems: &Problems) -> Vec<String> {
    let message = |problem: &indim_stablehlo::Problem| {
        format!("{}: {}", problem.operation().unwrap_or_default(), problem.message())
    };
    problems.problems().iter().map(message).collect()
}

#[test]
fn every_program_is_the_same_on_one_line_and_on_many() {
    let mut count = 0;
    for folder in ["programs", "jax"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "mlir") {
                continue;
            }
            for part in fs::read_to_string(&path).unwrap().split("// -----") {
                let known = read(part).unwrap();
                for spelling in spellings(part) {
                    let again = read(&spelling);
                    let shown = path.display();
                    assert!(again.is_ok(), "{shown}: {:?}\n{spelling}", again.err());
                    assert_eq!(again.unwrap(), known, "{shown}:\n{spelling}");
                }
                count += 1;
            }
        }
    }
    assert!(count > 100, "{count} programs were read");
}

#[test]
fn operations_follow_each_other_on_a_line() {
    let text = "func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xi1> {
      %c = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
      %0 = stablehlo.add %a, %c : tensor<2xf32>
      %1:2 = stablehlo.optimization_barrier %0, %b : tensor<2xf32>, tensor<2xf32>
      %2 = stablehlo.compare LT, %1#0, %1#1, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
      \"func.return\"(%2) : (tensor<2xi1>) -> ()
    }";
    let known = read(text).unwrap();
    assert!(known[0].is_ok(), "{known:?}");
    for spelling in spellings(text) {
        assert_eq!(read(&spelling).unwrap(), known, "{spelling}");
    }
}

/// Their forms are not known, so that their ends are found by the beginning of the next one.
#[test]
fn unknown_operations_end_where_the_next_one_begins() {
    let text = "func.func @main(%x: tensor<3xf32>) {
      %0 = stablehlo.sort %x, %x : tensor<3xf32> loc(\"a\")
      %1, %2:2 = \"foo.bar\"(%x) <{a = 1 : i64}> ({
        ^bb0(%a: tensor<f32>): stablehlo.return %a : tensor<f32>
      }) {b} : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
      %3 = stablehlo.while(%a = %0, %b = %2#1) : tensor<3xf32>, tensor<3xf32>
      cond { stablehlo.return %x : tensor<3xf32> } do { stablehlo.return %x : tensor<3xf32> }
      foo.store %3 [0] applies stablehlo.add : i32
      foo.fence
      stablehlo.tan2 %x
      \"foo.free\"(%3) : (tensor<3xf32>) -> ()
      %4 = foo.of %2#0 to %3
      return
    }";
    let known = read(text).unwrap();
    let missing = known[0].as_ref().unwrap_err();
    let names: Vec<&str> = missing.iter().filter_map(|line| line.split(": ").next()).collect();
    let sort = ["stablehlo.sort", "foo.bar", "stablehlo.while", "foo.store", "foo.fence"];
    assert_eq!(names[..5], sort, "{missing:?}");
    assert_eq!(names[5..], ["stablehlo.tan2", "foo.free", "foo.of"], "{missing:?}");
    for spelling in spellings(text) {
        assert_eq!(read(&spelling).unwrap(), known, "{spelling}");
    }
}
