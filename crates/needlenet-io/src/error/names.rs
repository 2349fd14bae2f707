//! Names, places and lists in the messages of errors: escaped, cut, and with what may have been meant instead.

use std::fmt;

/// A name in a message: escaped and cut.
pub(super) struct Name<'a>(pub(super) &'a str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&needlenet::shown(self.0, LONGEST_NAME))
    }
}

/// Letters of a name in a message; more are cut.
pub(crate) const LONGEST_NAME: usize = 60;

/// A cell of a file, printed as `genes.csv: row 17 (line 18), column "YXLD_at"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, as the caller named it.
    pub file: String,
    /// The data row, counted from 1.
    pub row: usize,
    /// The line of a text file, where known.
    pub line: Option<u64>,
    /// The name of the column.
    pub column: String,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{}: row {}{}, column \"{}\"",
            self.file,
            self.row,
            Line(self.line),
            Name(&self.column)
        )
    }
}

/// A number with its noun and verb: `1 cell is`, `2 cells are`.
pub(super) struct Are(pub(super) usize, pub(super) &'static str);

impl fmt::Display for Are {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", needlenet::plural(self.0, self.1), if self.0 == 1 { "is" } else { "are" })
    }
}

/// How many columns besides the second have the name of an earlier one.
pub(super) struct MoreTwice(pub(super) usize);

impl fmt::Display for MoreTwice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 | 1 => Ok(()),
            2 => formatter.write_str(", and another column has the name of an earlier one"),
            all => write!(formatter, ", and {} other columns have the name of an earlier one", all - 1),
        }
    }
}

/// Positions of columns as `--exclude` takes them, the first of many.
pub(super) fn numbers(positions: &[usize]) -> String {
    const SHOWN: usize = 20;
    let shown: Vec<String> = positions.iter().take(SHOWN).map(ToString::to_string).collect();
    format!("{}{}", shown.join(","), if positions.len() > SHOWN { ",..." } else { "" })
}

pub(super) struct Line(pub(super) Option<u64>);

impl fmt::Display for Line {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |line| write!(formatter, " (line {line})"))
    }
}

pub(super) struct Nearest<'a>(pub(super) Option<&'a str>);

impl fmt::Display for Nearest<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |name| write!(formatter, "; did you mean \"{}\"?", Name(name)))
    }
}

/// What could have been asked for instead.
pub(super) struct Columns<'a>(pub(super) &'a [String], pub(super) usize);

impl fmt::Display for Columns<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            0 => formatter.write_str("no column is left to be chosen"),
            1 => write!(formatter, "the only one is {}", Listed(self.0, 1)),
            columns => write!(
                formatter,
                "give one of its {columns} names ({}) or a position from 1 to {columns}",
                Listed(self.0, columns)
            ),
        }
    }
}

pub(super) struct Listed<'a>(pub(super) &'a [String], pub(super) usize);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&listed(self.0, self.1))
    }
}

/// `"a", "b", "c" and 7 more`: the first names of `total`.
pub(crate) fn listed<S: AsRef<str>>(names: &[S], total: usize) -> String {
    const SHOWN: usize = 5;
    let shown: Vec<String> =
        names.iter().take(SHOWN).map(|name| format!("\"{}\"", Name(name.as_ref()))).collect();
    let rest = total.saturating_sub(shown.len());
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

/// A cell's bytes as text for an error: at most 40 characters.
#[cfg(feature = "columns")]
pub(crate) fn shown(bytes: &[u8]) -> String {
    const LONGEST: usize = 40;
    // a letter has at most 4 bytes
    let start = bytes.get(..4 * (LONGEST + 1)).unwrap_or(bytes);
    needlenet::shown(&String::from_utf8_lossy(start), LONGEST)
}

/// A column that cannot be an input as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable {
    /// Its name.
    pub column: String,
    /// What it looks like, with an example.
    pub looks: String,
    /// What to do.
    pub remedy: String,
}

/// Columns described in one error.
pub(super) const MOST_REASONS: usize = 20;

/// One column in the same line; several, and what else would be refused, in a line each.
pub(super) struct Reasons<'a>(pub(super) &'a str, pub(super) &'a [Unusable], pub(super) &'a [String]);

impl fmt::Display for Reasons<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Reasons(file, columns, also) = self;
        let told = |of: &Unusable| format!("\"{}\" {}; {}", Name(&of.column), of.looks, of.remedy);
        match columns {
            [only] if also.is_empty() => return write!(formatter, "{file}: column {}", told(only)),
            [_] => write!(formatter, "{file}: 1 column cannot be used as it is:")?,
            _ => write!(formatter, "{file}: {} columns cannot be used as they are:", columns.len())?,
        }
        columns.iter().take(MOST_REASONS).try_for_each(|of| write!(formatter, "\n  {}", told(of)))?;
        if columns.len() > MOST_REASONS {
            let rest: Vec<&str> = columns[MOST_REASONS..].iter().map(|of| of.column.as_str()).collect();
            write!(formatter, "\n  and {}", listed(&rest, rest.len()))?;
        }
        also.iter().try_for_each(|also| write!(formatter, "\n  {also}"))
    }
}
