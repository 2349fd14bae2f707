//! Sparse tables: a Matrix Market file, with the outcome in a table of samples beside it (`--samples`).
//!
//! The matrix has the inputs. The table of samples has a row for each sample: the outcome, the columns of survival, weights and
//! offset, and inputs that are always in, such as a batch. Its rows are joined to the samples of the matrix by barcode; without
//! barcodes they are in the same order. Tested in `tests/cli/cells.rs`.

use std::collections::HashMap;

use needlenet::SparseColumns;
use needlenet_io::{
    ColumnRef, Error, Group, Known, Missing, ReadOptions, SparseTable, Table, Target, is_matrix_market,
    read_sparse_table, read_table, refuse_hdf5,
};

use crate::args::{SamplesArgs, TableArgs};
use crate::choices::table_options;
use crate::failure::Failure;
use crate::names;

/// The column of barcodes, if none is given.
const BARCODE: &str = "barcode";

/// Whether this module reads the file; a table of samples is for these files only.
pub fn is_sparse(file: &str, samples: &SamplesArgs) -> Result<bool, Failure> {
    let is_sparse = file != "-" && is_matrix_market(file);
    if file != "-" {
        refuse_hdf5(file)?;
    }
    if !is_sparse && (samples.samples.is_some() || samples.id.is_some()) {
        return Err(Failure::Usage(format!(
            "{file}: --samples and --id are for a Matrix Market file; give the outcome as a column of the table"
        )));
    }
    Ok(is_sparse)
}

/// The table of a fit without the values, which are the sparse columns.
pub fn read(args: &TableArgs) -> Result<(Table, SparseColumns), Failure> {
    let Some(samples) = &args.samples.samples else {
        return Err(Failure::Usage(format!(
            "{}: a Matrix Market file has no outcome; give a table with a row for each sample by --samples FILE",
            args.file
        )));
    };
    let options = table_options(args)?;
    let cells = |n: Option<usize>| read_sparse_table(&args.file, n, &options);
    // inputs that are always in and not in the matrix are in the table of samples
    let known = cells(None).ok();
    let is_own = |column: &ColumnRef| known.as_ref().is_some_and(|of| !column.named(&of.names).is_empty());
    let always = names::each(&args.always).cloned().map(ColumnRef);
    let beside: Vec<ColumnRef> = always.filter(|column| !is_own(column)).collect();
    let exactly = beside.is_empty().then(Vec::new);
    let options = ReadOptions { only: beside, exclude: Vec::new(), exactly, ..options.clone() };
    let barcodes = known.as_ref().and_then(|of| of.barcodes.as_ref());
    let (mut table, ids) = read_samples(samples, options, &args.samples, barcodes.is_some())?;
    let sparse = match known {
        Some(known) if known.barcodes.is_some() || known.matrix.n_samples == table.n_rows => known,
        _ => cells(Some(table.n_rows))?,
    };
    let rows = joined(samples, &args.file, &sparse, &mut table, ids, &args.samples)?;
    let SparseTable { matrix, mut names, .. } = sparse;
    let mut matrix = matrix.of_samples(&rows);
    table.values.chunks_exact(table.n_rows).for_each(|column| matrix.push_column(column));
    let shift = |group: &Group| Group {
        columns: group.columns.start + names.len()..group.columns.end + names.len(),
        ..group.clone()
    };
    let groups = table.groups.iter().map(shift).collect();
    names.append(&mut table.names);
    Ok((Table { names, groups, values: Vec::new(), ..table }, matrix.cells))
}

/// The inputs of a model for the samples of a matrix; inputs that the matrix does not have are in the table of
/// samples.
pub fn read_known(
    file: &str,
    args: &SamplesArgs,
    known: &[Known],
    options: &ReadOptions,
) -> Result<Table, Failure> {
    let sparse = read_sparse_table(file, None, options)?;
    let place: HashMap<&str, usize> = sparse.names.iter().map(String::as_str).zip(0..).collect();
    let beside: Vec<Known> =
        known.iter().filter(|input| !place.contains_key(input.name.as_str())).cloned().collect();
    let n = sparse.matrix.n_samples;
    let (table, rows) = match &args.samples {
        Some(samples) => {
            let options = ReadOptions { exactly: Some(beside.clone()), ..options.clone() };
            let (mut table, ids) = read_samples(samples, options, args, sparse.barcodes.is_some())?;
            let rows = joined(samples, file, &sparse, &mut table, ids, args)?;
            (table, rows)
        }
        None if beside.is_empty() && options.beside.is_empty() => {
            let empty = Table {
                names: Vec::new(),
                n_rows: n,
                values: Vec::new(),
                groups: Vec::new(),
                target: None,
                beside: Vec::new(),
                rows: (1..=n).collect(),
                notes: Vec::new(),
            };
            (empty, (0..n).collect())
        }
        None => {
            let wanted = beside.first().map(|input| &input.name).or(options.beside.first());
            return Err(Failure::Usage(format!(
                "{file}: the model needs \"{}\", which is no input of the matrix; give a table with a row for each \
                 sample by --samples FILE",
                wanted.map_or("", String::as_str)
            )));
        }
    };
    let mut values = Vec::new();
    let mut taken = 0;
    for input in known {
        if let Some(&column) = place.get(input.name.as_str()) {
            let column = sparse.matrix.column(column);
            values.extend(rows.iter().map(|&row| column[row]));
        } else {
            let width = input.coding.width() * table.n_rows;
            values.extend_from_slice(&table.values[taken..taken + width]);
            taken += width;
        }
    }
    Ok(Table { values, ..table })
}

/// The table of samples, and its column of barcodes if both the matrix and the table have barcodes.
fn read_samples(
    path: &str,
    options: ReadOptions,
    args: &SamplesArgs,
    has_barcodes: bool,
) -> Result<(Table, Option<Target>), Failure> {
    let id = match &args.id {
        Some(_) if !has_barcodes => {
            return Err(Failure::Usage(format!(
                "--id needs the barcodes of the samples: put barcodes.tsv beside matrix.mtx, or leave --id out if the rows of \
                 {path} are in the order of the matrix"
            )));
        }
        Some(id) => Some(id.as_str()),
        None => has_barcodes.then_some(BARCODE),
    };
    let read = |id: Option<&str>| {
        let beside = options.beside.iter().cloned().chain(id.map(str::to_owned)).collect();
        read_table(path, &ReadOptions { beside, ..options.clone() })
    };
    let (mut table, id) = match read(id) {
        Err(Error::NoSuchColumn { wanted, .. }) if args.id.is_none() && Some(wanted.as_str()) == id => {
            (read(None)?, None)
        }
        done => (done?, id),
    };
    let ids = id.and_then(|_| table.beside.pop());
    if ids.is_none() && options.missing == Missing::DropRows {
        return Err(Failure::Usage(format!(
            "--missing drop-rows leaves out rows of {path}, so its samples must be known by their barcode: give --id NAME"
        )));
    }
    Ok((table, ids))
}

/// The sample of the matrix for each row of the table.
fn joined(
    path: &str,
    file: &str,
    sparse: &SparseTable,
    table: &mut Table,
    ids: Option<Target>,
    args: &SamplesArgs,
) -> Result<Vec<usize>, Failure> {
    let n = sparse.matrix.n_samples;
    let (Some(ids), Some(barcodes)) = (ids, &sparse.barcodes) else {
        if table.n_rows != n {
            return Err(Failure::Usage(format!(
                "{path}: has {} rows, and {file} {n} samples; give a row for each sample, in the same order, or barcodes.tsv \
                 beside the matrix and a column of barcodes (--id NAME)",
                table.n_rows
            )));
        }
        table.notes.push(format!("{path}: its rows are taken in the order of the samples of {file}"));
        return Ok((0..n).collect());
    };
    let column = args.id.as_deref().unwrap_or(BARCODE);
    let place: HashMap<&str, usize> = barcodes.iter().map(String::as_str).zip(0..).collect();
    let mut seen = vec![false; n];
    let mut rows = Vec::with_capacity(table.n_rows);
    for (id, row) in ids.text.iter().zip(&table.rows) {
        let bad = |reason: &str| {
            Failure::Usage(format!("{path}: row {row}, column \"{column}\": \"{id}\" {reason}"))
        };
        let sample = *place
            .get(id.as_str())
            .ok_or_else(|| bad("is no barcode of the matrix; give the table that belongs to it"))?;
        if std::mem::replace(&mut seen[sample], true) {
            return Err(bad("is there twice; keep one row for each sample"));
        }
        rows.push(sample);
    }
    if rows.len() < n {
        let left = n - rows.len();
        table.notes.push(format!("{left} of {n} samples of {file} have no row in {path} and are left out"));
    }
    Ok(rows)
}
