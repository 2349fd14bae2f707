//! Reads a table as a fit does, and continues where a fit would stop.

use needlenet::SparseColumns;
use needlenet_io::{ColumnRef, Error, Missing, Place, Table, read_table};

use super::Finding;
use crate::args::TableArgs;
use crate::cells::{self, is_sparse};
use crate::choices::table_options;
use crate::failure::Failure;

/// The largest number of columns that are left out one by one before the table is refused.
const MOST_COLUMNS: usize = 50;

/// The table without the unreadable parts, and the findings on these parts.
pub fn read(args: &TableArgs) -> Result<(Table, Option<SparseColumns>, Vec<Finding>), Failure> {
    if is_sparse(&args.file, &args.samples)? {
        let (table, cells) = cells::read(args)?;
        let notes =
            table.notes.iter().map(|note| Finding::new("reading", Vec::new(), note.clone())).collect();
        return Ok((table, Some(cells), notes));
    }
    if args.file == "-" {
        return Err(Failure::Usage("doctor reads a table several times; give a file instead of -".into()));
    }
    let mut options = table_options(args)?;
    let mut findings = Vec::new();
    for _ in 0..MOST_COLUMNS {
        let error = match read_table(&args.file, &options) {
            Ok(table) => {
                findings
                    .extend(table.notes.iter().map(|note| Finding::new("reading", Vec::new(), note.clone())));
                return Ok((table, None, findings));
            }
            Err(error) => error,
        };
        let message = error.to_string();
        let found = |check, column: &str| Finding {
            stops: true,
            ..Finding::new(check, vec![column.to_owned()], message.clone())
        };
        match &error {
            Error::Unusable { columns, .. } => {
                for of in columns {
                    let message = format!("\"{}\" {}; {}", of.column, of.looks, of.remedy);
                    findings.push(Finding {
                        stops: true,
                        ..Finding::new("text", vec![of.column.clone()], message)
                    });
                    options.exclude.push(ColumnRef(of.column.clone()));
                }
            }
            Error::NotFinite { place: Place { column, .. }, .. }
                if Some(column) != args.target.as_ref().or(args.time.as_ref()) =>
            {
                findings.push(found("text", column));
                options.exclude.push(ColumnRef(column.clone()));
            }
            Error::MissingCells { column, .. } if options.missing != Missing::Mean => {
                findings.push(found("missing", column));
                options.missing = Missing::Mean;
            }
            Error::MissingTarget { column, .. } if options.missing != Missing::DropRows => {
                findings.push(found("missing", column));
                options.missing = Missing::DropRows;
            }
            _ => return Err(error.into()),
        }
    }
    Err(Failure::Usage(format!(
        "{}: more than {MOST_COLUMNS} columns are not numbers; keep only columns of numbers, or check the separator",
        args.file
    )))
}
