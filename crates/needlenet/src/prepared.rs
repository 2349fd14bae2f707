//! The steps of a fit on a prepared table: thresholds, the refitted best candidate, and the function that predicts.

use crate::adjust::{Adjusted, adjusted};
use crate::error::{Error, Result};
use crate::local::descent::Limits;
use crate::local::working_set::{JOIN, Setting, gradient_sizes};
use crate::model::{Ingredients, Used};
use crate::network::{Link, Network};
use crate::outcome::Loss;
use crate::penalty::Penalty;
use crate::progress::{Observer, Progress, tell};
use crate::refit::{Committee, committee, refit_with_stand_ins};
use crate::search::plan::Plan;
use crate::search::starts::{most_promising, promising_inputs};
use crate::search::{Found, Search};
use crate::settings::Settings;
use crate::shards::{Sharded, Stored};
use crate::table::{All, Canonical, Data};
use crate::threshold::{Across, Threshold};

/// A table in canonical form with its loss.
pub(crate) struct Prepared {
    pub table: Canonical,
    pub link: Link,
    pub loss: Box<dyn Loss>,
    /// The weights of the inputs that are always in, in the null model.
    pub null_fit: Vec<f64>,
    beyond: Beyond,
}

/// Where the inputs are that `table` does not contain: with very many inputs, only the most promising
/// ones are searched.
enum Beyond {
    /// `table` contains all inputs.
    Nothing,
    /// All inputs, and the indices of those in `table`, in its order.
    Here(Box<All>, Vec<usize>),
    Elsewhere(Box<Stored>),
}

/// The thresholds of the requested network and of the linear model, from the same null draws, and the penalties at that
/// level.
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

    /// Whether it predicts held-out samples clearly better, or the two cannot be compared.
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
        let Adjusted { loss, null_fit, .. } = adjusted(&mut table, link, settings)?;
        Ok(Prepared { table, link, loss, null_fit, beyond: Beyond::Nothing })
    }

    /// A table in shards; if all its inputs are searched, they are loaded at once.
    pub fn sharded(
        table: Sharded,
        settings: &Settings,
        plan: &Plan,
        observer: &dyn Observer,
    ) -> Result<Self> {
        if table.n_features() <= plan.searched(table.n_samples()) {
            return Prepared::new(table.gathered(observer)?, settings);
        }
        let link = settings.link_for(table.outcome())?;
        let (mut table, mut stored) = Stored::new(table, settings, observer)?;
        let adjusted = adjusted(&mut table, link, settings)?;
        stored.beside(&adjusted);
        let Adjusted { loss, null_fit, .. } = adjusted;
        Ok(Prepared { table, link, loss, null_fit, beyond: Beyond::Elsewhere(Box::new(stored)) })
    }

    /// Number of passes over the columns of a table in shards.
    pub fn passes(&self) -> Option<usize> {
        match &self.beyond {
            Beyond::Elsewhere(stored) => Some(stored.passes),
            _ => None,
        }
    }

    /// Whether every input is searched.
    fn has_all(&self) -> bool {
        matches!(self.beyond, Beyond::Nothing)
    }

    /// All inputs that are not constant.
    fn p(&self) -> usize {
        match &self.beyond {
            Beyond::Nothing => self.table.p(),
            Beyond::Here(all, _) => all.x.p(),
            Beyond::Elsewhere(stored) => stored.p(),
        }
    }

    /// The thresholds of networks with these hidden layers, from the same null draws.
    pub fn threshold<const N: usize>(
        &mut self,
        hidden: [&[usize]; N],
        settings: &Settings,
        observer: &dyn Observer,
    ) -> Result<[Threshold; N]> {
        let networks = hidden.map(|hidden| self.network(hidden, settings));
        let found = match &mut self.beyond {
            Beyond::Elsewhere(stored) => {
                let (null, statistics) = Threshold::null(&*self.loss, networks.each_ref(), settings);
                let (zero, drawn) = stored.null(&*self.loss, null, &statistics, settings.draws, observer)?;
                Threshold::of(settings.alpha, &zero, &drawn)
            }
            _ => Threshold::simulate(&self.table.x, &*self.loss, networks.each_ref(), settings, observer),
        };
        if observer.go_on() { Ok(found) } else { Err(Error::Interrupted) }
    }

    /// Keeps the most promising inputs to be searched, if there are very many.
    fn narrow(&mut self, plan: &Plan, observer: &dyn Observer) -> Result<()> {
        let most = plan.searched(self.table.n);
        match &mut self.beyond {
            Beyond::Elsewhere(stored) => {
                let promising = most_promising(&stored.scores, most);
                stored.bring(&promising, &mut self.table, observer)
            }
            Beyond::Nothing if self.table.p() > most => {
                let promising = promising_inputs(&self.table.x, &*self.loss, most);
                let all = self.table.hand_over();
                self.table.have(&promising, &all);
                self.beyond = Beyond::Here(Box::new(all), promising);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Adds inputs that are not searched and violate the KKT conditions by more than the tolerance. Returns whether there are
    /// any; if not, the certificate is on all inputs.
    fn join(
        &mut self,
        found: &mut Found,
        deltas: Vec<f64>,
        settings: &Settings,
        observer: &dyn Observer,
    ) -> Result<bool> {
        let grouped = settings.penalty.is_grouped();
        let violators = match &mut self.beyond {
            Beyond::Nothing => return Ok(false),
            Beyond::Here(all, columns) => {
                let mut known = columns.clone();
                known.sort_unstable();
                let sizes = gradient_sizes(&all.x, &deltas, grouped).into_iter().enumerate();
                let mut violators: Vec<(usize, f64)> = sizes
                    .filter(|(j, size)| *size > found.lambda && known.binary_search(j).is_err())
                    .collect();
                violators.sort_by(|a, b| f64::total_cmp(&b.1, &a.1).then(a.0.cmp(&b.0)));
                violators
            }
            Beyond::Elsewhere(stored) => stored.violators(deltas, found.lambda, grouped, observer)?,
        };
        let excess = |(_, size): &(usize, f64)| size / found.lambda - 1.0;
        let solution = &mut found.solution;
        if let Some(worst) = violators.first().map(excess) {
            solution.kkt_violation = solution.kkt_violation.max(worst);
        }
        let joining: Vec<usize> =
            violators.iter().filter(|v| excess(v) > settings.tolerance).map(|v| v.0).take(JOIN).collect();
        if joining.is_empty() || !solution.stop.is_converged() {
            return Ok(false);
        }
        match &mut self.beyond {
            Beyond::Nothing => {}
            Beyond::Here(all, columns) => {
                columns.extend(joining);
                self.table.have(columns, all);
            }
            Beyond::Elsewhere(stored) => stored.bring(&joining, &mut self.table, observer)?,
        }
        Ok(true)
    }

    /// Threshold, search and refit, without the predictor.
    pub fn chosen(
        &mut self,
        settings: &Settings,
        plan: &Plan,
        observer: &dyn Observer,
    ) -> Result<Ingredients> {
        tell(observer, Progress::Threshold { draws: settings.draws })?;
        let levels = self.levels(settings, observer)?;
        self.narrow(plan, observer)?;
        let network = self.search(settings, &levels, plan, observer)?;
        let linear = self.linear_alternative(settings, &levels, &network, plan, observer)?;
        Ok(match linear {
            Some(linear)
                if network.lacks_inputs_of(&linear) && !network.predicts_clearly_better_than(&linear) =>
            {
                linear
            }
            _ => network,
        })
    }

    pub fn network(&self, hidden: &[usize], settings: &Settings) -> Network {
        Network::new(self.table.p(), hidden, self.loss.n_outputs(), &settings.activation)
            .beside(self.table.samples.n_always())
    }

    fn levels(&mut self, settings: &Settings, observer: &dyn Observer) -> Result<Levels> {
        let [network, linear] = self.threshold([&settings.hidden, &[]], settings, observer)?;
        let lambda = settings.lambda.unwrap_or(network.lambda_qut);
        let linear_lambda = lambda * linear.lambda_qut / network.lambda_qut;
        let gain = self.network(&settings.hidden, settings).gain();
        if settings.lambda.is_none() && self.loss.is_beyond_reach(lambda / gain) {
            let (n_samples, n_features) = (self.table.n, self.p());
            return Err(Error::BeyondReach { n_samples, n_features, alpha: settings.alpha });
        }
        Ok(Levels { network, linear, lambda, linear_lambda })
    }

    /// The best candidate of the requested model, refitted; its certificate is on all inputs.
    fn search(
        &mut self,
        settings: &Settings,
        levels: &Levels,
        plan: &Plan,
        observer: &dyn Observer,
    ) -> Result<Ingredients> {
        let limits = Limits {
            tolerance: settings.tolerance,
            max_iterations: settings.max_iterations,
            max_newton: usize::MAX,
            least_gain: 0.0,
        };
        // a lambda that the user chose stays
        let max_raised = if settings.lambda.is_none() { plan.max_raised } else { 0 };
        let plan = &Plan { max_raised, ..plan.clone() };
        let mut found = None;
        let (statistic, across, found) = loop {
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
                without: &[],
                observer,
            };
            let mut solved = match found.take() {
                Some(found) => search.resume(found)?,
                None => search.run()?,
            };
            if self.has_all() {
                break (statistic, across, solved);
            }
            let deltas = search.deltas(&solved);
            if !self.join(&mut solved, deltas, settings, observer)? {
                break (statistic, across, solved);
            }
            found = Some(solved);
        };
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

    /// The predictor on the inputs of the refit; none if the linear model was requested, because then the refit
    /// predicts.
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

    /// The linear model at its own threshold, if a network with a concave penalty was requested and the noise of the outcome is
    /// known, so that left-out losses can be compared.
    ///
    /// A network may explain with the bends of few inputs what more inputs explain in a straight line, and then it predicts new
    /// samples worse. If the outcome can be separated, the alternative is the LASSO, because a concave penalty keeps the
    /// fewest inputs that separate the classes. This is only tried if the data exceed the threshold of the network, so the
    /// level is that of one test.
    fn linear_alternative(
        &mut self,
        settings: &Settings,
        levels: &Levels,
        found: &Ingredients,
        plan: &Plan,
        observer: &dyn Observer,
    ) -> Result<Option<Ingredients>> {
        let separable = self.loss.can_be_separated();
        let wanted = (separable || !found.refitted.live.network.is_linear())
            && self.loss.knows_noise()
            && !settings.hidden.is_empty()
            && settings.penalty.is_concave()
            && settings.lambda.is_none()
            && levels.network.lambda_zero > levels.lambda;
        if !wanted {
            return Ok(None);
        }
        let penalty = if separable { Penalty::L1 } else { settings.penalty };
        let linear = Settings { hidden: Vec::new(), penalty, ..settings.clone() };
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
