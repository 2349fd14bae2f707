//! The sentences of a report. They are composed here once; the text and the page only lay them out.

use needlenet::{Coding, HeldOut, Model, NullChoice, Task, Threshold};

use crate::front::Front;
use crate::groups::GroupRow;
use crate::layout::{number, plural, shown, three_digits};
use crate::outcome::Kind;
use crate::rows::{AlwaysRow, ExchangeableRow, NeedleRow};

/// Counts are overdispersed if Pearson's statistic, divided by its degrees of freedom, exceeds this: the level then does
/// not hold under Poisson's law.
const OVERDISPERSED: f64 = 1.5;

/// Columns named in one sentence.
const MOST_COLUMNS: usize = 8;
/// Exchangeable inputs named in a sentence, and needles of which there is a sentence.
const MOST_NAMED: usize = 5;
const MOST_SENTENCES: usize = 30;

/// The sentences of a report, one field for each subject.
#[derive(Debug, Clone, Default)]
pub struct Sentences {
    /// Why the linear model is reported although a network was requested.
    pub prefers_linear: Option<String>,
    /// Says that the outcome kept its unit.
    pub kept_unit: Option<&'static str>,
    /// Whether the samples had weights or an offset, and whether null outcomes are permutations.
    pub given: Option<String>,
    /// Which inputs are always in, with their coefficients.
    pub adjusted: Option<String>,
    /// Which inputs could replace a needle, a sentence for each; the data do not decide between them.
    pub exchangeable: Vec<String>,
    /// Says that a network may be found with other inputs, unless it is known how sure each needle is.
    pub other_searches: Option<String>,
    /// One sentence for each of fit and refit that did not converge.
    pub not_converged: Vec<String>,
    /// How `lambda_0` compares with `lambda_QUT`, and what that means.
    pub threshold: &'static str,
    /// Says that the user chose lambda.
    pub given_lambda: Option<String>,
    /// Says that lambda is larger than `lambda_QUT`, so that an input that does not pay stays out.
    pub raised_lambda: Option<String>,
    /// What it means that nothing was found; none if something was.
    pub nothing: Option<String>,
    /// Whether a linear model would be enough; none if nothing was found.
    pub linear: Option<&'static str>,
    /// Which function predicts, with the held-out losses of both.
    pub predicts: Option<String>,
    /// How well new samples are expected to be predicted; none if nothing was found.
    pub on_new_samples: Option<String>,
    /// The unit of strengths and slopes.
    pub unit: String,
    /// Which needles are columns of one input; none if each needle is an input.
    pub columns: Option<String>,
    /// What the dots and strokes in an effect curve are.
    pub behind: &'static str,
}

impl Sentences {
    pub(crate) fn of(model: &Model, kind: &dyn Kind, counts: &[usize], front: Front) -> Self {
        let found = !model.needles.is_empty();
        let given = model.settings.lambda.is_some();
        let Threshold { lambda_qut, lambda_zero, .. } = model.threshold;
        Sentences {
            prefers_linear: model
                .prefers_linear()
                .then(|| format!("the linear model is reported: {}", kind.why_linear())),
            kept_unit: (kind.has_unit() && !model.settings.scale_outcome)
                .then_some("the outcome kept its unit: it was centred, not scaled"),
            given: given_samples(model),
            adjusted: None,
            exchangeable: Vec::new(),
            other_searches: (found && !model.linear && model.sure.is_none()).then(|| {
                format!(
                    "A search with another {} may end at a network with other inputs. {} tells how often each input is \
                     found in halves of the samples.",
                    front.seed(),
                    front.sure()
                )
            }),
            columns: None,
            not_converged: not_converged(model, front),
            threshold: meaning(lambda_zero > lambda_qut, found && !given),
            given_lambda: given.then(|| {
                format!(
                    "lambda = {} was chosen by hand, so the level alpha does not apply.",
                    number(model.lambda)
                )
            }),
            raised_lambda: (!given && model.lambda > (1.0 + 1e-9) * lambda_qut).then(|| {
                format!(
                    "lambda was raised to {}: beside the needles, lambda_QUT would force in an input that improves the fit \
                     by less than its price.",
                    number(model.lambda)
                )
            }),
            nothing: (!found).then(|| nothing(model, kind, front)),
            linear: found.then_some(match (model.used.hidden.is_empty(), model.linear) {
                (true, _) => "The model is linear.",
                (_, true) => "A linear model would be enough: one neuron is in use, in its linear range.",
                (_, false) => "A linear model would not be enough: the fitted function bends.",
            }),
            predicts: predicts(model),
            on_new_samples: found.then(|| on_new_samples(model, kind, counts)),
            behind: kind.behind_words(),
            unit: format!("slopes in units of the {} per standard deviation of the input", kind.unit()),
        }
    }
}

/// How `lambda_0` compares with `lambda_QUT`, and what that means.
pub(crate) fn meaning(exceeds: bool, found: bool) -> &'static str {
    match (exceeds, found) {
        (true, _) => {
            "lambda_0 exceeds lambda_QUT: some input has a straight-line effect stronger than chance allows at this level."
        }
        (false, true) => {
            "lambda_0 does not exceed lambda_QUT: no input has a clear straight-line effect; the inputs found act \
             through bends or jointly."
        }
        (false, false) => {
            "lambda_0 does not exceed lambda_QUT: no input has a straight-line effect stronger than chance allows at \
             this level."
        }
    }
}

fn nothing(model: &Model, kind: &dyn Kind, front: Front) -> String {
    if model.settings.lambda.is_some() {
        return format!("No input is selected at this lambda. A smaller {} may select some.", front.lambda());
    }
    format!(
        "no input is found to matter at level {}: what these samples show could be chance. Either no input has an \
         effect, or the effects are too weak for {}. {}",
        model.settings.alpha,
        plural(model.n_samples, "sample"),
        if model.always.is_empty() {
            format!("The model predicts {} for every row.", kind.empty_model_predicts())
        } else {
            "The model predicts from the inputs that are always in, and from no other.".into()
        }
    )
}

pub(crate) fn adjusted(always: &[AlwaysRow], kind: &dyn Kind) -> Option<String> {
    let said = |row: &AlwaysRow| {
        let sign = if row.coefficient > 0.0 { "+" } else { "" };
        let class = row.class.as_ref().map_or(String::new(), |class| format!(" of {}", shown(class, 14)));
        format!("{} ({sign}{}{class})", shown(&row.name, 28), number(row.coefficient))
    };
    let list = always.iter().map(said).collect::<Vec<_>>().join(", ");
    (!always.is_empty()).then(|| {
        format!(
            "adjusted for {list}: always in the model, with a linear effect in units of the {} per unit of the input. The \
             level is the chance of finding any further input if no further input matters",
            kind.unit()
        )
    })
}

/// A sentence for each needle that near copies could replace.
pub(crate) fn exchangeable(needles: &[NeedleRow]) -> Vec<String> {
    let copy = |input: &ExchangeableRow| format!("{} ({:.2})", shown(&input.name, 28), input.correlation);
    let sentence = |needle: &NeedleRow| {
        let mut list = needle.exchangeable.iter().take(MOST_NAMED).map(copy).collect::<Vec<_>>().join(", ");
        if let Some(more) = needle.exchangeable.len().checked_sub(MOST_NAMED).filter(|more| *more > 0) {
            list.push_str(&format!(" and {more} more"));
        }
        format!(
            "{} could be replaced by {list} (correlation in brackets): they explain the samples about equally well, so the \
             data do not decide between them.",
            shown(&needle.name, 28)
        )
    };
    let with_copies = needles.iter().filter(|needle| !needle.exchangeable.is_empty());
    with_copies.take(MOST_SENTENCES).map(sentence).collect()
}

/// Which needles are columns of one input.
pub(crate) fn columns(needles: &[NeedleRow], groups: &[GroupRow]) -> Option<String> {
    let listed = |group: &GroupRow| {
        let own = needles.iter().filter(|needle| needle.group.as_ref() == Some(&group.name));
        let names: Vec<String> = own.take(MOST_COLUMNS).map(|needle| shown(&needle.name, 28)).collect();
        format!("{} (here {})", shown(&group.name, 28), names.join(", "))
    };
    let some: Vec<String> = groups.iter().take(MOST_COLUMNS).map(listed).collect();
    (!some.is_empty())
        .then(|| format!("Each row is a column. Inputs of several columns: {}.", some.join("; ")))
}

fn given_samples(model: &Model) -> Option<String> {
    let permuted = model.settings.null == NullChoice::Permutation;
    let weights = if permuted { "weights as importances" } else { "weights as counts of rows" };
    let parts =
        [(model.weighted, weights), (model.offset, "an offset"), (permuted, "null outcomes by permutation")];
    let said: Vec<&str> = parts.iter().filter(|(is, _)| *is).map(|(_, what)| *what).collect();
    (!said.is_empty()).then(|| format!("with {}", said.join(", ")))
}

fn predicts(model: &Model) -> Option<String> {
    let HeldOut { predictor, sparse } = model.held_out?;
    let [smooth, refit] = [predictor, sparse].map(|loss| number(three_digits(loss)));
    let losses = format!(
        "held-out loss, relative to the empty model: smooth network {smooth}, sparse network (refit) {refit}"
    );
    Some(match &model.predictor {
        Some(predictor) => format!(
            "predictions come from a smooth network of {} on {}, because it predicts held-out samples better; {losses}",
            plural(predictor.neurons, "neuron"),
            match predictor.coding {
                Coding::Saturated => "the same inputs",
                Coding::Ranks(_) => "the ranks of the same inputs",
            }
        ),
        None => format!("predictions come from the sparse network (refit); {losses}"),
    })
}

/// The held-out loss of the function that predicts, in terms of the outcome.
fn on_new_samples(model: &Model, kind: &dyn Kind, counts: &[usize]) -> String {
    let Some(HeldOut { predictor, sparse }) = model.held_out else {
        return "the accuracy on new samples was not estimated: that needs at least 100 samples (in survival, events), \
                fewer than about 145 selected inputs, and a network as the requested model"
            .into();
    };
    let share = if model.predictor.is_some() { predictor } else { sparse };
    let expected = if model.always.is_empty() {
        kind.on_new_samples(share, model, counts)
    } else {
        format!("a loss of about {:.0}% of the loss with only the inputs that are always in", 100.0 * share)
    };
    format!(
        "expected on new samples, from held-out folds: {expected}. The inputs were selected on all samples, so the real \
         accuracy may be somewhat lower"
    )
}

/// Warnings. `constant` are the inputs that do not vary, by the names that the reader uses.
pub(crate) fn warnings(model: &Model, constant: &[String], front: Front) -> Vec<String> {
    let mut warnings = Vec::new();
    if !constant.is_empty() {
        let names: Vec<String> = constant.iter().take(5).map(|name| shown(name, 40)).collect();
        let more = if constant.len() > 5 { ", ..." } else { "" };
        warnings.push(format!(
            "{} left out because the values do not vary: {}{more}",
            plural(constant.len(), "input"),
            names.join(", ")
        ));
    }
    warnings.extend(not_converged(model, front));
    warnings.extend(crate::sure::warnings(model));
    if let Task::Counts { dispersion, .. } = model.task
        && dispersion > OVERDISPERSED
        && model.settings.null == NullChoice::Law
    {
        warnings.push(format!(
            "the variance of the counts is {dispersion:.1} times that of Poisson's law, so the level alpha may not hold; use {}",
            front.permutation()
        ));
    }
    let Threshold { lambda_qut, lambda_zero, standard_error, .. } = model.threshold;
    if model.settings.lambda.is_none() && (lambda_zero - lambda_qut).abs() <= 2.0 * standard_error {
        warnings.push(format!(
            "lambda_0 is within two Monte Carlo standard errors of lambda_QUT, so more null draws could change the \
             answer; raise {}",
            front.draws()
        ));
    }
    warnings
}

fn not_converged(model: &Model, front: Front) -> Vec<String> {
    [("the fit", &model.certificate), ("the refit", &model.refit)]
        .into_iter()
        .filter(|(_, end)| !end.stop.is_converged())
        .map(|(what, _)| {
            let limit = front.max_iterations();
            format!("{what} did NOT converge, so do not rely on its result; raise {limit}")
        })
        .collect()
}
