// Eight elements in one access. Elements 0, 2, 4 and 6 are the low halves, the others the high ones.
alias Word = vec4<u64>;

fn even(word: Word) -> vec4<f32> {
    return bitcast<vec4<f32>>(vec4<u32>(word));
}

fn odd(word: Word) -> vec4<f32> {
    return bitcast<vec4<f32>>(vec4<u32>(word >> vec4<u32>(32u)));
}

fn packed(even: vec4<f32>, odd: vec4<f32>) -> Word {
    let high = vec4<u64>(bitcast<vec4<u32>>(odd)) << vec4<u32>(32u);
    return vec4<u64>(bitcast<vec4<u32>>(even)) | high;
}

