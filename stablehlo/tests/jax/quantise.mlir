module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xf32>) -> (tensor<4x6xi8> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %1 = stablehlo.divide %arg0, %0 : tensor<4x6xf32>
    %2 = call @round(%1) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %c = stablehlo.constant dense<-128> : tensor<i64>
    %c_0 = stablehlo.constant dense<127> : tensor<i64>
    %3 = call @clip(%2, %c, %c_0) : (tensor<4x6xf32>, tensor<i64>, tensor<i64>) -> tensor<4x6xf32>
    %4 = stablehlo.convert %3 : (tensor<4x6xf32>) -> tensor<4x6xi8>
    return %4 : tensor<4x6xi8>
  }
  func.func private @round(%arg0: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<4x6xf32>
    return %0 : tensor<4x6xf32>
  }
  func.func private @clip(%arg0: tensor<4x6xf32>, %arg1: tensor<i64>, %arg2: tensor<i64>) -> tensor<4x6xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<4x6xf32>
    %3 = stablehlo.convert %arg2 : (tensor<i64>) -> tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %5 = stablehlo.minimum %4, %2 : tensor<4x6xf32>
    return %5 : tensor<4x6xf32>
  }
}
