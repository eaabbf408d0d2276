module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xf64>) -> (tensor<4x6xf64> {jax.result_info = "result[0]"}, tensor<6xf64> {jax.result_info = "result[1]"}, tensor<4x6xf64> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.exponential %arg0 : tensor<4x6xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4x6xf64>, tensor<f64>) -> tensor<6xf64>
    %2 = stablehlo.multiply %arg0, %arg0 : tensor<4x6xf64>
    %3 = stablehlo.log_plus_one %2 : tensor<4x6xf64>
    return %0, %1, %3 : tensor<4x6xf64>, tensor<6xf64>, tensor<4x6xf64>
  }
}
