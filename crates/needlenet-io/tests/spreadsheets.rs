//! Sheets of xlsx and ods files, made here cell by cell.
// the functions that make the files are test code too
#![allow(clippy::unwrap_used, clippy::panic)]

use std::io::{Cursor, Write};

use needlenet_io::{Error, Format, ReadOptions, Table, read_table, read_table_from};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

fn archive(members: &[(&str, String)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in members {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A cell of an xlsx sheet: `=` is a date, `!` an error, `?` a truth value; a number, a text, or nothing.
fn xlsx_cell(at: &str, text: &str) -> String {
    match text.chars().next() {
        None => String::new(),
        Some('=') => format!("<c r=\"{at}\" s=\"1\"><v>{}</v></c>", &text[1..]),
        Some('!') => format!("<c r=\"{at}\" t=\"e\"><v>{}</v></c>", &text[1..]),
        Some('?') => format!("<c r=\"{at}\" t=\"b\"><v>{}</v></c>", &text[1..]),
        _ if text.parse::<f64>().is_ok() => format!("<c r=\"{at}\"><v>{text}</v></c>"),
        _ => format!("<c r=\"{at}\" t=\"inlineStr\"><is><t>{text}</t></is></c>"),
    }
}

/// The rows of a sheet, which begins at column `left` (A is 0).
fn xlsx_sheet(rows: &[&[&str]], left: u8) -> String {
    let row = |(number, cells): (usize, &&[&str])| {
        let cell = |(column, text): (usize, &&str)| {
            xlsx_cell(&format!("{}{}", char::from(b'A' + left + column as u8), number + 1), text)
        };
        format!("<row r=\"{}\">{}</row>", number + 1, cells.iter().enumerate().map(cell).collect::<String>())
    };
    let data: String = rows.iter().enumerate().map(row).collect();
    format!(
        "<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetData>{data}</sheetData></worksheet>"
    )
}

fn xlsx(sheets: &[(&str, String)]) -> Vec<u8> {
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let package = "http://schemas.openxmlformats.org/package/2006/relationships";
    let listed: String = sheets
        .iter()
        .enumerate()
        .map(|(at, (name, _))| format!("<sheet name=\"{name}\" sheetId=\"{0}\" r:id=\"rId{0}\"/>", at + 1))
        .collect();
    let related: String = (1..=sheets.len())
        .map(|at| format!("<Relationship Id=\"rId{at}\" Type=\"{relations}/worksheet\" Target=\"worksheets/sheet{at}.xml\"/>"))
        .collect();
    let styles = "<Relationship Id=\"rId99\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles\" \
                  Target=\"styles.xml\"/>";
    let mut members = vec![
        ("[Content_Types].xml".to_owned(), "<Types/>".to_owned()),
        (
            "_rels/.rels".to_owned(),
            format!(
                "<Relationships xmlns=\"{package}\"><Relationship Id=\"rId1\" Type=\"{relations}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
            ),
        ),
        (
            "xl/workbook.xml".to_owned(),
            format!(
                "<workbook xmlns=\"{main}\" xmlns:r=\"{relations}\"><sheets>{listed}</sheets></workbook>"
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels".to_owned(),
            format!("<Relationships xmlns=\"{package}\">{related}{styles}</Relationships>"),
        ),
        (
            "xl/styles.xml".to_owned(),
            format!(
                "<styleSheet xmlns=\"{main}\"><cellXfs count=\"2\"><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/></cellXfs></styleSheet>"
            ),
        ),
    ];
    for (at, (_, sheet)) in sheets.iter().enumerate() {
        members.push((format!("xl/worksheets/sheet{}.xml", at + 1), sheet.clone()));
    }
    let members: Vec<(&str, String)> =
        members.iter().map(|(name, text)| (name.as_str(), text.clone())).collect();
    archive(&members)
}

fn ods(sheet: &str, rows: &[&[&str]]) -> Vec<u8> {
    let cell = |text: &&str| match text.parse::<f64>() {
        _ if text.is_empty() => "<table:table-cell/>".to_owned(),
        Ok(_) => format!(
            "<table:table-cell office:value-type=\"float\" office:value=\"{text}\"><text:p>{text}</text:p></table:table-cell>"
        ),
        Err(_) => format!(
            "<table:table-cell office:value-type=\"string\"><text:p>{text}</text:p></table:table-cell>"
        ),
    };
    let row = |cells: &&[&str]| {
        format!("<table:table-row>{}</table:table-row>", cells.iter().map(cell).collect::<String>())
    };
    let rows: String = rows.iter().map(row).collect();
    let office = "urn:oasis:names:tc:opendocument:xmlns";
    let content = format!(
        "<office:document-content xmlns:office=\"{office}:office:1.0\" xmlns:table=\"{office}:table:1.0\" xmlns:text=\"{office}:text:1.0\">\
         <office:body><office:spreadsheet><table:table table:name=\"{sheet}\">{rows}</table:table></office:spreadsheet></office:body>\
         </office:document-content>"
    );
    archive(&[
        ("mimetype", "application/vnd.oasis.opendocument.spreadsheet".to_owned()),
        ("META-INF/manifest.xml", "<manifest/>".to_owned()),
        ("content.xml", content),
    ])
}

fn read(bytes: &[u8], options: &ReadOptions) -> Result<Table, Error> {
    read_table_from("book", bytes, options)
}

fn of_y() -> ReadOptions {
    ReadOptions { target: Some("y".into()), ..ReadOptions::default() }
}

const PLAIN: [&[&str]; 4] =
    [&["a", "kind", "y"], &["1.5", "u", "yes"], &["2", "", "no"], &["-3e-1", "v", "yes"]];

#[test]
fn xlsx_and_ods_read_like_the_same_csv() {
    let options = ReadOptions { exclude: vec!["kind".into()], ..of_y() };
    let csv = "a,kind,y\n1.5,u,yes\n2,,no\n-3e-1,v,yes\n";
    let expected = read_table_from("t.csv", csv.as_bytes(), &options).unwrap();
    for left in [0, 3] {
        assert_eq!(read(&xlsx(&[("Data", xlsx_sheet(&PLAIN, left))]), &options).unwrap(), expected);
    }
    assert_eq!(read(&ods("Data", &PLAIN), &options).unwrap(), expected);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.xlsx");
    std::fs::write(&path, xlsx(&[("Data", xlsx_sheet(&PLAIN, 0))])).unwrap();
    assert_eq!(read_table(path.to_str().unwrap(), &options).unwrap(), expected);
}

#[test]
fn the_sheet_is_the_first_or_the_one_named() {
    let second: [&[&str]; 3] = [&["b", "y"], &["7", "1"], &["8", "2"]];
    let book = xlsx(&[("Data", xlsx_sheet(&PLAIN, 0)), ("More data", xlsx_sheet(&second, 0))]);
    let first = read(&book, &ReadOptions { exclude: vec!["kind".into()], ..of_y() }).unwrap();
    assert_eq!(first.names, ["a"]);
    assert_eq!(first.notes, ["the sheet \"Data\" is read, not the 1 others; --sheet NAME reads another"]);
    let named = ReadOptions { sheet: Some("More data".into()), ..of_y() };
    assert_eq!(read(&book, &named).unwrap().values, [7.0, 8.0]);
    let error =
        read(&book, &ReadOptions { sheet: Some("more dat".into()), ..of_y() }).unwrap_err().to_string();
    assert!(
        error.ends_with("its sheets are \"Data\", \"More data\"; did you mean \"More data\"?"),
        "{error}"
    );
}

#[test]
fn dates_truth_values_errors_blank_rows_and_titles_of_a_sheet() {
    let rows: [&[&str]; 7] = [
        &["Trial of 2024"],
        &[],
        &["day", "smoker", "level", "y"],
        &["=45352", "?1", "1", "1"],
        &[],
        &["=45353", "?0", "!#N/A", "2"],
        &["=45354.5", "?0", "3", "3"],
    ];
    let book = xlsx(&[("Data", xlsx_sheet(&rows, 0))]);
    let error = read(&book, &of_y()).unwrap_err().to_string();
    assert!(error.contains("\"day\" looks like a date (such as \"2024-03-01\")"), "{error}");
    assert!(error.contains("1 cell is missing, the first in row 2, column \"level\""), "{error}");
    let options = ReadOptions { dates_as_days: true, missing: needlenet_io::Missing::Mean, ..of_y() };
    let table = read(&book, &options).unwrap();
    assert_eq!(table.values, [19783.0, 19784.0, 19785.5, 1.0, 0.0, 0.0, 1.0, 2.0, 3.0]);
    assert_eq!(
        table.notes[0],
        "\"Trial of 2024\" stands above the names of the columns and is taken for a title"
    );
    let broken: [&[&str]; 4] = [&["a", "y"], &["1", "1"], &["2", "2"], &["!#DIV/0!", "3"]];
    let error = read(&xlsx(&[("Data", xlsx_sheet(&broken, 0))]), &of_y()).unwrap_err().to_string();
    assert!(error.contains("\"#DIV/0!\" in row 3 (line 4)"), "{error}");
}

#[test]
fn a_cell_outside_of_the_named_columns_is_refused() {
    let rows: [&[&str]; 3] = [&["a", "y"], &["1", "2"], &["3", "4", "a remark"]];
    let error = read(&xlsx(&[("Data", xlsx_sheet(&rows, 1))]), &of_y()).unwrap_err().to_string();
    assert!(
        error.starts_with("book: row 2 (line 3) has 3 cells, 2 were expected; name every column"),
        "{error}"
    );
}

#[test]
fn a_sheet_that_claims_to_be_huge_costs_nothing() {
    let mut sheet = xlsx_sheet(&PLAIN, 0);
    sheet = sheet.replace("</sheetData>", "<row r=\"1048576\"><c r=\"A1048576\"><v>7</v></c><c r=\"C1048576\" t=\"inlineStr\"><is><t>no</t></is></c></row></sheetData>");
    let options = ReadOptions { exclude: vec!["kind".into()], ..of_y() };
    assert_eq!(read(&xlsx(&[("Data", sheet.clone())]), &options).unwrap().values, [1.5, 2.0, -0.3, 7.0]);
    let far = sheet.replace("A1048576", "XFD1048576");
    assert!(matches!(read(&xlsx(&[("Data", far)]), &options).unwrap_err(), Error::WrongLength { .. }));
}

#[test]
fn a_book_that_is_damaged_or_empty_is_an_error() {
    let book = xlsx(&[("Data", xlsx_sheet(&PLAIN, 0))]);
    for cut in (0..book.len()).step_by(97) {
        let _ = read(&book[..cut], &ReadOptions { format: Some(Format::Xlsx), ..of_y() });
        assert!(read(&book[..cut], &ReadOptions { format: Some(Format::Xlsx), ..of_y() }).is_err(), "{cut}");
    }
    assert!(matches!(
        read(&xlsx(&[("Data", xlsx_sheet(&[], 0))]), &of_y()).unwrap_err(),
        Error::Empty { .. }
    ));
    assert!(matches!(read(&ods("Data", &[]), &of_y()).unwrap_err(), Error::Empty { .. }));
    assert!(read(&xlsx(&[]), &of_y()).is_err());
}

#[test]
fn a_transposed_sheet_is_recognised() {
    let rows: [&[&str]; 3] = [&["gene", "s1", "s2"], &["g1", "1", "2"], &["y", "0", "1"]];
    let error = read(&xlsx(&[("Data", xlsx_sheet(&rows, 2))]), &of_y()).unwrap_err();
    assert!(matches!(error, Error::Transposed { row: 2, .. }), "{error}");
}
