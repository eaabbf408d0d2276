//! Computations as StableHLO's text, and back.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use indim_core::{Builder, Computation, ElementType, Op, Opcode};
use indim_stablehlo::{Module, text};

/// Reads a printed computation again.
fn again(printed: &str) -> Computation {
    Module::parse("printed", printed).unwrap().program("main").unwrap().computation().clone()
}

/// Builds a computation of matrices, a row and a scalar of one type.
fn built(
    of: ElementType,
    body: impl FnOnce(&mut Builder, [Op; 3]) -> indim_core::Result<Op>,
) -> Option<Computation> {
    let mut b = Builder::new();
    let x = b.parameter(of, [2, 3]).unwrap();
    let v = b.parameter(of, [3]).unwrap();
    let s = b.parameter(of, [0_i64; 0]).unwrap();
    let result = body(&mut b, [x, v, s]).ok()?;
    b.build(result).ok()
}

#[test]
fn takes_are_gathers() {
    let mut b = Builder::new();
    let x = b.parameter(ElementType::F32, [5, 4]).unwrap();
    let i = b.parameter(ElementType::S32, [2, 3]).unwrap();
    let rows = b.take(x, i, 0).unwrap();
    let own = b.parameter(ElementType::S32, [1, 3]).unwrap();
    let beside = b.take_along_dimension(x, own, 1).unwrap();
    let printed = text(&b.build_all(&[rows, beside]).unwrap()).unwrap();
    for line in [
        r#""stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 4>}> : (tensor<5x4xf32>, tensor<2x3xi32>) -> tensor<2x3x4xf32>"#,
        "collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<5x4xf32>, tensor<5x3xi32>) -> tensor<5x3xf32>",
    ] {
        assert!(printed.contains(line), "{printed}");
    }
    assert_eq!(text(&again(&printed)).unwrap(), printed);
}

#[test]
fn every_operation_comes_back() {
    for &opcode in Opcode::ALL {
        for &of in ElementType::ALL {
            let computation = built(of, |b, [x, v, s]| match opcode {
                Opcode::Select => {
                    let is_equal = b.eq(s, s, [0_i64; 0])?;
                    b.select(is_equal, x, s)
                }
                Opcode::Clamp => b.clamp(s, x, x),
                Opcode::NextAfter => b.next_after(x, s),
                Opcode::ReducePrecision => b.reduce_precision(x, 5, 10),
                Opcode::ConvertElementType => b.convert_element_type(x, ElementType::F32),
                Opcode::BitcastConvertType => b.bitcast_convert_type(x, of),
                Opcode::BroadcastInDim => b.broadcast_in_dim(v, [3, 4], [0]),
                Opcode::Broadcast => b.broadcast(v, [2]),
                Opcode::Transpose => b.transpose(x, [1, 0]),
                Opcode::Slice => b.slice(x, [0, 1], [2, 3], [1, 2]),
                Opcode::Reverse => b.reverse(x, [1]),
                Opcode::Reshape => b.reshape(x, [6]),
                Opcode::Pad => b.pad(x, s, [1, 0], [0, -1], [0, 1]),
                Opcode::Concatenate => b.concatenate(&[x, x], 1),
                Opcode::Roll => b.roll(x, [1, -1], [0, 1]),
                Opcode::Iota => b.iota(of, [2, 3], 1),
                opcode => match opcode.class() {
                    indim_core::OpClass::Reduce => b.reduce(opcode, x, [1]),
                    indim_core::OpClass::Unary => b.unary(opcode, x),
                    _ => b.binary(opcode, x, v, [1]),
                },
            });
            let Some(computation) = computation else { continue };
            match text(&computation) {
                Ok(printed) => {
                    let read = again(&printed);
                    assert_eq!(text(&read).unwrap(), printed);
                    assert!(read.results().eq(computation.results()), "{printed}");
                    // For `jax/accepts.py`.
                    if let Some(folder) = std::env::var_os("INDIM_PRINTED") {
                        let name = format!("{}_{of}.mlir", opcode.method());
                        std::fs::write(Path::new(&folder).join(name), printed).unwrap();
                    }
                }
                Err(error) => panic!("{opcode:?} {of}: {error}"),
            }
        }
    }
}

#[test]
fn a_sum_of_rows_is_written_as_jax_writes_it() {
    let computation = built(ElementType::F32, |b, [x, v, _]| {
        let product = b.mul(x, v, [1])?;
        b.reduce_sum(product, [1])
    });
    assert_eq!(
        text(&computation.unwrap()).unwrap(),
        "module @indim {
  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<f32>) -> (tensor<2xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<2x3xf32>
    %2 = stablehlo.constant dense<0.0e0> : tensor<f32>
    %3 = stablehlo.reduce(%1 init: %2) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    return %3 : tensor<2xf32>
  }
}
"
    );
}
