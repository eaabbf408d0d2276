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

// -----

// Indices out of range are clamped; the dimension of index vectors and the offsets may be anywhere.
func.func @gathers_along_one_dimension() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %i = stablehlo.constant dense<[[2], [-1], [9]]> : tensor<3x1xi32>
  %rows = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2>}> : (tensor<3x2xi32>, tensor<3x1xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %rows, dense<[[5, 6], [1, 2], [5, 6]]> : tensor<3x2xi32>
  %turned = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<3x2xi32>, tensor<3x1xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %turned, dense<[[5, 1, 5], [6, 2, 6]]> : tensor<2x3xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %row = "stablehlo.gather"(%x, %one) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0]>, slice_sizes = array<i64: 1, 2>}> : (tensor<3x2xi32>, tensor<1xi32>) -> tensor<2xi32>
  check.expect_eq_const %row, dense<[3, 4]> : tensor<2xi32>
  %column = "stablehlo.gather"(%x, %one) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1]>, slice_sizes = array<i64: 3, 1>}> : (tensor<3x2xi32>, tensor<1xi32>) -> tensor<3xi32>
  check.expect_eq_const %column, dense<[2, 4, 6]> : tensor<3xi32>
  %own = stablehlo.constant dense<[[[0]], [[1]], [[7]]]> : tensor<3x1x1xi32>
  %beside = "stablehlo.gather"(%x, %own) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<3x2xi32>, tensor<3x1x1xi32>) -> tensor<3x1xi32>
  check.expect_eq_const %beside, dense<[[1], [4], [6]]> : tensor<3x1xi32>
  return
}
