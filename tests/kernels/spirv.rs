//! Tests every operation on every element type that XLA accepts it on: there is a kernel, SPIR-V of
//! it is valid by `spirv-val`, and it computes what it should on some operands.
//!
//! naga's validation is not enough: it passes functions of 64-bit floats that SPIR-V does not have.
//! The operations come from `indim_testing::xla`, so that one that the library's table lacks, or
//! refuses for a type, is found.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::Mutex;

use indim::plan::PlanLimits;
use indim::{Builder, Computation, Context, ElementType, Error, Op, OpClass, Opcode};
use indim_testing::host_array::HostArray;
use indim_testing::oracle::value::{Value, width};
use indim_testing::oracle::{self, convert};
use indim_testing::samples::samples;
use indim_testing::{compute, contexts, operations, share, xla};
use naga::back::spv;
use naga::valid::{Capabilities, ValidationFlags, Validator};

use ElementType::{C64, F64, Pred, U8};

/// A computation with some operands, and what it should give.
struct Case {
    label: String,
    operands: Vec<HostArray>,
    computation: Computation,
    want: Vec<Value>,
}

fn array(element_type: ElementType, shape: &[usize], bits: Vec<u64>) -> HostArray {
    HostArray { element_type, shape: shape.to_vec(), bits }
}

fn case(
    label: String,
    operands: Vec<HostArray>,
    want: Vec<Value>,
    build: impl FnOnce(&mut Builder, &[Op]) -> Result<Op, Error>,
) -> Case {
    let references: Vec<&HostArray> = operands.iter().collect();
    let computation = compute::built(&references, build)
        .unwrap_or_else(|error| panic!("{label} is accepted, and yet: {error}"));
    Case { label, operands, computation, want }
}

/// The cases of one operation and type; several where it goes to other types.
fn cases(opcode: Opcode, element: ElementType) -> Vec<Case> {
    let bits = samples(element);
    let count = bits.len();
    let known: Vec<Value> = bits.iter().map(|&bits| Value::Bits(bits)).collect();
    let turned: Vec<u64> = bits.iter().rev().copied().collect();
    let x = || array(element, &[count], bits.clone());
    let y = || array(element, &[count], turned.clone());
    let back = |place: usize| known[count - 1 - place];
    let each = |f: &dyn Fn(usize) -> Value| -> Vec<Value> { (0..count).map(f).collect() };
    let label = format!("{} of {element}", opcode.name());
    let only = match opcode.class() {
        _ if operations::is_elementwise(opcode) => {
            let preds = samples(Pred);
            let top = || array(element, &[], vec![bits[0]]);
            let operands = match opcode {
                Opcode::Select => vec![array(Pred, &[count], preds), x(), y()],
                Opcode::Clamp => vec![y(), x(), top()],
                _ => [x(), y()].into_iter().take(operations::operand_count(opcode)).collect(),
            };
            let want = each(&|i| {
                let at =
                    |x: &HostArray| Value::Bits(x.bits[if x.shape.is_empty() { 0 } else { i }]);
                let at: Vec<Value> = operands.iter().map(at).collect();
                oracle::elementwise(opcode, element, &at)
            });
            case(label, operands, want, |b, x| operations::elementwise(b, opcode, x))
        }
        OpClass::Convert if opcode == Opcode::BitcastConvertType => return bitcasts(element),
        OpClass::Convert => return conversions(element, &bits),
        OpClass::Broadcast => {
            let want = each(&|_| known[3]);
            let scalar = array(element, &[], vec![bits[3]]);
            case(label, vec![scalar], want, |b, x| match opcode {
                Opcode::Broadcast => b.broadcast(x[0], &[count as i64]),
                _ => b.broadcast_in_dim(x[0], &[count as i64], &[]),
            })
        }
        OpClass::View => {
            let want = each(&back);
            case(label, vec![x()], want, |b, x| view(b, opcode, x[0], count as i64))
        }
        OpClass::Move => {
            // Each element goes one further; what comes first is the last one, or the padding.
            let first = if opcode == Opcode::Pad { 0 } else { count - 1 };
            let want = each(&|i| known[i.checked_sub(1).unwrap_or(first)]);
            case(label, vec![x()], want, |b, x| moved(b, opcode, x[0], count as i64))
        }
        OpClass::Take => {
            let want = each(&back);
            let last_first = array(U8, &[count], (0..count as u64).rev().collect());
            case(label, vec![x(), last_first], want, |b, x| match opcode {
                Opcode::Take => b.take(x[0], x[1], 0),
                _ => b.take_along_dimension(x[0], x[1], 0),
            })
        }
        OpClass::Reduce => {
            // Of one element each, and a sum begins with 0.
            let zero = Value::Bits(0);
            let want = each(&|i| match opcode {
                Opcode::ReduceSum => oracle::binary(Opcode::Add, element, zero, known[i]),
                Opcode::ReduceProd if element == C64 => Value::Unknown,
                _ => known[i],
            });
            case(label, vec![x()], want, |b, x| {
                let column = b.reshape(x[0], &[count as i64, 1])?;
                b.reduce(opcode, column, [1])
            })
        }
        _ => nullary(label, opcode, element, &bits),
    };
    vec![only]
}

/// All of them backwards: of these operations only Reverse does it alone.
fn view(b: &mut Builder, opcode: Opcode, x: Op, count: i64) -> Result<Op, Error> {
    let x = match opcode {
        Opcode::Transpose => {
            let matrix = b.reshape(x, &[2, count / 2])?;
            let matrix = b.transpose(matrix, &[1, 0])?;
            let matrix = b.transpose(matrix, &[1, 0])?;
            b.reshape(matrix, &[count])?
        }
        Opcode::Slice => b.slice(x, &[0], &[count], &[1])?,
        Opcode::Reshape => {
            let matrix = b.reshape(x, &[2, count / 2])?;
            b.reshape(matrix, &[count])?
        }
        _ => x,
    };
    b.reverse(x, &[0])
}

/// Each element one further.
fn moved(b: &mut Builder, opcode: Opcode, x: Op, count: i64) -> Result<Op, Error> {
    match opcode {
        Opcode::Roll => b.roll(x, &[1], &[0]),
        Opcode::Concatenate => {
            let last = b.slice(x, &[count - 1], &[count], &[1])?;
            let others = b.slice(x, &[0], &[count - 1], &[1])?;
            b.concatenate(&[last, others], 0)
        }
        _ => {
            let first = b.slice(x, &[0], &[1], &[1])?;
            let first = b.reshape(first, &[])?;
            b.pad(x, first, &[1], &[-1], &[0])
        }
    }
}

/// Parameters and constants in a kernel that copies them.
fn nullary(label: String, opcode: Opcode, element: ElementType, bits: &[u64]) -> Case {
    let count = bits.len();
    let known = bits.iter().map(|&bits| Value::Bits(bits));
    match opcode {
        Opcode::Parameter => {
            let operand = array(element, &[count], bits.to_vec());
            case(label, vec![operand], known.rev().collect(), |b, x| b.reverse(x[0], &[0]))
        }
        Opcode::Constant => {
            let want = vec![Value::Bits(bits[0]); count];
            case(label, vec![], want, |b, _| {
                let constant = b.constant(indim::Scalar::from_bits(element, bits[0]))?;
                b.broadcast(constant, &[count as i64])
            })
        }
        _ => {
            let want = (0..20).map(|place| convert::counted(element, place)).collect();
            case(label, vec![], want, |b, _| b.iota(element, &[20], 0))
        }
    }
}

fn conversions(from: ElementType, bits: &[u64]) -> Vec<Case> {
    let to_type = |&to: &ElementType| {
        let want = bits.iter().map(|&bits| convert::convert(from, to, Value::Bits(bits))).collect();
        let operand = array(from, &[bits.len()], bits.to_vec());
        case(format!("{from} to {to}"), vec![operand], want, |b, x| {
            // A conversion from one type to itself would leave nothing to compute.
            let x = b.reverse(x[0], &[0])?;
            let x = b.convert_element_type(x, to)?;
            b.reverse(x, &[0])
        })
    };
    ElementType::ALL.iter().map(to_type).collect()
}

fn bitcasts(from: ElementType) -> Vec<Case> {
    let apart =
        |to: &&ElementType| from == **to || ![from, **to].iter().any(|t| [Pred, C64].contains(t));
    let to_type = |&to: &ElementType| {
        let joined = (width(to) / width(from)).max(1) as usize;
        let split = (width(from) / width(to)).max(1) as i64;
        let rows = 3;
        let samples = samples(from);
        let bits: Vec<u64> = samples.into_iter().cycle().take(rows * joined).collect();
        let known: Vec<Value> = bits.iter().map(|&bits| Value::Bits(bits)).collect();
        let shape = if joined > 1 { vec![rows, joined] } else { vec![rows] };
        let operand = array(from, &shape, bits);
        let want = convert::bitcast(from, to, &known);
        case(format!("{from} bitcast to {to}"), vec![operand], want, |b, x| {
            // So that there is a kernel where the bits are only seen otherwise.
            let turned = b.reverse(x[0], &[0])?;
            let cast = b.bitcast_convert_type(turned, to)?;
            let flat = b.reshape(cast, &[rows as i64, split])?;
            let back = b.reverse(flat, &[0])?;
            b.reshape(back, &[rows as i64 * split])
        })
    };
    ElementType::ALL.iter().filter(apart).map(to_type).collect()
}

/// The choices for a CPU, with the shader's 64-bit integers, and those for a GPU, with two words
/// instead.
fn plans() -> [PlanLimits; 2] {
    [PlanLimits::for_cpu(true), PlanLimits::default()]
}

#[test]
fn every_kernel_is_valid_spir_v() {
    let mut kernels = BTreeSet::new();
    let mut count = 0;
    for (opcode, element) in xla::accepted().iter().copied() {
        for Case { label, computation, .. } in cases(opcode, element) {
            for limits in plans() {
                let explanation = limits
                    .explain(&computation)
                    .unwrap_or_else(|error| panic!("{label} has no kernel: {error}"));
                assert!(!explanation.kernels.is_empty(), "{label} has no kernel");
                for kernel in explanation.kernels {
                    count += 1;
                    kernels.insert((kernel.wgsl, label.clone()));
                }
            }
        }
    }
    // Each distinct text is checked once.
    let mut seen = BTreeSet::new();
    let kernels: Vec<_> =
        kernels.into_iter().filter(|(wgsl, _)| seen.insert(wgsl.clone())).collect();
    let complaints = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for part in kernels.chunks(kernels.len().div_ceil(threads)) {
            let complaints = &complaints;
            scope.spawn(move || {
                for (wgsl, label) in part {
                    if let Err(text) = spirv_of(wgsl).and_then(|words| validate(&words)) {
                        let mut complaints = complaints.lock().expect("no thread panics");
                        complaints.push(format!("{label}: {text}\n{wgsl}"));
                    }
                }
            });
        }
    });
    println!("{count} kernels, {} of them different", kernels.len());
    let complaints = complaints.into_inner().expect("no thread panics");
    let first = complaints.first().map_or("", String::as_str);
    assert!(complaints.is_empty(), "{} are not valid; the first is {first}", complaints.len());
    assert!(count > 2_000, "{count} kernels");
}

/// As wgpu has it written for Vulkan 1.1.
fn spirv_of(wgsl: &str) -> Result<Vec<u32>, String> {
    let module = naga::front::wgsl::parse_str(wgsl).map_err(|e| e.emit_to_string(wgsl))?;
    let capabilities = Capabilities::SHADER_INT64 | Capabilities::FLOAT64;
    let info = Validator::new(ValidationFlags::all(), capabilities)
        .validate(&module)
        .map_err(|e| e.emit_to_string(wgsl))?;
    let options = spv::Options { lang_version: (1, 3), ..Default::default() };
    spv::write_vec(&module, &info, &options, None).map_err(|e| e.to_string())
}

/// Returns what `spirv-val` says.
fn validate(words: &[u32]) -> Result<(), String> {
    let missing = |error| {
        panic!(
            "spirv-val cannot be started ({error}); it is in the package spirv-tools of Debian, \
             Ubuntu, Fedora, Alpine and Arch, in Homebrew's of that name, and in the Vulkan SDK"
        )
    };
    let mut child = Command::new("spirv-val")
        .args(["--target-env", "vulkan1.1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(missing);
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let written = child.stdin.take().map(|mut input| input.write_all(&bytes));
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    if output.status.success() && matches!(written, Some(Ok(()))) {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    Err(String::from_utf8_lossy(&said).into_owned())
}

/// With 64-bit integers as the adapter has them, and as two words.
#[test]
#[ignore = "long: in `.ci/run`"]
fn every_kernel_runs() {
    let with = |plan_limits| {
        let mut options = contexts::options();
        options.plan_limits = plan_limits;
        Context::blocking_with_options(options).expect("an adapter")
    };
    let contexts = [with(None), with(Some(PlanLimits::default()))];
    let types = compute::supported(&contexts[0]);
    let mut complaints = Vec::new();
    let (mut asked, mut count) = (0, 0);
    for (opcode, element) in xla::accepted().iter().copied() {
        for case in cases(opcode, element) {
            asked += 1;
            if !usize::is_multiple_of(asked, share::one_of(32)) {
                continue;
            }
            let there = |t: ElementType| types.contains(&t);
            if !there(element) || !there(case.computation.element_type()) {
                assert!(element == F64 || case.computation.element_type() == F64);
                continue;
            }
            // The second one where it makes a difference.
            let long = |t: ElementType| [ElementType::S64, ElementType::U64].contains(&t);
            let both = long(element) || long(case.computation.element_type());
            for context in &contexts[..if both { 2 } else { 1 }] {
                count += 1;
                complaints.extend(complaint(context, &case));
            }
        }
    }
    println!("{count} kernels ran");
    assert!(complaints.is_empty(), "{} are wrong:\n{}", complaints.len(), complaints.join("\n"));
}

fn complaint(context: &Context, case: &Case) -> Option<String> {
    let Case { label, operands, computation, want } = case;
    let operands: Vec<&HostArray> = operands.iter().collect();
    let got = match compute::run(context, computation, &operands) {
        Ok(got) => got,
        Err(error) => return Some(format!("{label}: {error}")),
    };
    let element = got.element_type;
    let right = |(value, &bits): (&Value, &u64)| value.admits(bits, element);
    if got.bits.len() == want.len() && want.iter().zip(&got.bits).all(right) {
        return None;
    }
    let shown: Vec<String> = want.iter().map(|value| value.show(element)).collect();
    let got: Vec<String> = got.bits.iter().map(|&bits| Value::Bits(bits).show(element)).collect();
    Some(format!("{label}: expected {}\n  got {}", shown.join(", "), got.join(", ")))
}
