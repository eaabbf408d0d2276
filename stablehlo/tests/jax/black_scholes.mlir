module @jit_black_scholes attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8xf32>, %arg4: tensor<8xf32>) -> (tensor<8xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.divide %arg0, %arg1 : tensor<8xf32>
    %1 = stablehlo.log %0 : tensor<8xf32>
    %2 = stablehlo.multiply %arg4, %arg4 : tensor<8xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %4 = stablehlo.divide %2, %3 : tensor<8xf32>
    %5 = stablehlo.add %arg3, %4 : tensor<8xf32>
    %6 = stablehlo.multiply %5, %arg2 : tensor<8xf32>
    %7 = stablehlo.add %1, %6 : tensor<8xf32>
    %8 = stablehlo.sqrt %arg2 : tensor<8xf32>
    %9 = stablehlo.multiply %arg4, %8 : tensor<8xf32>
    %10 = stablehlo.divide %7, %9 : tensor<8xf32>
    %11 = stablehlo.sqrt %arg2 : tensor<8xf32>
    %12 = stablehlo.multiply %arg4, %11 : tensor<8xf32>
    %13 = stablehlo.subtract %10, %12 : tensor<8xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %15 = stablehlo.subtract %10, %14 : tensor<8xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %17 = stablehlo.divide %15, %16 : tensor<8xf32>
    %cst_2 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %19 = stablehlo.multiply %17, %18 : tensor<8xf32>
    %20 = stablehlo.abs %19 : tensor<8xf32>
    %cst_3 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %22 = stablehlo.compare LT, %20, %21, FLOAT : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %23 = chlo.erf %19 : tensor<8xf32> -> tensor<8xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %25 = stablehlo.add %24, %23 : tensor<8xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %27 = stablehlo.compare GT, %19, %26, FLOAT : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %28 = chlo.erfc %20 : tensor<8xf32> -> tensor<8xf32>
    %cst_6 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %30 = stablehlo.subtract %29, %28 : tensor<8xf32>
    %31 = chlo.erfc %20 : tensor<8xf32> -> tensor<8xf32>
    %32 = stablehlo.select %27, %30, %31 : tensor<8xi1>, tensor<8xf32>
    %33 = stablehlo.select %22, %25, %32 : tensor<8xi1>, tensor<8xf32>
    %cst_7 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %35 = stablehlo.multiply %34, %33 : tensor<8xf32>
    %36 = stablehlo.multiply %arg0, %35 : tensor<8xf32>
    %37 = stablehlo.negate %arg3 : tensor<8xf32>
    %38 = stablehlo.multiply %37, %arg2 : tensor<8xf32>
    %39 = stablehlo.exponential %38 : tensor<8xf32>
    %40 = stablehlo.multiply %arg1, %39 : tensor<8xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %42 = stablehlo.subtract %13, %41 : tensor<8xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %44 = stablehlo.divide %42, %43 : tensor<8xf32>
    %cst_10 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %46 = stablehlo.multiply %44, %45 : tensor<8xf32>
    %47 = stablehlo.abs %46 : tensor<8xf32>
    %cst_11 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %49 = stablehlo.compare LT, %47, %48, FLOAT : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %50 = chlo.erf %46 : tensor<8xf32> -> tensor<8xf32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %52 = stablehlo.add %51, %50 : tensor<8xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %54 = stablehlo.compare GT, %46, %53, FLOAT : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %55 = chlo.erfc %47 : tensor<8xf32> -> tensor<8xf32>
    %cst_14 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %57 = stablehlo.subtract %56, %55 : tensor<8xf32>
    %58 = chlo.erfc %47 : tensor<8xf32> -> tensor<8xf32>
    %59 = stablehlo.select %54, %57, %58 : tensor<8xi1>, tensor<8xf32>
    %60 = stablehlo.select %49, %52, %59 : tensor<8xi1>, tensor<8xf32>
    %cst_15 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %62 = stablehlo.multiply %61, %60 : tensor<8xf32>
    %63 = stablehlo.multiply %40, %62 : tensor<8xf32>
    %64 = stablehlo.subtract %36, %63 : tensor<8xf32>
    return %64 : tensor<8xf32>
  }
}
