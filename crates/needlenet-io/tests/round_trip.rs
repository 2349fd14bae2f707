//! Tables of any finite numbers, written as CSV by the csv crate, read back bit for bit.
// the functions that make the files are test code too
#![allow(clippy::unwrap_used, clippy::panic)]

use needlenet_io::{ReadOptions, read_table_from};
use proptest::prelude::*;

/// Any finite double, the rare ones included.
fn finite() -> impl Strategy<Value = f64> {
    use prop::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    prop_oneof![
        POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO,
        -1000.0..1000.0,
        (-99_i32..99).prop_map(f64::from)
    ]
}

fn table() -> impl Strategy<Value = (usize, Vec<f64>)> {
    (1_usize..8, 1_usize..40).prop_flat_map(|(columns, rows)| {
        prop::collection::vec(finite(), rows * columns).prop_map(move |cells| (columns, cells))
    })
}

proptest! {
    #[test]
    fn finite_tables_read_back_bit_for_bit(
        (columns, cells) in table(),
        delimiter in prop::sample::select(b",;\t|".to_vec()),
    ) {
        let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
        writer.write_record((0..columns).map(|column| format!("c{column}"))).unwrap();
        for row in cells.chunks(columns) {
            // {:?} is the shortest text that reads back as the same number
            writer.write_record(row.iter().map(|cell| format!("{cell:?}"))).unwrap();
        }
        let text = writer.into_inner().unwrap();
        let table = read_table_from("t.csv", &text[..], &ReadOptions::default()).unwrap();
        prop_assert_eq!(table.names.len(), columns);
        for (row, line) in cells.chunks(columns).enumerate() {
            for (column, cell) in line.iter().enumerate() {
                prop_assert_eq!(table.values[column * table.n_rows + row].to_bits(), cell.to_bits());
            }
        }
    }
}
