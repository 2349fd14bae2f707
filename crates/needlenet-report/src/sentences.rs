//! The sentences of a report, composed once and laid out by the text and the page.

use needlenet::{HeldOut, Model, NullChoice, Task, Threshold};

use crate::front::Front;
use crate::layout::{number, plural, shown};
use crate::outcome::Kind;
use crate::rows::{AlwaysRow, ExchangeableRow, NeedleRow};

/// Pearson's statistic, over its degrees of freedom, beyond which counts vary more than the level allows for.
const OVERDISPERSED: f64 = 1.5;

/// Exchangeable inputs named in a sentence, and needles of which there is a sentence.
const MOST_NAMED: usize = 5;
const MOST_SENTENCES: usize = 30;

/// What a reader is told in words.
#[derive(Debug, Clone, Default)]
pub struct Sentences {
    /// Why the linear model is reported, where a network was asked for.
    pub prefers_linear: Option<String>,
    /// That the outcome kept its unit.
    pub kept_unit: Option<&'static str>,
    /// That the samples had weights or an offset, and that the null is by permutation.
    pub given: Option<String>,
    /// Which inputs are always in, with their coefficients.
    pub adjusted: Option<String>,
    /// Which inputs could take the place of a needle, a sentence for each, and that the choice is open.
    pub exchangeable: Vec<String>,
    /// That the fit or the refit did not converge.
    pub not_converged: Vec<String>,
    /// What the order of `lambda_0` and `lambda_QUT` means.
    pub threshold: &'static str,
    /// That lambda was given.
    pub given_lambda: Option<String>,
    /// That nothing was found.
    pub nothing: Option<String>,
    /// Whether a linear model would do; none if nothing was found.
    pub linear: Option<&'static str>,
    /// What predicts, and how far the network that is read is from it.
    pub predicts: Option<String>,
    /// How well new samples are expected to be predicted; none if nothing was found.
    pub on_new_samples: Option<String>,
    /// The unit of strengths and slopes.
    pub unit: String,
    /// What dots and strokes behind an effect curve are.
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
            not_converged: not_converged(model, front),
            threshold: meaning(lambda_zero > lambda_qut, found && !given),
            given_lambda: given.then(|| {
                format!("lambda = {} was given, so the level alpha does not apply.", number(model.lambda))
            }),
            nothing: (!found).then(|| nothing(model, kind, front)),
            linear: found.then_some(match (model.used.hidden.is_empty(), model.linear) {
                (true, _) => "The model is linear.",
                (_, true) => "A linear model would do: one neuron is in use, in its linear range.",
                (_, false) => "A linear model would not do: the fitted function bends.",
            }),
            predicts: predicts(model),
            on_new_samples: found.then(|| on_new_samples(model, kind, counts)),
            behind: kind.behind_words(),
            unit: format!("slopes in units of the {} per standard deviation of the input", kind.unit()),
        }
    }
}

/// What the order of `lambda_0` and `lambda_QUT` means.
pub(crate) fn meaning(exceeds: bool, found: bool) -> &'static str {
    match (exceeds, found) {
        (true, _) => {
            "lambda_0 exceeds lambda_QUT: some input stands out more than chance would let it at this level."
        }
        (false, true) => {
            "lambda_0 does not exceed lambda_QUT: no input stands out by a linear trend; what was found acts \
             through bends or together."
        }
        (false, false) => {
            "lambda_0 does not exceed lambda_QUT: no input stands out by a linear trend more than chance would \
             let it at this level."
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
            "The model predicts by the inputs that are always in alone.".into()
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
            "adjusted for {list}: always in and linear, in units of the {} per unit of the input; lambda_QUT and the level are \
             those of nothing beyond them",
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
            "{} could be replaced by {list}, correlation in brackets: with either the samples are explained about as well, so \
             the choice among them is open.",
            shown(&needle.name, 28)
        )
    };
    let with_copies = needles.iter().filter(|needle| !needle.exchangeable.is_empty());
    with_copies.take(MOST_SENTENCES).map(sentence).collect()
}

fn given_samples(model: &Model) -> Option<String> {
    let permuted = model.settings.null == NullChoice::Permutation;
    let parts =
        [(model.weighted, "weights"), (model.offset, "an offset"), (permuted, "the null by permutation")];
    let said: Vec<&str> = parts.iter().filter(|(is, _)| *is).map(|(_, what)| *what).collect();
    (!said.is_empty()).then(|| format!("with {}", said.join(", ")))
}

fn predicts(model: &Model) -> Option<String> {
    let HeldOut { predictor, sparse } = model.held_out?;
    let losses = format!(
        "held-out loss, of that of the empty model: smooth network {}, refit {}",
        number(predictor),
        number(sparse)
    );
    Some(match &model.predictor {
        Some(predictor) => format!(
            "predictions come from a smooth network of {} on the needles (path ended: {}); {losses}",
            plural(predictor.neurons, "neuron"),
            predictor.stop.describe()
        ),
        None => format!("predictions come from the refit; {losses}"),
    })
}

/// The held-out loss of what predicts, in terms of the outcome.
fn on_new_samples(model: &Model, kind: &dyn Kind, counts: &[usize]) -> String {
    let Some(HeldOut { predictor, sparse }) = model.held_out else {
        return "the accuracy on new samples was not estimated: that needs at least 100 samples (in survival, events), not too \
                many inputs, and a network as the model that was asked for"
            .into();
    };
    let share = if model.predictor.is_some() { predictor } else { sparse };
    let expected = if model.always.is_empty() {
        kind.on_new_samples(share, model, counts)
    } else {
        format!("a loss of about {:.0}% of that of the inputs that are always in alone", 100.0 * share)
    };
    format!(
        "expected on new samples, from held-out folds: {expected}. The inputs were selected on all samples, so the truth may be \
         somewhat worse"
    )
}

/// What to be careful about. `constant` are the inputs that do not vary, as the reader calls them.
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
            "the counts vary {dispersion:.1} times as much as Poisson's law says, so the level alpha may not hold; use {}",
            front.permutation()
        ));
    }
    let Threshold { lambda_qut, lambda_zero, standard_error, .. } = model.threshold;
    if model.settings.lambda.is_none() && (lambda_zero - lambda_qut).abs() <= 2.0 * standard_error {
        warnings
            .push(format!("lambda_0 is within two standard errors of lambda_QUT; raise {}", front.draws()));
    }
    warnings
}

fn not_converged(model: &Model, front: Front) -> Vec<String> {
    [("the fit", &model.certificate), ("the refit", &model.refit)]
        .into_iter()
        .filter(|(_, end)| !end.stop.is_converged())
        .map(|(what, _)| {
            let limit = front.max_iterations();
            format!("{what} did NOT converge, so its result is not to be relied on; raise {limit}")
        })
        .collect()
}
