// Functions that split a word of memory into elements and join elements to a word.
// A word of 32 bytes is four 64-bit integers: to load or store one costs a software
// adapter little more than one of half the size.

// Returns the first four of the eight elements in a word.
fn word_low(w: vec4<u64>) -> vec4<u32> {
    return vec4<u32>(u32(w.x), u32(w.x >> 32u), u32(w.y), u32(w.y >> 32u));
}

// Returns the last four of the eight elements in a word.
fn word_high(w: vec4<u64>) -> vec4<u32> {
    return vec4<u32>(u32(w.z), u32(w.z >> 32u), u32(w.w), u32(w.w >> 32u));
}

fn word_pair(low: u32, high: u32) -> u64 {
    return u64(low) | (u64(high) << 32u);
}

// Joins eight elements to a word.
fn word_of(a: vec4<u32>, b: vec4<u32>) -> vec4<u64> {
    return vec4<u64>(word_pair(a.x, a.y), word_pair(a.z, a.w), word_pair(b.x, b.y), word_pair(b.z, b.w));
}

// Returns its argument, computed as a whole vector. A compiler for a CPU, which stores lane by lane,
// would otherwise also join words lane by lane: it splits sums and shifts into lanes, but not max.
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

// Packs four 16-bit numbers into two words.
fn xla_pairs(a: vec4<u32>) -> vec2<u32> {
    return a.xz | (a.yw << vec2<u32>(16u));
}
