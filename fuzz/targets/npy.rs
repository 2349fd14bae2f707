#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| needlenet_fuzz::check("npy", bytes));
