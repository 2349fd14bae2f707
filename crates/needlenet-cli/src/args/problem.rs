//! The options of a fit: task, network, penalty, level.

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use needlenet::{Activation, Penalty, Settings};

use crate::choices::Hidden;

/// What is asked of the data: task, network, penalty, level.
#[derive(Debug, Args)]
#[command(next_help_heading = "Fit")]
pub struct ProblemArgs {
    /// What kind of outcome it is
    #[arg(long, default_value_t = TaskChoice::Auto, value_enum)]
    pub task: TaskChoice,
    /// A set of defaults; each can be changed by its own option
    #[arg(long, value_name = "NAME", default_value_t = Preset::Default, value_enum)]
    pub preset: Preset,
    #[arg(long, value_name = "WIDTHS", help = help_of_hidden())]
    pub hidden: Option<Hidden>,
    #[arg(long, value_parser = PossibleValuesParser::new(Penalty::NAMES), help = help_of_penalty())]
    pub penalty: Option<String>,
    /// Whether to divide a numerical outcome by its standard deviation [default: true; paper: false]
    ///
    /// With false it is centred only and keeps its unit, as in the paper. The fit then depends on the unit. The
    /// penalties harder, scad and mcp need true.
    #[arg(long, value_name = "BOOL")]
    pub scale_outcome: Option<bool>,
    /// The level: the probability of finding anything if no input matters
    #[arg(long, value_name = "NUMBER", default_value_t = Settings::default().alpha, allow_negative_numbers = true)]
    pub alpha: f64,
    /// The weight of the penalty; derived from alpha if not given
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub lambda: Option<f64>,
    /// The activation of the neurons: default, softplus, smooth-relu, interactions, or M,u0,k (k may be k1:k2)
    #[arg(long, value_name = "NAME", default_value_t = Settings::default().activation)]
    pub activation: Activation,
    /// How network outputs become class probabilities
    #[arg(long, default_value_t = LinkChoice::of(&Settings::default()), value_enum)]
    pub link: LinkChoice,
    /// How null outcomes are drawn: from their law, or by permuting the outcome, which is valid for any noise and any weights
    #[arg(long, value_name = "HOW", default_value_t = NullRule::Law, value_enum)]
    pub null: NullRule,
    /// Survival: how ties (events at the same time) are treated
    #[arg(long, value_name = "RULE", default_value_t = TiesRule::Efron, value_enum)]
    pub ties: TiesRule,
    /// Seed of the random starts; the same seed gives the same result
    #[arg(long, value_name = "NUMBER", default_value_t = Settings::default().seed)]
    pub seed: u64,
    /// Number of threads, 0 for all cores and never more than these; it does not change the result
    #[arg(long, value_name = "COUNT", default_value_t = Settings::default().threads)]
    pub threads: usize,
    /// Number of null draws for the threshold
    #[arg(long, value_name = "COUNT", default_value_t = Settings::default().draws)]
    pub draws: usize,
}

/// The widths of each preset are those of the learner.
fn help_of_hidden() -> String {
    let [default, paper] = [Settings::default(), Settings::paper()].map(|settings| Hidden(settings.hidden));
    format!(
        "Widths of the hidden layers, such as 20,10; \"none\" is the linear model [default: {default}; paper: {paper}]"
    )
}

/// The penalties of each preset are those of the learner.
fn help_of_penalty() -> String {
    let [default, paper] = [Settings::default(), Settings::paper()].map(|settings| settings.penalty.name());
    format!("The penalty on the first layer [default: {default}; paper: {paper}]")
}

/// `--preset`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Preset {
    /// Our own estimator.
    Default,
    /// The paper's own estimator, LASSO ANN: 20 neurons, the l1 penalty, a numerical outcome in its own unit.
    Paper,
}

/// `--task`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TaskChoice {
    /// Chosen from the target.
    Auto,
    /// A number per row.
    Regression,
    /// A class per row.
    Classification,
    /// A count per row.
    Counts,
    /// A time until an event per row: give --time and --event.
    Survival,
}

/// `--null`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NullRule {
    /// Gaussian noise, classes of the observed shares, Poisson counts; survival is permuted. With weights that are not whole
    /// numbers: permutation.
    Law,
    /// Permutations of the outcome; each outcome keeps its weight.
    Permutation,
}

/// `--ties`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TiesRule {
    /// Efron's approximation.
    Efron,
    /// Breslow's.
    Breslow,
}

/// `--link`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LinkChoice {
    /// One output per class.
    Softmax,
    /// One output per class but the last.
    Logit,
}

impl LinkChoice {
    fn of(settings: &Settings) -> Self {
        if settings.link == needlenet::Link::Logit { Self::Logit } else { Self::Softmax }
    }
}
