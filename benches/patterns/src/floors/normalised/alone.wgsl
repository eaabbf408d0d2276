// One invocation has all of a row.
fn all_sum(x: f32, local: u32) -> f32 {
    return x;
}

fn all_most(x: f32, local: u32) -> f32 {
    return x;
}

