//! What a report says that depends on the kind of outcome: one file for each kind.

mod classes;
mod numbers;

use needlenet::{Link, Task};

/// What a kind of outcome adds to the report.
pub(crate) trait Kind {
    /// The unit of strengths and slopes.
    fn unit(&self) -> &'static str;

    /// What the model without inputs predicts.
    fn empty_model_predicts(&self) -> &'static str;

    /// Why a linear model was preferred to the network that was asked for.
    fn why_linear(&self) -> &'static str;

    /// From network outputs to probabilities, if the outcome has them.
    fn link(&self) -> Option<Link>;

    /// Whether the outcome has a unit that may be kept.
    fn has_unit(&self) -> bool;
}

/// The kind of a task. A new outcome is a file beside this one and an arm here.
pub(crate) fn kind(task: &Task) -> Box<dyn Kind> {
    match task {
        Task::Regression { .. } => Box::new(numbers::Numbers),
        Task::Classification { link, .. } => Box::new(classes::Classes { link: *link }),
    }
}
