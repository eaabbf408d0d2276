// Constants in the section at the end.

func.func @resources() {
  %0 = stablehlo.constant dense_resource<floats> : tensor<2x2xf32>
  %1 = stablehlo.negate %0 : tensor<2x2xf32>
  check.expect_eq_const %1, dense<[[-1.0, -2.0], [-0.5, 4.0]]> : tensor<2x2xf32>
  %2 = "stablehlo.constant"() <{value = dense_resource<flags> : tensor<3xi1>}> : () -> tensor<3xi1>
  %3 = stablehlo.not %2 : tensor<3xi1>
  check.expect_eq_const %3, dense<[false, true, false]> : tensor<3xi1>
  %4 = stablehlo.constant dense_resource<"all equal"> : tensor<3xi16>
  check.expect_eq_const %4, dense<-2> : tensor<3xi16>
  %5 = stablehlo.constant dense_resource<floats> : tensor<2x2xf32>
  %6 = stablehlo.add %0, %5 : tensor<2x2xf32>
  %7 = stablehlo.slice %6 [1:2, 0:2] : (tensor<2x2xf32>) -> tensor<1x2xf32>
  check.expect_eq_const %7, dense_resource<sums> : tensor<1x2xf32>
  return
}

{-#
  dialect_resources: {
    builtin: {
      floats: "0x040000000000803F000000400000003F000080C0",
      flags: "0x01000000010001",
      // Two of them are written with quotes.
      "all equal": "0x02000000FEFFFEFFFEFF",
      "sums": "0x040000000000803F000000C1"
    }
  }
#-}
