//! The algorithm: threshold, path, support, refit.

use crate::data::{Canonical, Data, Target};
use crate::error::{Error, Result};
use crate::loss::Loss;
use crate::model::{Certificate, Model, Task, Weights};
use crate::network::{Inputs, Link, Network};
use crate::optim::descent::Limits;
use crate::optim::live::Live;
use crate::optim::path::{Path, Walked};
use crate::optim::solve::Setting;
use crate::penalty::Penalty;
use crate::progress::{Observer, Progress, tell};
use crate::select::{Needle, effects, is_linear, neurons};
use crate::settings::Settings;
use crate::stand_ins::{Refitted, refit_with_stand_ins};
use crate::threshold::Threshold;

/// Standard errors by which a network must predict left-out classes better than the linear model.
const CLEARLY: f64 = 2.0;

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

/// [`fit`], telling `observer` how far it is.
pub fn fit_observed(data: Data, settings: &Settings, observer: &dyn Observer) -> Result<Model> {
    settings.check()?;
    in_threads(settings.threads, || {
        let prepared = Prepared::new(data, settings)?;
        let fitted = prepared.fit(settings, observer)?;
        let linear = prepared.fit_linear_classes(settings, &fitted, observer)?;
        Ok(linear.filter(|linear| !fitted.is_better_than(linear)).unwrap_or(fitted).model)
    })
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
    in_threads(settings.threads, || {
        let threshold = Prepared::new(data, settings)?.threshold(settings, observer);
        if observer.go_on() { Ok(threshold) } else { Err(Error::Interrupted) }
    })
}

/// Runs `work` on its own threads.
fn in_threads<T: Send>(threads: usize, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|e| Error::Threads { threads, reason: e.to_string() })?
        .install(work)
}

/// What the model was found with: where the linear one was preferred, it has no hidden layers, and its `lambda`
/// is smaller by the gain of the layers above.
fn reported(
    settings: &Settings,
    threshold: Threshold,
    network: &Network,
    walked: &Walked,
) -> (Settings, Threshold) {
    if network.is_linear() || !walked.solution.live.network.is_linear() {
        return (settings.clone(), threshold);
    }
    let lambda = settings.lambda.map(|_| walked.lambda);
    (Settings { hidden: Vec::new(), lambda, ..settings.clone() }, threshold.divided_by(network.gain()))
}

/// A table in canonical form with the loss that goes with it.
struct Prepared {
    table: Canonical,
    link: Link,
    loss: Loss,
}

/// A model, and in classification the losses of samples left out of its refit.
struct Fit {
    model: Model,
    left_out: Option<Vec<f64>>,
}

impl Fit {
    /// Whether it predicts samples left out clearly better: by more than `CLEARLY` standard errors of the
    /// difference.
    fn is_better_than(&self, other: &Fit) -> bool {
        let (Some(own), Some(others)) = (&self.left_out, &other.left_out) else { return true };
        let n = own.len() as f64;
        let gains = || others.iter().zip(own).map(|(other, own)| other - own);
        let mean = gains().sum::<f64>() / n;
        let variance = gains().map(|g| (g - mean) * (g - mean)).sum::<f64>() / (n - 1.0).max(1.0);
        mean > CLEARLY * (variance / n).sqrt()
    }
}

impl Prepared {
    fn new(data: Data, settings: &Settings) -> Result<Self> {
        let link = settings.link_for(data.outcome())?;
        let table = Canonical::new(data)?;
        let loss = Loss::new(&table.target, link);
        Ok(Prepared { table, link, loss })
    }

    fn network(&self, settings: &Settings) -> Network {
        Network::new(self.table.p(), &settings.hidden, self.loss.n_outputs(), &settings.activation)
    }

    /// The linear LASSO of classes at its own threshold, where a network with a concave penalty was asked for.
    ///
    /// Without noise to measure, a concave penalty keeps the fewest inputs that separate the classes; where
    /// the law is linear, more of them predict better. Nothing is tried unless the network's own threshold is
    /// exceeded, so the level is that of one test.
    fn fit_linear_classes(
        &self,
        settings: &Settings,
        network: &Fit,
        observer: &dyn Observer,
    ) -> Result<Option<Fit>> {
        let threshold = &network.model.threshold;
        let wanted = self.link != Link::Identity
            && !settings.hidden.is_empty()
            && settings.penalty.is_concave()
            && settings.lambda.is_none()
            && threshold.lambda_zero > threshold.lambda_qut;
        let linear = Settings { hidden: Vec::new(), penalty: Penalty::L1, ..settings.clone() };
        let fitted = if wanted { Some(self.fit(&linear, observer)?) } else { None };
        Ok(fitted.filter(|l| !l.model.needles.is_empty()))
    }

    fn threshold(&self, settings: &Settings, observer: &dyn Observer) -> Threshold {
        Threshold::simulate(&self.table.x, &self.loss, &self.network(settings), settings, observer)
    }

    fn fit(&self, settings: &Settings, observer: &dyn Observer) -> Result<Fit> {
        tell(observer, Progress::Threshold { draws: settings.draws })?;
        let threshold = self.threshold(settings, observer);
        let lambda = settings.lambda.unwrap_or(threshold.lambda_qut);
        let limits = Limits { tolerance: settings.tolerance, max_iterations: settings.max_iterations };

        let network = self.network(settings);
        let path = Path {
            x: &self.table.x,
            loss: &self.loss,
            network: &network,
            penalty: settings.penalty,
            lambda,
            lambda_zero: threshold.lambda_zero,
            limits,
            seed: settings.seed,
            observer,
        };
        let walked = path.walk()?;
        let (settings, threshold) = reported(settings, threshold, &network, &walked);
        let lambda = walked.lambda;

        tell(observer, Progress::Refit)?;
        let setting = Setting {
            x: &self.table.x,
            loss: &self.loss,
            penalty: settings.penalty,
            lambda,
            tau: walked.tau,
            without: &[],
            observer,
        };
        let needles = walked.solution.live.compact();
        let Refitted { live, end: refitted, left_out } = refit_with_stand_ins(&setting, needles, limits);
        if !observer.go_on() {
            return Err(Error::Interrupted);
        }

        let unit = self.unit();
        let left = self.table.n as f64 - live.degrees_of_freedom();
        let noise = refitted.point.loss / left.max(1.0).sqrt();
        let x = setting.inputs(&live.columns);
        let solution = &walked.solution;
        let model = Model {
            n_samples: self.table.n,
            n_features: self.table.names.len(),
            task: self.task(),
            settings,
            lambda,
            threshold,
            certificate: Certificate {
                objective: unit * solution.objective,
                loss: unit * solution.loss,
                kkt_violation: solution.kkt_violation,
                iterations: solution.iterations,
                stop: solution.stop,
            },
            refit: Certificate {
                objective: unit * refitted.point.objective,
                loss: unit * refitted.point.loss,
                kkt_violation: refitted.kkt_violation,
                iterations: refitted.iterations,
                stop: refitted.stop,
            },
            noise: (self.link == Link::Identity).then_some(unit * noise),
            linear: is_linear(&live.network, &live.theta, &x),
            needles: self.inputs(&live, &refitted.point.theta, &x),
            stand_ins: Vec::new(),
            neurons: neurons(&live.network, &self.in_user_orientation(&live, &live.theta)),
            weights: Weights {
                powers: live.network.layers.iter().map(|l| l.powers.clone()).collect(),
                n_outputs: live.network.n_outputs(),
                penalised: self.in_user_orientation(&live, &live.theta),
                refitted: self.in_user_orientation(&live, &refitted.point.theta),
            },
            path: walked.stages,
            constant_inputs: self
                .table
                .constant_inputs
                .iter()
                .map(|&j| self.table.names[j].clone())
                .collect(),
        }
        .ranked();
        Ok(Fit { model, left_out })
    }

    /// The outcome's standard deviation, the unit of the problem as solved; 1 in classification.
    fn unit(&self) -> f64 {
        match &self.table.target {
            Target::Numbers { scaling, .. } => scaling.scale,
            Target::Classes { .. } => 1.0,
        }
    }

    fn task(&self) -> Task {
        match &self.table.target {
            Target::Numbers { scaling, .. } => Task::Regression { scaling: *scaling },
            Target::Classes { .. } => {
                Task::Classification { classes: self.table.classes.clone(), link: self.link }
            }
        }
    }

    /// Undoes the turning of columns in the canonical form.
    fn in_user_orientation(&self, live: &Live, theta: &[f64]) -> Vec<f64> {
        let mut theta = theta.to_vec();
        let width = live.network.width();
        for (weights, &column) in theta.chunks_mut(width).zip(&live.columns) {
            weights.iter_mut().for_each(|w| *w *= self.table.signs[column]);
        }
        theta
    }

    /// The inputs of the refit.
    fn inputs(&self, live: &Live, theta: &[f64], x: &Inputs) -> Vec<Needle> {
        let signs: Vec<f64> = live.columns.iter().map(|&column| self.table.signs[column]).collect();
        let unit = self.unit();
        effects(&live.network, theta, x, &signs, self.link)
            .into_iter()
            .zip(&live.columns)
            .map(|((strength, mean_slope, shape, class), &column)| {
                let index = self.table.inputs[column];
                Needle {
                    name: self.table.names[index].clone(),
                    index,
                    scaling: self.table.scalings[column],
                    strength: unit * strength,
                    mean_slope: unit * mean_slope,
                    shape,
                    class,
                }
            })
            .collect()
    }
}
