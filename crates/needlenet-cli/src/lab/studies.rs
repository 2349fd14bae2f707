//! `lab studies`, `lab run`, `lab replicate` and `lab summary`.

use std::collections::HashSet;
use std::fmt::Write;
use std::path::Path;

use needlenet_io::write_atomically;
use needlenet_lab::{
    Experiment, LEARNERS, LabError, RealRow, Row, SEEDS_APART, Study, TEST_SAMPLES, VERSION, markdown,
    read_rows, summarise, summarise_real, to_csv,
};
use serde::Serialize;

use super::args::{ReplicateArgs, RunArgs};
use super::progress::Bar;
use crate::failure::Failure;
use crate::interrupt;
use crate::output;

/// The learner that `--sure` adds.
const SURE: &str = "needlenet-sure";

/// The studies as other programs read them.
#[derive(Serialize)]
struct Listing {
    version: &'static str,
    seeds_apart: u64,
    test_samples: usize,
    studies: Vec<Study>,
    learners: Vec<(&'static str, &'static str)>,
}

/// Lists the studies and the learners.
pub fn list(json: bool) -> Result<(), Failure> {
    let studies = Study::NAMES.iter().map(|name| Study::named(name)).collect::<Result<Vec<_>, _>>();
    let studies = studies.map_err(LabError::from)?;
    if json {
        return output::print(&output::to_json(&Listing {
            version: VERSION,
            seeds_apart: SEEDS_APART,
            test_samples: TEST_SAMPLES,
            studies,
            learners: LEARNERS.to_vec(),
        })?);
    }
    let mut out = String::from("Studies\n");
    for study in &studies {
        let points: Vec<String> = study.points.iter().map(|point| study.value(point)).collect();
        let axis = format!("{:?}", study.axis).to_lowercase();
        let _ = writeln!(out, "\n  {}: {}", study.name, study.title);
        let _ = writeln!(out, "    {axis} = {}; {} replicates", points.join(" "), study.replicates);
        let _ = writeln!(out, "    {}", study.learners.join(" "));
    }
    out.push_str("\nLearners\n\n");
    for (name, what) in LEARNERS {
        let _ = writeln!(out, "  {name:<22} {what}");
    }
    output::print(out.as_bytes())
}

/// Runs a study, or continues it.
pub fn run(args: &RunArgs) -> Result<(), Failure> {
    interrupt::says(interrupt::STUDY);
    let study = Study::named(&args.study).map_err(LabError::from)?;
    let mut learners = args.long.learners.clone();
    if args.sure {
        let of_study = study.learners.iter().filter(|_| learners.is_empty()).map(|name| (*name).to_owned());
        learners.extend(of_study.collect::<Vec<_>>());
        learners.push(SURE.to_owned());
        let mut seen = HashSet::new();
        learners.retain(|name| seen.insert(name.clone()));
    }
    let experiment = Experiment {
        replicates: args.replicates.unwrap_or(study.replicates),
        study,
        learners,
        points: args.points.clone(),
        seed: args.long.seed,
        threads: args.long.threads,
        mix_versions: args.long.mix_versions,
    };
    output::note_threads(args.long.threads, args.long.quiet);
    note_run(&args.long.out, "run")?;
    let bar = Bar::new(args.long.quiet);
    let ended = experiment.run(&args.long.out, &bar);
    bar.finish();
    let ended = ended?;
    let text = format!("{} rows made, {} were there before", ended.made, ended.before);
    output::notes(&[text], args.long.quiet);
    Ok(())
}

/// Writes the command, the version and the machine beside the rows.
pub(super) fn note_run(out: &Path, what: &'static str) -> Result<(), Failure> {
    #[derive(Serialize)]
    struct Run {
        what: &'static str,
        command: String,
        version: &'static str,
        system: String,
        cores: usize,
        started_unix: u64,
    }
    let words: Vec<String> = std::env::args().skip(1).collect();
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let line = output::to_json(&Run {
        what,
        command: format!("needlenet {}", words.join(" ")),
        version: VERSION,
        system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        started_unix: since.map_or(0, |time| time.as_secs()),
    })?;
    let path = out.join("runs.jsonl");
    let append = || -> std::io::Result<()> {
        std::fs::create_dir_all(out)?;
        let mut file = std::fs::File::options().create(true).append(true).open(&path)?;
        std::io::Write::write_all(&mut file, &line)
    };
    append().map_err(|source| LabError::File { path: path.clone(), source }.into())
}

/// Runs one replicate and prints exactly the line that `lab run` would append.
pub fn replicate(args: &ReplicateArgs) -> Result<(), Failure> {
    let study = Study::named(&args.study).map_err(LabError::from)?;
    let experiment = Experiment {
        learners: vec![args.learner.clone()],
        points: vec![args.point.clone()],
        replicates: 1,
        seed: args.seed,
        threads: 1,
        mix_versions: false,
        study: study.clone(),
    };
    let mut rows = Vec::new();
    for task in experiment.tasks()? {
        let row = needlenet_lab::replicate(&study, &task.point, &task.learner, args.seed, args.replicate)?;
        rows.extend(to_csv(&row, true)?);
    }
    output::print(&rows)
}

/// Summarises the rows of a folder.
pub fn summary(folder: &Path) -> Result<(), Failure> {
    let (studies, real) = match read_rows::<Row>(folder) {
        Ok(rows) => (summarise(&rows), Vec::new()),
        Err(LabError::NotRows { .. }) => (Vec::new(), summarise_real(&read_rows::<RealRow>(folder)?)),
        Err(error) => return Err(error.into()),
    };
    if studies.is_empty() && real.is_empty() {
        let what = "has no rows; give a folder that lab run or lab real wrote";
        return Err(LabError::Nothing { path: folder.to_owned(), what }.into());
    }
    let mut table = Vec::new();
    for (at, row) in studies.iter().enumerate() {
        table.extend(to_csv(row, at == 0)?);
    }
    for (at, row) in real.iter().enumerate() {
        table.extend(to_csv(row, at == 0)?);
    }
    let text = markdown(&studies, &real);
    write_atomically(&folder.join("summary.csv"), &table)?;
    write_atomically(&folder.join("summary.md"), text.as_bytes())?;
    output::print(text.as_bytes())
}
