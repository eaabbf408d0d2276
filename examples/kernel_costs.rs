//! Prints what the patterns of `indim bench` cost an element on the common classes of GPUs, counted
//! from the SPIR-V of their kernels, as tables for docs/performance.md. It needs no GPU.

fn main() {
    for (classes, table) in indim_testing::kernel_cost::tables() {
        println!("{}:\n", classes.join(", "));
        println!("{}\n", table.join("\n"));
    }
}
