//! Tests the plans of the patterns of `indim bench`: a plan that loses an access mode, a tile or a
//! merged dimension shows here, without a timing and without an adapter.

use indim::ElementType::{F32, F64, Pred, S4, S8, U16};
use indim::plan::{KernelExplanation, PlanLimits};
use indim::{Builder, Computation, Op, Result, Scalar};
use indim_testing::{patterns, process, share};

/// A pattern: its name, the kernels on the CPU, and the same on a GPU.
///
/// A kernel is its schedule, its merged space, elements a unit and rows a tile, its dispatches if
/// they are more than one, and how each operand is read; `^` marks what is loaded once for a tile.
type Pattern = (&'static str, &'static [&'static str], &'static [&'static str]);

const PATTERNS: &[Pattern] = &[
    (
        "same",
        &["flat [4194304] 16x1: contiguous contiguous"],
        &["flat [4194304] 4x1: contiguous contiguous"],
    ),
    (
        "row",
        &["rows [2048, 2048] 16x4: contiguous contiguous^"],
        &["rows [2048, 2048] 4x2: contiguous contiguous^"],
    ),
    (
        "column",
        &["rows [2048, 2048] 16x1: contiguous splat"],
        &["rows [2048, 2048] 4x2: contiguous splat"],
    ),
    ("scalar", &["flat [4194304] 16x1: contiguous"], &["flat [4194304] 4x1: contiguous"]),
    (
        "one",
        &["flat [4194304] 16x1: contiguous splat^"],
        &["flat [4194304] 4x1: contiguous splat^"],
    ),
    (
        "outer",
        &["rows [4096, 4096] 16x8: splat contiguous^"],
        &["rows [4096, 4096] 4x2: splat contiguous^"],
    ),
    (
        "rank5",
        &["rows [8, 16, 64, 32, 64] 16x32: contiguous^ contiguous"],
        &["rows [8, 16, 64, 32, 64] 4x2: contiguous^ contiguous"],
    ),
    (
        "odd",
        &["periods [2047, 2049] 16x8: contiguous gather^"],
        &["periods [2047, 2049] 4x2: contiguous gather^"],
    ),
    (
        "odd_column",
        &["periods [2047, 2049] 16x1: contiguous split"],
        &["periods [2047, 2049] 4x2: contiguous split"],
    ),
    (
        "inner3",
        &["short [1398101, 3] 48x1: contiguous gather^"],
        &["periods [1398101, 3] 4x2: contiguous gather^"],
    ),
    (
        "transposed",
        &["blocks [2048, 2048] 8x8: contiguous transposed"],
        &["blocks [2048, 2048] 4x4: contiguous transposed"],
    ),
    (
        "chain",
        &["flat [4194304] 16x1: contiguous contiguous contiguous"],
        &["flat [4194304] 4x1: contiguous contiguous contiguous"],
    ),
    (
        "chain_broadcast",
        &["rows [2048, 2048] 16x1: contiguous splat contiguous^"],
        &["rows [2048, 2048] 4x8: contiguous splat contiguous^"],
    ),
    (
        "select",
        &["rows [2048, 2048] 16x2: contiguous contiguous^ splat"],
        &["rows [2048, 2048] 4x2: contiguous contiguous^ splat"],
    ),
    ("strided", &["flat [4194304] 16x1: strided"], &["flat [4194304] 4x1: strided"]),
    (
        "outer_chain",
        &[
            "flat [4096] 16x1: contiguous",
            "flat [4096] 16x1: contiguous",
            "rows [4096, 4096] 16x8: splat contiguous^",
        ],
        &[
            "flat [4096] 4x1: contiguous",
            "flat [4096] 4x1: contiguous",
            "rows [4096, 4096] 4x2: splat contiguous^",
        ],
    ),
    (
        "big",
        &["rows [32, 16, 64, 32, 64] 16x32 in 2: contiguous^ contiguous"],
        &["rows [32, 16, 64, 32, 64] 4x2 in 2: contiguous^ contiguous"],
    ),
];

fn kernels(computation: &Computation, limits: &PlanLimits) -> Vec<String> {
    limits.explain(computation).unwrap().kernels.iter().map(told).collect()
}

fn told(kernel: &KernelExplanation) -> String {
    let operands: Vec<String> = kernel
        .operands
        .iter()
        .map(|operand| format!("{}{}", operand.access, if operand.hoisted { "^" } else { "" }))
        .collect();
    let dispatches = match kernel.dispatches {
        1 => String::new(),
        several => format!(" in {several}"),
    };
    format!(
        "{} {:?} {}x{}{dispatches}: {}",
        kernel.schedule,
        kernel.iteration_space,
        kernel.unit,
        kernel.tile,
        operands.join(" ")
    )
}

#[test]
fn patterns_become_these_kernels() {
    let mut wrong = Vec::new();
    for &(name, cpu, gpu) in PATTERNS {
        let [computation] = &patterns::computations(name)[..] else { panic!("{name} is several") };
        for (kind, limits, wanted) in
            [("CPU", PlanLimits::for_cpu(true), cpu), ("GPU", PlanLimits::default(), gpu)]
        {
            let found = kernels(computation, &limits);
            if found != wanted {
                wrong.push(format!("{name} on a {kind}: {found:#?}, not {wanted:#?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns the schedule, the elements of a unit and the reduced sizes of each kernel of a sum along one
/// dimension.
fn sum_along((sizes, dimension): (&[i64], i64), limits: &PlanLimits) -> Vec<String> {
    let mut b = Builder::new();
    let x = b.parameter(F32, sizes).unwrap();
    let sum = b.reduce_sum(x, &[dimension]).unwrap();
    let kernels = limits.explain(&b.build(sum).unwrap()).unwrap().kernels;
    let told = |k: &KernelExplanation| format!("{} {} {:?}", k.schedule, k.unit, k.reduced);
    kernels.iter().map(told).collect()
}

/// A driver that does not optimise keeps what has no register in memory: an invocation then sums few
/// columns at a time, or one if its rows lie near each other.
#[test]
fn sums_of_columns_take_few_registers_where_there_are_few() {
    let simple = PlanLimits::for_cpu(false);
    let columns: (&[i64], i64) = (&[2048, 2048], 0);
    let middle: (&[i64], i64) = (&[64, 1024, 64], 1);
    let by_columns = |unit| [32, 32, 2].map(|count| format!("fold_columns {unit} [{count}]"));
    assert_eq!(sum_along(columns, &simple), by_columns(4));
    assert_eq!(sum_along(middle, &simple), ["fold_rows 32 [1024]"]);
    assert_eq!(sum_along((&[64, 1024, 256], 1), &simple), by_columns(4)[..2]);
    let mut mesa = PlanLimits::for_cpu(false);
    mesa.device.bounded_loops = true;
    for limits in [PlanLimits::for_cpu(true), mesa] {
        assert_eq!(sum_along(columns, &limits), by_columns(8));
        assert_eq!(sum_along(middle, &limits), by_columns(8)[..2]);
    }
}

/// 1,000 shapes of `row`, of which every inner and outer size is different, are few kernels.
#[test]
fn many_shapes_are_few_kernels() {
    for limits in [PlanLimits::for_cpu(true), PlanLimits::for_cpu(false), PlanLimits::default()] {
        let mut texts = std::collections::BTreeSet::new();
        for number in 0..1000 {
            let (rows, columns) = (64 + number * 7 % 1009, 16 + number);
            let mut b = Builder::new();
            let x = b.parameter(F32, [rows, columns]).unwrap();
            let v = b.parameter(F32, [columns]).unwrap();
            let sum = b.add(x, v, &[1]).unwrap();
            let explanation = limits.explain(&b.build(sum).unwrap()).unwrap();
            texts.extend(explanation.kernels.into_iter().map(|kernel| kernel.wgsl));
        }
        assert!(texts.len() <= 4, "{} kernels under {limits:?}", texts.len());
    }
}

/// Builds something of a matrix of these sizes.
type OfMatrix = fn(&mut Builder, Op, &[i64]) -> Result<Op>;

/// Plans for shapes of up to 2^62 elements, all that a shape can count of most types. No product
/// overflows, which a build with overflow checks would find, and what a device could hold is cut.
/// Rows of 8 elements end within a unit of 16: a row vector is then gathered, element by element. A
/// few are; of many, the text would grow by each element of each.
#[test]
fn many_row_vectors_are_read_in_small_units() {
    let planned = |vectors: usize, columns: usize| {
        let mut b = Builder::new();
        let mut sum = b.parameter(F32, [1000, columns]).unwrap();
        for _ in 0..vectors {
            let row = b.parameter(F32, [columns]).unwrap();
            sum = b.add(sum, row, &[1]).unwrap();
        }
        let mut limits = PlanLimits::for_cpu(true);
        limits.device.max_storage_buffers_per_shader_stage = 32;
        let explanation = limits.explain(&b.build(sum).unwrap()).unwrap();
        let [kernel] = &explanation.kernels[..] else { panic!("one kernel") };
        (kernel.schedule.to_string(), kernel.unit, kernel.wgsl.len())
    };
    let (schedule, unit, few) = planned(1, 8);
    assert_eq!((schedule.as_str(), unit), ("periods", 16));
    let (schedule, unit, many) = planned(25, 8);
    assert_eq!((schedule.as_str(), unit), ("rows", 8), "units that end with the rows");
    assert!(many < 4 * few, "{many} bytes of text, and {few} of one");
    let (schedule, unit, _) = planned(25, 7);
    assert_eq!((schedule.as_str(), unit), ("periods", 4));
}

#[test]
fn huge_shapes_are_planned() {
    let builds: [OfMatrix; 7] = [
        |b, x, _| b.not(x).or_else(|_| b.neg(x)),
        |b, x, sizes| {
            let row = b.parameter(b.element_type(x)?, [sizes[1] as usize])?;
            b.binary(indim::Opcode::Eq, x, row, &[1])
        },
        |b, x, sizes| {
            let column = b.parameter(b.element_type(x)?, [sizes[0] as usize])?;
            b.binary(indim::Opcode::Max, x, column, &[0])
        },
        |b, x, _| {
            let turned = b.transpose(x, &[1, 0])?;
            let back = b.reverse(turned, &[0, 1])?;
            b.convert_element_type(back, F32)
        },
        |b, x, sizes| {
            let odd = b.slice(x, &[sizes[0] / 2, 1], &[sizes[0], sizes[1]], &[1, 2])?;
            b.convert_element_type(odd, U16)
        },
        |b, x, sizes| {
            let corner = b.slice(x, &[sizes[0] - 2, sizes[1] - 3], sizes, &[1, 1])?;
            b.convert_element_type(corner, F32)
        },
        |b, x, sizes| {
            let flat = b.reshape(x, &[sizes[0] * sizes[1]])?;
            let i = b.iota(b.element_type(x)?, &[sizes[0] * sizes[1]], 0);
            i.and_then(|i| b.binary(indim::Opcode::Max, flat, i, &[])).or(Ok(flat))
        },
    ];
    let mut low = PlanLimits::default();
    low.device.max_storage_buffer_binding_size = 64 << 10;
    low.device.max_compute_workgroups_per_dimension = 8;
    let (mut cut, mut planned, mut case) = (0, 0, 0);
    let share = share::one_of(10);
    for (rows, columns) in
        [(1 << 31, 1), (3, 1 << 31), (65_537, 65_537), (1 << 32, 5), (2, 1 << 40)]
            .into_iter()
            .chain([(1 << 30, 1 << 30), ((1 << 31) - 1, 1 << 28), (2, (1 << 59) - 1), (1 << 59, 3)])
    {
        let sizes: [i64; 2] = [rows, columns];
        for (element_type, limits) in [F32, Pred, S4, U16, F64].into_iter().flat_map(|ty| {
            let cpu = PlanLimits::for_cpu(true);
            [PlanLimits::default(), cpu, low.clone()].map(|limits| (ty, limits))
        }) {
            for build in builds {
                case += 1;
                if case % share != 0 {
                    continue;
                }
                let mut b = Builder::new();
                let x = b.parameter(element_type, sizes.map(|size| size as usize)).unwrap();
                let Ok(computation) = build(&mut b, x, &sizes).and_then(|root| b.build(root))
                else {
                    // The types have not all operations, and F64 not that many bytes.
                    continue;
                };
                let Ok(explanation) = limits.explain(&computation) else { continue };
                for kernel in &explanation.kernels {
                    planned += 1;
                    let most = limits.device.max_storage_buffer_binding_size;
                    let parts = kernel.bytes_written.div_ceil(most);
                    // Whatever a buffer can hold, and more.
                    let large = kernel.bytes_written.max(kernel.bytes_read) > 1 << 40;
                    if !large && most == 128 << 20 {
                        assert!(kernel.dispatches as u64 >= parts, "{kernel:?}");
                        cut += usize::from(kernel.dispatches > 1);
                    }
                }
            }
        }
    }
    assert!(cut > 100 / share && planned > 500 / share, "{cut} of {planned}");
}

/// Each array's bytes can be counted, and all of them cannot.
#[test]
fn bytes_beyond_all_counting_are_as_many_as_there_are() {
    let mut b = Builder::new();
    let size = [i64::MAX as usize];
    let p = b.parameter(Pred, size).unwrap();
    let [x, y] = [(); 2].map(|()| b.parameter(S8, size).unwrap());
    let root = b.select(p, x, y).unwrap();
    let explanation = PlanLimits::default().explain(&b.build(root).unwrap()).unwrap();
    assert_eq!(explanation.kernels[0].bytes_read, u64::MAX);
    assert_eq!(explanation.kernels[0].bytes_written, i64::MAX as u64);
}

/// Kernels of 65,536 dispatches each, of which an explanation shows one; run in a separate process,
/// whose memory is limited.
#[cfg(target_os = "linux")]
#[test]
fn many_dispatches_take_little_memory() {
    if !process::alone("plans::many_dispatches_take_little_memory", Some(500_000)) {
        return;
    }
    let limits = PlanLimits::default();
    let dispatches = |b: Builder, root| -> Vec<usize> {
        let explanation = limits.explain(&b.build(root).unwrap()).unwrap();
        explanation.kernels.iter().map(|kernel| kernel.dispatches).collect()
    };
    // Two thousand dimensions of size 1, before and after the others.
    for place in [0, 1_000, 2_000] {
        let mut sizes = vec![1_usize; 2_001];
        sizes[place] = 1 << 43;
        let mut b = Builder::new();
        let x = b.parameter(S8, sizes).unwrap();
        let root = b.neg(x).unwrap();
        assert_eq!(dispatches(b, root), [1 << 16]);
    }
    // Dozens of kernels.
    let mut b = Builder::new();
    let x = b.parameter(S8, [1_usize << 43]).unwrap();
    let one = b.constant(Scalar::new(1i8)).unwrap();
    let root = (0..40_000).fold(x, |sum, _| b.add(sum, one, &[]).unwrap());
    let all = dispatches(b, root);
    assert!(all.len() >= 40 && all.iter().all(|&count| count == 1 << 16), "{all:?}");
}

/// Invocations fold a row together on GPUs, where a row has more than two nodes of the tree, and where
/// the workgroup and its memory suffice.
#[test]
fn rows_are_folded_together_where_a_workgroup_can() -> Result<()> {
    let text = |columns: usize, limits: &PlanLimits| -> Result<String> {
        let mut builder = Builder::new();
        let x = builder.parameter(F32, [64, columns])?;
        let sum = builder.reduce_sum(x, &[1])?;
        Ok(limits.explain(&builder.build(sum)?)?.kernels[0].wgsl.to_string())
    };
    let gpu = PlanLimits::default();
    let meetings = |columns, limits: &PlanLimits| {
        Ok::<_, indim::Error>(text(columns, limits)?.matches("workgroupBarrier();").count())
    };
    for (columns, barriers) in [(32, 0), (64, 0), (65, 2), (128, 2), (129, 2), (1024, 2)] {
        assert_eq!(meetings(columns, &gpu)?, barriers, "{columns}");
        assert_eq!(meetings(columns, &PlanLimits::for_cpu(true))?, 0, "{columns}");
    }
    let memory = |bytes| {
        let mut limits = gpu.clone();
        limits.device.max_compute_workgroup_storage_size = bytes;
        limits
    };
    assert_eq!(meetings(1024, &memory(64 * 16))?, 2);
    assert_eq!(meetings(1024, &memory(64 * 16 - 1))?, 0);
    let mut small = gpu.clone();
    small.tuning.workgroup_size = 16;
    assert_eq!(meetings(1024, &small)?, 0);
    assert_eq!(meetings(128, &small)?, 2, "four invocations fold four nodes");
    Ok(())
}
