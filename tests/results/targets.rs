//! Tests several results that are written to several existing arrays, by the context and in encoders,
//! against a copy on the host; and scalars that change from call to call.

use indim::{Array, ArrayError, Bound, Context, Error, Expr, Result};
use indim_testing::contexts::{dispatches, gpu, iota, values};
use indim_testing::random::Random;
use indim_testing::share;

use crate::several::{adam, all_contexts};

/// Random calls on each context; `INDIM_TARGETS` sets another number.
const CALLS: usize = 60;

/// Writes in an encoder that is submitted at once.
fn encode_into<'t>(
    gpu: &Context,
    bound: Bound<'_>,
    targets: impl indim::Targets<'t>,
) -> Result<()> {
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    let encoded = bound.encode_into(&mut encoder, targets)?;
    gpu.queue().submit([encoder.finish()]);
    encoded.submitted();
    Ok(())
}

#[test]
fn adams_step_in_place_is_one_kernel() -> Result<()> {
    let gpu = gpu();
    let count = 100_003;
    let data = |by: f32| iota(count).iter().map(|x| x * by + 0.25).collect::<Vec<_>>();
    let made = || [0.5, 0.125, 2.0, -0.75].map(|by| gpu.array([count], &data(by)).unwrap());
    let [p, m, v, g] = made();
    let due = indim::eval(adam([&p.expr(), &m.expr(), &v.expr(), &g.expr()]))?;
    let due = [due.0, due.1, due.2].map(|array| values(&array));
    for in_encoder in [false, true] {
        let [mut p, mut m, mut v, g] = made();
        gpu.wait()?;
        let before = gpu.memory().in_use;
        let bound = indim::bind(adam([&p.expr(), &m.expr(), &v.expr(), &g.expr()]))?;
        let run = || {
            let targets = (&mut p, &mut m, &mut v);
            if in_encoder {
                encode_into(&gpu, bound, targets).unwrap();
            } else {
                bound.eval_into(targets).unwrap();
            }
        };
        assert_eq!(dispatches(&gpu, run), 1);
        assert_eq!(gpu.memory().in_use, before, "in place");
        assert_eq!([&p, &m, &v].map(values), due);
    }
    Ok(())
}

#[test]
fn two_arrays_are_swapped_in_place() -> Result<()> {
    let gpu = gpu();
    let mut a = gpu.array([70], &iota(70))?;
    let mut b = gpu.array([70], &[0.5; 70])?;
    let bound = indim::bind((b.expr(), a.expr()))?;
    assert_eq!(dispatches(&gpu, || bound.eval_into((&mut a, &mut b)).unwrap()), 1);
    assert_eq!(values(&a), [0.5; 70]);
    assert_eq!(values(&b), iota(70));
    Ok(())
}

#[test]
fn one_value_in_two_targets_is_two_arrays() -> Result<()> {
    let gpu = gpu();
    for in_encoder in [false, true] {
        let mut a = gpu.array([70], &iota(70))?;
        let mut b = gpu.array([70], &[0.5; 70])?;
        let held = b.clone();
        let twice = &a * 2.0;
        let bound = indim::bind([twice.clone(), twice])?;
        if in_encoder {
            encode_into(&gpu, bound, (&mut a, &mut b))?;
        } else {
            bound.eval_into((&mut a, &mut b))?;
        }
        // Its buffer is given out, so that it is written in place.
        a.buffer()?;
        (&a * 0.0).eval_into(&mut a)?;
        assert_eq!(values(&a), [0.0; 70]);
        assert_eq!(values(&b), iota(70).iter().map(|x| x * 2.0).collect::<Vec<_>>());
        assert_eq!(values(&held), [0.5; 70]);
    }
    Ok(())
}

#[test]
fn values_of_several_results_reach_every_slice() -> Result<()> {
    let gpu = gpu();
    let x = gpu.array([40], &iota(40))?;
    let sine = x.expr().sin();
    let outer = sine.in_dim([1]) + gpu.full([3, 1], 0.5)?.expr();
    let due = indim::eval((&sine, &outer))?;
    let due = [values(&due.0), values(&due.1)];
    for in_encoder in [false, true] {
        let run = |bound: Bound<'_>, a: indim::ViewMut<'_, f32>, b: indim::ViewMut<'_, f32>| {
            if in_encoder { encode_into(&gpu, bound, (a, b)) } else { bound.eval_into((a, b)) }
        };
        // The second result is computed from the first one.
        let (mut a, mut b) = (gpu.full([64], 9.0)?, gpu.full([4, 64], 9.0)?);
        let bound = indim::bind((&sine, &outer))?;
        run(bound, a.slice_mut([7], [47])?, b.slice_mut([1, 3], [4, 43])?)?;
        assert_eq!(values(&a.expr().slice([7], [47]).eval()?), due[0], "{in_encoder}");
        assert_eq!(values(&b.expr().slice([1, 3], [4, 43]).eval()?), due[1], "{in_encoder}");
        // Both are the same value.
        let (mut a, mut b) = (gpu.full([64], 9.0)?, gpu.full([80], 9.0)?);
        let bound = indim::bind((&sine, &sine))?;
        run(bound, a.slice_mut([7], [47])?, b.slice_mut([40], [80])?)?;
        for (array, start) in [(&a, 7), (&b, 40)] {
            let part = array.expr().slice([start], [start + 40]).eval()?;
            assert_eq!(values(&part), due[0], "{in_encoder}, from {start}");
            let around = values(array).iter().filter(|&&x| x == 9.0).count();
            assert_eq!(around, array.shape().dims()[0] - 40, "{in_encoder}, from {start}");
        }
    }
    Ok(())
}

#[test]
fn targets_that_do_not_fit_are_refused() -> Result<()> {
    let gpu = gpu();
    let mut a = gpu.array([8], &iota(8))?;
    let mut c = gpu.array([8], &[1.0; 8])?;
    let one = || indim::bind((&a * 2.0, &a * 3.0));
    let error = one()?.eval_into(&mut c).unwrap_err();
    assert!(matches!(error, Error::Array(ArrayError::TargetCount { targets: 1, results: 2 })));
    assert_eq!(error.to_string(), "1 target given for 2 results");
    let bound = one()?;
    a.buffer()?;
    let mut same = a.clone();
    let error = bound.eval_into((&mut a, &mut same)).unwrap_err();
    assert!(matches!(error, Error::Array(ArrayError::SameTarget { first: 0, second: 1 })));
    assert!(error.to_string().starts_with("targets 0 and 1 share memory"), "{error}");
    assert_eq!(values(&a), iota(8));
    // Clones whose buffer is not known outside are two arrays.
    let mut other = c.clone();
    indim::bind((&c * 2.0, &c * 3.0))?.eval_into((&mut c, &mut other))?;
    assert_eq!((values(&c), values(&other)), (vec![2.0; 8], vec![3.0; 8]));
    Ok(())
}

/// An array with a copy on the host.
struct Slot {
    array: Array<f32>,
    host: Vec<f32>,
}

/// How a result reads an array.
#[derive(Clone, Copy, Debug)]
enum Read {
    InPlace,
    Reversed,
    Shifted,
}

impl Read {
    fn expr(self, array: &Array<f32>) -> Expr<f32> {
        match self {
            Self::InPlace => array.expr(),
            Self::Reversed => array.expr().reverse(&[0]),
            Self::Shifted => array.expr().roll(&[1], &[0]),
        }
    }

    fn host(self, values: &[f32]) -> Vec<f32> {
        let mut values = values.to_vec();
        match self {
            Self::InPlace => {}
            Self::Reversed => values.reverse(),
            Self::Shifted => values.rotate_right(1),
        }
        values
    }
}

/// Writes results that are sums of arrays to several of them at once.
fn random_call(gpu: &Context, random: &mut Random, what: &str) -> Result<()> {
    let count = random.pick(&[1, 5, 64, 301]);
    let mut slots: Vec<Slot> = (0..4)
        .map(|_| {
            let host: Vec<f32> = (0..count).map(|_| random.below(64) as f32).collect();
            Slot { array: gpu.array([count], &host).unwrap(), host }
        })
        .collect();
    let exported: Vec<bool> = slots.iter().map(|_| random.percent(15)).collect();
    for (slot, _) in slots.iter().zip(&exported).filter(|(_, exported)| **exported) {
        slot.array.buffer()?;
    }
    let clones: Vec<Option<Array<f32>>> =
        slots.iter().map(|slot| random.percent(20).then(|| slot.array.clone())).collect();
    let targets = 1 + random.below(3);
    let (mut exprs, mut due, mut reads) = (Vec::new(), Vec::new(), Vec::new());
    for target in 0..targets {
        let number = random.below(4);
        let few = if random.percent(50) { 1 } else { 3 };
        let read = random.pick(&[Read::InPlace, Read::Reversed, Read::Shifted][..few]);
        let by = 1.0 + random.below(5) as f32;
        reads.push((number, read, by));
        exprs.push(read.expr(&slots[number].array) * by + &slots[target].array);
        let own = &slots[target].host;
        let sum = read.host(&slots[number].host).into_iter().zip(own).map(|(x, y)| x * by + y);
        due.push(sum.collect::<Vec<f32>>());
    }
    let before: Vec<Vec<f32>> = slots.iter().map(|slot| slot.host.clone()).collect();
    // The last target may be a part: its first elements.
    let part = random.percent(30).then(|| random.below(count + 1));
    if let Some(part) = part {
        let last = exprs.len() - 1;
        exprs[last] = exprs[last].slice(&[0], &[part as i64]);
    }
    let bound = indim::bind(exprs)?;
    let mut views = Vec::new();
    for (number, slot) in slots.iter_mut().take(targets).enumerate() {
        let end = part.filter(|_| number == targets - 1).unwrap_or(count);
        views.push(slot.array.slice_mut([0], [end as i64])?);
        slot.host[..end].copy_from_slice(&due[number][..end]);
    }
    let in_encoder = random.percent(50);
    let what = format!(
        "{what}: {count} elements, {reads:?}, part {part:?}, exported {exported:?}, clones {:?}, in an \
         encoder: {in_encoder}",
        clones.iter().map(Option::is_some).collect::<Vec<_>>(),
    );
    let written = if in_encoder { encode_into(gpu, bound, views) } else { bound.eval_into(views) };
    written.unwrap_or_else(|error| panic!("{error}: {what}"));
    for (number, (slot, clone)) in slots.iter().zip(clones).enumerate() {
        assert_eq!(values(&slot.array), slot.host, "array {number}: {what}");
        if let Some(clone) = clone {
            let held = if exported[number] { &slot.host } else { &before[number] };
            assert_eq!(values(&clone), *held, "clone of {number}: {what}");
        }
    }
    Ok(())
}

#[test]
fn random_targets_have_the_values_of_the_host() -> Result<()> {
    let calls = std::env::var("INDIM_TARGETS");
    let calls =
        calls.map_or(CALLS / share::one_of(8), |text| text.parse().expect("a number of calls"));
    for (context, gpu) in all_contexts().iter().enumerate() {
        let random = &mut Random::new(20_261_124 + context as u64);
        for call in 0..calls {
            random_call(gpu, random, &format!("context {context}, call {call}"))?;
        }
    }
    Ok(())
}

#[test]
fn scalars_that_change_take_no_new_kernel() -> Result<()> {
    let gpu = gpu();
    let x = gpu.array([40], &iota(40))?;
    let step = |by: f32| (&x * by + 1.0).clamp(by, 30.0);
    let due =
        |by: f32| iota(40).iter().map(|x| (x * by + 1.0).max(by).min(30.0)).collect::<Vec<_>>();
    let mut target = gpu.array([40], &[0.0; 40])?;
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    // Two values, since constants of one value are one.
    step(2.0).eval_into(&mut target)?;
    step(2.0).encode_into(&mut encoder, &mut target)?.submitted();
    step(3.0).encode_into(&mut encoder, &mut target)?.submitted();
    gpu.queue().submit([encoder.finish()]);
    gpu.wait()?;
    let before = gpu.stats();
    for by in [4.0, 0.5, -3.0, 7.0] {
        step(by).eval_into(&mut target)?;
        assert_eq!(values(&target), due(by), "by {by}");
    }
    // All in one encoder, each with its own value.
    let mut targets: Vec<Array<f32>> =
        (0..4).map(|_| gpu.array([40], &[0.0; 40]).unwrap()).collect();
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    let mut encoded = Vec::new();
    for (target, by) in targets.iter_mut().zip([5.0, 6.0, -1.0, 0.25]) {
        encoded.push(step(by).encode_into(&mut encoder, target)?);
    }
    gpu.queue().submit([encoder.finish()]);
    encoded.iter().for_each(|encoded| encoded.submitted());
    for (target, by) in targets.iter().zip([5.0, 6.0, -1.0, 0.25]) {
        assert_eq!(values(target), due(by), "by {by}");
    }
    assert_eq!(gpu.stats().compilations, before.compilations);
    Ok(())
}

#[test]
fn constants_of_all_widths_change() -> Result<()> {
    let gpu = gpu();
    let long = gpu.array([3], &[1_i64, -2, 3])?;
    let narrow = gpu.array([3], &[1_u8, 2, 3])?;
    for by in [1_i64 << 40, -7, 3] {
        assert_eq!((&long * by).eval()?.to_vec_blocking()?, [by, -2 * by, 3 * by]);
    }
    for by in [3_u8, 50, 1] {
        assert_eq!(
            (&narrow * by + 1_u8).eval()?.to_vec_blocking()?,
            [by + 1, 2 * by + 1, 3 * by + 1]
        );
    }
    // The part of an array whose rows are widened has bounds of its own among the constants.
    let mut target = gpu.array([2, 7], &[0_u32; 14])?;
    let source = gpu.array([2, 5], &[1_u32; 10])?;
    for by in [5_u32, 1, 6] {
        (&source * by).eval_into(target.slice_mut([0, 1], [2, 6])?)?;
        let row = [0, by, by, by, by, by, 0];
        assert_eq!(target.to_vec_blocking()?, [row, row].concat());
    }
    Ok(())
}

#[test]
fn expressions_of_types_known_at_run_time_are_written_in_place() -> Result<()> {
    let gpu = gpu();
    let array = gpu.array([50], &iota(50))?;
    let mut x = array.as_any().clone();
    drop(array);
    let twice = |x: &indim::AnyArray| {
        let two = indim::AnyExpr::constant(indim::Scalar::new(2.0_f32));
        indim::AnyExpr::binary(indim::Opcode::Mul, &x.into(), &two, &[])
    };
    gpu.wait()?;
    let before = gpu.memory().in_use;
    let expr = twice(&x)?.named("twice");
    assert_eq!(expr.explain()?.kernels.len(), 1);
    assert_eq!(dispatches(&gpu, || expr.eval_into(&mut x).unwrap()), 1);
    assert_eq!(gpu.memory().in_use, before, "in place");
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    let encoded = twice(&x)?.encode_into(&mut encoder, &mut x)?;
    gpu.queue().submit([encoder.finish()]);
    encoded.submitted();
    let eighth = twice(&x)?.eval()?.downcast::<f32>()?;
    assert_eq!(values(&eighth), iota(50).iter().map(|x| x * 8.0).collect::<Vec<_>>());
    let x = x.downcast::<f32>()?;
    assert_eq!(values(&x), iota(50).iter().map(|x| x * 4.0).collect::<Vec<_>>());
    Ok(())
}
