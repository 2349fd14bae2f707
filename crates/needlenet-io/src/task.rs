//! Decides whether an outcome is classes or a quantity, for the program, the lab and Python. Tested
//! here.

use std::collections::BTreeMap;
#[cfg(feature = "columns")]
use std::collections::HashMap;

#[cfg(feature = "columns")]
use crate::Target;
#[cfg(feature = "columns")]
use crate::error::LONGEST_NAME;

/// Whole numbers with more distinct values than this are a quantity.
const MOST_CLASSES: usize = 10;

/// Whole numbers that occur fewer times than this on average are a quantity.
const ROWS_PER_CLASS: usize = 5;

#[cfg(feature = "columns")]
impl Target {
    /// Whether the outcome is classes, and why. It is if it is text, if it has two values in four or more rows, or if it
    /// has at most 10 distinct whole numbers that occur 5 times each on average.
    pub fn is_classes(&self) -> (bool, String) {
        let name = needlenet::shown(&self.name, LONGEST_NAME);
        match &self.numbers {
            None => (true, format!("\"{name}\" is {}", self.kind())),
            Some(numbers) => {
                let (is, reason) = numbers_are_classes(numbers);
                (is, format!("\"{name}\" has {reason}"))
            }
        }
    }

    /// The description of an outcome without numbers.
    pub fn kind(&self) -> &'static str {
        let is_truth =
            |text: &String| text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false");
        if self.text.iter().all(is_truth) { "true or false" } else { "text" }
    }

    /// The class of each row. Numbers that are equal are one class, however they are written.
    pub fn labels(&self) -> Vec<&str> {
        let Some(numbers) = &self.numbers else {
            return self.text.iter().map(String::as_str).collect();
        };
        let mut first: HashMap<u64, &str> = HashMap::new();
        let rows = self.text.iter().zip(numbers);
        rows.map(|(text, number)| *first.entry((number + 0.0).to_bits()).or_insert(text)).collect()
    }
}

/// Whether numbers are classes, with the reason.
pub fn numbers_are_classes(numbers: &[f64]) -> (bool, String) {
    let mut rows: BTreeMap<u64, usize> = BTreeMap::new();
    numbers.iter().for_each(|v| *rows.entry((v + 0.0).to_bits()).or_default() += 1);
    let (n, distinct) = (numbers.len(), rows.len());
    if distinct == 2 && n >= 4 {
        return (true, "2 distinct values".to_owned());
    }
    if numbers.iter().any(|v| v.fract() != 0.0) {
        return (false, "numbers that are not whole".to_owned());
    }
    let few = (2..=MOST_CLASSES).contains(&distinct) && n >= ROWS_PER_CLASS * distinct;
    let kind = if few { "few" } else { "many" };
    (few, format!("{distinct} distinct whole numbers in {n} rows: {kind}"))
}

#[cfg(all(test, feature = "columns"))]
mod tests {
    use super::*;

    fn target(values: &[&str]) -> Target {
        let numbers = values.iter().map(|v| v.parse().ok()).collect();
        Target { name: "y".into(), text: values.iter().map(ToString::to_string).collect(), numbers }
    }

    #[test]
    fn text_and_few_whole_numbers_are_classes_and_all_else_is_a_quantity() {
        let repeat = |values: &[&str], times: usize| target(&values.repeat(times));
        assert!(target(&["a", "b", "c", "3"]).is_classes().0);
        assert!(repeat(&["0", "1"], 2).is_classes().0);
        assert!(repeat(&["0.5", "-0.5"], 2).is_classes().0);
        assert!(repeat(&["1", "2", "3"], 5).is_classes().0);
        assert!(!repeat(&["1", "2", "3"], 4).is_classes().0);
        assert!(!repeat(&["1", "2", "2.5"], 50).is_classes().0);
        let eleven: Vec<String> = (0..11).map(|v| v.to_string()).collect();
        assert!(!repeat(&eleven.iter().map(String::as_str).collect::<Vec<_>>(), 50).is_classes().0);
        // too few rows to tell: two rows, two values
        assert!(!target(&["1", "2"]).is_classes().0);
    }

    #[test]
    fn equal_numbers_are_one_class_however_written() {
        assert_eq!(target(&["1", "1.0", "2", "-0", "0"]).labels(), ["1", "1", "2", "-0", "-0"]);
        assert_eq!(target(&["1", "1.0", "x"]).labels(), ["1", "1.0", "x"]);
    }
}
