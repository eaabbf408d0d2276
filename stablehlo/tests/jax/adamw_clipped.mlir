module @jit_adamw attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xf32>, %arg1: tensor<4x6xf32>, %arg2: tensor<4x6xf32>, %arg3: tensor<4x6xf32>) -> (tensor<4x6xf32> {jax.result_info = "result[0]"}, tensor<4x6xf32> {jax.result_info = "result[1]"}, tensor<4x6xf32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.multiply %arg1, %arg1 : tensor<4x6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
    %2 = stablehlo.sqrt %1 : tensor<f32>
    %cst_0 = stablehlo.constant dense<0.999989986> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %4 = stablehlo.multiply %arg0, %3 : tensor<4x6xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %5 = stablehlo.divide %cst_1, %2 : tensor<f32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.minimum %cst_2, %5 : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %8 = stablehlo.multiply %arg1, %7 : tensor<4x6xf32>
    %cst_3 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %10 = stablehlo.multiply %9, %arg2 : tensor<4x6xf32>
    %cst_4 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %12 = stablehlo.multiply %11, %8 : tensor<4x6xf32>
    %13 = stablehlo.add %10, %12 : tensor<4x6xf32>
    %cst_5 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %15 = stablehlo.multiply %14, %arg3 : tensor<4x6xf32>
    %cst_6 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %17 = stablehlo.multiply %16, %8 : tensor<4x6xf32>
    %18 = stablehlo.multiply %17, %8 : tensor<4x6xf32>
    %19 = stablehlo.add %15, %18 : tensor<4x6xf32>
    %cst_7 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %21 = stablehlo.divide %13, %20 : tensor<4x6xf32>
    %cst_8 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %23 = stablehlo.multiply %22, %21 : tensor<4x6xf32>
    %cst_9 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %25 = stablehlo.divide %19, %24 : tensor<4x6xf32>
    %26 = stablehlo.sqrt %25 : tensor<4x6xf32>
    %cst_10 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %28 = stablehlo.add %26, %27 : tensor<4x6xf32>
    %29 = stablehlo.divide %23, %28 : tensor<4x6xf32>
    %30 = stablehlo.subtract %4, %29 : tensor<4x6xf32>
    return %30, %13, %19 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
  }
}
