//! `lab hay`: how many shuffled columns are selected beside the inputs of real tables.

use needlenet_io::write_atomically;
use needlenet_lab::{HayExperiment, HayRow, hay_table, read_rows};

use super::args::HayArgs;
use super::progress::Bar;
use super::studies::note_run;
use crate::failure::Failure;
use crate::interrupt;
use crate::output;

/// Runs what is missing, writes summary.md and prints it.
pub fn run(args: &HayArgs) -> Result<(), Failure> {
    interrupt::says(interrupt::STUDY);
    if args.columns == 0 || args.rows == 0 {
        return Err(Failure::Usage("--columns and --rows: give at least 1".into()));
    }
    let experiment = HayExperiment {
        tables: args.folder.clone(),
        sets: args.sets.clone(),
        learners: args.long.learners.clone(),
        hay: args.columns,
        rows: args.rows,
        replicates: args.replicates,
        seed: args.long.seed,
        threads: args.long.threads,
        mix_versions: args.long.mix_versions,
    };
    note_run(&args.long.out, "hay")?;
    let bar = Bar::new(args.long.quiet);
    let ended = experiment.run(&args.long.out, &bar);
    bar.finish();
    let ended = ended?;
    let mut notes: Vec<String> =
        ended.left_out.iter().map(|reason| format!("a table was left out: {reason}")).collect();
    notes.push(format!("{} rows made, {} were there before", ended.made, ended.before));
    output::notes(&notes, args.long.quiet);
    let text = hay_table(&read_rows::<HayRow>(&args.long.out)?);
    write_atomically(&args.long.out.join("summary.md"), text.as_bytes())?;
    output::print(text.as_bytes())
}
