module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xf32>, %arg1: tensor<4x6xi32>) -> (tensor<4x6xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.convert %arg0 : (tensor<4x6xf32>) -> tensor<4x6xbf16>
    %1 = stablehlo.convert %arg1 : (tensor<4x6xi32>) -> tensor<4x6xbf16>
    %2 = stablehlo.multiply %0, %1 : tensor<4x6xbf16>
    %3 = stablehlo.convert %2 : (tensor<4x6xbf16>) -> tensor<4x6xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %5 = stablehlo.add %3, %4 : tensor<4x6xf32>
    return %5 : tensor<4x6xf32>
  }
}
