//! Runs programs as text, through the checks of StableHLO's rules and on the device: OpenXLA's own
//! tests in the directory that `INDIM_OPENXLA` names, and those beside this file.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod exceptions;
mod jax;
mod run;
mod tally;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use indim::{Builder, ElementType, Literal, OpClass, Opcode};
use indim_stablehlo::{Module, ProblemKind};

use run::Outcome;
use tally::{Tally, say};

/// Returns all programs below a directory, in order.
fn programs(directory: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![directory.to_owned()]);
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "mlir") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Runs the programs of a file: `// -----` stands between them.
fn run_file(gpu: &indim::Context, path: &Path, tally: &mut Tally) {
    let text = fs::read_to_string(path).unwrap();
    let file = path.file_name().unwrap().to_string_lossy();
    for (number, part) in text.split("// -----").enumerate() {
        if !part.contains("func.func") {
            continue;
        }
        let name = format!("{file} {number}");
        if part.contains("expected-error") {
            tally.add(&name, refuses(&name, part));
            continue;
        }
        match Module::parse(&name, part) {
            Err(problems) => tally.add(&name, run::refused(&problems)),
            Ok(module) => {
                let functions = match module.functions() {
                    functions if functions.contains(&"main") => vec!["main"],
                    functions => functions,
                };
                for function in functions {
                    let name = format!("{name} @{function}");
                    tally.add(&name, run::checked(gpu, &file, &module, function));
                }
            }
        }
    }
}

/// Checks that a program is refused for a rule.
fn refuses(name: &str, text: &str) -> Outcome {
    let lowered = Module::parse(name, text).and_then(|module| {
        module.functions().into_iter().try_for_each(|function| module.program(function).map(drop))
    });
    match lowered {
        Ok(()) => Outcome::Failed("accepted, but it breaks a rule".to_owned()),
        Err(problems) => {
            let breaks = |kind| kind == ProblemKind::Rule || kind == ProblemKind::Syntax;
            if problems.problems().iter().any(|problem| breaks(problem.kind())) {
                Outcome::Passed
            } else {
                Outcome::Failed(format!("refused without a rule: {problems}"))
            }
        }
    }
}

/// Folders of OpenXLA's tests with the number of their programs, and how many of these are refused at most,
/// so that none becomes a refusal unnoticed.
const REFUSED: [(&str, usize, usize); 7] = [
    ("cumulative", 33, 33),
    ("interpret", 193, 27),
    ("math", 19, 1),
    ("moves", 16, 0),
    ("reduce", 55, 1),
    ("testdata", 359, 0),
    ("verify", 41, 9),
];

/// Runs all programs below a directory, by folders. In folders that are known, no more are refused than
/// is known.
fn run_all(name: &str, directory: &Path) -> Tally {
    let gpu = indim_testing::contexts::gpu();
    let mut folders: BTreeMap<String, Tally> = BTreeMap::new();
    for path in programs(directory) {
        let folder = path.parent().unwrap().file_name().unwrap().to_string_lossy().into_owned();
        run_file(&gpu, &path, folders.entry(folder).or_default());
    }
    let mut all = Tally::default();
    let mut worse: Vec<&(&str, usize, usize)> = Vec::new();
    for (folder, tally) in folders {
        say(&format!("  {}", tally.line(&folder)));
        let is_worse = |&(known, count, most): &(&str, usize, usize)| {
            known == folder && count == tally.count() && tally.refused > most
        };
        worse.extend(REFUSED.iter().find(|known| is_worse(known)));
        all.join(tally);
    }
    all.tell(name);
    assert!(worse.is_empty(), "more is refused than in {worse:?}, as is written above");
    all
}

#[test]
fn programs_of_our_own() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let tally = run_all("programs", &directory);
    assert_eq!((tally.failed.len(), tally.refused), (0, 0), "as is written above");
}

#[test]
fn openxla() {
    let Some(directory) = env::var_os("INDIM_OPENXLA") else {
        return indim_testing::not_tested::without(
            "INDIM_OPENXLA",
            "nothing was run: it names a directory with OpenXLA's tests",
        );
    };
    let tally = run_all("openxla", Path::new(&directory));
    assert!(tally.passed > 0, "{directory:?} has no program that passes");
    assert!(tally.failed.is_empty(), "programs failed, as is written above");
}

/// A reader that does not know the name of a composite computes its decomposition.
#[test]
fn decompositions_compute_their_operations() {
    let gpu = indim_testing::contexts::gpu();
    let operands = [
        [-3.0_f32, 0.5, 7.25, -0.75, 20.0, 1e-3, -2.5, 3.5],
        [2.0, -1.25, -3.0, 4.0, 5.5, 1.5, -1.5, -1.0],
    ];
    let operands = operands.map(|list| Literal::from_slice([8], &list).unwrap());
    let values = |text: &str| -> Vec<f32> {
        let program = Module::parse("p.mlir", text).unwrap().program("main").unwrap();
        run::results(&gpu, &program, &operands).unwrap()[0].to_vec().unwrap()
    };
    let mut compared = 0;
    for &opcode in Opcode::ALL {
        for (of, allowed) in
            [(ElementType::F32, 3e-6), (ElementType::S32, 0.0), (ElementType::F16, 4e-3)]
        {
            if !matches!(opcode.class(), OpClass::Unary | OpClass::Binary) || !opcode.accepts(of) {
                continue;
            }
            let mut b = Builder::new();
            let [x, y] = [0; 2].map(|_| {
                let whole = b.parameter(ElementType::F32, [8]).unwrap();
                b.convert_element_type(whole, of).unwrap()
            });
            let value = match opcode.class() {
                OpClass::Unary => b.unary(opcode, x),
                _ => b.binary(opcode, x, y, [0_i64; 0]),
            };
            let value = b.convert_element_type(value.unwrap(), ElementType::F32).unwrap();
            let printed = indim_stablehlo::text(&b.build(value).unwrap()).unwrap();
            if !printed.contains("\"indim.") {
                continue;
            }
            compared += 1;
            let unnamed = printed.replace("\"indim.", "\"other.");
            for (own, other) in values(&printed).into_iter().zip(values(&unnamed)) {
                let is_same = own == other || own.is_nan() && other.is_nan();
                let is_near = (own - other).abs() <= allowed * own.abs().max(1e-2);
                assert!(is_same || is_near, "{opcode:?} {of}: {own} {other}\n{printed}");
            }
        }
    }
    assert_eq!(compared, 22);
}

/// Runs JAX's programs in a directory. None may fail.
fn run_jax(directory: &Path) -> Tally {
    let gpu = indim_testing::contexts::gpu();
    let mut tally = Tally::default();
    for path in programs(directory) {
        tally.add(&path.file_name().unwrap().to_string_lossy(), jax::judged(&gpu, &path));
    }
    tally.tell("jax");
    assert!(tally.passed > 0, "{} has no program that passes", directory.display());
    assert!(tally.failed.is_empty(), "programs failed, as is written above");
    tally
}

/// `../jax/programs.py` wrote them.
#[test]
fn programs_that_jax_wrote() {
    let tally = run_jax(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/jax"));
    assert_eq!(tally.refused, 0, "programs were refused, as is written above");
}

#[test]
fn jax() {
    let Some(directory) = env::var_os("INDIM_JAX") else {
        return indim_testing::not_tested::without(
            "INDIM_JAX",
            "nothing was run: it names a directory with programs of JAX's and their arrays",
        );
    };
    run_jax(Path::new(&directory));
}
