module @jit_mandelbrot attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x4xcomplex<f32>>) -> (tensor<4x4xi32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<4x4xcomplex<f32>>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x4xi32>
    %2 = stablehlo.multiply %0, %0 : tensor<4x4xcomplex<f32>>
    %3 = stablehlo.add %2, %arg0 : tensor<4x4xcomplex<f32>>
    %4 = stablehlo.abs %3 : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %6 = stablehlo.compare LT, %4, %5, FLOAT : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xi1>
    %7 = stablehlo.convert %6 : (tensor<4x4xi1>) -> tensor<4x4xi32>
    %8 = stablehlo.add %1, %7 : tensor<4x4xi32>
    %9 = stablehlo.multiply %3, %3 : tensor<4x4xcomplex<f32>>
    %10 = stablehlo.add %9, %arg0 : tensor<4x4xcomplex<f32>>
    %11 = stablehlo.abs %10 : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %13 = stablehlo.compare LT, %11, %12, FLOAT : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xi1>
    %14 = stablehlo.convert %13 : (tensor<4x4xi1>) -> tensor<4x4xi32>
    %15 = stablehlo.add %8, %14 : tensor<4x4xi32>
    %16 = stablehlo.multiply %10, %10 : tensor<4x4xcomplex<f32>>
    %17 = stablehlo.add %16, %arg0 : tensor<4x4xcomplex<f32>>
    %18 = stablehlo.abs %17 : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %20 = stablehlo.compare LT, %18, %19, FLOAT : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xi1>
    %21 = stablehlo.convert %20 : (tensor<4x4xi1>) -> tensor<4x4xi32>
    %22 = stablehlo.add %15, %21 : tensor<4x4xi32>
    %23 = stablehlo.multiply %17, %17 : tensor<4x4xcomplex<f32>>
    %24 = stablehlo.add %23, %arg0 : tensor<4x4xcomplex<f32>>
    %25 = stablehlo.abs %24 : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xf32>
    %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %27 = stablehlo.compare LT, %25, %26, FLOAT : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xi1>
    %28 = stablehlo.convert %27 : (tensor<4x4xi1>) -> tensor<4x4xi32>
    %29 = stablehlo.add %22, %28 : tensor<4x4xi32>
    %30 = stablehlo.multiply %24, %24 : tensor<4x4xcomplex<f32>>
    %31 = stablehlo.add %30, %arg0 : tensor<4x4xcomplex<f32>>
    %32 = stablehlo.abs %31 : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xf32>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %34 = stablehlo.compare LT, %32, %33, FLOAT : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xi1>
    %35 = stablehlo.convert %34 : (tensor<4x4xi1>) -> tensor<4x4xi32>
    %36 = stablehlo.add %29, %35 : tensor<4x4xi32>
    %37 = stablehlo.multiply %31, %31 : tensor<4x4xcomplex<f32>>
    %38 = stablehlo.add %37, %arg0 : tensor<4x4xcomplex<f32>>
    %39 = stablehlo.abs %38 : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xf32>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %41 = stablehlo.compare LT, %39, %40, FLOAT : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xi1>
    %42 = stablehlo.convert %41 : (tensor<4x4xi1>) -> tensor<4x4xi32>
    %43 = stablehlo.add %36, %42 : tensor<4x4xi32>
    %44 = stablehlo.multiply %38, %38 : tensor<4x4xcomplex<f32>>
    %45 = stablehlo.add %44, %arg0 : tensor<4x4xcomplex<f32>>
    %46 = stablehlo.abs %45 : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xf32>
    %cst_6 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %48 = stablehlo.compare LT, %46, %47, FLOAT : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xi1>
    %49 = stablehlo.convert %48 : (tensor<4x4xi1>) -> tensor<4x4xi32>
    %50 = stablehlo.add %43, %49 : tensor<4x4xi32>
    %51 = stablehlo.multiply %45, %45 : tensor<4x4xcomplex<f32>>
    %52 = stablehlo.add %51, %arg0 : tensor<4x4xcomplex<f32>>
    %53 = stablehlo.abs %52 : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xf32>
    %cst_7 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %55 = stablehlo.compare LT, %53, %54, FLOAT : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xi1>
    %56 = stablehlo.convert %55 : (tensor<4x4xi1>) -> tensor<4x4xi32>
    %57 = stablehlo.add %50, %56 : tensor<4x4xi32>
    return %57 : tensor<4x4xi32>
  }
}
