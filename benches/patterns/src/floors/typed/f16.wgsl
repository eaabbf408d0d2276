// Sums of F16, two in each 32 bits. None is infinite, and sums too small to be normal are exact, so
// that rounding is to cut the low bits of normal numbers, ties to even. What was rounded is packed as
// it is, also where `pack2x16float` would cut.
alias Word = vec4<u32>;

fn pair(a: u32, b: u32) -> u32 {
    let bits = bitcast<vec2<u32>>(unpack2x16float(a) + unpack2x16float(b));
    let up = vec2<u32>(0xfffu) + ((bits >> vec2<u32>(13u)) & vec2<u32>(1u));
    return pack2x16float(bitcast<vec2<f32>>((bits + up) & vec2<u32>(0xffffe000u)));
}

fn sum(a: Word, b: Word) -> Word {
    return vec4<u32>(pair(a.x, b.x), pair(a.y, b.y), pair(a.z, b.z), pair(a.w, b.w));
}

