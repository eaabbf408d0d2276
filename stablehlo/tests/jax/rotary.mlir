module @jit_rotary attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x8xf32>, %arg1: tensor<4x4xf32>, %arg2: tensor<4x4xf32>) -> (tensor<4x8xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.slice %arg0 [0:4, 0:4] : (tensor<4x8xf32>) -> tensor<4x4xf32>
    %1 = stablehlo.slice %arg0 [0:4, 4:8] : (tensor<4x8xf32>) -> tensor<4x4xf32>
    %2 = stablehlo.multiply %0, %arg1 : tensor<4x4xf32>
    %3 = stablehlo.multiply %1, %arg2 : tensor<4x4xf32>
    %4 = stablehlo.subtract %2, %3 : tensor<4x4xf32>
    %5 = stablehlo.multiply %1, %arg1 : tensor<4x4xf32>
    %6 = stablehlo.multiply %0, %arg2 : tensor<4x4xf32>
    %7 = stablehlo.add %5, %6 : tensor<4x4xf32>
    %8 = stablehlo.concatenate %4, %7, dim = 1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
    return %8 : tensor<4x8xf32>
  }
}
