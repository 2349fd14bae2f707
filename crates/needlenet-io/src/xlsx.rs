//! Excel workbooks (xlsx): the rows of one sheet, read by `calamine` cell by cell.
//!
//! `calamine` stores the strings and the styles of the whole workbook, and one XML event at a time. A small archive can
//! expand to any amount of them, so each part is measured before it is read: it is decompressed once without being
//! stored, unless its compressed size shows that it is small. Cost: at most one more decompression. Tested in
//! `tests/spreadsheets.rs` and `tests/memory.rs`.

use std::io::{self, BufReader, Read, Seek};

use calamine::{Data, Reader as _, Xlsx};
use quick_xml::Reader;
use quick_xml::events::Event;
use zip::ZipArchive;

use crate::arrow_file::guarded;
use crate::memory::Room;
use crate::npy_array::damaged;
use crate::sheet::{Row, bytes_of_cell, choose, is_filled, row_bound, table};
use crate::{Error, ReadOptions, Table};

/// The largest compression factor of Deflate.
const MOST_SHRUNK: u64 = 1032;

/// A part may expand to this share of the memory bound: one event of its XML is stored, in a buffer that may double.
const PART: u64 = 4;

/// The strings: `<si/>` is 5 bytes, and takes the 24 of a string in a list that may double.
const STRINGS: u64 = 16;

/// Bytes of a style besides its longest text.
const STYLE: u64 = 1024;

/// Reads a sheet.
pub(crate) fn read(file: &str, mut input: impl Read + Seek, options: &ReadOptions) -> Result<Table, Error> {
    let room = Room::new(file, options);
    check_parts(file, &mut input, &room)?;
    input.rewind().map_err(|source| Error::Read { file: file.to_owned(), source })?;
    guarded(file, "xlsx", || decode(file, input, &room, options))
}

fn decode(file: &str, input: impl Read + Seek, room: &Room, options: &ReadOptions) -> Result<Table, Error> {
    let failed = |error: calamine::XlsxError| damaged(file, "xlsx", error);
    let mut book = Xlsx::new(input).map_err(failed)?;
    let (sheet, notes) = choose(file, book.sheet_names(), options)?;
    let mut cells = book.worksheet_cells_reader(&sheet).map_err(failed)?;
    let mut ahead: Option<(usize, (usize, Data))> = None;
    let mut at_end = false;
    let bound = row_bound(room);
    let rows = std::iter::from_fn(|| {
        if at_end {
            return None;
        }
        let mut row: Option<Row> = ahead.take().map(|(number, cell)| (number, vec![cell]));
        let mut bytes = 0;
        loop {
            let cell = match cells.next_cell() {
                Ok(Some(cell)) => cell,
                Ok(None) => {
                    at_end = true;
                    return row.map(Ok);
                }
                Err(error) => {
                    at_end = true;
                    return Some(Err(failed(error)));
                }
            };
            let (at, column) = cell.get_position();
            let (at, value) = (at as usize + 1, Data::from(cell.get_value().clone()));
            if !is_filled(&value) {
                continue;
            }
            bytes += bytes_of_cell(&value);
            if bytes > bound {
                at_end = true;
                return Some(Err(room.too_large()));
            }
            match &mut row {
                Some((number, filled)) if *number == at => filled.push((column as usize, value)),
                Some(_) => {
                    ahead = Some((at, (column as usize, value)));
                    return row.map(Ok);
                }
                None => row = Some((at, vec![(column as usize, value)])),
            }
        }
    });
    table(file, rows, options, notes)
}

/// Refuses a book of which a part opens to more than it may, or asks for more than it may.
fn check_parts(file: &str, input: impl Read + Seek, room: &Room) -> Result<(), Error> {
    let mut zip = ZipArchive::new(input).map_err(|error| damaged(file, "xlsx", error))?;
    for at in 0..zip.len() {
        let mut part = zip.by_index(at).map_err(|error| damaged(file, "xlsx", error))?;
        let name = part.name().map_err(|error| damaged(file, "xlsx", error))?.to_lowercase();
        let strings = name.ends_with("sharedstrings.xml");
        let most = room.limit() / if strings { STRINGS } else { PART };
        if strings || name.ends_with("styles.xml") {
            look_at(file, part.take(most + 1), most, room)?;
        } else if part.compressed_size().saturating_mul(MOST_SHRUNK) > most {
            let opened = io::copy(&mut part.by_ref().take(most + 1), &mut io::sink());
            if opened.map_err(|error| damaged(file, "xlsx", error))? > most {
                return Err(room.too_large());
            }
        }
    }
    Ok(())
}

/// Measures the strings or the styles. Strings may claim any number, for which memory is allocated at once, and each style has
/// its own copy of the texts of its font and its format.
fn look_at(file: &str, part: impl Read, most: u64, room: &Room) -> Result<(), Error> {
    let mut xml = Reader::from_reader(BufReader::new(part));
    xml.config_mut().check_end_names = false;
    let (mut buffer, mut styles, mut longest) = (Vec::new(), 0_u64, 0_u64);
    loop {
        buffer.clear();
        // `calamine` reports what is not XML
        let Ok(event) = xml.read_event_into(&mut buffer) else { break };
        match &event {
            Event::Start(tag) | Event::Empty(tag) => {
                let claimed = tag.try_get_attribute("uniqueCount").ok().flatten();
                let claimed = claimed.and_then(|count| count.value.trim().parse::<u64>().ok());
                room.check(claimed.unwrap_or(0).saturating_mul(size_of::<String>() as u64))?;
                styles += u64::from(tag.local_name().as_ref() == "xf");
                longest = longest.max(tag.len() as u64);
            }
            Event::Eof => break,
            _ => {}
        }
    }
    if xml.buffer_position() > most {
        return Err(room.too_large());
    }
    // `calamine` may find fewer
    room.check(styles.saturating_mul(STYLE + longest))
        .map_err(|_| damaged(file, "xlsx", format!("{styles} styles with texts of up to {longest} letters")))
}
