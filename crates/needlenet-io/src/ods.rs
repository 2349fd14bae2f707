//! OpenDocument spreadsheets: the rows of one sheet of `content.xml`, one after the other.
//!
//! This reader is our own. `calamine` stores every cell of every sheet and repeats a cell, a row or a space as often as the
//! file says: 200 bytes can ask for all memory, and a sheet without an end is read for ever. Here each repetition is counted
//! against the memory bound of the table first. Cost: two passes over the XML, of which the first finds the names of the
//! sheets; memory: a row. Tested in `tests/spreadsheets.rs` and `tests/memory.rs`.

use std::io::{BufReader, ErrorKind, Read, Seek};

use calamine::Data;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::QName;
use quick_xml::{Reader, XmlVersion};
use zip::ZipArchive;

use crate::memory::{Lines, Room};
use crate::npy_array::damaged;
use crate::sheet::{Row, bytes_of_cell, choose, is_filled, row_bound, table};
use crate::{Error, ReadOptions, Table};

const CONTENT: &str = "content.xml";

/// Only this many bytes of the manifest are inspected, to see whether the file needs a password.
const MANIFEST: (&str, u64) = ("META-INF/manifest.xml", 1 << 20);

/// Reads a sheet.
pub(crate) fn read(file: &str, input: impl Read + Seek, options: &ReadOptions) -> Result<Table, Error> {
    let mut zip = ZipArchive::new(input).map_err(|error| damaged(file, "ods", error))?;
    if let Ok(manifest) = zip.by_name(MANIFEST.0) {
        let mut bytes = Vec::new();
        let read = manifest.take(MANIFEST.1).read_to_end(&mut bytes);
        if read.is_ok() && String::from_utf8_lossy(&bytes).contains("encryption-data") {
            return Err(damaged(file, "ods", "it is protected by a password"));
        }
    }
    let room = Room::new(file, options);
    let missing = |error| damaged(file, "ods", error);
    let sheets = Content::new(file, zip.by_name(CONTENT).map_err(missing)?, &room).sheets()?;
    let (sheet, notes) = choose(file, sheets, options)?;
    let mut content = Content::new(file, zip.by_name(CONTENT).map_err(missing)?, &room);
    content.find(&sheet)?;
    let mut repeated: Option<(usize, Row)> = None;
    let rows = std::iter::from_fn(|| {
        if let Some((times, row)) = repeated.take() {
            row_again(&mut content.room, times, row, &mut repeated).transpose()
        } else {
            match content.next_row() {
                Ok(Some((times, row))) => {
                    repeated = (times > 1).then(|| (times - 1, (row.0 + 1, row.1.clone())));
                    Some(Ok(row))
                }
                Ok(None) => None,
                Err(error) => Some(Err(error)),
            }
        }
    });
    table(file, rows, options, notes)
}

/// The next copy of a repeated row; each copy is counted.
fn row_again(
    room: &mut Room,
    times: usize,
    row: Row,
    repeated: &mut Option<(usize, Row)>,
) -> Result<Option<Row>, Error> {
    room.take(row.1.iter().map(|(_, cell)| bytes_of_cell(cell)).sum())?;
    *repeated = (times > 1).then(|| (times - 1, (row.0 + 1, row.1.clone())));
    Ok(Some(row))
}

/// `content.xml`, event after event.
struct Content<'a, R> {
    file: &'a str,
    xml: Reader<BufReader<Lines<R>>>,
    buffer: Vec<u8>,
    /// The memory left for copies of rows.
    room: Room,
    row_bound: u64,
    row: usize,
}

impl<'a, R: Read> Content<'a, R> {
    fn new(file: &'a str, part: R, room: &Room) -> Self {
        let row_bound = row_bound(room);
        // one event (a tag or a text) is in memory at a time
        let mut xml = Reader::from_reader(BufReader::new(Lines::new(part, row_bound)));
        let config = xml.config_mut();
        config.check_end_names = false;
        config.expand_empty_elements = true;
        Self { file, xml, buffer: Vec::new(), room: room.clone(), row_bound, row: 0 }
    }

    fn next(&mut self) -> Result<Event<'_>, Error> {
        self.buffer.clear();
        self.xml.get_mut().get_mut().next_line();
        match self.xml.read_event_into(&mut self.buffer) {
            Ok(event) => Ok(event),
            Err(quick_xml::Error::Io(error)) if error.kind() == ErrorKind::FileTooLarge => {
                Err(self.room.too_large())
            }
            Err(error) => Err(damaged(self.file, "ods", error)),
        }
    }

    fn sheets(mut self) -> Result<Vec<String>, Error> {
        let (mut sheets, file) = (Vec::new(), self.file);
        let mut room = self.room.clone();
        loop {
            match self.next()? {
                Event::Start(tag) if tag.name() == QName("table:table") => {
                    let name = attribute(file, &tag, "table:name")?.unwrap_or_default();
                    room.take_columns(1, name.len())?;
                    sheets.push(name);
                }
                Event::Eof => return Ok(sheets),
                _ => {}
            }
        }
    }

    /// Moves to the first row of a sheet.
    fn find(&mut self, sheet: &str) -> Result<(), Error> {
        let file = self.file;
        loop {
            match self.next()? {
                Event::Start(tag)
                    if tag.name() == QName("table:table")
                        && attribute(file, &tag, "table:name")?.unwrap_or_default() == sheet =>
                {
                    return Ok(());
                }
                Event::Eof => return Err(cut_off(file)),
                _ => {}
            }
        }
    }

    /// The next non-empty row, and the number of its repetitions.
    fn next_row(&mut self) -> Result<Option<(usize, Row)>, Error> {
        let file = self.file;
        loop {
            let times = match self.next()? {
                Event::Start(tag) if tag.name() == QName("table:table-row") => {
                    repeats(file, &tag, "table:number-rows-repeated")?
                }
                Event::End(tag) if tag.name() == QName("table:table") => return Ok(None),
                Event::Eof => return Err(cut_off(file)),
                _ => continue,
            };
            let number = self.row + 1;
            self.row = self.row.saturating_add(times);
            let cells = self.cells()?;
            if !cells.is_empty() && times > 0 {
                return Ok(Some((times, (number, cells))));
            }
        }
    }

    fn cells(&mut self) -> Result<Vec<(usize, Data)>, Error> {
        let (file, mut cells, mut column, mut bytes) = (self.file, Vec::new(), 0_usize, 0_u64);
        loop {
            let (times, value, needs_text) = match self.next()? {
                Event::Start(tag) if is_cell(tag.name()) => {
                    let (value, needs_text) = value(file, &tag)?;
                    (repeats(file, &tag, "table:number-columns-repeated")?, value, needs_text)
                }
                Event::End(tag) if tag.name() == QName("table:table-row") => return Ok(cells),
                Event::Eof => return Err(cut_off(file)),
                _ => continue,
            };
            let text = self.text(needs_text)?;
            let value = if needs_text { Data::String(text) } else { value };
            if is_filled(&value) {
                bytes = bytes.saturating_add(bytes_of_cell(&value).saturating_mul(times as u64));
                if bytes > self.row_bound {
                    return Err(self.room.too_large());
                }
                cells.extend((0..times).map(|at| (column.saturating_add(at), value.clone())));
            }
            column = column.saturating_add(times);
        }
    }

    /// The text of a cell, paragraph after paragraph, without comments; reads up to the end of the cell.
    fn text(&mut self, keep: bool) -> Result<String, Error> {
        let (file, bound) = (self.file, self.row_bound);
        let (mut text, mut paragraphs, mut in_remark) = (String::new(), 0, false);
        loop {
            let mut spaces = 0;
            match self.next()? {
                Event::End(tag) if is_cell(tag.name()) => return Ok(text),
                Event::Eof => return Err(cut_off(file)),
                Event::Start(tag) if tag.name() == QName("office:annotation") => in_remark = true,
                Event::End(tag) if tag.name() == QName("office:annotation") => in_remark = false,
                _ if in_remark || !keep => {}
                Event::Start(tag) if tag.name() == QName("text:p") => {
                    text.push_str(if paragraphs > 0 { "\n" } else { "" });
                    paragraphs += 1;
                }
                Event::Start(tag) if tag.name() == QName("text:s") => {
                    spaces = repeats(file, &tag, "text:c")?;
                }
                Event::Start(tag) if tag.name() == QName("text:tab") => text.push('\t'),
                Event::Start(tag) if tag.name() == QName("text:line-break") => text.push('\n'),
                Event::Text(part) => text.push_str(&part.xml10_content()),
                Event::CData(part) => text.push_str(&part.xml10_content()),
                Event::GeneralRef(name) => {
                    let letter = name.resolve_char_ref().map_err(|error| damaged(file, "ods", error))?;
                    match (letter, quick_xml::escape::resolve_predefined_entity(&name)) {
                        (Some(letter), _) => text.push(letter),
                        (None, Some(known)) => text.push_str(known),
                        (None, None) => return Err(damaged(file, "ods", "an entity that is not known")),
                    }
                }
                _ => {}
            }
            if (text.len() as u64).saturating_add(spaces as u64) > bound {
                return Err(self.room.too_large());
            }
            text.extend(std::iter::repeat_n(' ', spaces));
        }
    }
}

fn cut_off(file: &str) -> Error {
    damaged(file, "ods", "a sheet has no end")
}

fn is_cell(name: QName) -> bool {
    name == QName("table:table-cell") || name == QName("table:covered-table-cell")
}

/// The value of a cell from its attributes, and whether its text is the value.
fn value(file: &str, tag: &BytesStart) -> Result<(Data, bool), Error> {
    let of = |key: &str| attribute(file, tag, key);
    if let Some(number) = of("office:value")? {
        return Ok((fast_float2::parse(number.trim()).map_or(Data::String(number), Data::Float), false));
    }
    if let Some(date) = of("office:date-value")? {
        return Ok((Data::DateTimeIso(date), false));
    }
    if let Some(time) = of("office:time-value")? {
        return Ok((Data::DurationIso(time), false));
    }
    if let Some(truth) = of("office:boolean-value")? {
        return Ok((Data::Bool(truth.eq_ignore_ascii_case("true")), false));
    }
    // an error has an empty value, and the name of the error as text
    match of("office:string-value")? {
        Some(text) if !text.is_empty() => Ok((Data::String(text), false)),
        text => {
            Ok((Data::Empty, text.is_some() || of("office:value-type")?.is_some_and(|kind| kind == "string")))
        }
    }
}

fn attribute(file: &str, tag: &BytesStart, key: &str) -> Result<Option<String>, Error> {
    let failed = |error: &dyn std::fmt::Display| damaged(file, "ods", error);
    let found = tag.try_get_attribute(key).map_err(|error| failed(&error))?;
    let value = found.map(|found| found.normalized_value(XmlVersion::Implicit1_0).map(|v| v.into_owned()));
    value.transpose().map_err(|error| failed(&error))
}

fn repeats(file: &str, tag: &BytesStart, key: &str) -> Result<usize, Error> {
    let Some(times) = attribute(file, tag, key)? else { return Ok(1) };
    times.trim().parse().map_err(|_| damaged(file, "ods", format!("{key} is not a whole number")))
}
