//! Steps of the model that record commands, submit encoders or drop them.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use indim::Array;

use super::formulas::{Elements, computation};
use super::{Cell, Model, Open, Slot, State};

impl Model<'_> {
    /// Records a computation whose results are new, or its operand as it is, or both.
    pub(super) fn encode(&mut self) {
        let encoder = self.some_encoder();
        let operands = self.operands(Some(encoder));
        let [has_sum, has_operand] =
            self.random.pick(&[[true, false], [false, true], [true, true]]);
        self.log.push(format!("encode {has_sum}, {has_operand} of {operands:?} in {encoder}"));
        let computation = computation(|builder, [a, b]| {
            let sum = builder.add(a, b, &[]).unwrap();
            [has_operand.then_some(a), has_sum.then_some(sum)].into_iter().flatten().collect()
        });
        let arrays = operands.map(|at| self.slots[at].array.clone());
        let arguments = [arrays[0].as_any(), arrays[1].as_any()];
        let open = self.open.get_mut(&encoder).unwrap();
        let encoded =
            computation.on(self.gpu, &arguments).and_then(|f| f.encode(&mut open.encoder));
        let [Some(a), Some(b)] = operands.map(|at| self.readable(at, Some(encoder))) else {
            return assert!(encoded.is_err());
        };
        let encoded = encoded.unwrap();
        let mut results: Vec<Array<f32>> =
            encoded.results().iter().map(|result| result.clone().downcast().unwrap()).collect();
        let mut rests_on: BTreeSet<u32> = a.rests_on.union(&b.rests_on).copied().collect();
        let open = self.open.get_mut(&encoder).unwrap();
        open.covered.extend(a.writer.iter().chain(&b.writer));
        open.rests_on.extend(&rests_on);
        rests_on.remove(&encoder);
        let writer = open.steps.len();
        open.steps.push(encoded);
        let cells = operands.map(|at| Rc::clone(&self.slots[at].cell));
        self.uses(encoder, &cells);
        if has_sum {
            let after = match (a.elements, b.elements) {
                (Elements::Are(a), Elements::Are(b)) => {
                    Elements::Are(std::array::from_fn(|i| a[i] + b[i]))
                }
                _ => Elements::Looped,
            };
            let state = State::Pending { encoder, before: None, after, rests_on, writer };
            let cell = Cell { state, exported: false, users: BTreeSet::new() };
            let cell = Rc::new(RefCell::new(cell));
            self.uses(encoder, &[Rc::clone(&cell)]);
            self.slots.push(Slot { array: results.pop().unwrap(), cell });
        }
        if has_operand {
            let [cell, _] = cells;
            self.slots.push(Slot { array: results.pop().unwrap(), cell });
        }
    }

    /// Submits an encoder, after those whose commands it rests on, or drops it.
    pub(super) fn settle(&mut self) {
        let numbers: Vec<u32> = self.open.keys().copied().collect();
        if numbers.is_empty() {
            return;
        }
        let number = self.random.pick(&numbers);
        if self.random.percent(30) { self.discard(number) } else { self.submit(number) }
    }

    fn discard(&mut self, number: u32) {
        self.log.push(format!("drop encoder {number}"));
        let Open { encoder, steps, cells, .. } = self.open.remove(&number).unwrap();
        if self.random.percent(50) {
            drop((steps, encoder))
        } else {
            drop((encoder, steps))
        }
        self.dropped.insert(number);
        for cell in cells {
            let mut cell = cell.borrow_mut();
            cell.users.remove(&number);
            match &cell.state {
                State::Pending { encoder, before, .. } if *encoder == number => {
                    cell.state = before.map_or(State::Never, State::There);
                }
                _ => {}
            }
        }
    }

    fn submit(&mut self, number: u32) {
        let mut waiting = self.closure(number);
        let all = waiting.clone();
        let (mut buffers, mut taken) = (Vec::new(), Vec::new());
        while let Some(&next) = waiting.iter().find(|&&number| {
            self.open[&number].rests_on.iter().all(|b| *b == number || !waiting.contains(b))
        }) {
            waiting.remove(&next);
            let Open { encoder, steps, covered, cells, .. } = self.open.remove(&next).unwrap();
            buffers.push(encoder.finish());
            taken.push((next, steps, covered, cells));
            // The rest is looked up below.
            if waiting.is_empty() {
                break;
            }
        }
        assert!(waiting.is_empty());
        self.log.push(format!("submit {all:?}"));
        self.gpu.queue().submit(buffers);
        if self.random.percent(30) {
            // They may have run before that is reported.
            self.gpu.wait().unwrap();
        }
        let says_all = self.random.percent(30);
        let is_covered =
            |step: &(u32, usize)| taken.iter().any(|(_, _, covered, _)| covered.contains(step));
        for (number, steps, _, _) in &taken {
            let said = |at: usize| says_all || !is_covered(&(*number, at));
            steps.iter().enumerate().filter(|(at, _)| said(*at)).for_each(|(_, s)| s.submitted());
        }
        for cell in taken.iter().flat_map(|(_, _, _, cells)| cells) {
            let mut cell = cell.borrow_mut();
            cell.users.retain(|user| !all.contains(user));
            match &cell.state {
                State::Pending { encoder, after, rests_on, .. } if all.contains(encoder) => {
                    let is_lost = rests_on.iter().any(|before| self.dropped.contains(before));
                    cell.state = State::There(if is_lost { Elements::Lost } else { *after });
                }
                _ => {}
            }
        }
    }
}
