module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf32>) -> (tensor<3x3xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<3x3xi64>
    %1 = stablehlo.iota dim = 1 : tensor<3x3xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<3x3xi64>
    %3 = stablehlo.add %0, %2 : tensor<3x3xi64>
    %4 = stablehlo.compare EQ, %3, %1, SIGNED : (tensor<3x3xi64>, tensor<3x3xi64>) -> tensor<3x3xi1>
    %5 = stablehlo.convert %4 : (tensor<3x3xi1>) -> tensor<3x3xf32>
    %6 = stablehlo.slice %5 [0:3, 0:3] : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %7 = stablehlo.convert %6 : tensor<3x3xf32>
    %8 = stablehlo.cosine %arg0 : tensor<3xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<3x3xf32>
    %11 = stablehlo.multiply %7, %10 : tensor<3x3xf32>
    %12 = stablehlo.cosine %arg0 : tensor<3xf32>
    %13 = stablehlo.sine %arg0 : tensor<3xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<3x3xf32>
    %16 = stablehlo.multiply %7, %15 : tensor<3x3xf32>
    %17 = stablehlo.negate %16 : tensor<3x3xf32>
    %18 = stablehlo.iota dim = 0 : tensor<1x1xi64>
    %19 = stablehlo.iota dim = 1 : tensor<1x1xi64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %20 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i64>) -> tensor<1x1xi64>
    %21 = stablehlo.add %18, %20 : tensor<1x1xi64>
    %22 = stablehlo.compare EQ, %21, %19, SIGNED : (tensor<1x1xi64>, tensor<1x1xi64>) -> tensor<1x1xi1>
    %23 = stablehlo.convert %22 : (tensor<1x1xi1>) -> tensor<1x1xf32>
    %24 = stablehlo.slice %23 [0:1, 0:1] : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %25 = stablehlo.reshape %24 : (tensor<1x1xf32>) -> tensor<1xf32>
    %26 = stablehlo.convert %25 : tensor<1xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0] : (tensor<1xf32>) -> tensor<1x3xf32>
    %28 = stablehlo.broadcast_in_dim %11, dims = [0, 2] : (tensor<3x3xf32>) -> tensor<3x1x3xf32>
    %29 = stablehlo.broadcast_in_dim %27, dims = [1, 2] : (tensor<1x3xf32>) -> tensor<1x1x3xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0, 1, 2] : (tensor<1x1x3xf32>) -> tensor<3x1x3xf32>
    %31 = stablehlo.multiply %28, %30 : tensor<3x1x3xf32>
    %32 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %33 = stablehlo.broadcast_in_dim %7, dims = [0, 2] : (tensor<3x3xf32>) -> tensor<3x1x3xf32>
    %34 = stablehlo.multiply %27, %32 : tensor<1x3xf32>
    %35 = stablehlo.broadcast_in_dim %27, dims = [1, 2] : (tensor<1x3xf32>) -> tensor<1x1x3xf32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2] : (tensor<1x1x3xf32>) -> tensor<3x1x3xf32>
    %37 = stablehlo.multiply %36, %33 : tensor<3x1x3xf32>
    %38 = stablehlo.broadcast_in_dim %12, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %39 = stablehlo.broadcast_in_dim %17, dims = [0, 2] : (tensor<3x3xf32>) -> tensor<3x1x3xf32>
    %40 = stablehlo.broadcast_in_dim %38, dims = [1, 2] : (tensor<1x3xf32>) -> tensor<1x1x3xf32>
    %41 = stablehlo.broadcast_in_dim %40, dims = [0, 1, 2] : (tensor<1x1x3xf32>) -> tensor<3x1x3xf32>
    %42 = stablehlo.multiply %37, %41 : tensor<3x1x3xf32>
    %43 = stablehlo.broadcast_in_dim %34, dims = [1, 2] : (tensor<1x3xf32>) -> tensor<1x1x3xf32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [0, 1, 2] : (tensor<1x1x3xf32>) -> tensor<3x1x3xf32>
    %45 = stablehlo.multiply %44, %39 : tensor<3x1x3xf32>
    %46 = stablehlo.add %42, %45 : tensor<3x1x3xf32>
    %47 = stablehlo.add %31, %46 : tensor<3x1x3xf32>
    %48 = stablehlo.slice %47 [0:3, 0:1, 0:3] : (tensor<3x1x3xf32>) -> tensor<3x1x3xf32>
    %49 = stablehlo.reshape %48 : (tensor<3x1x3xf32>) -> tensor<3x3xf32>
    %50 = stablehlo.transpose %49, dims = [1, 0] : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %51 = stablehlo.slice %50 [0:3, 0:3] : (tensor<3x3xf32>) -> tensor<3x3xf32>
    return %51 : tensor<3x3xf32>
  }
}
