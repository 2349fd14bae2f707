//! Tables in shards: `needlenet shard` makes a folder of them, which `fit` and `threshold` can
//! read.

use std::path::Path;

use needlenet::shards::Sharded;
use needlenet_io::{Book, Folder, Kept, shard_bed, shard_table};

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
        let (made, notes) = shard_table(&args.out, file, &table_options(&args.table)?, columns)?;
        output::notes(&notes, args.quiet);
        made
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
            let (opened, found) = Book::open(book, fingerprint)?;
            if found > 0 {
                let (answers, book) = (needlenet_report::plural(found, "answer"), book.display());
                samples.notes.push(format!("going on from {answers} of shards that a run left in {book}"));
            }
            Ok(Kept::new(opened, shards))
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

/// Refuses `--sure`.
pub fn refuse_sure(args: &FitArgs) -> Result<(), Failure> {
    if !args.sure {
        return Ok(());
    }
    let why = "its tests draw each needle anew from all other inputs, which needs the table in memory";
    let remedy = "leave it out, or fit the inputs in question as a table";
    Err(Failure::Usage(format!(
        "{}: --sure does not work with a table in shards: {why}; {remedy}",
        args.table.file
    )))
}

fn refuse_options(file: &str, given: &[(&str, bool)]) -> Result<(), Failure> {
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Failure::Usage(format!(
            "{file}: {option} does not work with a table in shards, whose inputs are the columns of its files; leave it out"
        ))),
        None => Ok(()),
    }
}
