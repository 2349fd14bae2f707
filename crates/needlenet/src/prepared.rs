//! The steps of a fit on a prepared table: thresholds, the refitted best candidate, and the function that predicts.

use crate::adjust::adjusted;
use crate::error::{Error, Result};
use crate::local::descent::Limits;
use crate::local::working_set::Setting;
use crate::model::{Ingredients, Used};
use crate::network::{Link, Network};
use crate::outcome::Loss;
use crate::penalty::Penalty;
use crate::progress::{Observer, Progress, tell};
use crate::refit::{Committee, committee, refit_with_stand_ins};
use crate::search::plan::Plan;
use crate::search::{Found, Search};
use crate::settings::Settings;
use crate::table::{Canonical, Data};
use crate::threshold::{Across, Threshold};

/// A table in canonical form with the loss that goes with it.
pub(crate) struct Prepared {
    pub table: Canonical,
    pub link: Link,
    pub loss: Box<dyn Loss>,
    /// The weights of the inputs that are always in, where nothing else is.
    pub null_fit: Vec<f64>,
}

/// The thresholds of the network that was asked for and of the linear model, from the same null draws, and the penalties
/// at that level.
struct Levels {
    network: Threshold,
    linear: Threshold,
    lambda: f64,
    linear_lambda: f64,
}

impl Ingredients {
    fn lacks_inputs_of(&self, other: &Ingredients) -> bool {
        let own = self.found.solution.live.support();
        other.found.solution.live.support().iter().any(|column| own.binary_search(column).is_err())
    }

    /// Whether it predicts left-out samples clearly better, or the two cannot be compared.
    fn predicts_clearly_better_than(&self, other: &Ingredients) -> bool {
        match (self.refitted.left_out, other.refitted.left_out) {
            (Some(own), Some(others)) => 2.0 * (others - own) > self.clearly,
            _ => true,
        }
    }
}

impl Prepared {
    pub fn new(data: Data, settings: &Settings) -> Result<Self> {
        let link = settings.link_for(data.outcome())?;
        let mut table = Canonical::new(data, settings)?;
        let (loss, null_fit) = adjusted(&mut table, link, settings)?;
        Ok(Prepared { table, link, loss, null_fit })
    }

    /// Threshold, search and refit, without the predictor.
    pub fn chosen(&self, settings: &Settings, plan: &Plan, observer: &dyn Observer) -> Result<Ingredients> {
        tell(observer, Progress::Threshold { draws: settings.draws })?;
        let levels = self.levels(settings, observer)?;
        let network = self.search(settings, &levels, plan, observer)?;
        let lasso = self.linear_lasso(settings, &levels, plan, observer)?;
        Ok(match lasso {
            Some(lasso)
                if network.lacks_inputs_of(&lasso) && !network.predicts_clearly_better_than(&lasso) =>
            {
                lasso
            }
            _ => network,
        })
    }

    pub fn network(&self, hidden: &[usize], settings: &Settings) -> Network {
        Network::new(self.table.p(), hidden, self.loss.n_outputs(), &settings.activation)
            .beside(self.table.samples.n_always())
    }

    fn levels(&self, settings: &Settings, observer: &dyn Observer) -> Result<Levels> {
        let networks = [&settings.hidden[..], &[]].map(|hidden| self.network(hidden, settings));
        let [network, linear] =
            Threshold::simulate(&self.table.x, &*self.loss, networks.each_ref(), settings, observer);
        let lambda = settings.lambda.unwrap_or(network.lambda_qut);
        let linear_lambda = lambda * linear.lambda_qut / network.lambda_qut;
        if !observer.go_on() {
            return Err(Error::Interrupted);
        }
        if settings.lambda.is_none() && self.loss.is_beyond_reach(lambda / networks[0].gain()) {
            let (n_samples, n_features) = (self.table.n, self.table.p());
            return Err(Error::BeyondReach { n_samples, n_features, alpha: settings.alpha });
        }
        Ok(Levels { network, linear, lambda, linear_lambda })
    }

    /// The best candidate of the model that was asked for, refitted.
    fn search(
        &self,
        settings: &Settings,
        levels: &Levels,
        plan: &Plan,
        observer: &dyn Observer,
    ) -> Result<Ingredients> {
        let limits = Limits {
            tolerance: settings.tolerance,
            max_iterations: settings.max_iterations,
            least_gain: 0.0,
        };
        let network = self.network(&settings.hidden, settings);
        let across = Across::of(&network, settings.penalty.is_grouped());
        let statistic = levels.lambda / network.gain();
        let search = Search {
            x: &self.table.x,
            loss: &*self.loss,
            network: &network,
            penalty: settings.penalty,
            lambda: levels.lambda,
            lambda_zero: levels.network.lambda_zero,
            of_linear: (levels.linear_lambda, levels.linear.lambda_zero),
            statistic,
            across,
            plan,
            limits,
            seed: settings.seed,
            observer,
        };
        let found = search.run()?;
        tell(observer, Progress::Refit)?;
        let setting = self.setting(settings.penalty, &found, observer);
        let refitted = refit_with_stand_ins(&setting, found.solution.live.compact(), limits);
        if !observer.go_on() {
            return Err(Error::Interrupted);
        }
        let price = self.loss.price(statistic, across);
        let is_linear = refitted.live.network.is_linear();
        let hidden = if is_linear { Vec::new() } else { settings.hidden.clone() };
        let threshold = if is_linear { &levels.linear } else { &levels.network };
        Ok(Ingredients {
            used: Used { hidden, penalty: settings.penalty },
            threshold: threshold.clone(),
            price,
            clearly: plan.clearly * price,
            found,
            refitted,
        })
    }

    fn setting<'a>(&'a self, penalty: Penalty, found: &Found, observer: &'a dyn Observer) -> Setting<'a> {
        Setting {
            x: &self.table.x,
            loss: &*self.loss,
            penalty,
            lambda: found.lambda,
            tau: found.tau,
            without: &[],
            observer,
        }
    }

    /// The function that predicts, on the inputs of the refit; if the linear model was requested, the refit predicts.
    pub fn committee(
        &self,
        settings: &Settings,
        chosen: &Ingredients,
        observer: &dyn Observer,
    ) -> Result<Committee> {
        if settings.hidden.is_empty() {
            return Ok(Committee::default());
        }
        let setting = self.setting(chosen.used.penalty, &chosen.found, observer);
        let unit = |column: usize| self.table.unit(column);
        let committee = committee(&setting, &chosen.refitted, &unit, chosen.price, settings.seed);
        if observer.go_on() { Ok(committee) } else { Err(Error::Interrupted) }
    }

    /// The linear LASSO at its own threshold, if a network with a concave penalty was requested and the outcome can be
    /// separated.
    ///
    /// A concave penalty then keeps the fewest inputs that separate the classes; if
    /// the law is linear, more inputs predict better. It is only tried if the threshold of the network is
    /// exceeded, so the level is that of one test.
    fn linear_lasso(
        &self,
        settings: &Settings,
        levels: &Levels,
        plan: &Plan,
        observer: &dyn Observer,
    ) -> Result<Option<Ingredients>> {
        let wanted = self.loss.can_be_separated()
            && !settings.hidden.is_empty()
            && settings.penalty.is_concave()
            && settings.lambda.is_none()
            && levels.network.lambda_zero > levels.lambda;
        if !wanted {
            return Ok(None);
        }
        let linear = Settings { hidden: Vec::new(), penalty: Penalty::L1, ..settings.clone() };
        let levels = Levels {
            network: levels.linear.clone(),
            linear: levels.linear.clone(),
            lambda: levels.linear_lambda,
            linear_lambda: levels.linear_lambda,
        };
        let fitted = self.search(&linear, &levels, plan, observer)?;
        Ok(Some(fitted).filter(|fitted| !fitted.refitted.live.columns.is_empty()))
    }
}
