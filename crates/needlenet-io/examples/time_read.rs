//! Times the reading of a table and prints its size and the peak memory of the process (Linux).
//!
//! `cargo run --release -p needlenet-io --example time_read -- genes.csv.gz [outcome]`
#![allow(clippy::print_stdout)]

use std::time::Instant;

use needlenet_io::{Error, ReadOptions, read_table};

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or_else(|| "-".to_owned());
    let options = ReadOptions { target: arguments.next().map(Into::into), ..ReadOptions::default() };
    let start = Instant::now();
    let table = read_table(&path, &options)?;
    let seconds = start.elapsed().as_secs_f64();
    let megabytes = (table.values.len() * size_of::<f64>()) as f64 / 1e6;
    println!(
        "{path}: {} x {} in {seconds:.3} s, {megabytes:.1} MB of cells",
        table.n_rows,
        table.names.len()
    );
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    if let Some(peak) = status.lines().find(|line| line.starts_with("VmHWM")) {
        println!("{peak}");
    }
    Ok(())
}
