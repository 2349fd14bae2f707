//! Errors of the learner. Each says what is wrong, where, which value, and what to do.

use thiserror::Error;

use crate::shown::{Name, Number, shown};

/// The result of anything in this crate that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// An input or a parameter that cannot be used, or a model file that cannot be trusted.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// Too few samples.
    #[error("the table has {n_samples} samples; at least 2 are needed")]
    TooFewSamples {
        /// The number of samples given.
        n_samples: usize,
    },
    /// Too few samples to distinguish any effect from chance.
    #[error(
        "with {n_samples} samples of {n_features} inputs, even the strongest effect cannot be distinguished from chance at \
         level {alpha}; give more samples, fewer inputs, or a larger alpha"
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
    #[error("the table has no input column; give at least one besides the outcome")]
    NoInputs,
    /// Lengths that are not consistent.
    #[error("{what}: {found} were given, but {expected} are expected")]
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
        "row {row}, column \"{}\": {value} is not a finite number; \
         fill or drop missing values before the fit",
        Name(column)
    )]
    InputNotFinite {
        /// The row, counted from 1.
        row: usize,
        /// The name of the column.
        column: String,
        /// The value found.
        value: f64,
    },
    /// An input whose squares would overflow.
    #[error(
        "row {row}, column \"{}\": {} is larger in size than {}, the largest number that can be used; give the column in \
         another unit, or mark the cell as missing", Name(column), Number(*value), Number(crate::table::LARGEST)
    )]
    InputTooLarge {
        /// The row, counted from 1.
        row: usize,
        /// The name of the column.
        column: String,
        /// The value found.
        value: f64,
    },
    /// An outcome whose squares would overflow.
    #[error(
        "row {row} of the outcome: {} is larger in size than {}, the largest number that can be used; give the outcome in \
         another unit, or drop the row", Number(*value), Number(crate::table::LARGEST)
    )]
    OutcomeTooLarge {
        /// The row, counted from 1.
        row: usize,
        /// The value found.
        value: f64,
    },
    /// A column whose squares would underflow.
    #[error(
        "{} has a standard deviation of {}, below {}, the smallest that can be used; give it in another unit, or leave it out",
        column.as_ref().map_or("the outcome".into(), |name| format!("column \"{}\"", Name(name))), Number(*spread),
        Number(1.0 / crate::table::LARGEST)
    )]
    VariesTooLittle {
        /// The name of the column; none is the outcome.
        column: Option<String>,
        /// Its standard deviation.
        spread: f64,
    },
    /// Columns whose variation is lost to rounding.
    #[error(
        "every input column is constant up to rounding: column \"{}\" varies by {} around {}, only after the 13th digit; \
         subtract a constant from it before the file is written", Name(column), Number(*range), Number(*around)
    )]
    LostToRounding {
        /// The name of a column that varies.
        column: String,
        /// Its largest value minus its smallest.
        range: f64,
        /// Its first value.
        around: f64,
    },
    /// NaN or infinity in the outcome.
    #[error("row {row} of the outcome: {value} is not a finite number; correct it or drop the row")]
    OutcomeNotFinite {
        /// The row, counted from 1.
        row: usize,
        /// The value found.
        value: f64,
    },
    /// The outcome does not vary.
    #[error("the outcome is {} in every row, so there is nothing to explain; choose another outcome column", Number(*value))]
    ConstantOutcome {
        /// Its only value.
        value: f64,
    },
    /// A value that is not a count.
    #[error(
        "row {row} of the outcome: {} is not a count; counts are 0, 1, 2, ... (for other numbers ask for regression)",
        Number(*value)
    )]
    NotACount {
        /// The row, counted from 1.
        row: usize,
        /// The value found.
        value: f64,
    },
    /// A value that is not a time.
    #[error("row {row}: {} is not a time until an event; times are finite numbers from 0 on", Number(*value))]
    NotATime {
        /// The row, counted from 1.
        row: usize,
        /// The value found.
        value: f64,
    },
    /// Survival data without information.
    #[error(
        "{events} of the {n_samples} samples have an event while other samples are still at risk; at least 2 are needed. \
         Check that the event column is 1 for an observed event and 0 for a censored time"
    )]
    TooFewEvents {
        /// Events with other samples at risk.
        events: usize,
        /// The number of samples.
        n_samples: usize,
    },
    /// A value that is not a weight.
    #[error(
        "row {row}: the weight {} is not a number from 0 to 1e9; a weight of 2 counts the row twice, a weight of 0 leaves it out",
        Number(*value)
    )]
    Weight {
        /// The row, counted from 1.
        row: usize,
        /// The value found.
        value: f64,
    },
    /// Weights that leave no sample.
    #[error("{n_samples} samples have a weight above 0; at least 2 are needed")]
    TooFewWeights {
        /// Samples with a weight.
        n_samples: usize,
    },
    /// An offset that is not a number.
    #[error(
        "row {row}: the offset {} is not a number from -{most} to {most}; for counts, give the log of the exposure",
        Number(*value), most = Number(*most)
    )]
    Offset {
        /// The row, counted from 1.
        row: usize,
        /// The value found.
        value: f64,
        /// The largest accepted value: 300 for outcomes with an exponential.
        most: f64,
    },
    /// A prediction without the offset that the model was fitted with.
    #[error("the model was fitted with an offset; give one for each sample to predict (0 means none)")]
    OffsetNeeded,
    /// Fewer than two classes.
    #[error("the outcome has only one class (\"{}\"); at least two are needed", Name(class))]
    OneClass {
        /// The only class.
        class: String,
    },
    /// A class without a sample, or a label without a class.
    #[error("class \"{}\" has no sample; leave it out of the list of classes", Name(class))]
    EmptyClass {
        /// The class.
        class: String,
    },
    /// Almost every row its own class.
    #[error(
        "the outcome has {classes} classes in {n_samples} samples, which is too many; \
         if the outcome is a quantity, ask for regression"
    )]
    TooManyClasses {
        /// The number of classes.
        classes: usize,
        /// The number of samples.
        n_samples: usize,
    },
    /// A name that no input has.
    #[error("there is no input \"{name}\" to keep always in; check the name, and that it is not the outcome")]
    UnknownInput {
        /// The name given.
        name: String,
    },
    /// Every column constant.
    #[error("every input column is constant, so nothing can be selected; give a table with inputs that vary")]
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
    /// Parameters that exclude each other.
    #[error("{what}; {remedy}")]
    Conflict {
        /// The conflict.
        what: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A table for prediction without a column the model needs.
    #[error("the model needs the column \"{}\", which the table does not have; add it", Name(column))]
    MissingInput {
        /// The name of the column.
        column: String,
    },
    /// A model that contradicts itself.
    #[error("the model cannot be used: {reason}; the file is damaged or was not written by needlenet")]
    Model {
        /// What is wrong.
        reason: String,
    },
    /// A shard that cannot be used; its name is not cut, since the end of a path says which file it is.
    #[error("shard \"{}\": {reason}", shown(shard, usize::MAX))]
    Shard {
        /// The shard.
        shard: String,
        /// What is wrong with it, and what to do.
        reason: String,
    },
    /// The caller asked to stop.
    #[error("interrupted before the fit was complete")]
    Interrupted,
    /// The threads could not be started.
    #[error("could not start {threads} threads: {reason}; ask for fewer")]
    Threads {
        /// The number requested.
        threads: usize,
        /// What the system said.
        reason: String,
    },
}
