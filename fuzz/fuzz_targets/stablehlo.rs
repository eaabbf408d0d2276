#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| indim_fuzz::stablehlo(data));
