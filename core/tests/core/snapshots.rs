//! Writes a few whole generated kernels to `tests/snapshots`: a change of the generator shows as a
//! difference there, to be read and committed with it.
//!
//! The list here is the only source; the test writes the files.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use indim::ElementType::{F32, Pred, S32, U32};
use indim::plan::PlanLimits;
use indim::{Builder, Op, Result, Scalar};

/// A file's name, the expression as its first line says it, and the expression.
type Snapshot = (&'static str, &'static str, fn(&mut Builder) -> Result<Op>);

/// One snapshot for each form that a kernel can have: each schedule, each way to read an operand,
/// values computed once a tile, values computed ahead.
const SNAPSHOTS: &[Snapshot] = &[
    ("same_shape", "x + y; x, y: f32[64,128]", |b| {
        let (x, y) = (b.parameter(F32, [64, 128])?, b.parameter(F32, [64, 128])?);
        b.add(x, y, &[])
    }),
    ("same_shape_software", "x + y, as on a software adapter; x, y: f32[64,128]", |b| {
        let (x, y) = (b.parameter(F32, [64, 128])?, b.parameter(F32, [64, 128])?);
        b.add(x, y, &[])
    }),
    ("function_software", "tanh(x * y), as on a software adapter; x, y: f32[64,128]", |b| {
        let (x, y) = (b.parameter(F32, [64, 128])?, b.parameter(F32, [64, 128])?);
        let product = b.mul(x, y, &[])?;
        b.tanh(product)
    }),
    ("row", "x + in_dim(v, 1); x: f32[64,128], v: f32[128]", |b| {
        let (x, v) = (b.parameter(F32, [64, 128])?, b.parameter(F32, [128])?);
        b.add(x, v, &[1])
    }),
    (
        "row_software",
        "x + in_dim(v, 1), as on a software adapter; x: f32[64,128], v: f32[128]",
        |b| {
            let (x, v) = (b.parameter(F32, [64, 128])?, b.parameter(F32, [128])?);
            b.add(x, v, &[1])
        },
    ),
    (
        "odd_row_software",
        "x + in_dim(v, 1), as on a software adapter; x: f32[65,33], v: f32[33]",
        |b| {
            let (x, v) = (b.parameter(F32, [65, 33])?, b.parameter(F32, [33])?);
            b.add(x, v, &[1])
        },
    ),
    ("fold_rows", "reduce_sum(x * y, 1); x, y: f32[64,96]", |b| {
        let (x, y) = (b.parameter(F32, [64, 96])?, b.parameter(F32, [64, 96])?);
        let product = b.mul(x, y, &[])?;
        b.reduce_sum(product, [1])
    }),
    ("fold_columns_software", "reduce_sum(x, 0), as on a software adapter; x: f32[64,128]", |b| {
        let x = b.parameter(F32, [64, 128])?;
        b.reduce_sum(x, [0])
    }),
    (
        "fold_group_software",
        "reduce_sum(square(in_dim(x, [0, 2]) - in_dim(y, [1, 2])), 2), as on a software adapter; \
         x: f32[5,64], y: f32[6,64]",
        |b| {
            let (x, y) = (b.parameter(F32, [5, 64])?, b.parameter(F32, [6, 64])?);
            let x = b.broadcast_in_dim(x, [5, 6, 64], &[0, 2])?;
            let difference = b.sub(x, y, &[1, 2])?;
            let square = b.square(difference)?;
            b.reduce_sum(square, [2])
        },
    ),
    ("scan", "cumsum(x, 1); x: f32[64,8]", |b| {
        let x = b.parameter(F32, [64, 8])?;
        b.cumsum(x, 1)
    }),
    ("scan_columns", "cumsum(x, 0); x: f32[8,64]", |b| {
        let x = b.parameter(F32, [8, 64])?;
        b.cumsum(x, 0)
    }),
    ("odd_column", "x + in_dim(v, 0); x: f32[65,33], v: f32[65]", |b| {
        let (x, v) = (b.parameter(F32, [65, 33])?, b.parameter(F32, [65])?);
        b.add(x, v, &[0])
    }),
    ("transposed", "x + transpose(y, [1, 0]); x: f32[64,64], y: f32[64,64]", |b| {
        let (x, y) = (b.parameter(F32, [64, 64])?, b.parameter(F32, [64, 64])?);
        let y = b.transpose(y, &[1, 0])?;
        b.add(x, y, &[])
    }),
    ("strided", "slice(x, [0, 1], [64, 128], [1, 2]); x: f32[64,128]", |b| {
        let x = b.parameter(F32, [64, 128])?;
        b.slice(x, &[0, 1], &[64, 128], &[1, 2])
    }),
    ("column_tanh", "tanh(x + in_dim(v, 0)); x: f32[64,128], v: f32[64]", |b| {
        let (x, v) = (b.parameter(F32, [64, 128])?, b.parameter(F32, [64])?);
        let sum = b.add(x, v, &[0])?;
        b.tanh(sum)
    }),
    ("outer_costly", "sin(u) * v; u: f32[64,1], v: f32[1,128]", |b| {
        let (u, v) = (b.parameter(F32, [64, 1])?, b.parameter(F32, [1, 128])?);
        let sin = b.sin(u)?;
        b.mul(sin, v, &[])
    }),
    ("carry", "x - in_dim(v, 1); x: s32[5,7,3], v: s32[7]", |b| {
        let (x, v) = (b.parameter(S32, [5, 7, 3])?, b.parameter(S32, [7])?);
        b.sub(x, v, &[1])
    }),
    ("compare_select", "select(x < y, x, z); x, y, z: u32[1000]", |b| {
        let [x, y, z] =
            [b.parameter(U32, [1000])?, b.parameter(U32, [1000])?, b.parameter(U32, [1000])?];
        let less = b.lt(x, y, &[])?;
        b.select(less, x, z)
    }),
    ("pred", "(p & in_dim(q, 0)) != (x > 0); p: pred[6,8], q: pred[6], x: f32[6,8]", |b| {
        let (p, q) = (b.parameter(Pred, [6, 8])?, b.parameter(Pred, [6])?);
        let x = b.parameter(F32, [6, 8])?;
        let (both, zero) = (b.and(p, q, &[0])?, b.constant(Scalar::new(0.0f32))?);
        let positive = b.gt(x, zero, &[])?;
        b.ne(both, positive, &[])
    }),
    ("mul_add", "x * y + z; x, y, z: f32[1000]", |b| {
        let [x, y, z] =
            [b.parameter(F32, [1000])?, b.parameter(F32, [1000])?, b.parameter(F32, [1000])?];
        let product = b.mul(x, y, &[])?;
        b.add(product, z, &[])
    }),
    ("rank_5", "x + in_dim(y, 0, 2, 4); x: f32[2,3,4,5,8], y: f32[2,4,8]", |b| {
        let (x, y) = (b.parameter(F32, [2, 3, 4, 5, 8])?, b.parameter(F32, [2, 4, 8])?);
        b.add(x, y, &[0, 2, 4])
    }),
    ("iota_constants", "iota(s32[9,16], 0) * 3 + clamp(-5, x, 5); x: s32[9,16]", |b| {
        let (i, x) = (b.iota(S32, &[9, 16], 0)?, b.parameter(S32, [9, 16])?);
        let [low, three, high] = [-5, 3, 5].map(|value: i32| b.constant(Scalar::new(value)));
        let (scaled, clamped) = (b.mul(i, three?, &[])?, b.clamp(low?, x, high?)?);
        b.add(scaled, clamped, &[])
    }),
];

/// The kernels of an expression, one after the other.
fn text(name: &str, expression: &str, build: fn(&mut Builder) -> Result<Op>) -> String {
    let mut b = Builder::new();
    let root = build(&mut b).unwrap();
    let mut limits = PlanLimits::default();
    if name.ends_with("_software") {
        limits = PlanLimits::for_cpu(true);
    }
    let kernels = limits.explain(&b.build(root).unwrap()).unwrap().kernels;
    let mut text = format!("// {expression}\n");
    for (number, kernel) in kernels.iter().enumerate() {
        if kernels.len() > 1 {
            let _ = writeln!(text, "// Kernel {} of {}", number + 1, kernels.len());
        }
        text.push_str(&kernel.wgsl);
    }
    text
}

#[test]
fn kernels_are_as_committed() {
    let folder = indim_testing::repository().join("core/tests/snapshots");
    fs::create_dir_all(&folder).unwrap();
    let mut differences = Vec::new();
    let mut listed = BTreeSet::new();
    for &(name, expression, build) in SNAPSHOTS {
        let file = format!("{name}.wgsl");
        let path = folder.join(&file);
        let before = fs::read_to_string(&path).ok();
        let now = text(name, expression, build);
        if before.as_ref() != Some(&now) {
            fs::write(&path, now).unwrap();
            differences.push(match before {
                Some(_) => format!("tests/snapshots/{file} has changed"),
                None => format!("tests/snapshots/{file} is new"),
            });
        }
        assert!(listed.insert(file), "two snapshots are called {name}");
    }
    for entry in fs::read_dir(&folder).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        if !listed.contains(&file) {
            differences.push(format!(
                "tests/snapshots/{file} has no entry in core/tests/core/snapshots.rs"
            ));
        }
    }
    assert!(
        differences.is_empty(),
        "{}\nThe files are as the generator writes them now: look at `git diff tests/snapshots`; \
         to accept them, commit them (or delete the ones without an entry).",
        differences.join("\n"),
    );
}
