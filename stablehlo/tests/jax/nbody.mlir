module @jit_nbody attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x3xf32>) -> (tensor<6x3xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<6x3xf32>) -> tensor<1x6x3xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 2] : (tensor<6x3xf32>) -> tensor<6x1x3xf32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<1x6x3xf32>) -> tensor<6x6x3xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<6x1x3xf32>) -> tensor<6x6x3xf32>
    %4 = stablehlo.subtract %2, %3 : tensor<6x6x3xf32>
    %5 = stablehlo.multiply %4, %4 : tensor<6x6x3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<6x6x3xf32>, tensor<f32>) -> tensor<6x6xf32>
    %cst_0 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x6xf32>
    %8 = stablehlo.add %6, %7 : tensor<6x6xf32>
    %cst_1 = stablehlo.constant dense<-1.500000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x6xf32>
    %10 = stablehlo.power %8, %9 : tensor<6x6xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<6x6xf32>) -> tensor<6x6x1xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<6x6x1xf32>) -> tensor<6x6x3xf32>
    %13 = stablehlo.multiply %4, %12 : tensor<6x6x3xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.reduce(%13 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<6x6x3xf32>, tensor<f32>) -> tensor<6x3xf32>
    return %14 : tensor<6x3xf32>
  }
}
