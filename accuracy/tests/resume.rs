//! Tests that a measurement that was interrupted and went on from its file finds the same as a
//! whole one.

#![allow(clippy::unwrap_used, reason = "in tests a panic is the report")]

use std::path::PathBuf;

use indim_accuracy::builtin::Builtin;
use indim_accuracy::column::{Column, Library};
use indim_accuracy::function::Function;
use indim_accuracy::pairs::Pairs;
use indim_accuracy::special;
use indim_accuracy::state::{Current, Settings, State};
use indim_accuracy::sweep::Sweep;
use indim_testing::contexts;

fn columns() -> Vec<Box<dyn Column>> {
    let gpu = contexts::blocking().unwrap();
    vec![Box::new(Library::new("accurate", gpu.clone())), Box::new(Builtin::new(gpu))]
}

fn settings() -> Settings {
    let columns = vec!["accurate".to_owned(), "builtin".to_owned()];
    // 18 chunks of a unary function, the last of which has the boundaries, and 17 of a binary one.
    let element_type = "f32".to_owned();
    Settings { columns, step: 130_003, pairs: 17_000, chunk: 1000, element_type, inputs: 0 }
}

struct File(PathBuf);

impl File {
    fn new(name: &str) -> Self {
        let file = format!("indim-accuracy-{name}-{}", std::process::id());
        Self(std::env::temp_dir().join(file))
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // There is no file if the test failed earlier.
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn goes_on_where_it_was() {
    for name in ["Sin", "Div"] {
        let function = &Function::select(&[name.to_owned()]).unwrap()[0];
        let (pairs, settings) = (Pairs::default(), settings());
        let sweep = Sweep::new(function, &settings, &pairs);
        let mut columns = columns();
        let begin = State::new(settings.clone()).begin(name);
        let whole = sweep.run(&mut columns, begin, |_| Ok(true)).unwrap();
        assert_eq!(whole.next, sweep.chunks());
        assert!(whole.next > 15 && whole.tallies.iter().all(|tally| tally.inputs > 16_000));
        if name == "Sin" {
            let sampled = 2 * (1u64 << 31).div_ceil(settings.step.into());
            let boundaries = special::boundaries().len() as u64;
            assert_eq!(whole.tallies[0].inputs, sampled + boundaries);
        }
        assert!(whole.tallies[0].max_ulp < whole.tallies[1].max_ulp || name == "Div");

        let file = File::new(name);
        let mut parts = 0;
        let mut next = 0;
        while next < sweep.chunks() {
            // Every part begins from the file alone.
            let mut state = State::open(&file.0, settings.clone()).unwrap();
            let begin = state.begin(name);
            assert_eq!(begin.next, next);
            let until = next + 3;
            let part = sweep.run(&mut columns, begin, |now| Ok(now.next < until)).unwrap();
            assert!(part.next > next, "nothing was done");
            next = part.next;
            state.current = Some(part);
            state.save(&file.0).unwrap();
            parts += 1;
        }
        assert!(parts > 1, "it was not interrupted");
        let end = State::open(&file.0, settings.clone()).unwrap().begin(name);
        assert_eq!(end, Current { seconds: end.seconds, ..whole });
    }
}

#[test]
fn other_settings_are_refused() {
    let file = File::new("settings");
    State::new(settings()).save(&file.0).unwrap();
    let other = Settings { pairs: 5, ..settings() };
    let refused = State::open(&file.0, other).unwrap_err().to_string();
    assert!(refused.contains("other settings") && refused.contains("delete it"), "{refused}");
}
