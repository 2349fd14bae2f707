//! Groups of samples with the same time, in the order that survival needs.

use std::ops::Range;

/// The rows of one stratum and one time, those with an event last.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TieGroup {
    pub time: f64,
    pub stratum: usize,
    pub first: usize,
    first_event: usize,
    pub end: usize,
    /// Whether this is the longest time of its stratum.
    pub starts_stratum: bool,
}

impl TieGroup {
    /// The groups of rows sorted by stratum, descending time, and event.
    pub fn all(times: &[f64], strata: &[usize], events: &[bool]) -> Vec<Self> {
        let mut groups: Vec<TieGroup> = Vec::new();
        for (i, (&time, &stratum)) in times.iter().zip(strata).enumerate() {
            match groups.last_mut().filter(|g| g.time == time && g.stratum == stratum) {
                Some(group) => group.end = i + 1,
                None => {
                    let starts_stratum = groups.last().is_none_or(|g| g.stratum != stratum);
                    groups.push(TieGroup {
                        time,
                        stratum,
                        first: i,
                        first_event: i,
                        end: i + 1,
                        starts_stratum,
                    });
                }
            }
            if let Some(group) = groups.last_mut().filter(|_| !events[i]) {
                group.first_event = i + 1;
            }
        }
        groups
    }

    /// The groups of some rows (ascending).
    pub fn of_rows(groups: &[Self], rows: &[usize], events: &[bool]) -> Vec<Self> {
        let of = |i: &usize| &groups[groups.partition_point(|g| g.end <= *i)];
        let times: Vec<f64> = rows.iter().map(|i| of(i).time).collect();
        let strata: Vec<usize> = rows.iter().map(|i| of(i).stratum).collect();
        let events: Vec<bool> = rows.iter().map(|&i| events[i]).collect();
        TieGroup::all(&times, &strata, &events)
    }

    pub fn rows(&self) -> Range<usize> {
        self.first..self.end
    }

    pub fn events(&self) -> Range<usize> {
        self.first_event..self.end
    }
}
