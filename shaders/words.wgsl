// Taking words apart and putting them together. Words of 32 bytes are four 64-bit
// integers: one load or store of these costs a software adapter little more than
// one of half the size.

// The first four of a word's eight elements.
fn word_low(w: vec4<u64>) -> vec4<u32> {
    return vec4<u32>(u32(w.x), u32(w.x >> 32u), u32(w.y), u32(w.y >> 32u));
}

// The last four.
fn word_high(w: vec4<u64>) -> vec4<u32> {
    return vec4<u32>(u32(w.z), u32(w.z >> 32u), u32(w.w), u32(w.w >> 32u));
}

fn word_pair(low: u32, high: u32) -> u64 {
    return u64(low) | (u64(high) << 32u);
}

// The word of these eight elements.
fn word_of(a: vec4<u32>, b: vec4<u32>) -> vec4<u64> {
    return vec4<u64>(word_pair(a.x, a.y), word_pair(a.z, a.w), word_pair(b.x, b.y), word_pair(b.z, b.w));
}

// The same words. A compiler for a CPU, which stores lane by lane, would put a word together lane by
// lane, too: it takes sums, shifts and the like apart by lanes, but no maximum.
fn xla_whole_u32(w: u32) -> u32 {
    return max(w, params.zero);
}

fn xla_whole_2(w: vec2<u32>) -> vec2<u32> {
    return max(w, vec2<u32>(params.zero));
}

fn xla_whole_4(w: vec4<u32>) -> vec4<u32> {
    return max(w, vec4<u32>(params.zero));
}

fn xla_whole_u64(w: vec4<u64>) -> vec4<u64> {
    return max(w, vec4<u64>(u64(params.zero)));
}

// Two words of four 16-bit numbers.
fn xla_pairs(a: vec4<u32>) -> vec2<u32> {
    return a.xz | (a.yw << vec2<u32>(16u));
}
