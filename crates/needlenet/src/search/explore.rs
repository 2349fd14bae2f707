//! The search for every outcome: starts, and the choice of the best candidate.
//!
//! 1. *Noise path* (`ladder.rs`). It starts from random neurons at a low noise and little concavity, and raises both.
//! 2. *Restart* (`afresh`). If a noise path loses every input, the neurons may be the cause and not the inputs. The path is
//!    repeated with new random neurons on the inputs that stayed longest: lists of them, each at most half as long as the one before,
//!    from which inputs may join.
//! 3. *Reheat.* The candidate is kept, dead neurons are replaced by new ones on its inputs, and the noise is lowered and raised
//!    again, as long as the score improves.
//! 4. *Final solve* (`ladder.rs`).
//!
//! The candidate with the best score wins, of:
//!
//! - the empty model;
//! - the linear model, which needs no random starts; it is reported without hidden layers;
//! - networks that start on the inputs with the largest traces in the residuals (`screening.rs`), unless nothing was found and no
//!   trace exceeds the universal threshold;
//! - networks that start on all inputs, if a clear trace remains or nothing was found. This is repeated while almost nothing is
//!   found although a clear trace remains, or while the noise path loses a good candidate at its end.
//!
//! At the end inputs are exchanged with near copies (`swap.rs`). Tall tables are searched on a subsample
//! (`subsample.rs`), and the candidate is then solved on more and more samples.

use super::candidate::Candidate;
use super::ladder::Rise;
use super::screening::Traces;
use super::starts::{promising_inputs, random_start, reheated};
use super::{Search, Stage};
use crate::error::Result;
use crate::local::active::Live;

/// The networks that were started on inputs with a trace.
#[derive(Default)]
pub(super) struct Tried {
    /// Ascending.
    inputs: Vec<usize>,
    /// Whether the last of them not only has a worse score than the best candidate, but also fits worse.
    fit_worse: bool,
}

impl Search<'_> {
    /// The best candidate, which may be one of the linear model, and what was tried.
    pub(super) fn explore(&self, stages: &mut Vec<Stage>) -> Result<(Candidate, Tried)> {
        let linear = self.linear_network();
        let linear = self.of_linear_model(&linear);
        let line = linear.anneal_from(linear.start(self.seed), self.seed, stages)?;
        let line = linear.refine(linear.settle(line));
        let empty = self.empty_model();
        let best = if line.live.columns.is_empty() { empty } else { empty.or(line) };
        if self.network.is_linear() {
            return Ok((best, Tried::default()));
        }
        let (best, tried) = self.follow_traces(best, stages)?;
        let best = self.start_on_all(best, &tried.inputs, stages)?;
        let best = if best.live.network.is_linear() { best } else { self.refine(best) };
        Ok((best, tried))
    }

    /// Alternates exchanging and dropping inputs until neither changes the candidate.
    fn refine(&self, mut best: Candidate) -> Candidate {
        for _ in 0..self.plan.max_refined {
            let before = best.live.columns.clone();
            best = self.prune(self.swap(best));
            if best.live.columns == before {
                break;
            }
        }
        best
    }

    /// Solves a candidate of a subsample on all samples. If other inputs leave a trace there, the search continues from
    /// them. Also returns what was tried by then.
    pub(super) fn widen(
        &self,
        live: Live,
        tau: f64,
        tried: Tried,
        stages: &mut Vec<Stage>,
    ) -> Result<(Candidate, Tried)> {
        let linear = self.linear_network();
        let linear = self.of_linear_model(&linear);
        let search = if live.network.is_linear() { &linear } else { self };
        let found = search.measured(live);
        let settled = search.refine(search.settle(Candidate { tau, ..found }));
        let empty = self.empty_model();
        let best = if settled.live.columns.is_empty() { empty } else { empty.or(settled) };
        let follow = self.loss.n() <= self.plan.most_explored
            && !self.network.is_linear()
            && self.overlooks(&best, &tried);
        if !follow {
            return Ok((best, tried));
        }
        self.follow_traces(best, stages)
    }

    /// Whether unused inputs leave a clear trace, or any inputs do in the residuals of a linear model, but for those on which networks
    /// fit worse than it. The bound is strict because the subsample was searched already: a second search after every chance trace
    /// would double the level.
    fn overlooks(&self, found: &Candidate, tried: &Tried) -> bool {
        let known = match found.live.network.is_linear() {
            // more samples only help a network that fits better and does not pay its price
            true if tried.fit_worse => &tried.inputs,
            true => &[][..],
            false => &found.live.columns,
        };
        let promising = promising_inputs(self.x, self.loss, self.plan.most_traced);
        self.traces(found, &promising)
            .is_some_and(|traces| traces.clearly_any_but(known, self.plan.overlooked))
    }

    /// Starts on the inputs that leave a trace in the residuals, as long as the score improves and untried inputs leave a
    /// trace.
    fn follow_traces(&self, mut best: Candidate, stages: &mut Vec<Stage>) -> Result<(Candidate, Tried)> {
        let promising = promising_inputs(self.x, self.loss, self.plan.most_traced);
        let mut tried = Tried::default();
        for round in 0..self.plan.max_followed {
            let new = |t: &Traces| match round {
                0 => t.any() || !best.live.columns.is_empty(),
                _ => t.clearly_any_but(&tried.inputs, self.plan.clear),
            };
            let Some(traces) = self.traces(&best, &promising).filter(new) else { break };
            let columns = joined(&traces.leading(), &best.live.columns);
            tried.inputs = joined(&tried.inputs, &columns);
            let seed = self.seed.wrapping_add(round << 52);
            let start = random_start(self.loss, self.network, &columns, seed);
            let next = self.settle(self.anneal_from(start, seed, stages)?);
            if next.score >= best.score {
                tried.fit_worse = next.deviance >= best.deviance;
                break;
            }
            best = next;
        }
        Ok((best, tried))
    }

    /// Starts on all inputs, unless the candidate leaves no trace of any other input. A start on the inputs that
    /// were tried already would give nothing new.
    fn start_on_all(
        &self,
        mut best: Candidate,
        tried: &[usize],
        stages: &mut Vec<Stage>,
    ) -> Result<Candidate> {
        let n = self.loss.size();
        let nothing = self.empty_model().deviance;
        let promising = promising_inputs(self.x, self.loss, self.plan.most_traced);
        for start in 0..self.plan.max_starts {
            let something_left = |t: Traces| t.clearly_any_but(&[], self.plan.clear);
            let nothing_left = !self.traces(&best, &promising).is_none_or(something_left);
            if nothing_left && (start > 0 || !best.live.columns.is_empty()) {
                break;
            }
            let is_faint = |best: &Candidate| nothing - best.deviance < self.plan.faint * n;
            let seed = self.seed.wrapping_add(start << 48);
            let from = self.start(seed);
            if start == 0 && from.columns == tried {
                if is_faint(&best) { continue } else { break }
            }
            let seen = self.anneal_from(from, seed, stages)?;
            let seen_deviance = seen.deviance;
            best = best.or(self.settle(seen));
            if !is_faint(&best) && best.deviance < seen_deviance + self.plan.lost * n {
                break;
            }
        }
        Ok(best)
    }

    /// One start, with restarts and reheats as long as they help: returns the best point.
    fn anneal_from(&self, start: Live, seed: u64, stages: &mut Vec<Stage>) -> Result<Candidate> {
        let raise = |search: &Search, start: Live, stages: &mut Vec<Stage>| {
            search.raise_noise(start, self.lowest_noise(), self.plan.first_concavity, stages)
        };
        let Rise { mut best, met, mut survivors } = raise(self, start, stages)?;
        let neurons_to_blame = self.plan.afresh && !met && !self.network.is_linear();
        let mut dropped = Vec::new();
        for (round, point) in (1..).zip(&survivors).filter(|_| neurons_to_blame) {
            let start = random_start(self.loss, self.network, &point.columns, seed.wrapping_add(round << 40));
            let afresh = raise(&Search { without: &dropped, ..*self }, start, stages)?;
            dropped = (0..self.x.p()).filter(|j| point.columns.binary_search(j).is_err()).collect();
            best = best.or(afresh.best);
            if afresh.met {
                break;
            }
        }
        for round in 1..=self.plan.max_reheats {
            let fits = || self.traces(&best, &best.live.columns).is_some_and(|traces| !traces.any());
            if best.live.columns.is_empty() || (!self.network.is_linear() && fits()) {
                break;
            }
            let start = reheated(&best.live, self.network, seed.wrapping_add(round << 32));
            let from = (self.plan.reheat_at * best.noise).max(self.lowest_noise());
            let Rise { best: next, survivors: of_next, .. } = self.raise_noise(start, from, 1.0, stages)?;
            survivors.extend(of_next);
            if !self.is_clearly_worse(&best, &next) {
                break;
            }
            best = next;
        }
        Ok(if self.plan.from_more && self.network.is_linear() {
            self.or_from_more_inputs(best, &survivors)
        } else {
            best
        })
    }
}

/// The union of two lists of inputs, ascending.
fn joined(a: &[usize], b: &[usize]) -> Vec<usize> {
    let mut both = [a, b].concat();
    both.sort_unstable();
    both.dedup();
    both
}
