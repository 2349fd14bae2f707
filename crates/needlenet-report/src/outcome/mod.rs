//! The parts of a report that depend on the kind of outcome: one file for each kind.

mod classes;
mod counts;
mod numbers;
mod roc;
mod survival;

use needlenet::{Link, Model, Outcome, Prediction, Task};

use crate::chart::Mark;
use crate::quality::Quality;
use crate::survey::Effect;

/// What a kind of outcome adds to the report.
pub(crate) trait Kind {
    /// The name of the task.
    fn task(&self) -> &'static str;

    /// The unit of strengths and slopes.
    fn unit(&self) -> &'static str;

    /// The prediction of the model without inputs.
    fn empty_model_predicts(&self) -> &'static str;

    /// Why a linear model was preferred to the requested network.
    fn why_linear(&self) -> &'static str {
        "a network does not fit better by more than the price of its weights"
    }

    /// How network outputs become probabilities, if the outcome has them.
    fn link(&self) -> Option<Link> {
        None
    }

    /// Whether the outcome has a unit that may be kept.
    fn has_unit(&self) -> bool {
        false
    }

    /// What an effect curve shows, for the class of a needle if it has one.
    fn curve_name(&self, class: Option<usize>) -> String;

    /// The samples behind an effect curve: the values of its input and the outcome.
    fn behind(&self, x: &[f64], outcome: &Outcome, class: Option<usize>) -> Vec<Mark>;

    /// The meaning of the dots and strokes behind an effect curve.
    fn behind_words(&self) -> &'static str {
        "Dots and strokes are samples of the table."
    }

    /// A common measure of the effect of an input that is proportional to `lambda_0`, if there is one. `linear`
    /// tells whether the model has no hidden layer.
    fn effect(&self, _outcome: &Outcome, _linear: bool) -> Option<Effect> {
        None
    }

    /// Whether one input alone determines the outcome of every sample: a leak.
    fn gives_away(&self, x: &[f64], outcome: &Outcome) -> bool;

    /// How well new samples are expected to be predicted, given the held-out loss as a share of that of the empty model.
    /// `counts` are the samples of each class, if they are known.
    fn on_new_samples(&self, share: f64, model: &Model, counts: &[usize]) -> String;

    /// How well the predictions fit the outcome.
    fn quality(&self, outcome: &Outcome, prediction: &Prediction) -> Option<Quality>;
}

/// The kind of a task. A new outcome is a file beside this one and an arm here.
pub(crate) fn kind(task: &Task) -> Box<dyn Kind> {
    match task {
        Task::Regression { .. } => Box::new(numbers::Numbers),
        Task::Classification { classes, link } => {
            Box::new(classes::Classes { names: classes.clone(), link: *link })
        }
        Task::Counts { .. } => Box::new(counts::Counts),
        Task::Survival { .. } => Box::new(survival::Survival),
    }
}

/// The name of the task of an outcome.
pub fn task_name(outcome: &Outcome) -> &'static str {
    kind_of(outcome).task()
}

/// Whether one input alone determines the outcome of every sample: a leak.
pub fn gives_away(x: &[f64], outcome: &Outcome) -> bool {
    kind_of(outcome).gives_away(x, outcome)
}

/// The kind of an outcome that has no model yet; its link is the default.
pub(crate) fn kind_of(outcome: &Outcome) -> Box<dyn Kind> {
    match outcome {
        Outcome::Regression(_) => Box::new(numbers::Numbers),
        Outcome::Classification { classes, .. } => {
            Box::new(classes::Classes { names: classes.clone(), link: Link::Softmax })
        }
        Outcome::Counts(_) => Box::new(counts::Counts),
        Outcome::Survival { .. } => Box::new(survival::Survival),
    }
}
