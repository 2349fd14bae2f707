//! NumPy tables: one array (npy), or `X`, `y` and `feature_names` in a zip (npz).
//!
//! The columns of an array have no names, so they are `x1`, `x2`, ... by position unless there is an array
//! `feature_names`. Tested in `tests/numpy_tables.rs`.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Seek};

use npyz::NpyFile;
use npyz::npz::{array_name_from_file_name, file_name_from_array_name};
use zip::ZipArchive;

use crate::blocks::{Columns, Rows};
use crate::draft::Draft;
use crate::memory::Room;
use crate::npy_array::{damaged, is_truth, numbers, open, shape, texts};
use crate::outcome::Outcome;
use crate::plan::{Plan, Slot, filled_names, numbered_names};
use crate::words::Words;
use crate::{ColumnRef, Error, ReadOptions, Table};

/// Cells of a column read at once.
const AT_ONCE: u64 = 1 << 16;

pub(crate) fn read_npy(file: &str, input: impl BufRead, options: &ReadOptions) -> Result<Table, Error> {
    let array = open(file, "npy", input)?;
    let (_, columns) = shape(file, &array)?;
    let mut room = Room::new(file, options);
    room.take_columns(columns, 0)?;
    let names = numbered_names(columns);
    let plan = Plan::new(file, names, options.target.as_ref(), options)?;
    read_table(file, "npy", array, plan, Vec::new(), &mut room)?.settle(options)
}

pub(crate) fn read_npz(file: &str, input: impl Read + Seek, options: &ReadOptions) -> Result<Table, Error> {
    let mut zip = ZipArchive::new(input).map_err(|error| damaged(file, "npz", error))?;
    let members =
        zip.file_names().collect::<Result<Vec<_>, _>>().map_err(|error| damaged(file, "npz", error))?;
    let mut arrays: Vec<String> =
        members.iter().filter_map(|member| array_name_from_file_name(member)).map(str::to_owned).collect();
    arrays.sort();
    let has = |name: &str| arrays.iter().any(|array| array == name);
    let main = match (has("X"), arrays.as_slice()) {
        (true, _) => "X".to_owned(),
        (false, [only]) => only.clone(),
        _ => {
            let list: Vec<String> = arrays.iter().map(|name| format!("\"{name}\"")).collect();
            let found =
                format!("the npz file has {} arrays ({}) and none is \"X\"", arrays.len(), list.join(", "));
            return Err(Error::Shape {
                file: file.to_owned(),
                found,
                expected: "arrays X and y, or one array",
            });
        }
    };
    let (mut notes, mut room) = (Vec::new(), Room::new(file, options));
    let apart = main == "X" && has("y");
    let target = options.target.as_ref();
    let wants_y = apart && target.is_none_or(|column| *column == ColumnRef::from("y"));
    if apart && !wants_y {
        notes.push(
            "the array \"y\" of the npz file is not used, since the outcome is another column".to_owned(),
        );
    }
    let outcome = if wants_y { Some(read_y(file, member(file, &mut zip, "y")?, &mut room)?) } else { None };
    let names = match has("feature_names") {
        true => texts(file, member(file, &mut zip, "feature_names")?, &mut room)?.ok(),
        false => None,
    };
    if has("feature_names") && names.is_none() {
        notes.push(
            "\"feature_names\" is not an array of text (dtype str): the inputs are called x1, x2, ..."
                .to_owned(),
        );
    }
    let array = member(file, &mut zip, &main)?;
    let (n_rows, columns) = shape(file, &array)?;
    room.take_columns(columns, 0)?;
    let names = match names {
        Some(names) if names.len() != columns => {
            let found =
                format!("\"feature_names\" has {} names but \"{main}\" has {columns} columns", names.len());
            return Err(Error::Shape { file: file.to_owned(), found, expected: "one name per column" });
        }
        Some(names) => filled_names(names, &mut notes),
        None => numbered_names(columns),
    };
    if let Some(outcome) = outcome.as_ref().filter(|outcome| outcome.text.len() as u64 != n_rows) {
        let found = format!("\"X\" has {n_rows} rows but \"y\" has {} values", outcome.text.len());
        return Err(Error::Shape { file: file.to_owned(), found, expected: "one value per row" });
    }
    let plan = Plan::new(file, names, target.filter(|_| !wants_y), options)?;
    let mut draft = read_table(file, "npz", array, plan, notes, &mut room)?;
    draft.outcome = outcome.or(draft.outcome);
    draft.settle(options)
}

fn member<'a, R: Read + Seek>(
    file: &str,
    zip: &'a mut ZipArchive<R>,
    name: &str,
) -> Result<NpyFile<impl BufRead + 'a>, Error> {
    let entry = zip.by_name(&file_name_from_array_name(name)).map_err(|error| damaged(file, "npz", error))?;
    open(file, "npz", BufReader::with_capacity(1 << 16, entry))
}

fn read_table<R: BufRead>(
    file: &str,
    format: &'static str,
    array: NpyFile<R>,
    plan: Plan,
    notes: Vec<String>,
    room: &mut Room,
) -> Result<Draft, Error> {
    let (n_rows, _) = shape(file, &array)?;
    let fortran = array.order() == npyz::Order::Fortran;
    let truths = is_truth(&array.dtype());
    let mut numbers = numbers(file, array)?;
    let mut next = |cells: &mut [f64]| numbers(cells).map_err(|error| damaged(file, format, error));
    // the outcome, then the additional columns
    let mut asides = vec![Vec::new(); 1 + plan.beside.len()];
    let aside_of = |slot: Slot| match slot {
        Slot::Target => Some(0),
        Slot::Beside(at) => Some(at + 1),
        _ => None,
    };
    let (n_rows, values) = if fortran {
        let mut inputs = Columns::new(plan.inputs.len());
        let mut column = Vec::new();
        for slot in &plan.slots {
            fill(&mut column, n_rows, |cells| {
                room.check(8 * cells.len() as u64)?;
                next(cells)
            })?;
            match *slot {
                Slot::Input(input) => {
                    room.take_cells(column.len(), 1)?;
                    inputs.put(input, &column);
                }
                slot => {
                    if let Some(at) = aside_of(slot) {
                        asides[at].clone_from(&column);
                    }
                }
            }
        }
        (column.len(), inputs.into_values())
    } else {
        let mut rows = Rows::new(plan.inputs.len());
        let mut cells = vec![0.0; plan.slots.len()];
        for _ in 0..n_rows {
            next(&mut cells)?;
            room.take_cells(1, plan.inputs.len())?;
            rows.push(|places| {
                for (slot, cell) in plan.slots.iter().zip(&cells) {
                    match *slot {
                        Slot::Input(input) => places[input] = *cell,
                        slot => {
                            if let Some(at) = aside_of(slot) {
                                asides[at].push(*cell);
                            }
                        }
                    }
                }
                Ok::<(), Error>(())
            })?;
        }
        (rows.n_rows(), rows.into_columns())
    };
    let column = |name: String, values: Vec<f64>| {
        if truths {
            Ok(Outcome::from_truths(name, &values))
        } else {
            Outcome::from_numbers(file, name, values)
        }
    };
    let mut asides = asides.into_iter();
    let target = asides.next().unwrap_or_default();
    let outcome = plan.target.map(|name| column(name, target)).transpose()?;
    let beside = plan.beside.into_iter().zip(asides).map(|(name, values)| column(name, values));
    let beside = beside.collect::<Result<_, _>>()?;
    Ok(Draft {
        file: file.to_owned(),
        names: plan.inputs,
        n_rows,
        values,
        words: Words::default(),
        declared: BTreeMap::new(),
        from_text: false,
        outcome,
        beside,
        notes,
    })
}

/// The next `count` cells, read in parts: a wrong number in the header costs no memory.
fn fill(
    cells: &mut Vec<f64>,
    count: u64,
    mut next: impl FnMut(&mut [f64]) -> Result<(), Error>,
) -> Result<(), Error> {
    cells.clear();
    while (cells.len() as u64) < count {
        let (start, more) = (cells.len(), (count - cells.len() as u64).min(AT_ONCE));
        cells.resize(start + more as usize, 0.0);
        next(&mut cells[start..])?;
    }
    Ok(())
}

/// The array `y` of an npz file: numbers, truth values or text.
fn read_y<R: BufRead>(file: &str, array: NpyFile<R>, room: &mut Room) -> Result<Outcome, Error> {
    if !matches!(*array.shape(), [_] | [_, 1]) {
        let found = format!("\"y\" has the shape {:?}", array.shape());
        return Err(Error::Shape { file: file.to_owned(), found, expected: "one value per row of X" });
    }
    let name = "y".to_owned();
    let truths = is_truth(&array.dtype());
    let array = match texts(file, array, room)? {
        Ok(text) => {
            let text = text
                .into_iter()
                .map(|value| Some(value.trim().to_owned()).filter(|v| !v.is_empty()))
                .collect();
            return Ok(Outcome { name, text, numbers: None });
        }
        Err(array) => array,
    };
    let count = array.len();
    let mut numbers = numbers(file, array)?;
    let mut values = Vec::new();
    fill(&mut values, count, |cells| {
        room.take_cells(cells.len(), 1)?;
        numbers(cells).map_err(|error| damaged(file, "npz", error))
    })?;
    if truths { Ok(Outcome::from_truths(name, &values)) } else { Outcome::from_numbers(file, name, values) }
}
