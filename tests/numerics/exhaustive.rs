//! Tests every input of operations that have few: all 8- and 16-bit values through each operation
//! of one operand and each conversion, all pairs of 8-bit values through each operation of two,
//! against the oracle, which shares nothing with the library. Wider operands of conversions are the
//! property test's and the golden lines'.

use indim::plan::PlanLimits;
use indim::{Builder, Context, ContextOptions, ElementType, Error, Op, OpClass, Opcode};
use indim_testing::compute;
use indim_testing::contexts;
use indim_testing::host_array::HostArray;
use indim_testing::oracle::value::{Value, mask, width};
use indim_testing::oracle::{self, convert, float, format};
use indim_testing::share;

use ElementType::{Bf16, F16, Pred, S4, S8, S16, U4, U8, U16};

const NARROW: &[ElementType] = &[Pred, S4, S8, S16, U4, U8, U16, F16, Bf16];
/// All pairs of these are tried.
const OF_A_BYTE: &[ElementType] = &[Pred, S4, S8, U4, U8];

/// Every value of a type, in the order of its bits.
fn every_value(element_type: ElementType) -> HostArray {
    let bits: Vec<u64> = (0..=mask(element_type)).collect();
    HostArray { element_type, shape: vec![bits.len()], bits }
}

/// Runs operations and collects what is wrong with their results.
struct Check {
    context: Context,
    /// The number of results that were asked for.
    asked: usize,
    elements: u64,
    complaints: Vec<String>,
}

impl Check {
    fn new(options: ContextOptions) -> Self {
        let context = Context::blocking_with_options(options).expect("an adapter");
        Self { context, asked: 0, elements: 0, complaints: Vec::new() }
    }

    /// Computes one result of those that it is asked for, and compares with what the oracle says of each place of the result.
    fn results(
        &mut self,
        label: &str,
        operands: &[&HostArray],
        build: impl FnOnce(&mut Builder, &[Op]) -> Result<Op, Error>,
        want: impl Fn(usize) -> Value,
    ) {
        self.asked += 1;
        if !self.asked.is_multiple_of(share::one_of(32)) {
            return;
        }
        let got = compute::built(operands, build)
            .and_then(|computation| compute::run(&self.context, &computation, operands));
        let got = match got {
            Ok(got) => got,
            Err(error) => return self.complaints.push(format!("{label}: {error}")),
        };
        self.elements += got.bits.len() as u64;
        let wrong = |place: &usize| !want(*place).admits(got.bits[*place], got.element_type);
        let wrong: Vec<usize> = (0..got.bits.len()).filter(wrong).collect();
        if let Some(&first) = wrong.first() {
            let show = |value: Value| value.show(got.element_type);
            self.complaints.push(format!(
                "{label}: {} of {} are wrong, the first one at {first} (in bits {first:x}): {}, not {}",
                wrong.len(),
                got.bits.len(),
                show(Value::Bits(got.bits[first])),
                show(want(first)),
            ));
        }
    }

    fn report(self, least: u64) {
        println!("{} elements", self.elements);
        let text = self.complaints.join("\n");
        assert!(self.complaints.is_empty(), "{} are wrong:\n{text}", self.complaints.len());
        let least = least / share::one_of(32) as u64 / 2;
        assert!(self.elements >= least, "{} elements are fewer than {least}", self.elements);
    }
}

fn of_class<'a>(classes: &'a [OpClass], element: ElementType) -> impl Iterator<Item = Opcode> + 'a {
    let ops = Opcode::ALL.iter().copied();
    ops.filter(move |op| classes.contains(&op.class()) && op.accepts(element))
}

#[test]
fn operations_of_one_operand() {
    let mut check = Check::new(contexts::options());
    for &element in NARROW {
        let all = every_value(element);
        for opcode in of_class(&[OpClass::Unary], element) {
            check.results(
                &format!("{} of {element}", opcode.name()),
                &[&all],
                |b, x| b.unary(opcode, x[0]),
                |place| oracle::unary(opcode, element, Value::Bits(place as u64)),
            );
        }
    }
    check.report(60 << 16);
}

#[test]
fn pairs_of_bytes() {
    let mut check = Check::new(contexts::options());
    for &element in OF_A_BYTE {
        let all = every_value(element);
        let count = all.bits.len();
        let column = HostArray { shape: vec![count, 1], ..all.clone() };
        let row = HostArray { shape: vec![1, count], ..all };
        for opcode in of_class(&[OpClass::Binary, OpClass::Compare], element) {
            check.results(
                &format!("{} of {element}", opcode.name()),
                &[&column, &row],
                |b, x| b.binary(opcode, x[0], x[1], &[]),
                |place| {
                    let [lhs, rhs] = [place / count, place % count].map(|x| Value::Bits(x as u64));
                    oracle::binary(opcode, element, lhs, rhs)
                },
            );
        }
    }
    check.report(50 << 16);
}

/// Conversions and bitcasts, with 64-bit integers in the shader's type and as two words.
#[test]
fn conversions() {
    let mut words = contexts::options();
    let mut limits = PlanLimits::default();
    limits.tuning.int64 = false;
    words.plan_limits = Some(limits);
    for options in [contexts::options(), words] {
        let mut check = Check::new(options);
        let types = compute::supported(&check.context);
        for &from in NARROW {
            let all = every_value(from);
            for &to in &types {
                check.results(
                    &format!("{from} to {to}"),
                    &[&all],
                    |b, x| b.convert_element_type(x[0], to),
                    |place| convert::convert(from, to, Value::Bits(place as u64)),
                );
                bitcasts(&mut check, &all, to);
            }
        }
        check.report(130 << 16);
    }
}

fn bitcasts(check: &mut Check, all: &HostArray, to: ElementType) {
    let from = all.element_type;
    let pred_or_complex = |t| [Pred, ElementType::C64].contains(&t);
    if from != to && (pred_or_complex(from) || pred_or_complex(to)) {
        return;
    }
    let mut operand = all.clone();
    let joined = (width(to) / width(from)).max(1) as usize;
    if joined > 1 {
        operand.shape = vec![all.bits.len() / joined, joined];
    }
    let known: Vec<Value> = all.bits.iter().map(|&bits| Value::Bits(bits)).collect();
    let want = convert::bitcast(from, to, &known);
    check.results(
        &format!("{from} bitcast to {to}"),
        &[&operand],
        |b, x| b.bitcast_convert_type(x[0], to),
        |place| want[place],
    );
}

/// The operations that round F16 and BF16: each value with some of each sort.
#[test]
fn halves_with_some_others() {
    let mut check = Check::new(contexts::options());
    for element in [F16, Bf16] {
        let format = format::of(element).expect("a float");
        let others: Vec<u64> = [
            0.0,
            -0.0,
            1.0,
            -3.0,
            0.1,
            1e-3,
            777.0,
            -30_000.0,
            format.smallest(),
            -format.smallest_normal(),
            format.largest(),
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
        ]
        .map(|x| format.encode(x))
        .to_vec();
        let all = every_value(element);
        let (rows, columns) = (all.bits.len(), others.len());
        let column = HostArray { shape: vec![rows, 1], ..all.clone() };
        let row =
            HostArray { element_type: element, shape: vec![1, columns], bits: others.clone() };
        let pair = |place: usize| {
            (Value::Bits((place / columns) as u64), Value::Bits(others[place % columns]))
        };
        for opcode in of_class(&[OpClass::Binary, OpClass::Compare], element) {
            check.results(
                &format!("{} of {element}", opcode.name()),
                &[&column, &row],
                |b, x| b.binary(opcode, x[0], x[1], &[]),
                |place| oracle::binary(opcode, element, pair(place).0, pair(place).1),
            );
        }
        for &other in &others {
            let to = HostArray { element_type: element, shape: vec![], bits: vec![other] };
            check.results(
                &format!("NextAfter of {element} to {other:x}"),
                &[&all, &to],
                |b, x| b.next_after(x[0], x[1]),
                |place| float::next_after(format, Value::Bits(place as u64), Value::Bits(other)),
            );
        }
        for (exponent, mantissa) in [(5, 10), (8, 7), (4, 3), (5, 2), (3, 0), (1, 1), (30, 30)] {
            check.results(
                &format!("ReducePrecision of {element} to {exponent} and {mantissa} bits"),
                &[&all],
                |b, x| b.reduce_precision(x[0], exponent, mantissa),
                |place| {
                    let x = Value::Bits(place as u64);
                    float::reduce_precision(format, x, exponent, mantissa)
                },
            );
        }
    }
    check.report(400 << 16);
}
