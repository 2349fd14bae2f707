//! Ablation: the same draws, fitted with one part (idea) of the search switched off at a time.
//!
//! Cost: ideas x designs x replicates fits. All ideas see the same draws, so the rows of two ideas are paired by design
//! and seed. Tested below and in the program's `src/lab/ablate.rs`.

use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use needlenet::internals::{Plan, fit_planned};
use needlenet::{Settings, metrics};
use serde::{Deserialize, Serialize};

use crate::designs::Design;
use crate::error::{LabError, Result};
use crate::replicate::draw_seed;
use crate::run::guarded;
use crate::study::Point;

/// Null draws of a fit.
const NULL_DRAWS: usize = 1000;

/// The factor of the final solve at the noise (`MOST_RISE` in `search/ladder.rs`).
const STEP_AT_NOISE: f64 = 2.0;

/// Name, what is switched off, and the change of the plan.
pub type Idea = (&'static str, &'static str, fn(&mut Plan));

/// Every idea; the first one switches nothing off.
pub const IDEAS: [Idea; 15] = [
    ("full search", "nothing", |_| {}),
    // starting at the noise and with the same factor, the second final solve repeats the first
    ("units", "smaller units of the penalty where inputs are lost", |plan| {
        plan.smallest_unit = 1.0;
        plan.unit_step = STEP_AT_NOISE;
    }),
    ("more inputs", "final solves of the linear model from points with more inputs", |plan| {
        plan.from_more = false
    }),
    ("choice of a neuron", "the charge for the neuron through which an input enters", |plan| {
        plan.count_neurons = false;
    }),
    ("lambda with needles in", "the larger lambda that keeps out inputs that do not pay", |plan| {
        plan.max_raised = 0;
    }),
    ("prune", "dropping inputs that are not worth their price", |plan| plan.prune = false),
    ("swap", "exchange of inputs for near copies", |plan| plan.swap = false),
    ("reheats", "reheats of a start", |plan| plan.max_reheats = 0),
    ("afresh", "new neurons after a rise that lost everything", |plan| plan.afresh = false),
    ("traces", "starts on the inputs with a trace", |plan| plan.max_followed = 0),
    ("three starts", "the second and third start on all inputs", |plan| plan.max_starts = 1),
    ("starts on all", "every start on all inputs", |plan| plan.max_starts = 0),
    ("without one", "the rule that a finding must pay without its best sample", |plan| {
        plan.without_one = false;
    }),
    ("low concavity first", "the rise of the concavity: all stages have the full one", |plan| {
        plan.first_concavity = 1.0;
    }),
    ("inputs at start", "the limit on the inputs that a network starts on", |plan| {
        plan.most_at_start = usize::MAX;
    }),
];

/// The designs that are fitted if none is named.
pub const ABLATION_DESIGNS: [&str; 13] = [
    "nonlinear:s=0",
    "nonlinear:s=8",
    "nonlinear:s=20",
    "deep:n=300",
    "mixed:s=8",
    "product-of-three",
    "faint-pairs",
    "class-product",
    "class-pairs",
    "class-mixed",
    "class-rare",
    "three-mixed",
    "noise-classes:n=200",
];

/// One fit. Cells of a fit that failed are empty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AblationRow {
    /// The idea that is switched off.
    pub idea: String,
    /// The design.
    pub design: String,
    /// Samples.
    pub n: usize,
    /// Inputs.
    pub p: usize,
    /// Needles.
    pub s: usize,
    /// The number of the draw, as `lab make --seed` takes it.
    pub seed: u64,
    /// 1 if exactly the truth was selected.
    pub exact: Option<u8>,
    /// Share of the truth that was selected.
    pub tpr: Option<f64>,
    /// Share of the selection that is false.
    pub fdr: Option<f64>,
    /// Inputs selected.
    pub selected: Option<usize>,
    /// How long the fit took.
    pub seconds: f64,
    /// 1 if at a stationary point.
    pub converged: u8,
}

/// What to fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Ablation {
    /// The designs with their sizes.
    pub points: Vec<Point>,
    /// Draws of each design.
    pub replicates: u64,
    /// The seed of the draws.
    pub seed: u64,
    /// Fits at a time, 0 for one per core.
    pub threads: usize,
}

impl Ablation {
    /// Fits idea after idea. After each, `after` gets its name and all rows so far.
    pub fn run(&self, mut after: impl FnMut(&str, &[AblationRow]) -> Result<()>) -> Result<Vec<AblationRow>> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(needlenet::threads(self.threads))
            .build()
            .map_err(|error| LabError::Threads { threads: self.threads, reason: error.to_string() })?;
        let tasks: Vec<(&Point, u64)> =
            self.points.iter().flat_map(|point| (0..self.replicates).map(move |r| (point, r))).collect();
        let mut rows = Vec::new();
        for idea in &IDEAS {
            let (next, made) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
            // one loop per thread: a thread of a pool that waits for its fit would start another one and count its
            // time too
            pool.broadcast(|_| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some((point, replicate)) = tasks.get(at) else { return };
                    let row = fit_without(idea, point, draw_seed(self.seed, *replicate));
                    made.lock().unwrap_or_else(PoisonError::into_inner).push((at, row));
                }
            });
            let mut made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
            made.sort_by_key(|(at, _)| *at);
            for (_, row) in made {
                rows.push(row?);
            }
            after(idea.0, &rows)?;
        }
        Ok(rows)
    }
}

/// Fits one draw with one idea switched off.
fn fit_without((name, _, switch): &Idea, point: &Point, seed: u64) -> Result<AblationRow> {
    let draw = point.design()?.draw(seed);
    let mut plan = Plan::default();
    switch(&mut plan);
    let settings = Settings { threads: 1, draws: NULL_DRAWS, ..Settings::default() };
    let start = Instant::now();
    let model = guarded(|| fit_planned(draw.data()?, &settings, &plan, &())).ok();
    let seconds = (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
    let selected: Option<Vec<usize>> =
        model.as_ref().map(|model| model.needles.iter().map(|needle| needle.index).collect());
    let recovery = selected.as_ref().map(|selected| metrics::recovery(selected, &draw.needles));
    Ok(AblationRow {
        idea: (*name).into(),
        design: point.design.into(),
        n: point.n,
        p: point.p,
        s: point.s,
        seed,
        exact: recovery.map(|recovery| u8::from(recovery.exact)),
        tpr: recovery.map(|recovery| recovery.true_positive_rate),
        fdr: recovery.map(|recovery| recovery.false_discovery_rate),
        selected: selected.map(|selected| selected.len()),
        seconds,
        converged: u8::from(model.is_some_and(|model| model.converged())),
    })
}

/// A design with sizes, such as `nonlinear:s=8` or `deep:n=300`; sizes not given are the usual ones.
pub fn ablation_point(text: &str) -> Result<Point> {
    let refuse = |reason: String| LabError::Sizes { text: text.into(), reason };
    let mut words = text.split(':');
    let usual: Design = words.next().unwrap_or_default().parse()?;
    let is_usual = |name: &&&str| name.parse::<Design>().is_ok_and(|design| design == usual);
    let name = Design::NAMES.iter().find(is_usual).copied().unwrap_or_default();
    let mut point = Point { design: name, n: usual.n, p: usual.p, s: usual.s };
    for word in words {
        let size = word.split_once('=').and_then(|(key, value)| Some((key, value.parse().ok()?)));
        match size {
            Some(("n", n)) => point.n = n,
            Some(("p", p)) => point.p = p,
            Some(("s", s)) => point.s = s,
            _ => return Err(refuse(format!("\"{word}\" is none of n=COUNT, p=COUNT, s=COUNT"))),
        }
    }
    if point.n < 2 || point.p < 1 || point.s > point.p {
        return Err(refuse(
            "give at least 2 samples and 1 input, and at most as many needles as inputs".into(),
        ));
    }
    match usual.law.refuses(point.s) {
        Some(accepted) => Err(refuse(format!("this design has {accepted}"))),
        None => Ok(point),
    }
}

/// A Markdown table: a row per idea, a column per design, exact recoveries of all fits in a cell.
pub fn ablation_table(rows: &[AblationRow]) -> String {
    let key = |row: &AblationRow| (row.design.clone(), row.n, row.p, row.s);
    let mut designs: Vec<_> = rows.iter().map(key).collect();
    let mut seen = Vec::new();
    designs.retain(|design| {
        !seen.contains(design) && {
            seen.push(design.clone());
            true
        }
    });
    let mut out = String::from("| switched off |");
    for (design, n, p, s) in &designs {
        let _ = write!(out, " {design} n={n} p={p} s={s} |");
    }
    let _ = writeln!(out, " mean seconds |\n|---|{}---|", "---|".repeat(designs.len()));
    for (name, ..) in IDEAS {
        let of_idea: Vec<&AblationRow> = rows.iter().filter(|row| row.idea == name).collect();
        if of_idea.is_empty() {
            continue;
        }
        let _ = write!(out, "| {} |", if name == IDEAS[0].0 { "nothing (full search)" } else { name });
        for design in &designs {
            let fits: Vec<_> = of_idea.iter().filter(|row| key(row) == *design).collect();
            let exact = fits.iter().filter(|row| row.exact == Some(1)).count();
            let _ = write!(out, " {exact} of {} |", fits.len());
        }
        let seconds: f64 = of_idea.iter().map(|row| row.seconds).sum();
        let _ = writeln!(out, " {:.2} |", seconds / of_idea.len() as f64);
    }
    let failed = rows.iter().filter(|row| row.exact.is_none()).count();
    let rough = rows.iter().filter(|row| row.exact.is_some() && row.converged == 0).count();
    let _ = writeln!(
        out,
        "\nA cell counts exact recoveries. Of {} fits {failed} failed and {rough} did not converge.",
        rows.len()
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ideas_have_distinct_names_and_each_but_the_first_changes_the_plan() {
        let usual = format!("{:?}", Plan::default());
        for (at, (name, _, switch)) in IDEAS.iter().enumerate() {
            assert!(IDEAS[..at].iter().all(|(other, ..)| other != name), "{name}");
            let mut plan = Plan::default();
            switch(&mut plan);
            assert_eq!(format!("{plan:?}") == usual, at == 0, "{name}");
        }
    }

    #[test]
    fn designs_are_read_with_their_sizes_and_impossible_sizes_are_refused() {
        assert!(ABLATION_DESIGNS.iter().all(|text| ablation_point(text).is_ok()));
        let point = ablation_point("L:n=60:s=8").unwrap();
        assert_eq!(point, Point { design: "mixed", n: 60, p: 250, s: 8 });
        for text in ["triangle", "mixed:k=3", "mixed:s=many", "nonlinear:s=3", "mixed:p=3:s=4", "mixed:n=1"] {
            assert!(ablation_point(text).is_err(), "{text}");
        }
    }
}
