// Words of 32 bytes as two of 16.
alias Wide = vec4<u64>;

fn wide_sum(a: Wide, b: Wide) -> Wide {
    let low = sum(vec4<u32>(a), vec4<u32>(b));
    let high = sum(vec4<u32>(a >> vec4<u32>(32u)), vec4<u32>(b >> vec4<u32>(32u)));
    return vec4<u64>(low) | (vec4<u64>(high) << vec4<u32>(32u));
}

