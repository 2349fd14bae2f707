//! The algorithm: threshold, search, refit.

use crate::error::{Error, Result};
use crate::model::{Model, compose};
use crate::prepared::Prepared;
use crate::progress::Observer;
use crate::search::plan::Plan;
use crate::settings::Settings;
use crate::shards::Sharded;
use crate::table::Data;
use crate::threshold::Threshold;

/// Finds the inputs of `data` that matter, and fits a network on them.
///
/// ```
/// use needlenet::{Data, Outcome, Settings, fit};
/// // 40 samples of 3 inputs; only the second matters
/// let x: Vec<f64> = (0..120).map(|i| ((i * 7919 + 13) % 101) as f64).collect();
/// let y: Vec<f64> = x[40..80].iter().map(|v| 2.0 * v + 1.0).collect();
/// let names = ["a", "b", "c"].map(String::from).to_vec();
/// let model = fit(Data::new(x, names, Outcome::Regression(y))?, &Settings::default())?;
/// assert_eq!(model.selected(), ["b"]);
/// assert!(model.certificate.stop.is_converged());
/// # Ok::<(), needlenet::Error>(())
/// ```
pub fn fit(data: Data, settings: &Settings) -> Result<Model> {
    fit_observed(data, settings, &())
}

/// [`fit`] with an observer, which is told about progress and can stop the fit.
pub fn fit_observed(data: Data, settings: &Settings, observer: &dyn Observer) -> Result<Model> {
    fit_planned(data, settings, &Plan::default(), observer)
}

/// [`fit_observed`] with another plan of the search than the default, for ablation studies.
pub fn fit_planned(data: Data, settings: &Settings, plan: &Plan, observer: &dyn Observer) -> Result<Model> {
    settings.check()?;
    let (data, settings) = data.weighed(settings);
    in_threads(settings.threads, || fit_prepared(Prepared::new(data, &settings)?, &settings, plan, observer))
}

/// [`fit`] of a table in shards, which `observer` can stop.
pub fn fit_sharded(table: Sharded, settings: &Settings, observer: &dyn Observer) -> Result<Model> {
    fit_sharded_planned(table, settings, &Plan::default(), observer)
}

/// [`fit_sharded`] with another plan of the search than the default.
pub(crate) fn fit_sharded_planned(
    table: Sharded,
    settings: &Settings,
    plan: &Plan,
    observer: &dyn Observer,
) -> Result<Model> {
    settings.check()?;
    let (table, settings) = table.weighed(settings);
    in_threads(settings.threads, || {
        let problem = Prepared::sharded(table, &settings, plan, observer)?;
        let model = fit_prepared(problem, &settings, plan, observer)?;
        // a table whose inputs are all searched was read once
        Ok(Model { passes: model.passes.or(Some(1)), ..model })
    })
}

fn fit_prepared(
    mut problem: Prepared,
    settings: &Settings,
    plan: &Plan,
    observer: &dyn Observer,
) -> Result<Model> {
    let chosen = problem.chosen(settings, plan, observer)?;
    let committee = problem.committee(settings, &chosen, observer)?;
    let passes = problem.passes();
    let Prepared { table, link, loss, null_fit, .. } = &problem;
    let model = compose(table, &**loss, null_fit, *link, settings, chosen, committee);
    Ok(Model { passes, ..model })
}

/// `lambda_QUT` and `lambda_0` of the data, without a fit.
///
/// ```
/// use needlenet::{Data, Outcome, Settings, threshold};
/// let data = Data::new(vec![1.0, 2.0, 4.0, 3.0], vec!["a".into()], Outcome::Regression(vec![1.0, 2.0, 4.0, 3.0]))?;
/// let t = threshold(data, &Settings::default())?;
/// // the input is the outcome: lambda_0 is the norm of a standardised column
/// assert!((t.lambda_zero - 2.0).abs() < 1e-6);
/// # Ok::<(), needlenet::Error>(())
/// ```
pub fn threshold(data: Data, settings: &Settings) -> Result<Threshold> {
    threshold_observed(data, settings, &())
}

/// [`threshold`], which `observer` can stop.
pub fn threshold_observed(data: Data, settings: &Settings, observer: &dyn Observer) -> Result<Threshold> {
    settings.check()?;
    let (data, settings) = data.weighed(settings);
    in_threads(settings.threads, || {
        Prepared::new(data, &settings)?.threshold([&settings.hidden], &settings, observer).map(|[t]| t)
    })
}

/// [`threshold`] of a table in shards.
pub fn threshold_sharded(table: Sharded, settings: &Settings, observer: &dyn Observer) -> Result<Threshold> {
    settings.check()?;
    let (table, settings) = table.weighed(settings);
    in_threads(settings.threads, || {
        let mut problem = Prepared::sharded(table, &settings, &Plan::default(), observer)?;
        problem.threshold([&settings.hidden], &settings, observer).map(|[t]| t)
    })
}

/// The number of threads of a fit if `asked` are requested: at most one per core; 0 means one per
/// core.
pub fn threads(asked: usize) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if asked == 0 { cores } else { asked.min(cores) }
}

/// The threads that RAYON_NUM_THREADS asks for, at most 8 per core: thousands would take longer to start than to work. 0 leaves the number
/// to rayon.
fn environment_threads() -> usize {
    let asked = std::env::var("RAYON_NUM_THREADS").ok().and_then(|count| count.parse().ok());
    asked.map_or(0, |count: usize| count.min(8 * threads(0)))
}

/// Runs `work` on its own threads.
pub(crate) fn in_threads<T: Send>(asked: usize, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let threads = if asked == 0 { environment_threads() } else { threads(asked) };
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|e| Error::Threads { threads, reason: e.to_string() })?
        .install(work)
}
