//! Tables in shards: `needlenet shard` makes a folder of them, which `fit` and `threshold` can
//! read.

use std::path::Path;

use needlenet::shards::Sharded;
use needlenet_io::{Folder, Kept, read_table, shard_bed, shard_table};

use crate::args::{FitArgs, ShardArgs, TableArgs, TaskChoice};
use crate::cells::is_sparse;
use crate::choices::table_options;
use crate::failure::Failure;
use crate::names;
use crate::output;
use crate::table::{Asked, Loaded, asked, counts};

/// Makes a folder of shards.
pub fn shard(args: &ShardArgs) -> Result<(), Failure> {
    let (file, columns) = (&args.table.file, args.columns as usize);
    let (samples, id) = (&args.table.samples.samples, &args.table.samples.id);
    let is_bed = file.ends_with(".bed");
    if !is_bed {
        is_sparse(file, &args.table.samples)?;
    }
    let made = if let (Some(samples), Some(id)) = (samples, id) {
        shard_bed(&args.out, Path::new(file), Path::new(samples), id, columns)?
    } else if is_bed {
        let remedy = "give the table with the outcome as --samples FILE and its column of ids as --id NAME";
        return Err(Failure::Usage(format!("{file}: a PLINK file has no outcome; {remedy}")));
    } else {
        let table = read_table(file, &table_options(&args.table)?)?;
        output::notes(&table.notes, args.quiet);
        shard_table(&args.out, &table, columns)?
    };
    let (shards, out) = (needlenet_report::plural(made, "shard"), args.out.display());
    output::notes(&[format!("{out}: {shards}; fit them with needlenet fit {out}")], args.quiet);
    Ok(())
}

/// A folder of shards with its outcome; the answers of its shards are kept in `book`, if one is given.
pub fn load(table: &TableArgs, task: TaskChoice, book: Option<&Path>) -> Result<Loaded<Sharded>, Failure> {
    let options = table_options(table)?;
    let given = [
        ("--groups", table.groups.is_some()),
        ("--category", !table.category.is_empty()),
        ("--exclude", !table.exclude.is_empty()),
        ("--only", !table.only.is_empty()),
        ("--samples", table.samples.samples.is_some()),
        ("--id", table.samples.id.is_some()),
    ];
    refuse_options(&table.file, &given)?;
    let folder = Folder::open(&table.file)?;
    let always: Vec<String> = names::each(&table.always).cloned().collect();
    let mut samples = folder.samples(&options, &always)?;
    let Asked { outcome, weights, offset, task_reason } = asked(table, task, &mut samples)?;
    let mut names = folder.names.clone();
    names.append(&mut samples.names);
    let class_counts = counts(&outcome);
    let fingerprint = folder.fingerprint();
    let shards = folder.into_shards(samples.values, options.max_memory);
    let kept = match book {
        Some(book) => {
            let (kept, found) = Kept::open(book, fingerprint, shards)?;
            if found > 0 {
                let (answers, book) = (needlenet_report::plural(found, "answer"), book.display());
                samples.notes.push(format!("going on from {answers} of shards that a run left in {book}"));
            }
            Ok(kept)
        }
        None => Err(shards),
    };
    let made = || {
        let mut data = match kept {
            Ok(kept) => Sharded::new(kept, names, outcome),
            Err(shards) => Sharded::new(shards, names, outcome),
        }?;
        if !always.is_empty() {
            data = data.with_always(&always)?;
        }
        if let Some(offset) = offset {
            data = data.with_offset(offset)?;
        }
        if let Some(weights) = weights { data.with_weights(weights) } else { Ok(data) }
    };
    let data = made().map_err(Failure::of_data(&table.file))?;
    Ok(Loaded { data, class_counts, task_reason, notes: samples.notes })
}

/// Refuses options that a fit of shards does not support.
pub fn refuse(args: &FitArgs) -> Result<(), Failure> {
    refuse_options(&args.table.file, &[("--sure", args.sure), ("--report", args.report.is_some())])
}

fn refuse_options(file: &str, given: &[(&str, bool)]) -> Result<(), Failure> {
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Failure::Usage(format!(
            "{file}: {option} does not work with a table in shards; leave it out"
        ))),
        None => Ok(()),
    }
}
