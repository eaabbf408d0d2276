// Sums of integers of less than 32 bits, all of a word at once. TOP has the top bit of each: without
// it no sum carries into its neighbour, and it is the sum of the top bits and of what is carried to
// it. (H. S. Warren, "Hacker's Delight", 2nd edition, 2-18.)
alias Word = vec4<u32>;

fn sum(a: Word, b: Word) -> Word {
    let top = vec4<u32>(TOP);
    return ((a & ~top) + (b & ~top)) ^ ((a ^ b) & top);
}

