// Products of small matrices.

func.func @dot_general() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %y = stablehlo.constant dense<[[1, 0], [0, 1], [1, 1]]> : tensor<3x2xi32>
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x3xi32>, tensor<3x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[4, 5], [10, 11]]> : tensor<2x2xi32>
  %1 = "stablehlo.dot_general"(%x, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [1], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<3xi32>
  check.expect_eq_const %1, dense<[17, 29, 45]> : tensor<3xi32>
  %2 = stablehlo.dot_general %x, %x, batching_dims = [] x [], contracting_dims = [0] x [0] : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<3x3xi32>
  check.expect_eq_const %2, dense<[[17, 22, 27], [22, 29, 36], [27, 36, 45]]> : tensor<3x3xi32>
  return
}

// -----

// Sums of 16-bit floats are rounded once.
func.func @dot() {
  %x = stablehlo.constant dense<[1.0, 0.00390625, 0.00390625]> : tensor<3xbf16>
  %one = stablehlo.constant dense<1.0> : tensor<3xbf16>
  %0 = stablehlo.dot %x, %one : (tensor<3xbf16>, tensor<3xbf16>) -> tensor<bf16>
  check.expect_eq_const %0, dense<1.0078125> : tensor<bf16>
  %1 = stablehlo.dot_general %x, %one, contracting_dims = [0] x [0] : (tensor<3xbf16>, tensor<3xbf16>) -> tensor<f32>
  check.expect_eq_const %1, dense<1.0078125> : tensor<f32>
  return
}

// -----

// Of algorithms the widest type matters: products of F32 in F64.
func.func @algorithms() {
  %x = stablehlo.constant dense<[16777216.0, 1.0, -16777216.0]> : tensor<3xf32>
  %y = stablehlo.constant dense<[1.0, 1.0, 1.0]> : tensor<3xf32>
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = f64, rhs_precision_type = f64, accumulation_type = f64, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  check.expect_eq_const %0, dense<1.0> : tensor<f32>
  %two = stablehlo.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %1 = "stablehlo.dot_general"(%two, %two) <{algorithm = #stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 6, allow_imprecise_accumulation = false>, dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = []}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  check.expect_eq_const %1, dense<13.0> : tensor<f32>
  return
}
