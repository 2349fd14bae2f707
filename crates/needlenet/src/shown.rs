//! Text from files on a terminal: names and cells may contain anything.
//!
//! A name can contain escape sequences that change the screen, line breaks that imitate a message, marks that reverse
//! the direction of the text, or 10,000 letters. Such characters are written as `\u001b`, and long names are cut. The
//! form is that of JSON, so that an object printed on a terminal is still valid. Letters of every script, accents and
//! emoji stay. Cost: O(text shown). Tested here and in `needlenet-cli/tests/cli/names.rs`.

use std::borrow::Cow;
use std::fmt::{self, Write};

/// The largest number of letters of a name in a message; longer names are cut.
const LONGEST_NAME: usize = 60;

/// Whether a character controls a terminal or is invisible: control characters, line separators, direction marks,
/// zero-width spaces. The joiners U+200C and U+200D stay: scripts and emoji need them.
fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}')
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}')
        || matches!(c, '\u{e0000}'..='\u{e0fff}')
}

fn push_escaped(out: &mut String, c: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        _ => {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
}

/// The text without characters that control a terminal; line breaks are escaped too, unless `keep`
/// contains them.
pub fn escaped<'a>(text: &'a str, keep: &[char]) -> Cow<'a, str> {
    let bad = |c: char| steers(c) && !keep.contains(&c);
    if !text.contains(bad) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if bad(c) { push_escaped(&mut out, c) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// A name for a message or a table: escaped, and at most `longest` characters, the last three of which are dots if it
/// was cut.
pub fn shown(name: &str, longest: usize) -> String {
    let (mut out, mut width, mut cut_at) = (String::new(), 0, 0);
    for c in name.chars() {
        let before = out.len();
        if steers(c) {
            push_escaped(&mut out, c)
        } else {
            out.push(c)
        }
        width += out[before..].chars().count();
        if width + 3 <= longest {
            cut_at = out.len();
        }
        if width > longest {
            out.truncate(cut_at);
            out.push_str("...");
            break;
        }
    }
    out
}

/// A number with its noun: `1 input`, `2 inputs`.
pub fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A name in a message.
pub(crate) struct Name<'a>(pub &'a str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shown(self.0, LONGEST_NAME))
    }
}

/// A number in a message: plain digits if they are few, else with an exponent.
pub(crate) struct Number(pub f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.abs();
        let plain = self.0 == 0.0 || !size.is_finite() || (1e-5..1e16).contains(&size);
        if plain { write!(f, "{}", self.0) } else { write!(f, "{:e}", self.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_written_out_and_all_scripts_stay() {
        assert_eq!(shown("\u{1b}[2Ja\nb\t\u{202e}c\u{9b}d", 60), "\\u001b[2Ja\\nb\\t\\u202ec\\u009bd");
        assert_eq!(shown("\u{e0001}", 60), "\\udb40\\udc01");
        for name in ["größe", "e\u{301}", "年齢", "عمر", "👩‍🔬", "❤️", "a \"b\" \\c", ""] {
            assert_eq!(shown(name, 60), name);
            assert_eq!(escaped(name, &[]), name);
        }
        assert_eq!(escaped("a\nb\u{1b}c", &['\n']), "a\nb\\u001bc");
    }

    #[test]
    fn a_name_is_cut_to_its_width_also_where_it_is_escaped() {
        let long = "a".repeat(10_000);
        assert_eq!(shown(&long, 10), "aaaaaaa...");
        assert_eq!(shown("aaaaaaaaaa", 10), "aaaaaaaaaa");
        for longest in 8..40 {
            let name = shown(&"x\u{1b}\u{202e}é".repeat(50), longest);
            assert!(name.chars().count() <= longest && name.ends_with("..."), "{name}");
            // an escape is never cut in two
            assert!(name.trim_end_matches("...").ends_with(['x', 'b', 'e', 'é']) || name == "...", "{name}");
        }
    }

    #[test]
    fn a_number_in_a_message_has_few_digits() {
        let cases = [(4.0, "4"), (0.1, "0.1"), (1e308, "1e308"), (-1e-300, "-1e-300"), (f64::NAN, "NaN")];
        for (value, text) in cases {
            assert_eq!(Number(value).to_string(), text);
        }
    }
}
