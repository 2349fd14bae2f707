//! Words that are dates, and their days since 1970-01-01.
//!
//! `2024-03-01`, `2024/03/01` and `01.03.2024`, each also with a time, can be read. `03/01/2024` is recognised as a date
//! but refused, because it may be the 3rd of January or the 1st of March. Tested in `tests/first_contact.rs`.

use chrono::{NaiveDate, NaiveDateTime};

/// The unambiguous date formats.
const DATES: [&str; 3] = ["%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y"];
const TIMES: [&str; 4] = ["%H:%M", "%H:%M:%S%.f", "%H:%M:%SZ", "%H:%M:%S%.f%:z"];

/// The ambiguous ones.
const DOUBTFUL: [&str; 4] = ["%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y"];

/// A word that is a date.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Date {
    /// Days since 1970-01-01, with the part of the day.
    Days(f64),
    /// Day and month may be swapped.
    Doubtful,
}

/// The date written in `text`.
pub(crate) fn date(text: &str) -> Option<Date> {
    // most words are not dates: checking the first digit is cheap
    if !text.as_bytes().first().is_some_and(u8::is_ascii_digit) || text.len() < 6 {
        return None;
    }
    let (day, time) = text.split_once(['T', ' ']).unwrap_or((text, ""));
    if let Some(day) = DATES.iter().find_map(|format| NaiveDate::parse_from_str(day, format).ok()) {
        return match time.trim() {
            "" => Some(Date::Days(days_of(day.and_hms_opt(0, 0, 0)?))),
            time => at_time(day, time),
        };
    }
    DOUBTFUL.iter().any(|format| NaiveDate::parse_from_str(day, format).is_ok()).then_some(Date::Doubtful)
}

fn at_time(day: NaiveDate, time: &str) -> Option<Date> {
    let parsed = TIMES.iter().find_map(|format| {
        let both = format!("{day} {time}");
        NaiveDateTime::parse_from_str(&both, &format!("%Y-%m-%d {format}")).ok()
    });
    parsed.map(|parsed| Date::Days(days_of(parsed)))
}

fn days_of(time: NaiveDateTime) -> f64 {
    let time = time.and_utc();
    (time.timestamp() as f64 + f64::from(time.timestamp_subsec_micros()) * 1e-6) / 86_400.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_which_there_is_no_doubt_are_days() {
        // 2024-03-01 is day 19783: 54 years of 365 days, 13 leap days before 2024, and 60 days of 2024
        for text in ["2024-03-01", "2024/03/01", "01.03.2024", "2024-03-01 00:00", "2024-03-01T00:00:00Z"] {
            assert_eq!(date(text), Some(Date::Days(54.0 * 365.0 + 13.0 + 60.0)), "{text}");
        }
        assert_eq!(date("1970-01-02 12:00"), Some(Date::Days(1.5)));
        assert_eq!(date("03/01/2024"), Some(Date::Doubtful));
        for text in ["", "2024", "12.5", "2024-13-01", "stage 2", "1-2-3", "12:30"] {
            assert_eq!(date(text), None, "{text}");
        }
    }
}
