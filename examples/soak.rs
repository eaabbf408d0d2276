//! Runs a soak test: eager operations on arrays of mixed sizes and types, with uploads, readbacks
//! and drops among them. It checks results now and then, prints the memory that the process and the
//! context hold, and fails if the process grows.
//!
//! `scripts/with-adapter cargo run --release --example soak -- 1000000`
//!
//! With `staged` as a second argument, uploads and readbacks go through staging buffers even on a
//! software adapter, as they do on a GPU.

use std::time::Instant;

use indim::{Array, Context, Element, Integer, Result, wgpu};

/// The number of operations if the command line names none.
const DEFAULT_OPERATIONS: u64 = 20_000;

/// The number of lines of the table.
const LINES: u64 = 10;

/// The number of bytes that the process may grow by in the second half, apart from the buffers that
/// the context counts. Caches are full by then; a million operations show a leak of 16 bytes each.
pub(crate) const MAX_GROWTH: u64 = 8 << 20;

/// A result whose error comes from wgpu, this crate or the example.
type Outcome<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let operations = match std::env::args().nth(1) {
        Some(number) => number.replace('_', "").parse()?,
        None => DEFAULT_OPERATIONS,
    };
    let gpu = match std::env::args().nth(2).as_deref() {
        None => Context::blocking()?,
        Some("staged") => staged()?,
        Some(other) => return Err(format!("{other}: staged, or nothing").into()),
    };
    let info = gpu.adapter_info();
    println!("{} ({}, {} {})", info.name, info.backend, info.driver, info.driver_info);
    let growth = soak(&gpu, operations)?;
    match growth {
        None => println!("this system does not tell how large the process is"),
        Some(growth) if growth > MAX_GROWTH => {
            return Err(format!("the second half grew by {growth} bytes").into());
        }
        Some(growth) => println!("the second half grew by {:.1} MiB", mebibytes(growth)),
    }
    Ok(())
}

/// Returns a context on a device without `Features::MAPPABLE_PRIMARY_BUFFERS`, so that it cannot
/// map arrays.
pub(crate) fn staged() -> Outcome<Context> {
    let instance =
        wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let wanted = wgpu::RequestAdapterOptions::default();
    let adapter = pollster::block_on(instance.request_adapter(&wanted))?;
    let device = adapter.request_device(&wgpu::DeviceDescriptor::default());
    let (device, queue) = pollster::block_on(device)?;
    Ok(Context::from_device(device, queue)?)
}

/// Runs the operations. Returns the number of bytes that the process grew by in the second half,
/// apart from buffers that the context counts; none if the system does not report it.
pub(crate) fn soak(gpu: &Context, operations: u64) -> Outcome<Option<u64>> {
    let begun = Instant::now();
    let mut random = Random(1);
    // Sizes go from 19 to 240,000 elements. Some share the size of a pooled buffer, most do not.
    let sizes: Vec<usize> = (0..40).map(|n| (19.0 * 1.274_f64.powi(n)) as usize).collect();
    let mut shelf = Shelf {
        bytes: empty_slots(&sizes),
        words: empty_slots(&sizes),
        longs: empty_slots(&sizes),
        shorts: empty_slots(&sizes),
    };
    // Buffers of a software adapter are part of the process's memory.
    let software = gpu.adapter_info().device_type == wgpu::DeviceType::Cpu;
    println!("operations  resident MiB  in use MiB  pooled MiB  peak MiB  seconds");
    let mut resident = Vec::new();
    for done in 1..=operations {
        shelf.step(gpu, &mut random)?;
        if done % (operations / LINES).max(1) == 0 {
            gpu.wait()?;
            let now = resident_bytes();
            let memory = gpu.memory();
            let counted = if software { memory.in_use + memory.pooled } else { 0 };
            resident.extend(now.map(|bytes| bytes.saturating_sub(counted)));
            println!(
                "{done:>10}  {:>12}  {:>10.1}  {:>10.1}  {:>8.1}  {:>7.1}",
                now.map_or("unknown".to_owned(), |bytes| format!("{:.1}", mebibytes(bytes))),
                mebibytes(memory.in_use),
                mebibytes(memory.pooled),
                mebibytes(memory.peak),
                begun.elapsed().as_secs_f64(),
            );
        }
    }
    drop(shelf);
    gpu.trim();
    if (gpu.memory().in_use, gpu.memory().pooled) != (0, 0) {
        return Err(format!("not all of it came back: {:?}", gpu.memory()).into());
    }
    let half = resident.get((resident.len() / 2).saturating_sub(1));
    Ok(half.zip(resident.last()).map(|(&half, &end)| end.saturating_sub(half)))
}

/// The arrays that are alive, by element type.
struct Shelf {
    bytes: Vec<Slot<u8>>,
    words: Vec<Slot<i32>>,
    longs: Vec<Slot<u64>>,
    shorts: Vec<Slot<i16>>,
}

impl Shelf {
    fn step(&mut self, gpu: &Context, random: &mut Random) -> Result<()> {
        match random.below(8) {
            0 | 1 => step(gpu, &mut self.bytes, random),
            2 => step(gpu, &mut self.longs, random),
            3 => step(gpu, &mut self.shorts, random),
            _ => step(gpu, &mut self.words, random),
        }
    }
}

/// A place for an array of one size, all of whose elements are one value.
struct Slot<T: Element> {
    /// The number of elements.
    size: usize,
    /// The array and its value, if there is one now.
    held: Option<(Array<T>, T)>,
}

/// Returns an empty slot for each size.
fn empty_slots<T: Element>(sizes: &[usize]) -> Vec<Slot<T>> {
    sizes.iter().map(|&size| Slot { size, held: None }).collect()
}

/// An integer with the device's wrapping arithmetic on the host.
trait Number: Integer + PartialEq {
    fn from_number(number: u64) -> Self;
    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
}

macro_rules! numbers {
    ($($type:ty)*) => {
        $(impl Number for $type {
            fn from_number(number: u64) -> Self {
                number as Self
            }
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
        })*
    };
}

numbers!(u8 i16 i32 u64);

/// Does one operation on an array of the shelf, which its result replaces.
fn step<T: Number>(gpu: &Context, slots: &mut [Slot<T>], random: &mut Random) -> Result<()> {
    let place = random.below(slots.len() as u64) as usize;
    let size = slots[place].size;
    let upload = |value: T| gpu.array([size], &vec![value; size]);
    let Some((array, value)) = slots[place].held.take() else {
        let value = T::from_number(random.next());
        slots[place].held = Some((upload(value)?, value));
        return Ok(());
    };
    let scalar = T::from_number(random.next());
    let held = match random.below(64) {
        // Drop it.
        0 => None,
        // Read it back, blocking or not, and compare every element.
        1 => {
            let read = match random.below(2) {
                0 => array.to_vec_blocking()?,
                _ => pollster::block_on(array.to_vec())?,
            };
            assert!(read.len() == size && read.iter().all(|&element| element == value));
            Some((array, value))
        }
        // Compute on two arrays, one of them new.
        2 | 3 => Some((indim::add(&array, &upload(scalar)?, &[])?, value.plus(scalar))),
        4..8 => Some((indim::mul(&array, &array, &[])?, value.times(value))),
        8..12 => Some((indim::sub(&array, &array, &[])?, T::from_number(0))),
        // Compute with a scalar, which is a parameter of the kernel and differs each time.
        12..40 => Some((indim::add(&array, scalar, &[])?, value.plus(scalar))),
        40..60 => Some((indim::mul(&array, scalar, &[])?, value.times(scalar))),
        // Broadcast, and add operands of two ranks.
        _ => {
            let sum = indim::add(&indim::broadcast(&array, &[3])?, &array, &[1])?;
            drop(sum);
            Some((array, value))
        }
    };
    slots[place].held = held;
    Ok(())
}

/// A xorshift generator, so that every run does the same.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 8
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}

/// Returns the bytes of host memory that the process occupies; none if the system does not report
/// it.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes << 10)
}

fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
