// Sums of BF16, two in each 32 bits, rounded to the nearest, ties to even. None is NaN.
alias Word = vec4<u32>;

fn rounded(x: vec4<f32>) -> vec4<u32> {
    let bits = bitcast<vec4<u32>>(x);
    return bits + vec4<u32>(0x7fffu) + ((bits >> vec4<u32>(16u)) & vec4<u32>(1u));
}

fn sum(a: Word, b: Word) -> Word {
    let upper = vec4<u32>(0xffff0000u);
    let sixteen = vec4<u32>(16u);
    let low = bitcast<vec4<f32>>(a << sixteen) + bitcast<vec4<f32>>(b << sixteen);
    let high = bitcast<vec4<f32>>(a & upper) + bitcast<vec4<f32>>(b & upper);
    return (rounded(low) >> sixteen) | (rounded(high) & upper);
}

