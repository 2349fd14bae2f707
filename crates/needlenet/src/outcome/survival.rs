//! Survival: minus the log of Cox's partial likelihood, `L_n = sum over events of log(sum at risk e^output) - output`.
//!
//! The rows are sorted by stratum, then by descending time, at equal times with the events last (`table/canonical.rs`). So
//! the samples at risk at a time are the rows of the stratum up to that time, and every sum is one pass: O(n) per
//! evaluation. No exponential can overflow, because each is relative to the largest output so far.
//!
//! *Ties.* Of `d` events at one time, Breslow counts all of them as at risk in each term, and Efron the share `1 - l / d`
//! of them in the `l`-th term. A weight of 2 equals the row twice here too. *Loss of a sample.* With the cumulative hazard
//! `H_i` of a row, the terms `H_i - event_i (output_i - log at risk)` sum to the loss plus the number of events. This is
//! the loss of the full likelihood with the baseline hazard profiled out. Compared with independent libraries in
//! `src/tests/reference.rs` (value and gradient) and `tests/compare/` (the linear l1 model).

use std::cell::Cell;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Coupling, Curvature, Loss, price_of_share};
use crate::elementary::{exp, ln};
use crate::table::{Samples, TieGroup};
use crate::threshold::{Across, AtRisk, Null, NullLaw, RiskSet};

/// The largest number of terms of Efron's sum at one time; if the events weigh more, one term stands
/// for several of them.
const MOST_TERMS: f64 = 1000.0;

/// How events at one time enter the partial likelihood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ties {
    /// Efron's approximation, the more accurate one with many ties.
    #[default]
    Efron,
    /// Breslow's.
    Breslow,
}

#[derive(Debug, Clone)]
pub(crate) struct Survival {
    groups: Arc<[TieGroup]>,
    events: Arc<[bool]>,
    samples: Samples,
    ties: Ties,
    /// The total weight of the events.
    n_events: f64,
    /// The information on the weight of a standardised input at the empty model: the sum of squares of the martingale
    /// residuals, which is the variance under permutation. With inputs that are always in, the trace of the curvature.
    information: f64,
    /// The divisor of the loss.
    tau: f64,
}

/// The contribution of the events at one time, relative to `exp(top)`.
#[derive(Debug, Clone, Copy, Default)]
struct Term {
    top: f64,
    /// The hazard of the samples at risk, and of those with an event at that time.
    alive: f64,
    dead: f64,
    /// The mean over the events of the log of the sum at risk.
    log_at_risk: f64,
}

thread_local! {
    /// The terms of one evaluation.
    static TERMS: Cell<Vec<Term>> = const { Cell::new(Vec::new()) };
}

impl Survival {
    pub fn new(groups: Vec<TieGroup>, events: Vec<bool>, samples: Samples, ties: Ties) -> Self {
        let n_events = samples.sum(events.len(), |i| f64::from(u8::from(events[i])));
        let mut survival = Survival {
            groups: groups.into(),
            events: events.into(),
            samples,
            ties,
            n_events,
            information: n_events,
            tau: 1.0,
        };
        let residuals = survival.residuals();
        let information = if survival.samples.always.is_some() {
            survival.trace()
        } else {
            survival.samples.sum(residuals.len(), |i| residuals[i] * residuals[i])
        };
        survival.information = information.max(f64::MIN_POSITIVE);
        survival
    }

    fn event(&self, i: usize) -> f64 {
        f64::from(u8::from(self.events[i]))
    }

    /// The martingale residuals of the empty model, at weight 1: events minus cumulative hazard.
    fn residuals(&self) -> Vec<f64> {
        let out = vec![0.0; self.n()];
        let mut hazards = out.clone();
        self.hazards(&out, &mut hazards, |_, _| ());
        (0..self.n()).map(|i| self.event(i) - hazards[i] / self.samples.weight(i)).collect()
    }

    fn output(&self, out: &[f64], i: usize) -> f64 {
        out[i] + self.samples.offset(i)
    }

    /// Computes the weighted cumulative hazard of each row and the terms of each time, and passes them
    /// to `then`.
    fn hazards<T>(&self, out: &[f64], hazards: &mut [f64], then: impl FnOnce(&mut [f64], &[Term]) -> T) -> T {
        // each thread keeps the buffer of its last evaluation, so that the next one does not
        // allocate
        let mut terms = TERMS.take();
        terms.clear();
        let (mut top, mut at_risk) = (f64::NEG_INFINITY, 0.0);
        for group in self.groups.iter() {
            if group.starts_stratum {
                (top, at_risk) = (f64::NEG_INFINITY, 0.0);
            }
            let highest = group.rows().map(|i| self.output(out, i)).fold(top, f64::max);
            if highest > top {
                at_risk *= exp(top - highest);
                top = highest;
            }
            for i in group.rows() {
                hazards[i] = self.samples.weight(i) * exp(self.output(out, i) - top);
                at_risk += hazards[i];
            }
            let dying: f64 = group.events().map(|i| hazards[i]).sum();
            let weight: f64 = group.events().map(|i| self.samples.weight(i)).sum();
            terms.push(self.term(top, at_risk, dying, weight));
        }
        let (mut ahead, mut reference) = (0.0, 0.0);
        for (group, term) in self.groups.iter().zip(&terms).rev() {
            // relative to this time's largest output, which is at most that of shorter times
            if term.top < reference {
                ahead *= exp(term.top - reference);
            }
            reference = term.top;
            let of_events = ahead + term.dead;
            ahead += term.alive;
            for i in group.rows() {
                hazards[i] *= if self.events[i] { of_events } else { ahead };
            }
            if group.starts_stratum {
                (ahead, reference) = (0.0, f64::INFINITY);
            }
        }
        let done = then(hazards, &terms);
        TERMS.set(terms);
        done
    }

    /// Splits the events of one time, of total weight `weight`, into terms: the weight of each term, and the share of the
    /// events that is no longer at risk in it.
    fn parts(&self, weight: f64) -> impl Iterator<Item = (f64, f64)> + use<> {
        let most = if self.ties == Ties::Breslow { weight } else { (weight / MOST_TERMS).max(1.0) };
        let efron = self.ties == Ties::Efron;
        let mut left = weight;
        std::iter::from_fn(move || {
            let part = left.min(most);
            // the mean of `l / d` over the events of this term
            let share = if efron { (weight - left + (part - 1.0).max(0.0) / 2.0) / weight } else { 0.0 };
            left -= part;
            (part > 0.0).then_some((part, share))
        })
    }

    /// The trace of the curvature at the empty model; a row of weight w counts as w rows.
    fn trace(&self) -> f64 {
        let n = self.n();
        let top = (0..n).map(|i| self.samples.offset(i)).fold(f64::NEG_INFINITY, f64::max);
        // the sum of the risks of `rows`, and the sum of their squares
        let sums = |rows: std::ops::Range<usize>| {
            rows.fold((0.0, 0.0), |(sum, squares), i| {
                let (risk, weight) = (exp(self.samples.offset(i) - top), self.samples.weight(i));
                (sum + weight * risk, squares + weight * risk * risk)
            })
        };
        let (mut trace, mut at_risk) = (0.0, (0.0, 0.0));
        for group in self.groups.iter() {
            if group.starts_stratum {
                at_risk = (0.0, 0.0);
            }
            let (all, dying) = (sums(group.rows()), sums(group.events()));
            at_risk = (at_risk.0 + all.0, at_risk.1 + all.1);
            for (part, share) in self.parts(group.events().map(|i| self.samples.weight(i)).sum()) {
                let sum = at_risk.0 - share * dying.0;
                let squares = at_risk.1 - share * (2.0 - share) * dying.1;
                let of_part = part * (1.0 - squares / (sum * sum));
                trace += if of_part.is_finite() { of_part } else { 0.0 };
            }
        }
        trace
    }

    fn term(&self, top: f64, at_risk: f64, dying: f64, weight: f64) -> Term {
        let mut term = Term { top, ..Term::default() };
        if weight == 0.0 {
            return term;
        }
        for (part, share) in self.parts(weight) {
            let sum = at_risk - share * dying;
            term.alive += part / sum;
            term.dead += part * (1.0 - share) / sum;
            term.log_at_risk += part / weight * (top + ln(sum));
        }
        term
    }

    /// The curvature by the outputs, for either treatment of ties.
    fn curvature_of(&self, ties: Ties, out: &[f64]) -> Curvature<'static> {
        let n = self.n();
        let (mut v, mut diagonal) = (vec![0.0; n], vec![0.0; n]);
        let mut marks: Vec<(usize, f64)> = Vec::with_capacity(n);
        let strata: Vec<usize> =
            self.groups.iter().filter(|g| g.starts_stratum).map(|g| g.first).chain([n]).collect();
        for stratum in strata.windows(2) {
            let rows = stratum[0]..stratum[1];
            let top = rows.clone().map(|i| self.output(out, i)).fold(f64::NEG_INFINITY, f64::max);
            rows.clone().for_each(|i| v[i] = self.samples.weight(i) * exp(self.output(out, i) - top));
        }
        let mut at_risk = 0.0;
        for group in self.groups.iter() {
            if group.starts_stratum {
                at_risk = 0.0;
            }
            at_risk += group.rows().filter(|i| !self.events[*i]).map(|i| v[i]).sum::<f64>();
            let all = at_risk + group.events().map(|i| v[i]).sum::<f64>();
            for i in group.events() {
                at_risk += v[i];
                let sum = if ties == Ties::Breslow { all } else { at_risk };
                // skip the term if the sum at risk is negligible relative to the largest output
                let at = if ties == Ties::Breslow { group.end - 1 } else { i };
                let (weight, inverse) = (self.samples.weight(i), 1.0 / sum);
                if inverse.is_finite() && inverse < 1e150 {
                    let c = weight * inverse * inverse / self.tau;
                    match marks.last_mut().filter(|(k, _)| *k == at) {
                        Some((_, sum)) => *sum += c,
                        None => marks.push((at, c)),
                    }
                    diagonal[at] += weight * inverse;
                }
            }
        }
        for stratum in strata.windows(2) {
            let mut ahead = 0.0;
            for i in (stratum[0]..stratum[1]).rev() {
                ahead += diagonal[i];
                diagonal[i] = v[i] * ahead / self.tau;
            }
        }
        let blocks = Curvature::new(move |rows, hessians: &mut [f64]| {
            hessians.copy_from_slice(&diagonal[rows]);
        });
        blocks.coupled(Coupling { v, marks, starts: strata[1..strata.len() - 1].to_vec() })
    }

    /// The risk of each sample in the empty model, and the times of events.
    fn at_risk(&self) -> AtRisk {
        let of = |g: &TieGroup| RiskSet {
            starts_stratum: g.starts_stratum,
            end: g.end,
            events: g.events().map(|i| self.samples.weight(i)).sum(),
            rows: g.events().len(),
        };
        let log_risk = |i: usize| self.samples.offset(i);
        AtRisk::new(
            self.groups.iter().map(of).collect(),
            (0..self.n()).map(log_risk).collect(),
            |i| self.samples.weight(i),
            self.ties == Ties::Efron,
        )
    }

    /// The increments of Breslow's cumulative baseline hazard at the outputs `out`, one for each
    /// group.
    pub fn baseline(&self, out: &[f64]) -> Vec<f64> {
        self.hazards(out, &mut vec![0.0; out.len()], |_, terms| {
            terms.iter().map(|term| term.alive * libm::exp(-term.top)).collect()
        })
    }
}

impl Loss for Survival {
    fn n(&self) -> usize {
        self.events.len()
    }

    fn samples(&self) -> &Samples {
        &self.samples
    }

    fn size(&self) -> f64 {
        self.n_events
    }

    fn n_outputs(&self) -> usize {
        1
    }

    /// A common shift of all outputs does not change the loss.
    fn n_contrasts(&self) -> usize {
        0
    }

    fn evaluate(&self, out: &[f64], d_out: &mut [f64]) -> f64 {
        let loss = self.hazards(out, d_out, |d_out, terms| {
            let mut loss = 0.0;
            for (group, term) in self.groups.iter().zip(terms) {
                for i in group.events() {
                    let weight = self.samples.weight(i);
                    loss += weight * (term.log_at_risk - self.output(out, i));
                    d_out[i] -= weight;
                }
            }
            loss
        });
        if self.tau != 1.0 {
            d_out.iter_mut().for_each(|d| *d /= self.tau);
        }
        loss / self.tau
    }

    /// With Efron's ties this is the curvature for one order of the tied events, which serves as well.
    fn curvature<'a>(&'a self, _value: f64, out: &'a [f64]) -> Curvature<'a> {
        self.curvature_of(self.ties, out)
    }

    /// The curvature with Breslow's ties: it does not depend on an order of tied events, so a weight of 2
    /// equals the row twice.
    fn null_curvature<'a>(&'a self, out: &'a [f64]) -> Curvature<'a> {
        self.curvature_of(Ties::Breslow, out)
    }

    fn null_intercept(&self) -> Vec<f64> {
        vec![0.0]
    }

    /// Time and event are permuted against the inputs within strata, which is exact. With inputs that are always in, samples
    /// have different risks, which may correlate with the other inputs; then the sample that has each event is drawn from those
    /// at risk, with a chance proportional to its risk.
    fn null(&self) -> Null {
        let law = if self.samples.always.is_some() {
            NullLaw::AtRisk(Box::new(self.at_risk()))
        } else {
            let starts = self.groups.iter().filter(|g| g.starts_stratum).map(|g| g.first).collect();
            NullLaw::Permutation { starts }
        };
        Null::new(law, self.residuals(), &self.samples)
    }

    fn price(&self, lambda: f64, _across: Across) -> f64 {
        price_of_share(self.n_events, lambda * lambda / (self.n_events * self.information))
    }

    fn growth(&self) -> f64 {
        0.5
    }

    fn unit(&self) -> f64 {
        (self.samples.total(self.n()) / self.information).sqrt()
    }

    fn cut_off(&self, lambda: f64) -> f64 {
        lambda / self.information
    }

    fn noise(&self, _value: f64, _left: f64) -> f64 {
        1.0
    }

    fn knows_noise(&self) -> bool {
        true
    }

    fn at_noise(&self, tau: f64) -> Box<dyn Loss> {
        Box::new(Survival { tau, ..self.clone() })
    }

    fn released(&self, value: f64) -> f64 {
        value * self.tau
    }

    fn deviance(&self, value: f64) -> f64 {
        2.0 * value
    }

    fn of_each(&self, out: &[f64]) -> Vec<f64> {
        let mut losses = vec![0.0; out.len()];
        self.hazards(out, &mut losses, |losses, terms| {
            if let Some(weights) = &self.samples.weights {
                losses.iter_mut().zip(weights.iter()).for_each(|(l, w)| *l /= w);
            }
            for (group, term) in self.groups.iter().zip(terms) {
                group.events().for_each(|i| losses[i] += term.log_at_risk - self.output(out, i));
            }
        });
        losses
    }

    /// If an input orders the events perfectly, its weight would go to infinity.
    fn ridge(&self) -> f64 {
        1.0
    }

    fn strata(&self) -> (Vec<usize>, usize) {
        (self.events.iter().map(|e| usize::from(*e)).collect(), 2)
    }

    fn shifted(&self, by: &[f64]) -> Option<Box<dyn Loss>> {
        let (groups, events) = (self.groups.to_vec(), self.events.to_vec());
        let shifted = Survival::new(groups, events, self.samples.shifted(by), self.ties);
        Some(Box::new(Survival { tau: self.tau, ..shifted }))
    }

    fn of_rows(&self, rows: &[usize]) -> Box<dyn Loss> {
        let groups = TieGroup::of_rows(&self.groups, rows, &self.events);
        let events = rows.iter().map(|&i| self.events[i]).collect();
        let part = Survival::new(groups, events, self.samples.of_rows(rows), self.ties);
        Box::new(Survival { tau: self.tau, ..part })
    }
}
