//! Tests kernels without an adapter: each validates through naga, and the parameter block that the
//! host fills lies as WGSL says.

use indim::plan::{Access, Half, PlanLimits, Rounding, Schedule};
use indim::{Builder, ElementType, Op, OpClass, Opcode, Scalar};
use indim_testing::{operations, share};
use naga::valid::{Capabilities, ValidationFlags, Validator};

fn validate(wgsl: &str) -> naga::Module {
    validate_with(wgsl, Capabilities::SHADER_INT64 | Capabilities::FLOAT64)
}

fn validate_with(wgsl: &str, capabilities: Capabilities) -> naga::Module {
    let module = naga::front::wgsl::parse_str(wgsl)
        .unwrap_or_else(|e| panic!("{}\n{wgsl}", e.emit_to_string(wgsl)));
    Validator::new(ValidationFlags::all(), capabilities)
        .validate(&module)
        .unwrap_or_else(|e| panic!("{}\n{wgsl}", e.emit_to_string(wgsl)));
    module
}

/// Result shape, and the operands' shapes with their dimensions in it, one a schedule.
const SPACES: [([usize; 2], Schedule); 3] =
    [([1, 7], Schedule::Flat), ([5, 16], Schedule::Rows), ([5, 7], Schedule::Periods)];

/// An operand of this type: number 0 is the whole array, 1 a column, 2 a row, then constants.
fn operand(b: &mut Builder, ty: ElementType, [rows, columns]: [usize; 2], number: usize) -> Op {
    let out = [rows as i64, columns as i64];
    match number {
        0 => b.parameter(ty, [rows, columns]).unwrap(),
        1 => {
            let column = b.parameter(ty, [rows]).unwrap();
            b.broadcast_in_dim(column, &out, &[0]).unwrap()
        }
        _ => {
            let row = b.parameter(ty, [columns]).unwrap();
            b.broadcast_in_dim(row, &out, &[1]).unwrap()
        }
    }
}

/// Returns what each operand is, by the numbers of [`operand`], for operations of `count` operands.
fn orders(count: usize) -> Vec<Vec<usize>> {
    let rows: &[&[usize]] = match count {
        1 => &[&[0], &[1], &[2]],
        2 => &[&[0, 1], &[1, 2], &[2, 0], &[1, 1]],
        _ => &[&[0, 1, 2], &[1, 2, 0], &[2, 0, 1], &[2, 2, 2]],
    };
    rows.iter().map(|order| order.to_vec()).collect()
}

/// Every application of `opcode` that is accepted of these types, over operands of every access
/// mode.
fn applications(
    opcode: Opcode,
    types: &[ElementType],
    space: [usize; 2],
) -> Vec<(String, indim::Computation)> {
    let mut all = Vec::new();
    for &ty in types {
        let mut finish = |label: String, build: &mut dyn FnMut(&mut Builder) -> Op| {
            let mut b = Builder::new();
            let root = build(&mut b);
            all.push((label, b.build(root).unwrap()));
        };
        let label = format!("{opcode:?} {ty} {space:?}");
        match opcode.class() {
            _ if operations::is_elementwise(opcode) && opcode.accepts(ty) => {
                for order in orders(operations::operand_count(opcode)) {
                    finish(format!("{label} {order:?}"), &mut |b| {
                        let operand = |(place, &number)| {
                            let ty = operations::operand_type(opcode, ty, place);
                            operand(b, ty, space, number)
                        };
                        let operands: Vec<Op> = order.iter().enumerate().map(operand).collect();
                        operations::elementwise(b, opcode, &operands).unwrap()
                    });
                }
            }
            OpClass::Convert => {
                for (place, &to) in ElementType::ALL.iter().enumerate() {
                    // Other widths change the shape, and have a test of their own.
                    let alone = |t: ElementType| matches!(t, ElementType::Pred | ElementType::C64);
                    let same = ty == to || (ty.bits() == to.bits() && !alone(ty) && !alone(to));
                    if opcode == Opcode::BitcastConvertType && !same {
                        continue;
                    }
                    // How an operand is loaded has nothing to do with the type that it becomes, so
                    // that each of the many pairs has one way to load it.
                    let number = (ty.bits() + place) % 3;
                    finish(format!("{label} to {to} {number}"), &mut |b| {
                        let x = operand(b, ty, space, number);
                        operations::conversion(b, opcode, x, to).unwrap()
                    });
                }
            }
            OpClass::Broadcast => {
                finish(label, &mut |b| {
                    let x = b.parameter(ty, [1]).unwrap();
                    let out = space.map(|d| d as i64);
                    match opcode {
                        Opcode::Broadcast => b.broadcast(x, &out).unwrap(),
                        _ => b.broadcast_in_dim(x, &out, &[0]).unwrap(),
                    }
                });
            }
            OpClass::View => {
                finish(label, &mut |b| {
                    let [rows, columns] = space.map(|size| size as i64);
                    let turned = b.parameter(ty, [space[1], space[0]]).unwrap();
                    let larger = b.parameter(ty, [space[0] + 1, 2 * space[1]]).unwrap();
                    let limits = [rows + 1, 2 * columns];
                    match opcode {
                        Opcode::Transpose => b.transpose(turned, &[1, 0]).unwrap(),
                        Opcode::Slice => b.slice(larger, &[1, 0], &limits, &[1, 2]).unwrap(),
                        Opcode::Reverse => b.reverse(turned, &[0, 1]).unwrap(),
                        _ => {
                            // A reshape of the parameter alone would be that parameter.
                            let x = b.reverse(turned, &[0, 1]).unwrap();
                            b.reshape(x, &[rows, columns]).unwrap()
                        }
                    }
                });
            }
            OpClass::Move | OpClass::Take => {
                finish(label, &mut |b| {
                    let x = b.parameter(ty, space).unwrap();
                    operations::movement(b, opcode, x, space.map(|size| size as i64)).unwrap()
                });
            }
            OpClass::Reduce if opcode.accepts(ty) => {
                for dimensions in [&[0][..], &[1], &[0, 1]] {
                    finish(format!("{label} {dimensions:?}"), &mut |b| {
                        let x = b.parameter(ty, space).unwrap();
                        b.reduce(opcode, x, dimensions).unwrap()
                    });
                }
            }
            OpClass::Nullary if opcode == Opcode::Iota && opcode.accepts(ty) => {
                for dimension in 0..2 {
                    finish(format!("{label} {dimension}"), &mut |b| {
                        b.iota(ty, &space.map(|d| d as i64), dimension).unwrap()
                    });
                }
            }
            OpClass::Nullary if opcode == Opcode::Constant => {
                finish(label, &mut |b| {
                    let c = b.constant(Scalar::from_bits(ty, 1)).unwrap();
                    b.broadcast(c, &space.map(|d| d as i64)).unwrap()
                });
            }
            _ => {}
        }
    }
    all
}

#[test]
fn every_op_and_type_pair_validates() {
    let mut count = 0;
    let mut schedules = std::collections::BTreeSet::new();
    let mut accesses = std::collections::BTreeSet::new();
    for &opcode in Opcode::ALL {
        let before = count;
        for (space, _) in SPACES {
            for (label, computation) in applications(opcode, ElementType::ALL, space) {
                let explanation = PlanLimits::default().explain(&computation).unwrap();
                let software = PlanLimits::for_cpu(true).explain(&computation).unwrap();
                for kernel in explanation.kernels.iter().chain(&software.kernels) {
                    schedules.insert(kernel.schedule.to_string());
                    accesses.extend(kernel.operands.iter().map(|o| o.access.to_string()));
                    if count % share::one_of(10) == 0 {
                        let result = std::panic::catch_unwind(|| validate(&kernel.wgsl));
                        assert!(result.is_ok(), "{label}");
                    }
                    count += 1;
                }
            }
        }
        // A parameter is an operand of the others; alone it needs no kernel.
        assert!(count > before || opcode == Opcode::Parameter, "no kernel of {opcode:?}");
    }
    println!("{count} kernels");
    // The sizes that a pad makes of them are those of no other operation.
    assert_eq!(schedules.len(), 6, "{schedules:?}");
    assert_eq!(accesses.len(), 6, "{accesses:?}");
}

/// Few adapters have 64-bit floats, so that here is where their quotients and roots are parsed.
#[test]
fn every_way_of_dividing_validates() {
    let float64 = Capabilities::FLOAT64;
    for (division, capabilities, quotient, root) in [
        (Rounding::Native, Capabilities::empty(), "return a / b;", "return sqrt(x);"),
        (Rounding::ThroughF64, float64, "f64(a) / f64(b)", "sqrt(f64(x))"),
        (Rounding::ByIntegers, Capabilities::empty(), "fn xla_quotient(", "fn xla_root("),
    ] {
        let (mut quotients, mut roots) = (0, 0);
        let mut limits = PlanLimits::default();
        let arithmetic = limits.arithmetic.get_or_insert_default();
        (arithmetic.division, arithmetic.square_root) = (division, division);
        for &opcode in Opcode::ALL {
            for (label, computation) in applications(opcode, &[ElementType::F32], SPACES[1].0) {
                // This kernel needs 64-bit floats however it divides.
                if label.contains("to f64") {
                    continue;
                }
                for kernel in limits.explain(&computation).unwrap().kernels {
                    let result = std::panic::catch_unwind(|| {
                        validate_with(&kernel.wgsl, capabilities);
                    });
                    assert!(result.is_ok(), "{division}: {label}");
                    quotients += usize::from(kernel.wgsl.contains(quotient));
                    roots += usize::from(kernel.wgsl.contains(root));
                }
            }
        }
        assert!(quotients > 20 && roots > 10, "{division}: {quotients} quotients, {roots} roots");
    }
}

/// Sums and products of F16 are computed in the shader's 16-bit floats.
#[test]
fn kernels_in_native_f16_validate() {
    let mut limits = PlanLimits::for_cpu(true);
    limits.arithmetic.get_or_insert_default().half = Half::Native;
    let capabilities =
        Capabilities::SHADER_INT64 | Capabilities::SHADER_FLOAT16 | Capabilities::SHADER_INT16;
    for (space, _) in SPACES {
        let mut b = Builder::new();
        let [x, y, z] = [0, 1, 2].map(|number| operand(&mut b, ElementType::F16, space, number));
        let product = b.mul(x, y, &[]).unwrap();
        let sum = b.add(product, z, &[]).unwrap();
        let constant = b.constant(Scalar::new(half::f16::from_f32(0.1))).unwrap();
        let difference = b.sub(sum, constant, &[]).unwrap();
        for kernel in limits.explain(&b.build(difference).unwrap()).unwrap().kernels {
            assert!(kernel.wgsl.contains("enable f16;") && kernel.wgsl.contains("f16>"));
            validate_with(&kernel.wgsl, capabilities);
        }
    }
}

#[test]
fn limits_of_zero_are_no_trouble() {
    let mut b = Builder::new();
    let x = operand(&mut b, ElementType::F32, [5, 8], 0);
    let computation = b.exp(x).and_then(|e| b.build(e)).unwrap();
    let mut limits = PlanLimits::default();
    limits.device.max_storage_buffers_per_shader_stage = 0;
    limits.device.max_compute_workgroups_per_dimension = 0;
    limits.tuning.max_ops_per_kernel = 0;
    limits.device.max_uniform_bytes = 0;
    limits.tuning.workgroup_size = 0;
    limits.tuning.tile_rows = 0;
    limits.tuning.short_row_tile = 0;
    limits.tuning.quads_per_unit = 0;
    limits.tuning.quads_per_invocation = 0;
    limits.tuning.unroll = 0;
    for kernel in limits.explain(&computation).unwrap().kernels {
        validate(&kernel.wgsl);
    }
}

#[test]
fn schedules_follow_the_inner_size() {
    for (space, schedule) in SPACES {
        let mut b = Builder::new();
        let (x, y) = (
            operand(&mut b, ElementType::F32, space, 0),
            operand(&mut b, ElementType::F32, space, 1),
        );
        let sum = b.add(x, y, &[]).unwrap();
        let explanation = PlanLimits::default().explain(&b.build(sum).unwrap()).unwrap();
        assert_eq!(explanation.kernels.len(), 1);
        assert_eq!(explanation.kernels[0].schedule, schedule);
        assert_eq!(explanation.kernels[0].operands[0].access, Access::Contiguous);
    }
}

/// The host writes the block as consecutive words; naga must read each member there.
#[test]
fn the_parameter_block_lies_as_wgsl_says() {
    for (space, _) in SPACES {
        let mut b = Builder::new();
        let (x, y) = (
            operand(&mut b, ElementType::F32, space, 0),
            operand(&mut b, ElementType::F32, space, 2),
        );
        let mut sum = b.add(x, y, &[]).unwrap();
        for n in 0..5 {
            let c = b.constant(Scalar::new(n as f32)).unwrap();
            sum = b.add(sum, c, &[]).unwrap();
        }
        let explanation = PlanLimits::default().explain(&b.build(sum).unwrap()).unwrap();
        let module = validate(&explanation.kernels[0].wgsl);
        let (_, block) = module
            .types
            .iter()
            .find(|(_, ty)| ty.name.as_deref() == Some("Params"))
            .expect("a block named Params");
        let naga::TypeInner::Struct { members, span } = &block.inner else {
            panic!("Params is not a struct")
        };
        let (constants, words) = members.split_last().unwrap();
        for (place, member) in words.iter().enumerate() {
            assert_eq!(member.offset as usize, place * 4, "{:?}", member.name);
        }
        assert_eq!(constants.name.as_deref(), Some("constants"));
        assert_eq!(constants.offset as usize, words.len() * 4, "no gap before the constants");
        assert_eq!(*span as usize, words.len() * 4 + 5usize.next_multiple_of(4) * 4);
    }
}

/// The kernel of small rolled arrays is the same for all shifts, and its text is short.
#[test]
fn small_rolls_share_a_small_kernel() {
    let text = |ty: ElementType, sizes: [usize; 2], first: i64, limits: &PlanLimits| {
        let mut b = Builder::new();
        let x = b.parameter(ty, sizes).unwrap();
        let mut sum = x;
        for shift in first..first + 7 {
            let rolled = b.roll(x, &[shift], &[0]).unwrap();
            sum = b.add(sum, rolled, &[0, 1]).unwrap();
        }
        let explanation = limits.explain(&b.build(sum).unwrap()).unwrap();
        assert_eq!(explanation.kernels.len(), 1);
        explanation.kernels[0].wgsl.clone()
    };
    for limits in [PlanLimits::for_cpu(true), PlanLimits::default()] {
        for (ty, sizes) in [
            (ElementType::F32, [64, 3]),
            (ElementType::F32, [64, 16]),
            (ElementType::F16, [64, 3]),
            (ElementType::F64, [60, 5]),
        ] {
            let texts = [1, 2, 4, 20].map(|first| text(ty, sizes, first, &limits));
            assert!(texts.iter().all(|text| *text == texts[0]), "{ty}{sizes:?}");
            assert!(texts[0].len() < 24_000, "{ty}{sizes:?}: {} bytes", texts[0].len());
            validate(&texts[0]);
        }
    }
}
