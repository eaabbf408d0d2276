//! Tests loops of frames, and everything at once in random order.

use std::collections::VecDeque;

use indim::{Array, Builder, Computation, Context, ElementType, Encoded, Stats, wgpu};
use indim_testing::contexts::{gpu, values};
use indim_testing::random::Random;

use crate::encoded::{counting, encoder, first, submit, twice, uploaded};
use crate::textures::made;

/// Steps of the random test; `INDIM_EMBEDDING_STEPS` sets another number.
const STEPS: usize = 1000;

/// One frame of a wave equation, in place, as a demo computes it.
fn frame(gpu: &Context, [old, now]: [&mut Array<f32>; 2], previous: &mut Option<Encoded>) {
    // The renderer submitted the frame before.
    if let Some(encoded) = previous.take() {
        encoded.submitted();
    }
    let mut encoder = encoder(gpu);
    let around =
        now.roll(&[1], &[0]) + now.roll(&[-1], &[0]) + now.roll(&[1], &[1]) + now.roll(&[-1], &[1]);
    let next = &*now * 2.0 - &*old + (around - &*now * 4.0) * 0.25;
    *previous = Some(next.encode_into(&mut encoder, old).unwrap());
    submit(gpu, encoder);
}

#[test]
fn a_loop_of_frames_allocates_binds_compiles_and_submits_nothing() {
    let gpu = gpu();
    let bump = |at: usize| if at == 32 * 64 + 32 { 1.0 } else { 0.0 };
    let start: Vec<f32> = (0..64 * 64).map(bump).collect();
    let mut old = gpu.array([64, 64], &start).unwrap();
    let mut now = gpu.array([64, 64], &start).unwrap();
    old.buffer().unwrap();
    now.buffer().unwrap();
    let mut previous = None;
    let mut after_second = None;
    for number in 0..1000 {
        frame(&gpu, [&mut old, &mut now], &mut previous);
        std::mem::swap(&mut old, &mut now);
        if number == 1 {
            after_second = Some(gpu.stats());
        }
    }
    let (before, after) = (after_second.unwrap(), gpu.stats());
    assert_eq!(after.dispatches - before.dispatches, 998, "one a step");
    assert_eq!(after.reuses, before.reuses, "buffers from the pool");
    nothing_new(&before, &after);
    previous.unwrap().submitted();
    // The same on the host.
    let (mut host_old, mut host_now) = (start.clone(), start);
    for _ in 0..1000 {
        for (row, column) in (0..64).flat_map(|row| (0..64).map(move |column| (row, column))) {
            let at = |row: usize, column: usize| host_now[row % 64 * 64 + column % 64];
            let around = at(row + 63, column)
                + at(row + 1, column)
                + at(row, column + 63)
                + at(row, column + 1);
            let here = at(row, column);
            let place = row * 64 + column;
            host_old[place] = here * 2.0 - host_old[place] + (around - here * 4.0) * 0.25;
        }
        std::mem::swap(&mut host_old, &mut host_now);
    }
    assert_eq!(values(&now), host_now);
}

/// Results that differ from frame to frame are also recycled.
#[test]
fn results_of_frames_are_recycled() {
    let gpu = gpu();
    let x = uploaded(&gpu, &counting(5000, 0.0));
    let computation = twice(5000);
    // Work recorded meanwhile and not submitted does not affect these frames.
    let _recorded = (&x * 0.5).eval().unwrap();
    let mut after_second = None;
    for number in 0..100 {
        let (commands, encoded) =
            computation.on(&gpu, &[x.as_any()]).unwrap().command_buffer().unwrap();
        gpu.queue().submit([commands]);
        encoded.submitted();
        if number == 1 {
            after_second = Some(gpu.stats());
        }
    }
    let (before, after) = (after_second.unwrap(), gpu.stats());
    assert_eq!(after.allocations, before.allocations);
    assert_eq!(after.bind_groups, before.bind_groups);
    assert_eq!(after.submissions, before.submissions);
}

/// An array with the elements that it should have.
struct Known {
    array: Array<f32>,
    elements: Vec<f32>,
    /// True if the buffer is known outside, so that it is written in place even if others read it.
    exported: bool,
}

impl Known {
    fn new((array, elements): (Array<f32>, Vec<f32>)) -> Self {
        Self { array, elements, exported: false }
    }

    fn check(&self) {
        // Without the thousands of elements in the message.
        assert!(
            values(&self.array) == self.elements,
            "{:?} begins {:?}, not {:?}",
            self.array,
            &values(&self.array)[..4],
            &self.elements[..4]
        );
    }
}

/// Returns the computation x + x on arrays of this shape.
fn twice_of(array: &Array<f32>) -> Computation {
    let mut builder = Builder::new();
    let x = builder.parameter(ElementType::F32, array.shape().clone()).unwrap();
    let sum = builder.add(x, x, &[]).unwrap();
    builder.build(sum).unwrap()
}

/// Commands that are not submitted yet, and what they will have computed.
struct Waiting {
    commands: wgpu::CommandBuffer,
    encoded: Vec<Encoded>,
    results: Vec<(Array<f32>, Vec<f32>)>,
}

/// Everything that a program and the library do on one device.
struct Mix<'a> {
    gpu: &'a Context,
    random: Random,
    known: Vec<Known>,
    waiting: VecDeque<Waiting>,
    theirs: wgpu::Buffer,
    picture: wgpu::Texture,
}

const COUNTS: [usize; 3] = [64, 1000, 9000];

impl Mix<'_> {
    fn step(&mut self) {
        match self.random.below(10) {
            0 => self.upload(),
            1 | 2 => self.evaluate(),
            3 | 4 => self.encode(),
            5 | 6 => self.submit_one(),
            7 => self.submit_theirs(),
            8 => self.read_one(),
            _ => self.drop_or_export(),
        }
    }

    fn any(&mut self) -> Option<usize> {
        let count = self.known.len();
        (count > 0).then(|| self.random.below(count))
    }

    fn upload(&mut self) {
        let (count, add) = (self.random.pick(&COUNTS), self.random.below(100) as f32);
        let elements = counting(count, add);
        self.known.push(Known::new((uploaded(self.gpu, &elements), elements)));
    }

    fn evaluate(&mut self) {
        let Some(at) = self.any() else { return };
        let add = self.random.below(10) as f32;
        let Known { array, elements, exported } = &mut self.known[at];
        // Waiting commands would read it as it is then.
        if self.random.percent(50) && (!*exported || self.waiting.is_empty()) {
            (&*array + add).eval_into(&mut *array).unwrap();
            elements.iter_mut().for_each(|x| *x += add);
            return;
        }
        let made = (&*array + add).eval().unwrap();
        let elements = elements.iter().map(|x| x + add).collect();
        self.known.push(Known::new((made, elements)));
    }

    /// Some steps in one encoder, on results of each other.
    fn encode(&mut self) {
        let Some(at) = self.any() else { return };
        let mut encoder = encoder(self.gpu);
        let (mut array, mut elements) =
            (self.known[at].array.clone(), self.known[at].elements.clone());
        let (mut encoded, mut results) = (Vec::new(), Vec::new());
        for _ in 0..1 + self.random.below(3) {
            let computation = twice_of(&array);
            let step =
                computation.on(self.gpu, &[array.as_any()]).unwrap().encode(&mut encoder).unwrap();
            elements.iter_mut().for_each(|x| *x += *x);
            array = first(&step);
            encoded.push(step);
            results.push((array.clone(), elements.clone()));
            if self.random.percent(50) {
                // The array before is held by others, and stays as it is.
                let step = (&array - 3.0).encode_into(&mut encoder, &mut array).unwrap();
                elements.iter_mut().for_each(|x| *x -= 3.0);
                encoded.push(step);
                results.push((array.clone(), elements.clone()));
            }
        }
        self.waiting.push_back(Waiting { commands: encoder.finish(), encoded, results });
        if self.waiting.len() > 5 {
            self.submit_one();
        }
    }

    /// Submits some waiting commands, or drops them.
    fn submit_one(&mut self) {
        if self.waiting.is_empty() {
            return;
        }
        let at = self.random.below(self.waiting.len());
        let Waiting { commands, encoded, results } = self.waiting.remove(at).unwrap();
        if self.random.percent(20) {
            if self.random.percent(50) {
                drop((commands, encoded))
            } else {
                drop((encoded, commands))
            }
            assert!(results.iter().all(|(array, _)| array.to_vec_blocking().is_err()));
            return;
        }
        self.gpu.queue().submit([commands]);
        if self.random.percent(30) {
            // They may have run before that is reported.
            self.gpu.wait().unwrap();
        }
        encoded.last().unwrap().submitted();
        self.known.extend(results.into_iter().map(Known::new));
    }

    fn submit_theirs(&mut self) {
        let mut encoder = encoder(self.gpu);
        encoder.clear_buffer(&self.theirs, 0, None);
        // A picture of the caller comes and goes in the same submission.
        let shades = [0.25, self.random.below(8) as f32, -1.0, 1e6];
        let array = self.gpu.array([2, 2], &shades).unwrap();
        let shown = array.encode_to_texture(&mut encoder, &self.picture, 0, 0).unwrap();
        let (read, back) = self.gpu.array_from_texture(&mut encoder, &self.picture, 0, 0).unwrap();
        drop(array);
        submit(self.gpu, encoder);
        shown.submitted();
        back.submitted();
        self.known.push(Known::new((read, shades.to_vec())));
    }

    fn read_one(&mut self) {
        let Some(at) = self.any() else { return };
        self.known[at].check();
    }

    fn drop_or_export(&mut self) {
        let Some(at) = self.any() else { return };
        if self.random.percent(20) {
            self.known[at].array.buffer().unwrap();
            self.known[at].exported = true;
            return;
        }
        self.known.swap_remove(at);
        while self.known.len() > 12 {
            self.known.swap_remove(self.random.below(self.known.len()));
        }
    }
}

fn steps() -> usize {
    let steps = std::env::var("INDIM_EMBEDDING_STEPS");
    steps.map_or(STEPS, |steps| steps.parse().unwrap())
}

#[test]
fn everything_at_once_in_random_order() {
    let gpu = gpu();
    let theirs = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 4096,
        usage: wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut mix = Mix {
        gpu: &gpu,
        random: Random::new(17),
        known: Vec::new(),
        waiting: VecDeque::new(),
        theirs,
        picture: made(
            &gpu,
            wgpu::TextureFormat::R32Float,
            [2, 2, 1],
            1,
            wgpu::TextureUsages::STORAGE_BINDING | wgpu::TextureUsages::TEXTURE_BINDING,
        ),
    };
    let steps = steps();
    let mut peak_of_first_half = 0;
    for step in 0..steps {
        mix.step();
        let memory = gpu.memory();
        if step < steps / 2 {
            peak_of_first_half = peak_of_first_half.max(memory.in_use + memory.pooled);
        }
    }
    let Mix { known, waiting, .. } = mix;
    known.iter().for_each(Known::check);
    drop((known, waiting));
    gpu.wait().unwrap();
    let memory = gpu.memory();
    assert_eq!(memory.in_use, 0, "all is dropped");
    let bound = peak_of_first_half * 5 / 4;
    assert!(memory.pooled <= bound, "{memory:?}, {bound}");
}

/// Asserts that what a context did between two counts took no memory, compiled and copied nothing.
#[track_caller]
pub(crate) fn nothing_new(before: &Stats, after: &Stats) {
    for (what, before, after) in [
        ("allocations", before.allocations, after.allocations),
        ("bind groups", before.bind_groups, after.bind_groups),
        ("compilations", before.compilations, after.compilations),
        ("submissions", before.submissions, after.submissions),
        ("uniform bytes", before.uniform_bytes, after.uniform_bytes),
        ("copied bytes", before.copied_bytes, after.copied_bytes),
        ("bytes read back", before.downloaded_bytes, after.downloaded_bytes),
    ] {
        assert_eq!(after, before, "{what}");
    }
}
