//! The table of the samples beside the shards: its rows are put into the order of the shards by their ids.

use std::collections::HashMap;

use super::{Folder, bad};
use crate::options::nearest;
use crate::{Coding, Error, Known, ReadOptions, Table, Target, read_table};

impl Folder {
    /// The table of the samples, in the order of the shards. Inputs that are always in and that no shard has are read from it.
    pub fn samples(&self, options: &ReadOptions, always: &[String]) -> Result<Table, Error> {
        let file = self.samples.display().to_string();
        let is_here = |name: &&String| !self.names.contains(name);
        let number = |name: &String| Known { name: name.clone(), coding: Coding::Number { mean: 0.0 } };
        let mut beside = options.beside.clone();
        beside.extend(self.id.clone());
        let exactly = Some(always.iter().filter(is_here).map(number).collect());
        let mut table = read_table(&file, &ReadOptions { beside, exactly, ..options.clone() })?;
        let id = self.id.as_ref().and_then(|_| table.beside.pop());
        match (id, &self.ids) {
            (Some(id), Some(ids)) => in_order(&file, &mut table, &id, ids)?,
            _ if table.n_rows != self.n_samples => {
                let (found, n) = (table.n_rows, self.n_samples);
                return Err(bad(&file, format!("{found} rows of {n} samples; give one row for each")));
            }
            _ => {}
        }
        Ok(table)
    }
}

/// Puts the rows of a table into the order of `ids`.
fn in_order(file: &str, table: &mut Table, id: &Target, ids: &[String]) -> Result<(), Error> {
    let mut places: HashMap<&str, usize> = HashMap::with_capacity(id.text.len());
    for (row, text) in id.text.iter().enumerate() {
        if places.insert(text, row).is_some() {
            return Err(bad(file, format!("the id \"{text}\" is there twice; give each sample one row")));
        }
    }
    let row = |wanted: &String| {
        places.get(wanted.as_str()).copied().ok_or_else(|| {
            let like =
                nearest(wanted, &id.text).map_or(String::new(), |id| format!("; did you mean \"{id}\"?"));
            bad(file, format!("no row has the id \"{wanted}\" in the column \"{}\"{like}", id.name))
        })
    };
    let rows: Vec<usize> = ids.iter().map(row).collect::<Result<_, _>>()?;
    if rows.len() < table.n_rows {
        let (found, n) = (table.n_rows, rows.len());
        return Err(bad(
            file,
            format!("{found} rows of {n} samples; leave out those that the shards do not have"),
        ));
    }
    let n = table.n_rows;
    table.values = table.values.chunks(n).flat_map(|column| rows.iter().map(|&i| column[i])).collect();
    for column in table.target.iter_mut().chain(&mut table.beside) {
        column.text = rows.iter().map(|&i| column.text[i].clone()).collect();
        column.numbers = column.numbers.take().map(|numbers| rows.iter().map(|&i| numbers[i]).collect());
    }
    table.rows = rows.iter().map(|&i| table.rows[i]).collect();
    Ok(())
}
