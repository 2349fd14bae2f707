//! Lists of names on the command line, one rule for every option: names are separated by commas, and a name that contains a
//! comma is in double quotes, as in a CSV file. Tested here and in `tests/cli/tables.rs`.

use std::str::FromStr;

/// The names of one use of an option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names(pub Vec<String>);

impl FromStr for Names {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut names = Vec::new();
        let mut rest = text;
        loop {
            let (name, after) = first(rest)?;
            if name.is_empty() {
                return Err("a name is empty; give names separated by commas".into());
            }
            names.push(name);
            match after.strip_prefix(',') {
                Some(next) => rest = next,
                None if after.is_empty() => return Ok(Names(names)),
                None => return Err(format!("{after:?} follows a quoted name; separate names by commas")),
            }
        }
    }
}

/// All names of an option that may be repeated.
pub fn each(given: &[Names]) -> impl Iterator<Item = &String> {
    given.iter().flat_map(|names| &names.0)
}

/// The name at the start of a text, and what follows it. White space around a name is ignored; in quotes, two quotes mean one.
pub fn first(text: &str) -> Result<(String, &str), String> {
    first_until(text, ',')
}

/// The same with another mark after the name.
pub fn first_until(text: &str, mark: char) -> Result<(String, &str), String> {
    let Some(mut quoted) = text.trim_start().strip_prefix('"') else {
        let (name, after) = text.split_at(text.find(mark).unwrap_or(text.len()));
        return Ok((name.trim().to_owned(), after));
    };
    let mut name = String::new();
    loop {
        let Some((part, after)) = quoted.split_once('"') else {
            return Err("a double quote is not closed".into());
        };
        name += part;
        match after.strip_prefix('"') {
            Some(more) => {
                name.push('"');
                quoted = more;
            }
            None => return Ok((name, after.trim())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_separated_by_commas_and_quotes_keep_a_comma() {
        for (text, names) in [
            ("age", &["age"][..]),
            ("age,sex", &["age", "sex"]),
            (" age , body weight ", &["age", "body weight"]),
            ("\"dose, mg\",sex", &["dose, mg", "sex"]),
            ("sex, \"dose, mg\" ", &["sex", "dose, mg"]),
            ("\"a \"\"b\"\", c\"", &["a \"b\", c"]),
            ("5\" nail,x", &["5\" nail", "x"]),
            ("gene_*,-1", &["gene_*", "-1"]),
        ] {
            assert_eq!(text.parse::<Names>().unwrap().0, names, "{text}");
        }
    }

    #[test]
    fn a_list_that_is_not_one_is_refused() {
        for text in ["", ",", "a,", "a,,b", "\"a", "\"a\"b", "\"\""] {
            text.parse::<Names>().unwrap_err();
        }
    }
}
