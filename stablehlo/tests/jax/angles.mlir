module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xf32>) -> (tensor<4x6xf32> {jax.result_info = "result[0]"}, tensor<4x6xf32> {jax.result_info = "result[1]"}, tensor<4x6xf32> {jax.result_info = "result[2]"}, tensor<4x6xf32> {jax.result_info = "result[3]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<4x6xf32>
    %2 = stablehlo.atan2 %arg0, %1 : tensor<4x6xf32>
    %3 = chlo.sinh %arg0 : tensor<4x6xf32> -> tensor<4x6xf32>
    %4 = chlo.asinh %arg0 : tensor<4x6xf32> -> tensor<4x6xf32>
    %5 = stablehlo.tan %arg0 : tensor<4x6xf32>
    return %2, %3, %4, %5 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
  }
}
