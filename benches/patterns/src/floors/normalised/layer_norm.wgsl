const COUNT = f32(ROW_UNITS * UNIT);

// The mean and the mean square of the distance from it.
fn pair_of(first: u32, lane: u32, local: u32) -> vec2<f32> {
    var sum = Unit();
    for (var at = lane; at < ROW_UNITS; at += LANES) {
        sum += unit(a[first + at]);
    }
    let mean = all_sum(total(sum), local) / COUNT;
    sum = Unit();
    for (var at = lane; at < ROW_UNITS; at += LANES) {
        sum += squared(unit(a[first + at]) - splat(mean));
    }
    return vec2<f32>(mean, all_sum(total(sum), local) / COUNT);
}

// Those of `count` chunks and of one more (Chan, Golub, LeVeque).
fn joined(all: vec2<f32>, chunk: vec2<f32>, count: f32) -> vec2<f32> {
    let distance = chunk.x - all.x;
    let share = 1.0 / (count + 1.0);
    let between = distance * distance * count * share;
    return vec2<f32>(all.x + distance * share, (all.y * count + chunk.y + between) * share);
}

fn of_all(pair: vec2<f32>) -> vec2<f32> {
    return vec2<f32>(pair.x, sqrt(pair.y + 1.0e-5));
}

fn normalised(x: Unit, found: vec2<f32>) -> Unit {
    return quotient(x - splat(found.x), found.y);
}
