module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xcomplex<f32>>) -> (tensor<4xf32> {jax.result_info = "result[0]"}, tensor<4xcomplex<f32>> {jax.result_info = "result[1]"}, tensor<4xf32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.abs %arg0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %1 = stablehlo.exponential %arg0 : tensor<4xcomplex<f32>>
    %2 = stablehlo.real %arg0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %3 = stablehlo.imag %arg0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %4 = stablehlo.negate %3 : tensor<4xf32>
    %5 = stablehlo.complex %2, %4 : tensor<4xcomplex<f32>>
    %6 = stablehlo.imag %5 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    return %0, %1, %6 : tensor<4xf32>, tensor<4xcomplex<f32>>, tensor<4xf32>
  }
}
