//! Tests wgpu's error scopes, which belong to a thread. Each error goes to the call that caused it,
//! however many threads call at once.

use std::cell::RefCell;
use std::sync::{Arc, Mutex};

use indim::{Context, DeviceError, Error, wgpu};
use indim_testing::contexts;

use super::{at_once, computes, iota, noop, own, values, works};

const ROUNDS: usize = 200;

/// A buffer that was destroyed, in an array.
fn destroyed(gpu: &Context) -> indim::Array<f32> {
    let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 400,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    });
    let array = gpu.array_from_buffer::<f32>([100], buffer.clone(), 0).unwrap();
    buffer.destroy();
    array
}

#[test]
fn each_error_goes_to_its_call() {
    for gpu in [noop(), own()] {
        at_once(move || {
            std::thread::scope(|scope| {
                for number in 0..8 {
                    let gpu = &gpu;
                    scope.spawn(move || match number % 4 {
                        0 => fails(gpu),
                        1 => fails_on_the_way(gpu),
                        2 => succeeds(gpu),
                        _ => compiles(gpu),
                    });
                }
            });
        });
    }
}

/// Fails at the call.
fn fails(gpu: &Context) {
    let broken = destroyed(gpu);
    for _ in 0..ROUNDS {
        let error = (&broken + 1.0).eval().unwrap_err();
        assert!(matches!(error, Error::Device(DeviceError::Wgpu { .. })), "{error}");
        assert!(error.to_string().contains("destroyed"), "{error}");
    }
}

/// Fails at the submission.
fn fails_on_the_way(gpu: &Context) {
    for _ in 0..ROUNDS {
        let error = pollster::block_on(destroyed(gpu).to_vec()).unwrap_err();
        assert!(error.to_string().contains("destroyed"), "{error}");
    }
}

fn succeeds(gpu: &Context) {
    let x = gpu.array([100], &iota(100)).unwrap();
    for round in 0..ROUNDS {
        let sum = (&x + round as f32).eval().unwrap();
        let read = match round % 2 {
            0 => values(&sum),
            _ => pollster::block_on(sum.to_vec()).unwrap(),
        };
        assert!(!computes(gpu) || read[99] == 99.0 + round as f32);
        gpu.array([round + 1], &iota(round + 1)).unwrap();
    }
}

/// New kernels, which take the longest of all calls.
fn compiles(gpu: &Context) {
    let x = gpu.array([100], &iota(100)).unwrap();
    for ops in 1..20 {
        let long = (0..ops).fold(x.expr(), |long, _| long.abs().sqrt());
        values(&long.eval().unwrap());
    }
}

/// The caller's error scopes on the thread are separate: they catch none of our errors and lose
/// no error of the caller, even while a reading is awaited.
#[test]
fn the_callers_scopes_stay_the_callers() {
    for gpu in [noop(), own()] {
        at_once(move || {
            let scope = gpu.device().push_error_scope(wgpu::ErrorFilter::Validation);
            fails_once(&gpu);
            values(&(gpu.array([4], &iota(4)).unwrap() + 1.0).eval().unwrap());
            assert!(pollster::block_on(scope.pop()).is_none());
            let scope = gpu.device().push_error_scope(wgpu::ErrorFilter::Validation);
            // A mistake of the caller.
            let _ = gpu.device().create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: 4,
                usage: wgpu::BufferUsages::empty(),
                mapped_at_creation: false,
            });
            values(&(gpu.array([4], &iota(4)).unwrap() + 1.0).eval().unwrap());
            assert!(pollster::block_on(scope.pop()).is_some());
        });
    }
}

fn fails_once(gpu: &Context) {
    (&destroyed(gpu) + 1.0).eval().unwrap_err();
}

/// Scopes are opened in one file, whose functions never wait; and the device is polled in the same
/// file.
#[test]
fn scopes_and_polls_are_in_one_place() {
    let mut files = vec![indim_testing::repository().join("src")];
    let mut seen = 0;
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let opens = text.contains("push_error_scope") || text.contains("raw.poll(");
        if path.ends_with("src/device/guard/error_scope.rs") {
            assert!(opens && !text.contains("async ") && !text.contains(".await"));
            seen += 1;
        } else {
            assert!(!opens, "{}", path.display());
        }
    }
    assert_eq!(seen, 1);
}

// ---- errors of the owner's own calls ------------------------------------------------------------

/// Keeps what this process logs, by thread: wgpu reports an error on the thread of the call.
struct Logged;

thread_local!(static LOGGED: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) });

impl log::Log for Logged {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        if record.target().starts_with("indim") {
            let line = format!("{} {}", record.level(), record.args());
            LOGGED.with_borrow_mut(|logged| logged.push(line));
        }
    }

    fn flush(&self) {}
}

/// Writes to a read-only buffer.
fn writes_without_leave(gpu: &Context) {
    let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 64,
        usage: wgpu::BufferUsages::STORAGE,
        mapped_at_creation: false,
    });
    gpu.queue().write_buffer(&buffer, 0, &[0; 4]);
}

fn compiles_nonsense(gpu: &Context) {
    let _ = gpu.device().create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl("fn main( {".into()),
    });
}

#[test]
fn the_owners_own_errors_are_logged() {
    // No other test of this process installs a logger.
    log::set_logger(&Logged).unwrap();
    log::set_max_level(log::LevelFilter::Error);
    let gpu = own();
    for (mistake, words) in
        [(writes_without_leave as fn(&Context), "COPY_DST"), (compiles_nonsense, "Shader")]
    {
        mistake(&gpu);
        let logged = LOGGED.take();
        let [line] = &logged[..] else { panic!("{logged:?}") };
        assert!(line.starts_with("ERROR") && line.contains(words), "{line}");
    }
    // The library's errors are returned, and not logged.
    fails_once(&gpu);
    works(&gpu);
    assert!(LOGGED.take().is_empty());
}

#[test]
fn the_owners_own_errors_go_to_the_owners_handler() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let hears = Arc::clone(&told);
    let mut options = contexts::options();
    options.on_uncaptured_error = Some(Arc::new(move |error: wgpu::Error| {
        hears.lock().unwrap().push(error.to_string());
    }));
    let told_once = |words: &str| {
        let errors = std::mem::take(&mut *told.lock().unwrap());
        let [error] = &errors[..] else { panic!("{errors:?}") };
        assert!(error.contains(words), "{error}");
    };
    assert!(format!("{options:?}").contains("on_uncaptured_error: Some"));
    let gpu = Context::blocking_with_options(options).unwrap();
    writes_without_leave(&gpu);
    told_once("COPY_DST");
    compiles_nonsense(&gpu);
    told_once("Shader");
    // It hears of its own mistakes only.
    fails_once(&gpu);
    let buffer = gpu.array([4], &iota(4)).unwrap().buffer().unwrap().buffer;
    own().array_from_buffer::<f32>([4], buffer, 0).unwrap_err();
    works(&gpu);
    assert!(told.lock().unwrap().is_empty());
}
