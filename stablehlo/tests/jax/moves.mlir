module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xf32>) -> (tensor<6x8xf32> {jax.result_info = "result[0]"}, tensor<4x6xf32> {jax.result_info = "result[1]"}, tensor<4x2xf32> {jax.result_info = "result[2]"}) {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0 = call @_pad(%arg0, %c) : (tensor<4x6xf32>, tensor<i64>) -> tensor<6x8xf32>
    %1 = call @_roll_static(%arg0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %2 = stablehlo.slice %arg0 [0:4, 1:4:2] : (tensor<4x6xf32>) -> tensor<4x2xf32>
    %3 = stablehlo.reverse %2, dims = [0] : tensor<4x2xf32>
    return %0, %1, %3 : tensor<6x8xf32>, tensor<4x6xf32>, tensor<4x2xf32>
  }
  func.func private @_pad(%arg0: tensor<4x6xf32>, %arg1: tensor<i64>) -> tensor<6x8xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [1, 1], high = [1, 1], interior = [0, 0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<6x8xf32>
    return %1 : tensor<6x8xf32>
  }
  func.func private @_roll_static(%arg0: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %0 = stablehlo.slice %arg0 [3:4, 0:6] : (tensor<4x6xf32>) -> tensor<1x6xf32>
    %1 = stablehlo.slice %arg0 [0:3, 0:6] : (tensor<4x6xf32>) -> tensor<3x6xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x6xf32>, tensor<3x6xf32>) -> tensor<4x6xf32>
    return %2 : tensor<4x6xf32>
  }
}
