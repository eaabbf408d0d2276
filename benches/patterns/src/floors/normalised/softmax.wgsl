fn largest_of(first: u32, lane: u32, local: u32) -> f32 {
    var most = splat(-3.0e38);
    for (var at = lane; at < ROW_UNITS; at += LANES) {
        most = larger(most, unit(a[first + at]));
    }
    return all_most(largest(most), local);
}

// The largest element, and the sum of exponentials less that.
fn pair_of(first: u32, lane: u32, local: u32) -> vec2<f32> {
    let largest = largest_of(first, lane, local);
    var sum = Unit();
    for (var at = lane; at < ROW_UNITS; at += LANES) {
        sum += powers(unit(a[first + at]) - splat(largest));
    }
    return vec2<f32>(largest, all_sum(total(sum), local));
}

fn joined(one: vec2<f32>, other: vec2<f32>, count: f32) -> vec2<f32> {
    let largest = max(one.x, other.x);
    return vec2<f32>(largest, one.y * exp(one.x - largest) + other.y * exp(other.x - largest));
}

fn of_all(pair: vec2<f32>) -> vec2<f32> {
    return pair;
}

fn normalised(x: Unit, found: vec2<f32>) -> Unit {
    return quotient(powers(x - splat(found.x)), found.y);
}
