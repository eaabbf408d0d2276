// Elementwise operations, in both forms.

func.func @pretty() {
  %x = stablehlo.constant dense<[-1.5, 0.25, 4.0]> : tensor<3xf32>
  %y = stablehlo.constant dense<2.0> : tensor<3xf32>
  %0 = stablehlo.multiply %x, %y : tensor<3xf32>
  %1 = stablehlo.abs %0 {mhlo.frontend_attributes = {a = "b"}} : tensor<3xf32> loc("here")
  check.expect_eq_const %1, dense<[3.0, 0.5, 8.0]> : tensor<3xf32>
  %2 = stablehlo.compare GT, %x, %1, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  check.expect_eq_const %2, dense<false> : tensor<3xi1>
  %3 = stablehlo.select %2, %x, %y : tensor<3xi1>, tensor<3xf32>
  check.expect_eq %3, %y : tensor<3xf32>, tensor<3xf32>
  return
}

// -----

func.func @generic() {
  %x = "stablehlo.constant"() <{value = dense<[-7, 9]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %y = "stablehlo.constant"() {value = dense<2> : tensor<2xi32>} : () -> tensor<2xi32>
  %0 = "stablehlo.divide"(%x, %y) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[-3, 4]> : tensor<2xi32>
  %1 = "stablehlo.compare"(%x, %y) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  check.expect_eq_const %1, dense<[true, false]> : tensor<2xi1>
  "func.return"() : () -> ()
}

// -----

func.func @bounds_are_scalars() {
  %x = stablehlo.constant dense<[-3, 0, 3]> : tensor<3xi8>
  %low = stablehlo.constant dense<-1> : tensor<i8>
  %high = stablehlo.constant dense<2> : tensor<i8>
  %0 = stablehlo.clamp %low, %x, %high : (tensor<i8>, tensor<3xi8>, tensor<i8>) -> tensor<3xi8>
  check.expect_eq_const %0, dense<[-1, 0, 2]> : tensor<3xi8>
  return
}

// -----

func.func @formats_and_bits() {
  %x = stablehlo.constant dense<[1.00390625, 3.0]> : tensor<2xf32>
  %0 = stablehlo.reduce_precision %x, format = e8m7 : tensor<2xf32>
  check.expect_eq_const %0, dense<[1.0, 3.0]> : tensor<2xf32>
  %1 = stablehlo.bitcast_convert %x : (tensor<2xf32>) -> tensor<2xui32>
  check.expect_eq_const %1, dense<[0x3f808000, 1077936128]> : tensor<2xui32>
  %2 = stablehlo.convert %x : (tensor<2xf32>) -> tensor<2xi16>
  check.expect_eq_const %2, dense<[1, 3]> : tensor<2xi16>
  return
}

// -----

// Total order puts -0 before +0.
func.func @total_order() {
  %x = stablehlo.constant dense<[0x80000000, 1.0]> : tensor<2xf32>
  %y = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %0 = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  check.expect_eq_const %0, dense<[true, false]> : tensor<2xi1>
  %1 = stablehlo.compare LT, %x, %y, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  check.expect_eq_const %1, dense<false> : tensor<2xi1>
  return
}

// -----

func.func @complex_numbers() {
  %re = stablehlo.constant dense<[1.0, 3.0]> : tensor<2xf32>
  %im = stablehlo.constant dense<[2.0, -4.0]> : tensor<2xf32>
  %z = stablehlo.complex %re, %im : tensor<2xcomplex<f32>>
  %0 = stablehlo.multiply %z, %z : tensor<2xcomplex<f32>>
  check.expect_eq_const %0, dense<[(-3.0, 4.0), (-7.0, -24.0)]> : tensor<2xcomplex<f32>>
  %1 = stablehlo.abs %z : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  check.expect_almost_eq_const %1, dense<[2.236068, 5.0]> : tensor<2xf32>
  %2 = stablehlo.imag %z : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  check.expect_eq %2, %im : tensor<2xf32>, tensor<2xf32>
  return
}

// -----

// An activation as JAX writes it: 0.5 x (1 + erf(x / sqrt(2))).
module @jit_gelu attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %arg0 = stablehlo.constant dense<[-1.0, 0.0, 2.0]> : tensor<3xf32>
    %0 = call @gelu(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    check.expect_almost_eq_const %0, dense<[-0.158655, 0.0, 1.954500]> : tensor<3xf32>
    return
  }
  func.func private @gelu(%arg0: tensor<3xf32> {jax.arg_info = "x"}) -> (tensor<3xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.707106769> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<3xf32>
    %2 = chlo.erf %1 : tensor<3xf32> -> tensor<3xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %4 = stablehlo.add %2, %3 : tensor<3xf32>
    %cst_1 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<3xf32>
    %7 = stablehlo.multiply %6, %4 : tensor<3xf32>
    return %7 : tensor<3xf32>
  }
}
