// Operations that move elements.

func.func @permuted_broadcast() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %0 = stablehlo.broadcast_in_dim %x, dims = [2, 0] : (tensor<2x3xi32>) -> tensor<3x2x2xi32>
  check.expect_eq_const %0, dense<[[[1, 4], [1, 4]], [[2, 5], [2, 5]], [[3, 6], [3, 6]]]> : tensor<3x2x2xi32>
  return
}

// -----

func.func @views() {
  %x = stablehlo.iota dim = 1 : tensor<2x3xi32>
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %0, dense<[[0, 0], [1, 1], [2, 2]]> : tensor<3x2xi32>
  %1 = stablehlo.reshape %x : (tensor<2x3xi32>) -> tensor<6xi32>
  check.expect_eq_const %1, dense<[0, 1, 2, 0, 1, 2]> : tensor<6xi32>
  %2 = stablehlo.slice %1 [1:6:2] : (tensor<6xi32>) -> tensor<3xi32>
  check.expect_eq_const %2, dense<[1, 0, 2]> : tensor<3xi32>
  %3 = "stablehlo.slice"(%x) <{start_indices = array<i64: 0, 1>, limit_indices = array<i64: 2, 3>, strides = array<i64: 1, 1>}> : (tensor<2x3xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %3, dense<[[1, 2], [1, 2]]> : tensor<2x2xi32>
  %4 = stablehlo.reverse %2, dims = [0] : tensor<3xi32>
  check.expect_eq_const %4, dense<[2, 0, 1]> : tensor<3xi32>
  return
}

// -----

func.func @moves() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.pad %x, %zero, low = [1], high = [-1], interior = [2] : (tensor<2xi32>, tensor<i32>) -> tensor<4xi32>
  check.expect_eq_const %0, dense<[0, 1, 0, 0]> : tensor<4xi32>
  %1 = stablehlo.concatenate %x, %0, dim = 0 : (tensor<2xi32>, tensor<4xi32>) -> tensor<6xi32>
  check.expect_eq_const %1, dense<[1, 2, 0, 1, 0, 0]> : tensor<6xi32>
  return
}

// -----

// A slice that would leave its operand is moved into it.
func.func @slice_at_constants() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %row = stablehlo.constant dense<7> : tensor<i64>
  %column = stablehlo.constant dense<1> : tensor<i64>
  %0 = stablehlo.dynamic_slice %x, %row, %column, sizes = [1, 2] : (tensor<2x3xi32>, tensor<i64>, tensor<i64>) -> tensor<1x2xi32>
  check.expect_eq_const %0, dense<[[5, 6]]> : tensor<1x2xi32>
  return
}

// -----

// A constant of 2^40 elements takes no memory.
func.func @huge_splat() {
  %x = stablehlo.constant dense<3> : tensor<1048576x1048576xi32>
  %0 = stablehlo.slice %x [0:1, 5:7] : (tensor<1048576x1048576xi32>) -> tensor<1x2xi32>
  check.expect_eq_const %0, dense<3> : tensor<1x2xi32>
  return
}
