//! Text in 80 columns: numbers, names, tables and paragraphs.

/// As wide as a page may be.
const WIDTH: usize = 80;

/// A number with six significant digits and no trailing zeros.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        return "0".into();
    }
    if !(1e-4..1e9).contains(&size) {
        return format!("{value:.4e}");
    }
    let decimals = (5 - size.log10().floor() as i64).clamp(0, 9) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

/// A number with three significant digits.
pub fn rough(value: f64) -> String {
    number(three_digits(value))
}

/// Rounded to three significant digits, for values that are only known roughly.
pub fn three_digits(value: f64) -> f64 {
    let unit = 10f64.powf(value.abs().max(1e-300).log10().floor() - 2.0);
    (value / unit).round() * unit
}

pub use needlenet::{plural, shown};

/// Writes a paragraph with line breaks at spaces; further lines are indented.
pub fn wrap(out: &mut String, text: &str) {
    let indent = text.len() - text.trim_start().len();
    let mut line = " ".repeat(indent);
    let mut used = 0;
    for word in text.trim_start().split(' ') {
        let long = line.chars().count() + 1 + word.chars().count() > WIDTH;
        if used > 0 && long {
            push_line(out, &line);
            line = " ".repeat(indent.max(2) + 2);
            used = 0;
        }
        if used > 0 {
            line.push(' ');
        }
        line.push_str(word);
        used += 1;
    }
    push_line(out, &line);
}

/// Writes rows in columns as wide as their widest cell; `left` tells which columns are
/// left-aligned.
pub fn align<const N: usize>(out: &mut String, rows: &[[String; N]], left: [bool; N]) {
    let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    for row in rows {
        let mut line = String::from(" ");
        for (at, cell) in row.iter().enumerate() {
            let blank = " ".repeat(widths[at] - cell.chars().count());
            let (before, after) = if left[at] { ("", blank.as_str()) } else { (blank.as_str(), "") };
            line.extend(["  ", before, cell, after]);
        }
        push_line(out, &line);
    }
}

fn push_line(out: &mut String, line: &str) {
    out.push_str(line.trim_end());
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_six_digits_at_any_size() {
        let cases = [
            (0.0, "0"),
            (12.345678, "12.3457"),
            (-0.05, "-0.05"),
            (1500.0, "1500"),
            (0.000123456, "0.000123456"),
            (1e-9, "1.0000e-9"),
            (2.5e12, "2.5000e12"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn no_line_of_a_paragraph_is_wider_than_the_page() {
        let mut out = String::new();
        wrap(&mut out, &"needles and hay ".repeat(30));
        assert!(out.lines().count() > 5);
        assert!(out.lines().all(|line| line.chars().count() <= WIDTH));
        assert_eq!(out.split_whitespace().count(), 90);
    }

    #[test]
    fn a_name_can_neither_steer_the_terminal_nor_fill_the_line() {
        assert_eq!(shown("a\u{1b}[2Jb\n", 20), "a\\u001b[2Jb\\n");
        assert_eq!(shown("a\u{202e}b\u{2066}", 20), "a\\u202eb\\u2066");
        assert_eq!(shown("abcdefghij", 6), "abc...");
        assert_eq!(shown("abcdef", 6), "abcdef");
    }
}
