// The guard of sums for adapters whose compilers see through the minimum that
// xla_keep is in exact.wgsl, or regroup across it (src/calibration/guard.rs).

fn xla_keep(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) | params.zero);
}
