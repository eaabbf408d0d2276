//! Tests arrays and encoders against a model on the host, in random order: evaluations into arrays,
//! commands in several encoders at once that write and read what each other write, targets with
//! other holders, steps without commands, steps that fail, loops that pass their bound, and
//! encoders that are dropped.

mod encoders;
mod formulas;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

use indim::{
    AnyArray, Array, ArrayError, Context, ContextOptions, ElementType, Encoded, Error, Expr,
    Function, Result, wgpu,
};
use indim_testing::contexts::{foreign, gpu};
use indim_testing::random::Random;
use indim_testing::share;

use formulas::{COUNT, Elements, Formula, Part, computation, mean};

/// Runs of the model in all shares; `INDIM_EMBEDDING_RUNS` sets another number, `INDIM_EMBEDDING_SEED` the first.
const RUNS: u64 = 300;
const STEPS: usize = 60;

/// The state of an array, as far as the caller has reported it.
#[derive(Clone, Debug)]
enum State {
    There(Elements),
    /// The result of commands that were dropped.
    Never,
    /// Written by an encoder that is open.
    Pending {
        encoder: u32,
        /// Its state if the encoder is dropped.
        before: Option<Elements>,
        after: Elements,
        /// The other encoders whose commands it rests on.
        rests_on: BTreeSet<u32>,
        /// The last of the encoder's steps that writes it.
        writer: usize,
    },
}

/// The memory of arrays that share it.
#[derive(Debug)]
struct Cell {
    state: State,
    /// True if the buffer is known outside, so that it is written in place even if others hold it.
    exported: bool,
    /// The encoders that use it.
    users: BTreeSet<u32>,
}

type Shared = Rc<RefCell<Cell>>;

#[derive(Clone)]
struct Slot {
    array: Array<f32>,
    cell: Shared,
}

/// An encoder that is open, with its steps.
struct Open {
    encoder: wgpu::CommandEncoder,
    steps: Vec<Encoded>,
    /// Steps, of this encoder or another, whose results a step of this one reads.
    covered: BTreeSet<(u32, usize)>,
    cells: Vec<Shared>,
    rests_on: BTreeSet<u32>,
}

struct Model<'a> {
    gpu: &'a Context,
    endless: &'a Function,
    random: Random,
    slots: Vec<Slot>,
    open: BTreeMap<u32, Open>,
    dropped: BTreeSet<u32>,
    log: Vec<String>,
}

/// The elements that a step may read of an array, and the encoders that these depend on.
struct Read {
    elements: Elements,
    rests_on: BTreeSet<u32>,
    writer: Option<(u32, usize)>,
}

impl Model<'_> {
    fn step(&mut self) {
        match self.random.below(20) {
            0 | 1 => self.upload(),
            2 | 3 => self.share(),
            4 | 5 => self.evaluate(),
            6..9 => self.write(None),
            9..14 => {
                let encoder = self.some_encoder();
                self.write(Some(encoder));
            }
            14 | 15 => self.encode(),
            16 => self.read(),
            17 => self.fail(),
            18 => self.settle(),
            _ => self.drop_or_export(),
        }
    }

    fn slot(&mut self) -> usize {
        while self.slots.len() < 2 {
            self.upload();
        }
        self.random.below(self.slots.len())
    }

    fn push(&mut self, array: Array<f32>, state: State, users: BTreeSet<u32>) {
        let cell = Rc::new(RefCell::new(Cell { state, exported: false, users }));
        self.slots.push(Slot { array, cell });
        if self.slots.len() > 8 {
            let gone = self.random.below(self.slots.len());
            self.log.push(format!("drop {gone}"));
            self.slots.swap_remove(gone);
        }
    }

    fn upload(&mut self) {
        let elements = [(); COUNT].map(|()| self.random.below(64) as f32);
        self.log.push(format!("upload {elements:?}"));
        let array = self.gpu.array([COUNT], &elements).unwrap();
        self.push(array, State::There(Elements::Are(elements)), BTreeSet::new());
    }

    /// A clone, or the same memory by a computation that computes nothing.
    fn share(&mut self) {
        let at = self.slot();
        let Slot { array, cell } = self.slots[at].clone();
        let is_there = matches!(cell.borrow().state, State::There(_));
        let array = if self.random.percent(50) {
            array
        } else {
            self.log.push(format!("run identity of {at}"));
            let same = computation(|_, [a, _]| vec![a]);
            match self.gpu.run(&same, &[array.as_any(), array.as_any()]) {
                Ok(result) if is_there => result.downcast().unwrap(),
                Err(error) if !is_there => return self.is_not_submitted(error),
                other => panic!("{other:?} though it is there: {is_there}"),
            }
        };
        self.log.push(format!("share {at}"));
        self.slots.push(Slot { array, cell });
    }

    fn is_not_submitted(&self, error: Error) {
        assert!(matches!(error, Error::Array(ArrayError::NotSubmitted)), "{error}");
    }

    /// Returns what a step of this encoder, or else of the context, may read; none if it is an
    /// error.
    fn readable(&self, at: usize, encoder: Option<u32>) -> Option<Read> {
        let cell = self.slots[at].cell.borrow();
        match &cell.state {
            State::There(Elements::Lost) | State::Never => None,
            &State::There(elements) => {
                Some(Read { elements, rests_on: BTreeSet::new(), writer: None })
            }
            State::Pending { encoder: of, after, rests_on, writer, .. } => {
                let encoder = encoder?;
                let mut rests_on = rests_on.clone();
                if *of != encoder {
                    rests_on.insert(*of);
                }
                Some(Read { elements: *after, rests_on, writer: Some((*of, *writer)) })
            }
        }
    }

    /// Returns true if commands of an encoder may read an array: it can then be submitted after the
    /// others.
    fn may_read(&self, at: usize, encoder: u32) -> bool {
        match &self.slots[at].cell.borrow().state {
            State::Pending { encoder: of, .. } if *of != encoder => {
                !self.closure(*of).contains(&encoder)
            }
            _ => true,
        }
    }

    /// Returns the encoder with the open ones whose commands it rests on.
    fn closure(&self, encoder: u32) -> BTreeSet<u32> {
        let (mut all, mut next) = (BTreeSet::from([encoder]), vec![encoder]);
        while let Some(Open { rests_on, .. }) = next.pop().map(|encoder| &self.open[&encoder]) {
            let open = rests_on.iter().filter(|before| self.open.contains_key(before));
            next.extend(open.filter(|&&before| all.insert(before)));
        }
        all
    }

    fn some_encoder(&mut self) -> u32 {
        if self.open.is_empty() || self.open.len() < 3 && self.random.percent(25) {
            let number = self.open.keys().chain(&self.dropped).max().map_or(0, |last| last + 1);
            let number = number.max(self.log.len() as u32);
            self.log.push(format!("encoder {number}"));
            let open = Open {
                encoder: crate::encoded::encoder(self.gpu),
                steps: Vec::new(),
                covered: BTreeSet::new(),
                cells: Vec::new(),
                rests_on: BTreeSet::new(),
            };
            self.open.insert(number, open);
            return number;
        }
        let numbers: Vec<u32> = self.open.keys().copied().collect();
        self.random.pick(&numbers)
    }

    fn operands(&mut self, encoder: Option<u32>) -> [usize; 2] {
        loop {
            let operands = [self.slot(), self.slot()];
            if encoder.is_none_or(|encoder| operands.iter().all(|&at| self.may_read(at, encoder))) {
                return operands;
            }
            self.upload();
        }
    }

    fn formula(&mut self) -> Formula {
        let formulas = [
            Formula::Mean,
            Formula::Less,
            Formula::Mean,
            Formula::Reversed,
            Formula::Summed,
            Formula::Endless,
        ];
        let few = if self.random.percent(20) { 6 } else { 5 };
        self.random.pick(&formulas[..few])
    }

    fn evaluate(&mut self) {
        let (operands, formula) = (self.operands(None), self.formula());
        self.log.push(format!("eval {formula:?} of {operands:?}"));
        let made = self.expression(operands, formula, Part::Whole).eval();
        match operands.map(|at| self.readable(at, None)) {
            [Some(a), Some(b)] => {
                let elements = [a.elements, b.elements];
                let computed = formula.written(elements, Elements::Looped, Part::Whole);
                self.push(made.unwrap(), State::There(computed), BTreeSet::new());
            }
            _ => assert!(made.is_err()),
        }
    }

    fn expression(&self, operands: [usize; 2], formula: Formula, part: Part) -> Expr<f32> {
        let Range { start, end } = part.range();
        let (start, end) = ([start as i64], [end as i64]);
        let of = |at: usize| match part {
            Part::Whole => self.slots[at].array.expr(),
            _ => self.slots[at].array.expr().slice(&start, &end),
        };
        formula.expression(operands.map(of), self.endless)
    }

    /// Returns true if the target can be written, false if that is an error, and none if the order
    /// would be the caller's.
    fn may_write(&self, at: usize, encoder: Option<u32>, part: Part) -> Option<bool> {
        let cell = self.slots[at].cell.borrow();
        if cell.exported && cell.users.iter().any(|&user| Some(user) != encoder) {
            return None;
        }
        Some(match &cell.state {
            State::Never => false,
            State::There(Elements::Lost) => matches!(part, Part::Whole) && !cell.exported,
            State::There(_) => true,
            State::Pending { encoder: of, .. } => encoder == Some(*of),
        })
    }

    /// Computes into an array or a part of it, by the context or in an encoder.
    fn write(&mut self, encoder: Option<u32>) {
        let (operands, formula, at) = (self.operands(encoder), self.formula(), self.slot());
        let part = self.random.pick(&[Part::Whole, Part::Whole, Part::Middle, Part::Backwards]);
        let Some(may_write) = self.may_write(at, encoder, part) else { return };
        self.log.push(format!("{part:?} of {at} = {formula:?} of {operands:?} in {encoder:?}"));
        let by_run = encoder.is_none() && self.random.percent(30);
        let written = if by_run {
            self.run_into(at, operands)
        } else {
            self.write_there(at, operands, (formula, part), encoder)
        };
        let (formula, part) = if by_run { (Formula::Mean, Part::Whole) } else { (formula, part) };
        let may_write = may_write || by_run && self.may_write(at, encoder, part) == Some(true);
        // The target's cell is the one from before.
        let cells = [operands[0], operands[1], at].map(|at| Rc::clone(&self.slots[at].cell));
        match operands.map(|at| self.readable(at, encoder)) {
            [Some(a), Some(b)] if may_write => {
                let step = written.unwrap();
                self.is_written(at, [a, b], (formula, part), encoder.zip(step));
                encoder.iter().for_each(|&encoder| self.uses(encoder, &cells));
            }
            _ => assert!(written.is_err()),
        }
    }

    fn write_there(
        &mut self,
        at: usize,
        operands: [usize; 2],
        (formula, part): (Formula, Part),
        encoder: Option<u32>,
    ) -> Result<Option<Encoded>> {
        let expression = self.expression(operands, formula, part);
        let Range { start, end } = part.range();
        let target = self.slots[at].array.slice_mut([start as i64], [end as i64])?;
        let target = match part {
            Part::Backwards => target.reverse([0])?,
            _ => target,
        };
        match encoder {
            None => expression.eval_into(target).map(|()| None),
            Some(encoder) => {
                let encoder = &mut self.open.get_mut(&encoder).unwrap().encoder;
                expression.encode_into(encoder, target).map(Some)
            }
        }
    }

    fn run_into(&mut self, at: usize, operands: [usize; 2]) -> Result<Option<Encoded>> {
        let [a, b] = operands.map(|at| self.slots[at].array.clone());
        let mut target: AnyArray = self.slots[at].array.as_any().clone();
        mean().on(self.gpu, &[a.as_any(), b.as_any()])?.eval_into(target.view_mut())?;
        self.slots[at].array = target.downcast()?;
        Ok(None)
    }

    /// Notes that commands use this memory.
    fn uses(&mut self, encoder: u32, cells: &[Shared]) {
        for cell in cells {
            cell.borrow_mut().users.insert(encoder);
            self.open.get_mut(&encoder).unwrap().cells.push(Rc::clone(cell));
        }
    }

    fn is_written(
        &mut self,
        at: usize,
        operands: [Read; 2],
        (formula, part): (Formula, Part),
        step: Option<(u32, Encoded)>,
    ) {
        let cell = Rc::clone(&self.slots[at].cell);
        let old = cell.borrow().state.clone();
        let (before, now, mut rests_on, writer) = match old {
            State::There(Elements::Lost) => (None, Elements::Lost, BTreeSet::new(), None),
            State::There(now) => (Some(now), now, BTreeSet::new(), None),
            State::Pending { before, after, rests_on, writer, encoder } => {
                (before, after, rests_on, Some((encoder, writer)))
            }
            State::Never => panic!("it was an error"),
        };
        let after = formula.written([operands[0].elements, operands[1].elements], now, part);
        let exported = cell.borrow().exported;
        let Some((encoder, step)) = step else {
            return self.place(at, exported, State::There(after), BTreeSet::new());
        };
        for read in &operands {
            rests_on.extend(&read.rests_on);
        }
        let open = self.open.get_mut(&encoder).unwrap();
        open.covered.extend(writer.iter().chain(operands.iter().filter_map(|r| r.writer.as_ref())));
        open.rests_on.extend(&rests_on);
        let writer = open.steps.len();
        open.steps.push(step);
        rests_on.remove(&encoder);
        let state = State::Pending { encoder, before, after, rests_on, writer };
        self.place(at, exported, state, BTreeSet::from([encoder]));
        let cell = Rc::clone(&self.slots[at].cell);
        self.uses(encoder, &[cell]);
    }

    /// Gives a slot a new state, which others share if the buffer is known outside.
    fn place(&mut self, at: usize, exported: bool, state: State, users: BTreeSet<u32>) {
        if exported {
            self.slots[at].cell.borrow_mut().state = state;
        } else {
            self.slots[at].cell = Rc::new(RefCell::new(Cell { state, exported, users }));
        }
    }

    /// Calls that are errors, and change nothing.
    fn fail(&mut self) {
        let (at, other) = (self.slot(), self.slot());
        let array = self.slots[other].array.clone();
        let expression = if self.random.percent(50) && !self.gpu.supports(ElementType::F64) {
            &array + (&array * 0.5).convert_element_type::<f64>().convert_element_type::<f32>()
        } else {
            // Its elements do not fit the target.
            array.expr().slice(&[0], &[3])
        };
        let target = &mut self.slots[at].array;
        self.log.push(format!("fail into {at}"));
        if self.random.percent(30) {
            expression.eval_into(target).unwrap_err();
            return;
        }
        let encoder = self.some_encoder();
        let encoder = &mut self.open.get_mut(&encoder).unwrap().encoder;
        expression.encode_into(encoder, &mut self.slots[at].array).unwrap_err();
    }

    fn read(&mut self) {
        let at = self.slot();
        self.check(at);
    }

    fn check(&self, at: usize) {
        let read = self.slots[at].array.to_vec_blocking();
        match (&self.slots[at].cell.borrow().state, read) {
            (State::There(Elements::Are(elements)), Ok(read)) => {
                assert_eq!(read, elements, "slot {at}");
            }
            (State::There(Elements::Looped), Err(Error::Call { .. })) => {}
            (State::There(Elements::Lost), Err(Error::Device(_) | Error::Call { .. })) => {}
            (State::Never | State::Pending { .. }, Err(error)) => self.is_not_submitted(error),
            (state, read) => panic!("slot {at} is {read:?}, not {state:?}"),
        }
    }

    fn drop_or_export(&mut self) {
        let at = self.slot();
        if !self.random.percent(20) {
            self.log.push(format!("drop {at}"));
            self.slots.swap_remove(at);
            return;
        }
        let is_there = !matches!(
            self.slots[at].cell.borrow().state,
            State::Never | State::There(Elements::Lost)
        );
        if is_there {
            self.log.push(format!("export {at}"));
            self.slots[at].array.buffer().unwrap();
            self.slots[at].cell.borrow_mut().exported = true;
        }
    }

    fn end(&mut self) {
        while !self.open.is_empty() {
            self.settle();
        }
        (0..self.slots.len()).for_each(|at| self.check(at));
    }
}

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |number| number.parse().unwrap())
}

#[test]
fn arrays_and_encoders_are_those_of_a_model_on_the_host() {
    const ENDLESS: &str = "fn endless(x: f32) -> f32 {
        var n = 0.0;
        while (x == x) { n = n + 1.0; }
        return n;
    }";
    let endless = Function::wgsl(ENDLESS).unwrap().with_max_iterations(10);
    // One that maps arrays, if that suits the adapter, and one on a device without features.
    let contexts = [gpu(), foreign(&ContextOptions::default())];
    let first = number("INDIM_EMBEDDING_SEED", 0);
    let mut failed = Vec::new();
    for seed in first..first + number("INDIM_EMBEDDING_RUNS", RUNS / share::one_of(4) as u64) {
        let mut model = Model {
            gpu: &contexts[seed as usize % 2],
            endless: &endless,
            random: Random::new(seed),
            slots: Vec::new(),
            open: BTreeMap::new(),
            dropped: BTreeSet::new(),
            log: Vec::new(),
        };
        let run = std::panic::AssertUnwindSafe(|| {
            (0..STEPS).for_each(|_| model.step());
            model.end();
        });
        if std::panic::catch_unwind(run).is_err() {
            failed.push(seed);
            eprintln!("INDIM_EMBEDDING_SEED={seed}:\n{}", model.log.join("\n"));
        }
    }
    assert!(failed.is_empty(), "{} seeds: {failed:?}", failed.len());
}
