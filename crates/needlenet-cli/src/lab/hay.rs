//! `lab hay`: how many shuffled columns are selected beside the inputs of real tables.

use needlenet_io::write_atomically;
use needlenet_lab::{HayExperiment, HayRow, hay_table, read_rows};

use super::args::HayArgs;
use super::real::{over_tables, run_over_tables};
use crate::failure::Failure;
use crate::output;

/// Runs the missing rows, writes summary.md and prints it.
pub fn run(args: &HayArgs) -> Result<(), Failure> {
    if args.columns == 0 || args.rows == 0 {
        return Err(Failure::Usage("--columns and --rows: give at least 1".into()));
    }
    let over = over_tables(&args.on, args.replicates);
    let experiment = HayExperiment { over, hay: args.columns, rows: args.rows };
    run_over_tables(&args.on, "hay", |out, watcher| experiment.run(out, watcher))?;
    let out = &args.on.long.out;
    let text = hay_table(&read_rows::<HayRow>(out)?);
    write_atomically(&out.join("summary.md"), text.as_bytes())?;
    output::print(text.as_bytes())
}
