// The same of words of 32 bytes, by 64 bits at once.
alias Wide = vec4<u64>;

fn wide_sum(a: Wide, b: Wide) -> Wide {
    let top = vec4<u64>((u64(TOP) << 32u) | u64(TOP));
    return ((a & ~top) + (b & ~top)) ^ ((a ^ b) & top);
}

