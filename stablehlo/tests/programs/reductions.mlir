// Reductions, by operations and by regions.

func.func @applied() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %ten) applies stablehlo.add across dimensions = [1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[16, 25]> : tensor<2xi32>
  %1 = stablehlo.reduce(%x init: %ten) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<i32>
  check.expect_eq_const %1, dense<10> : tensor<i32>
  %2 = stablehlo.reduce(%x init: %ten) applies stablehlo.xor across dimensions = [0] : (tensor<2x3xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %2, dense<[15, 13, 15]> : tensor<3xi32>
  return
}

// -----

func.func @of_nothing() {
  %x = stablehlo.constant dense<> : tensor<0x2xf32>
  %init = stablehlo.constant dense<-3.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %init) applies stablehlo.add across dimensions = [0] : (tensor<0x2xf32>, tensor<f32>) -> tensor<2xf32>
  check.expect_eq_const %0, dense<-3.0> : tensor<2xf32>
  return
}

// -----

// Two operations at once, and a result of a wider type.
func.func @of_two() {
  %x = stablehlo.constant dense<[1.5, -2.0, 4.0]> : tensor<3xf32>
  %n = stablehlo.constant dense<[100, 27, 3]> : tensor<3xi8>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %most = stablehlo.constant dense<0> : tensor<i8>
  %0:2 = "stablehlo.reduce"(%x, %n, %one, %most) ({
    ^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>):
      %p = stablehlo.multiply %c, %a : tensor<f32>
      %s = stablehlo.add %b, %d : tensor<i32>
      stablehlo.return %p, %s : tensor<f32>, tensor<i32>
  }) {dimensions = array<i64: 0>} : (tensor<3xf32>, tensor<3xi8>, tensor<f32>, tensor<i8>) -> (tensor<f32>, tensor<i32>)
  check.expect_eq_const %0#0, dense<-12.0> : tensor<f32>
  check.expect_eq_const %0#1, dense<130> : tensor<i32>
  return
}

// -----

// The first largest value, where a NaN counts as the largest.
func.func @first_largest() {
  %x = stablehlo.constant dense<[[1.0, 5.0, 5.0], [2.0, 0x7FC00000, 9.0]]> : tensor<2x3xf32>
  %i = stablehlo.iota dim = 1 : tensor<2x3xi64>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %0:2 = stablehlo.reduce(%x init: %least), (%i init: %zero) across dimensions = [1] : (tensor<2x3xf32>, tensor<2x3xi64>, tensor<f32>, tensor<i64>) -> (tensor<2xf32>, tensor<2xi64>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%i0: tensor<i64>, %i1: tensor<i64>) {
    %1 = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.or %1, %2 : tensor<i1>
    %4 = stablehlo.select %3, %a, %b : tensor<i1>, tensor<f32>
    %5 = stablehlo.select %3, %i0, %i1 : tensor<i1>, tensor<i64>
    stablehlo.return %4, %5 : tensor<f32>, tensor<i64>
  }
  check.expect_eq_const %0#0, dense<[5.0, 0x7FC00000]> : tensor<2xf32>
  check.expect_eq_const %0#1, dense<1> : tensor<2xi64>
  return
}

// -----

// The smallest, found with a call within the region, from an initial value that is smaller than some.
func.func private @lower(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare LE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
  return %0 : tensor<i1>
}
func.func public @main() {
  %x = stablehlo.constant dense<[[7, 3], [4, 8]]> : tensor<2x2xi32>
  %i = stablehlo.iota dim = 0 : tensor<2x2xui8>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %last = stablehlo.constant dense<99> : tensor<ui8>
  %0:2 = stablehlo.reduce(%x init: %four), (%i init: %last) across dimensions = [0] : (tensor<2x2xi32>, tensor<2x2xui8>, tensor<i32>, tensor<ui8>) -> (tensor<2xi32>, tensor<2xui8>)
   reducer(%a: tensor<i32>, %b: tensor<i32>) (%i0: tensor<ui8>, %i1: tensor<ui8>) {
    %1 = func.call @lower(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %2 = stablehlo.select %1, %a, %b : tensor<i1>, tensor<i32>
    %3 = stablehlo.select %1, %i0, %i1 : tensor<i1>, tensor<ui8>
    stablehlo.return %2, %3 : tensor<i32>, tensor<ui8>
  }
  check.expect_eq_const %0#0, dense<[4, 3]> : tensor<2xi32>
  check.expect_eq_const %0#1, dense<[99, 0]> : tensor<2xui8>
  return
}

// -----

// A softmax along the last dimension.
func.func @softmax() {
  %x = stablehlo.constant dense<[[0.0, 0.0], [1.0, 0.0]]> : tensor<2x2xf32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<2xf32>) -> tensor<2x1xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x2xf32>
  %3 = stablehlo.subtract %x, %2 : tensor<2x2xf32>
  %4 = stablehlo.exponential %3 : tensor<2x2xf32>
  %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<2xf32>) -> tensor<2x2xf32>
  %7 = stablehlo.divide %4, %6 : tensor<2x2xf32>
  check.expect_almost_eq_const %7, dense<[[0.5, 0.5], [0.731059, 0.268941]]> : tensor<2x2xf32>
  return
}

// -----

// Regions use constants of one element from outside.
func.func @constants_from_outside() {
  %x = stablehlo.constant dense<[[1, 5, 3], [4, 2, 6]]> : tensor<2x3xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %true = stablehlo.constant dense<true> : tensor<i1>
  %0 = "stablehlo.map"(%x) ({
    ^bb0(%a: tensor<i32>):
      %ten = stablehlo.constant dense<10> : tensor<i32>
      %1 = stablehlo.add %a, %ten : tensor<i32>
      %2 = stablehlo.subtract %zero, %1 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %0, dense<[[-11, -15, -13], [-14, -12, -16]]> : tensor<2x3xi32>
  %3 = stablehlo.reduce(%x init: %zero) across dimensions = [1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<2xi32>
    reducer(%a: tensor<i32>, %b: tensor<i32>) {
      %4 = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %5 = stablehlo.and %4, %true : tensor<i1>
      %6 = stablehlo.select %5, %a, %b : tensor<i1>, tensor<i32>
      stablehlo.return %6 : tensor<i32>
    }
  check.expect_eq_const %3, dense<[5, 6]> : tensor<2xi32>
  return
}
