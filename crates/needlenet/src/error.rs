//! What can go wrong, with the value and the remedy.

use thiserror::Error;

/// The result of anything in this crate that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// An input or a parameter that cannot be used, or a model file that cannot be trusted.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// Too few samples.
    #[error("{n_samples} samples: at least 2 are needed")]
    TooFewSamples {
        /// The number of samples given.
        n_samples: usize,
    },
    /// Samples that cannot tell any input from chance.
    #[error(
        "{n_samples} samples of {n_features} inputs cannot tell an input from chance at level {alpha}, however strong \
         it is; give more samples, fewer inputs, or a larger alpha"
    )]
    BeyondReach {
        /// The number of samples.
        n_samples: usize,
        /// The number of inputs.
        n_features: usize,
        /// The level.
        alpha: f64,
    },
    /// No input column.
    #[error("the table has no input column: at least one is needed besides the outcome")]
    NoInputs,
    /// Lengths that do not fit together.
    #[error("{what}: {found} given where {expected} are expected")]
    Shape {
        /// What was counted.
        what: &'static str,
        /// How many were given.
        found: usize,
        /// How many were expected.
        expected: usize,
    },
    /// Columns that cannot be one input.
    #[error("group \"{group}\": {reason}")]
    Group {
        /// The name of the group.
        group: String,
        /// What is wrong with it.
        reason: String,
    },
    /// NaN or infinity among the inputs.
    #[error(
        "row {row}, column \"{column}\": {value} is not a finite number; \
         fill or drop missing values before the fit"
    )]
    InputNotFinite {
        /// The row, counted from 1.
        row: usize,
        /// The name of the column.
        column: String,
        /// The value found.
        value: f64,
    },
    /// NaN or infinity in the outcome.
    #[error("row {row} of the outcome: {value} is not a finite number; drop the row or mend it")]
    OutcomeNotFinite {
        /// The row, counted from 1.
        row: usize,
        /// The value found.
        value: f64,
    },
    /// The outcome does not vary.
    #[error("the outcome is {value} in every row: there is nothing to explain")]
    ConstantOutcome {
        /// Its only value.
        value: f64,
    },
    /// A count that is none.
    #[error(
        "row {row} of the outcome: {value} is not a count; counts are 0, 1, 2, ... (for other numbers ask for regression)"
    )]
    NotACount {
        /// The row, counted from 1.
        row: usize,
        /// The value found.
        value: f64,
    },
    /// A time that is none.
    #[error("row {row}: {value} is not a time until an event; times are finite numbers from 0 on")]
    NotATime {
        /// The row, counted from 1.
        row: usize,
        /// The value found.
        value: f64,
    },
    /// Survival without anything to explain.
    #[error(
        "{events} of the {n_samples} samples have an event while others stay at risk: at least 2 are needed; \
         check which value of the event column means that it was seen"
    )]
    TooFewEvents {
        /// Events that tell something.
        events: usize,
        /// The number of samples.
        n_samples: usize,
    },
    /// A weight that is none.
    #[error(
        "row {row}: the weight {value} is not a number from 0 to 1e9; a weight of 2 is the row twice, of 0 no row"
    )]
    Weight {
        /// The row, counted from 1.
        row: usize,
        /// The value found.
        value: f64,
    },
    /// Weights that leave no sample.
    #[error("{n_samples} samples have a weight above 0: at least 2 are needed")]
    TooFewWeights {
        /// Samples with a weight.
        n_samples: usize,
    },
    /// An offset that is no number.
    #[error("row {row}: the offset {value} is not a finite number; of counts it is the log of the exposure")]
    Offset {
        /// The row, counted from 1.
        row: usize,
        /// The value found.
        value: f64,
    },
    /// A prediction without the offset that the model was fitted with.
    #[error("the model was fitted with an offset: give one for each sample to predict, 0 for none")]
    OffsetNeeded,
    /// Fewer than two classes.
    #[error("the outcome has one class only (\"{class}\"): at least two are needed")]
    OneClass {
        /// The only class.
        class: String,
    },
    /// A class without a sample, or a label without a class.
    #[error("class \"{class}\" has no sample: leave it out of the list of classes")]
    EmptyClass {
        /// The class.
        class: String,
    },
    /// Almost every row its own class.
    #[error(
        "{classes} classes in {n_samples} samples: more outputs than the samples can tell apart; \
         if the outcome is a quantity, ask for regression"
    )]
    TooManyClasses {
        /// The number of classes.
        classes: usize,
        /// The number of samples.
        n_samples: usize,
    },
    /// A name that no input has.
    #[error(
        "the table has no input \"{name}\" that could be always in; check the name, and that it is not the outcome"
    )]
    UnknownInput {
        /// The name given.
        name: String,
    },
    /// Every column constant.
    #[error("every input column is constant: nothing can be selected")]
    AllInputsConstant,
    /// A parameter outside its range.
    #[error("{name} is {value}; accepted: {accepted}")]
    Parameter {
        /// The parameter.
        name: &'static str,
        /// The value given.
        value: String,
        /// The set that is accepted.
        accepted: &'static str,
    },
    /// Parameters that do not fit together.
    #[error("{what}; {remedy}")]
    Conflict {
        /// What does not fit.
        what: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A table for prediction without a column the model needs.
    #[error("the model needs the column \"{column}\", which the table does not have")]
    MissingInput {
        /// The name of the column.
        column: String,
    },
    /// A model that contradicts itself.
    #[error("the model cannot be used: {reason}; it was not written by this program, or was damaged")]
    Model {
        /// What is wrong.
        reason: String,
    },
    /// The caller asked to stop.
    #[error("interrupted before the fit was complete")]
    Interrupted,
    /// No threads to work with.
    #[error("could not start {threads} threads: {reason}")]
    Threads {
        /// The number asked for.
        threads: usize,
        /// What the system said.
        reason: String,
    },
}
