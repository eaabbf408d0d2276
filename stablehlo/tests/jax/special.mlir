module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xf32>) -> (tensor<4x6xf32> {jax.result_info = "result[0]"}, tensor<4x6xf32> {jax.result_info = "result[1]"}, tensor<4x6xf32> {jax.result_info = "result[2]"}, tensor<4x6xf32> {jax.result_info = "result[3]"}) {
    %0 = chlo.erf %arg0 : tensor<4x6xf32> -> tensor<4x6xf32>
    %1 = chlo.erfc %arg0 : tensor<4x6xf32> -> tensor<4x6xf32>
    %2 = stablehlo.abs %arg0 : tensor<4x6xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %4 = stablehlo.add %2, %3 : tensor<4x6xf32>
    %5 = chlo.lgamma %4 : tensor<4x6xf32> -> tensor<4x6xf32>
    %6 = stablehlo.abs %arg0 : tensor<4x6xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %8 = stablehlo.add %6, %7 : tensor<4x6xf32>
    %9 = chlo.digamma %8 : tensor<4x6xf32> -> tensor<4x6xf32>
    return %0, %1, %5, %9 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
  }
}
