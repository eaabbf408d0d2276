// Calls, composites, custom calls, maps, and the generic form of a module.

func.func private @twice(%x: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {
  %0 = stablehlo.add %x, %x : tensor<2xi32>
  return %0, %x : tensor<2xi32>, tensor<2xi32>
}
func.func public @main() {
  %x = stablehlo.constant dense<[1, 5]> : tensor<2xi32>
  %0:2 = call @twice(%x) : (tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>)
  %1, %2 = func.call @twice(%0#0) : (tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>)
  %3 = stablehlo.custom_call @Sharding(%1) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<2xi32>) -> tensor<2xi32>
  %4:2 = stablehlo.optimization_barrier %3, %2 : tensor<2xi32>, tensor<2xi32>
  %5 = stablehlo.subtract %4#0, %4#1 : tensor<2xi32>
  check.expect_eq_const %5, dense<[2, 10]> : tensor<2xi32>
  return
}

// -----

// One composite is known, the other one is what its decomposition says.
module {
  sdy.mesh @mesh = <["x"=2]>
  sdy.mesh @one = <[], device_ids=[0]> {stablehlo.mesh = {axes = []}} loc(unknown)
  func.func public @main() {
    %x = stablehlo.constant dense<[0.5, -3.0]> : tensor<2xf32>
    %0 = stablehlo.composite "chlo.square" %x {decomposition = @chlo.square.impl, version = 1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
    %1 = stablehlo.composite "my.halves" %0 {composite_attributes = {k = 2 : i64}, decomposition = @halves} : (tensor<2xf32>) -> tensor<2xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}]> : tensor<2xf32>
    check.expect_eq_const %2, dense<[0.125, 4.5]> : tensor<2xf32>
    return
  }
  func.func private @chlo.square.impl(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.multiply %x, %x : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func private @halves(%x: tensor<2xf32>) -> tensor<2xf32> {
    %half = stablehlo.constant dense<0.5> : tensor<2xf32>
    %0 = stablehlo.multiply %x, %half : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}

// -----

func.func @map() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %y = stablehlo.constant dense<[[9, 1], [1, 9]]> : tensor<2x2xi32>
  %0 = "stablehlo.map"(%x, %y) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %ten = stablehlo.constant dense<10> : tensor<i32>
      %s = stablehlo.multiply %a, %ten : tensor<i32>
      %m = stablehlo.maximum %s, %b : tensor<i32>
      stablehlo.return %m : tensor<i32>
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[10, 20], [30, 40]]> : tensor<2x2xi32>
  return
}

// -----

"builtin.module"() ({
  "func.func"() <{function_type = () -> (), sym_name = "main"}> ({
    %0 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<3xui8>
    %1 = "stablehlo.not"(%0) : (tensor<3xui8>) -> tensor<3xui8>
    "check.expect_eq_const"(%1) <{value = dense<[255, 254, 253]> : tensor<3xui8>}> : (tensor<3xui8>) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

// The operations of chlo whose operands broadcast.
func.func @chlo() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %v = stablehlo.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %0 = chlo.broadcast_add %x, %v : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %0, dense<[[11.0, 22.0], [13.0, 24.0]]> : tensor<2x2xf32>
  %1 = chlo.broadcast_subtract %x, %v {broadcast_dimensions = array<i64: 0>} : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %1, dense<[[-9.0, -8.0], [-17.0, -16.0]]> : tensor<2x2xf32>
  // As older versions print the list.
  %6 = "chlo.broadcast_subtract"(%x, %v) {broadcast_dimensions = dense<0> : tensor<1xi64>} : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  check.expect_eq %6, %1 : tensor<2x2xf32>, tensor<2x2xf32>
  %7 = chlo.broadcast_next_after %x, %v {broadcast_dimensions = array<i64: 0>} : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %8 = stablehlo.broadcast_in_dim %v, dims = [0] : (tensor<2xf32>) -> tensor<2x2xf32>
  %9 = chlo.next_after %x, %8 : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  check.expect_eq %7, %9 : tensor<2x2xf32>, tensor<2x2xf32>
  %2 = chlo.broadcast_compare %x, %v {comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xi1>
  check.expect_eq_const %2, dense<true> : tensor<2x2xi1>
  %3 = "chlo.broadcast_select"(%2, %v, %x) : (tensor<2x2xi1>, tensor<2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %3, dense<[[10.0, 20.0], [10.0, 20.0]]> : tensor<2x2xf32>
  %4 = chlo.next_after %v, %v : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  check.expect_close %4, %v, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
  %5 = chlo.is_neg_inf %v : tensor<2xf32> -> tensor<2xi1>
  check.expect_eq_const %5, dense<false> : tensor<2xi1>
  return
}
// -----

// Meshes of devices stand beside functions, in either form; their custom calls are identities.
module @sharded {
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2]>, sym_name = "mesh"}> : () -> ()
  sdy.mesh @other = <["y"=1]>
  "func.func"() <{function_type = () -> (), sym_name = "main"}> ({
    %x = "stablehlo.constant"() <{value = dense<[1, 5]> : tensor<2xi32>}> : () -> tensor<2xi32>
    %0 = "stablehlo.custom_call"(%x) <{call_target_name = "xla.sdy.FuncResultSharding"}> : (tensor<2xi32>) -> tensor<2xi32>
    %1 = "stablehlo.add"(%0, %x) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    "check.expect_eq_const"(%1) <{value = dense<[2, 10]> : tensor<2xi32>}> : (tensor<2xi32>) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}
