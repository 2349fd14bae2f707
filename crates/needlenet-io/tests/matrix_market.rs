//! Matrix Market files: what is read, and what is refused.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use needlenet_io::{SparseMatrix, read_matrix_market_from};

const FILE: &str =
    "%%MatrixMarket matrix coordinate real general\n% a comment\n3 2 3\n2 1 5\n1 2 1.5\n3 2 -2e1\n";

fn read(text: &str, turned: bool) -> Result<SparseMatrix, String> {
    read_matrix_market_from("cells.mtx", text.as_bytes(), turned).map_err(|error| error.to_string())
}

#[test]
fn cells_come_column_after_column_also_from_gzip_and_turned() {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(FILE.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    for matrix in
        [read(FILE, false).unwrap(), read_matrix_market_from("cells.mtx.gz", &packed[..], false).unwrap()]
    {
        assert_eq!((matrix.n_samples, matrix.n_features()), (3, 2));
        assert_eq!(matrix.cells.starts, [0, 1, 3]);
        assert_eq!(matrix.cells.rows, [1, 0, 2]);
        assert_eq!(matrix.cells.values, [5.0, 1.5, -20.0]);
    }
    let turned = read(FILE, true).unwrap();
    assert_eq!((turned.n_samples, turned.n_features()), (2, 3));
    assert_eq!(turned.cells.starts, [0, 1, 2, 3]);
    assert_eq!(turned.cells.rows, [1, 0, 1]);
    assert_eq!(turned.cells.values, [1.5, 5.0, -20.0]);
}

#[test]
fn a_pattern_has_ones() {
    let matrix = read("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 2\n", false).unwrap();
    assert_eq!(matrix.cells.values, [1.0]);
}

#[test]
fn a_damaged_file_is_refused_with_the_line_and_the_reason() {
    for (text, said) in [
        ("", "does not begin"),
        ("1,2\n3,4\n", "does not begin"),
        ("%%MatrixMarket matrix array real general\n1 1\n1\n", "does not begin"),
        ("%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 1\n", "does not begin"),
        ("%%MatrixMarket matrix coordinate real general\n", "sizes are missing"),
        ("%%MatrixMarket matrix coordinate real general\n3 2\n", "not three sizes"),
        ("%%MatrixMarket matrix coordinate real general\n3 2 1\n4 1 1\n", "line 3"),
        ("%%MatrixMarket matrix coordinate real general\n3 2 1\n0 1 1\n", "not a cell"),
        ("%%MatrixMarket matrix coordinate real general\n3 2 1\n1 1\n", "not a cell"),
        ("%%MatrixMarket matrix coordinate real general\n3 2 1\n1 1 1 1\n", "not a cell"),
        (
            "%%MatrixMarket matrix coordinate real general\n3 2 2\n1 1 1\n",
            "2 cells are announced and 1 are there",
        ),
        ("%%MatrixMarket matrix coordinate real general\n3 2 2\n1 1 1\n1 1 2\n", "twice"),
        ("%%MatrixMarket matrix coordinate real general\n3 99999999999 1\n1 1 1\n", "more than"),
        // a header that asks for any memory
        ("%%MatrixMarket matrix coordinate real general\n3 2 18446744073709551615\n1 1 1\n", "are announced"),
    ] {
        let error = read(text, false).unwrap_err();
        assert!(error.contains(said) && error.contains("cells.mtx"), "{text}: {error}");
    }
}
