// The invocations of a workgroup have a row together.
var<workgroup> shared_values: array<f32, WORKGROUP>;

fn all_sum(x: f32, local: u32) -> f32 {
    workgroupBarrier();
    shared_values[local] = x;
    for (var half = WORKGROUP / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if local < half {
            shared_values[local] += shared_values[local + half];
        }
    }
    workgroupBarrier();
    return shared_values[0];
}

fn all_most(x: f32, local: u32) -> f32 {
    workgroupBarrier();
    shared_values[local] = x;
    for (var half = WORKGROUP / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if local < half {
            shared_values[local] = max(shared_values[local], shared_values[local + half]);
        }
    }
    workgroupBarrier();
    return shared_values[0];
}

