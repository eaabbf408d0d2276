// Sums of F16, two in each 32 bits.
alias Word = vec4<u32>;

fn sum(a: Word, b: Word) -> Word {
    return vec4<u32>(
        pack2x16float(unpack2x16float(a.x) + unpack2x16float(b.x)),
        pack2x16float(unpack2x16float(a.y) + unpack2x16float(b.y)),
        pack2x16float(unpack2x16float(a.z) + unpack2x16float(b.z)),
        pack2x16float(unpack2x16float(a.w) + unpack2x16float(b.w)),
    );
}

