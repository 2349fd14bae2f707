//! `lab ablate`: what each part of the search contributes.

use std::path::Path;
use std::time::Instant;

use needlenet_io::write_atomically;
use needlenet_lab::{Ablation, AblationRow, IDEAS, LabError, ROWS, ablation_point, ablation_table, to_csv};

use super::args::AblateArgs;
use super::studies::note_run;
use crate::failure::Failure;
use crate::output;

/// Prints the table of all ideas.
pub fn run(args: &AblateArgs) -> Result<(), Failure> {
    output::print(table(args)?.as_bytes())
}

fn table(args: &AblateArgs) -> Result<String, Failure> {
    if args.replicates == 0 {
        return Err(Failure::Usage("--replicates 0: give at least 1".into()));
    }
    let points = args.designs.iter().map(|text| ablation_point(text)).collect::<Result<Vec<_>, _>>()?;
    output::note_threads(args.threads, false);
    let ablation = Ablation { points, replicates: args.replicates, seed: args.seed, threads: args.threads };
    if let Some(folder) = &args.out {
        refuse_earlier_rows(folder)?;
        note_run(folder, "ablate")?;
    }
    let start = Instant::now();
    let rows = ablation.run(|idea, rows| {
        let done = IDEAS.iter().position(|(name, ..)| *name == idea).map_or(0, |at| at + 1);
        let gone = start.elapsed().as_secs_f64();
        output::say(&format!("{idea}: {done} of {} ideas, {gone:.0} seconds gone", IDEAS.len()));
        args.out.as_ref().map_or(Ok(()), |folder| write(folder, rows))
    })?;
    Ok(ablation_table(&rows))
}

fn refuse_earlier_rows(folder: &Path) -> Result<(), LabError> {
    if folder.join(ROWS).exists() {
        let (found, wanted) = ("an earlier run".into(), "a new one".into());
        return Err(LabError::Mixed { path: folder.to_owned(), found, wanted, remedy: "" });
    }
    Ok(())
}

fn write(folder: &Path, rows: &[AblationRow]) -> Result<(), LabError> {
    let mut lines = Vec::new();
    for row in rows {
        lines.extend(to_csv(row, lines.is_empty())?);
    }
    write_atomically(&folder.join(ROWS), &lines)?;
    Ok(write_atomically(&folder.join("summary.md"), ablation_table(rows).as_bytes())?)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Cli, Command};
    use crate::lab::args::LabCommand;

    fn ablate(words: &str) -> Result<String, Failure> {
        let cli = Cli::try_parse_from(format!("needlenet lab ablate {words}").split(' ')).unwrap();
        let Command::Lab(LabCommand::Ablate(args)) = cli.command else { panic!("another command") };
        table(&args)
    }

    #[test]
    fn a_tiny_run_gives_a_row_per_idea_and_keeps_the_fits_and_the_command() {
        let here = tempfile::tempdir().unwrap();
        let folder = here.path().join("o");
        let words =
            format!("--designs linear:n=40:p=5:s=1 --replicates 1 --threads 2 --out {}", folder.display());
        let text = ablate(&words).unwrap();
        assert!(text.starts_with("| switched off | linear n=40 p=5 s=1 | mean seconds |"), "{text}");
        let cells = text.lines().filter(|line| line.contains(" of 1 |")).count();
        assert_eq!(cells, IDEAS.len(), "{text}");
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
        assert_eq!(read("summary.md"), text);
        let rows = read("rows.csv");
        assert_eq!(rows.lines().count(), IDEAS.len() + 1);
        assert!(
            rows.starts_with("idea,design,n,p,s,seed,exact,tpr,fdr,selected,seconds,converged\n"),
            "{rows}"
        );
        assert!(read("runs.jsonl").contains("\"ablate\""));
        assert!(ablate(&words).unwrap_err().to_string().contains("an earlier run"));
    }

    #[test]
    fn designs_and_counts_that_mean_nothing_are_refused() {
        assert!(ablate("--designs triangle").unwrap_err().to_string().contains("\"triangle\""));
        assert!(ablate("--designs deep:m=3").unwrap_err().to_string().contains("deep:n=300"));
        assert!(ablate("--replicates 0").unwrap_err().to_string().contains("at least 1"));
    }
}
