//! The report for a person: what was found, how sure it is, how the fit ended. At most 80 columns wide.

use std::fmt::{self, Write};

use needlenet::{Certificate, HeldOut, Model, Needle, Neuron, Shape, Task, Threshold};

use crate::choices::Hidden;
use crate::layout::{align, number, plural, shown, wrap};

/// Longer lists are cut here, and say by how much.
const MOST_ROWS: usize = 30;

/// Needles named in the line of a neuron.
const MOST_JOINED: usize = 8;

/// What is known of a run but not kept in its model.
#[derive(Debug, Default)]
pub struct Run {
    /// Rows of each class.
    pub class_counts: Vec<usize>,
    /// Why the task is what it is.
    pub task_reason: Option<String>,
    /// Threads used.
    pub threads: usize,
    /// Time of the fit.
    pub seconds: Option<f64>,
    /// What to be careful about.
    pub warnings: Vec<String>,
}

/// What to be careful about in any model.
pub fn warnings(model: &Model) -> Vec<String> {
    let mut warnings = Vec::new();
    let constant = &model.constant_inputs;
    if !constant.is_empty() {
        let names: Vec<String> = constant.iter().take(5).map(|name| shown(name, 40)).collect();
        let more = if constant.len() > 5 { ", ..." } else { "" };
        warnings.push(format!(
            "{} left out because the values do not vary: {}{more}",
            plural(constant.len(), "input"),
            names.join(", ")
        ));
    }
    for (what, end) in [("the fit", &model.certificate), ("the refit", &model.refit)] {
        if !end.stop.is_converged() {
            warnings.push(format!(
                "{what} did NOT converge, so its result is not to be relied on; raise --max-iterations"
            ));
        }
    }
    let Threshold { lambda_qut, lambda_zero, standard_error, .. } = model.threshold;
    if model.settings.lambda.is_none() && (lambda_zero - lambda_qut).abs() <= 2.0 * standard_error {
        warnings.push("lambda_0 is within two standard errors of lambda_QUT; raise --draws".into());
    }
    warnings
}

/// The report of a model and its run.
pub fn write_report(out: &mut String, model: &Model, run: &Run) -> fmt::Result {
    write_problem(out, model, run)?;
    let level = if model.settings.lambda.is_some() { None } else { Some(model.lambda) };
    write_threshold(out, &model.threshold, level, !model.needles.is_empty())?;
    if level.is_none() {
        wrap(
            out,
            &format!("lambda = {} was given, so the level alpha does not apply.", number(model.lambda)),
        )?;
    }
    out.push('\n');
    if model.needles.is_empty() {
        write_nothing(out, model)?;
    } else {
        write_needles(out, model)?;
        write_neurons(out, model)?;
    }
    out.push('\n');
    write_end(out, model, run)
}

fn write_problem(out: &mut String, model: &Model, run: &Run) -> fmt::Result {
    let settings = &model.settings;
    writeln!(
        out,
        "{}, {}, {}",
        plural(model.n_samples, "sample"),
        plural(model.n_features, "input"),
        model.task.name()
    )?;
    if !model.constant_inputs.is_empty() {
        writeln!(out, "{} left out: no variation", plural(model.constant_inputs.len(), "input"))?;
    }
    if let Some(reason) = &run.task_reason {
        wrap(out, &format!("task chosen because {reason}"))?;
    }
    if model.prefers_linear() {
        let why = match model.task {
            Task::Regression { .. } => "a network does not explain more for its weights",
            Task::Classification { .. } => "a network does not predict left-out samples clearly better",
        };
        wrap(out, &format!("the linear model is reported: {why}"))?;
    }
    if let Task::Classification { classes, link } = &model.task {
        let named =
            classes.iter().enumerate().take(MOST_ROWS).map(|(t, class)| match run.class_counts.get(t) {
                Some(count) => format!("{} ({count})", shown(class, 30)),
                None => shown(class, 30),
            });
        let mut list = named.collect::<Vec<_>>().join(", ");
        if classes.len() > MOST_ROWS {
            let _ = write!(list, " and {} more", classes.len() - MOST_ROWS);
        }
        wrap(out, &format!("{} classes: {list}", classes.len()))?;
        writeln!(out, "link {}", format!("{link:?}").to_lowercase())?;
    }
    writeln!(
        out,
        "hidden layers {}, penalty {}, activation {}",
        Hidden(model.used.hidden.clone()),
        model.used.penalty.name(),
        settings.activation
    )?;
    if matches!(model.task, Task::Regression { .. }) && !settings.scale_outcome {
        writeln!(out, "the outcome kept its unit: it was centred, not scaled")?;
    }
    out.push('\n');
    Ok(())
}

/// `lambda_QUT`, `lambda_0` and what their order means; `lambda` is the one used, when it is `lambda_QUT`.
pub fn write_threshold(out: &mut String, t: &Threshold, used: Option<f64>, found: bool) -> fmt::Result {
    let (qut, zero) = (number(t.lambda_qut), number(t.lambda_zero));
    let error = number(t.standard_error);
    writeln!(out, "lambda_QUT  {qut:<12} Monte Carlo standard error {error}, level {}", t.alpha)?;
    writeln!(out, "lambda_0    {zero:<12} of the data, p-value {}", number(t.p_value()))?;
    let meaning = match (t.lambda_zero > t.lambda_qut, found && used.is_some()) {
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
    };
    wrap(out, meaning)
}

fn write_nothing(out: &mut String, model: &Model) -> fmt::Result {
    if model.settings.lambda.is_some() {
        return wrap(out, "No input is selected at this lambda. A smaller --lambda may select some.");
    }
    let guess = match model.task {
        Task::Regression { .. } => "the mean of the outcome",
        Task::Classification { .. } => "the class proportions",
    };
    wrap(
        out,
        &format!(
            "no input is found to matter at level {}: what these samples show could be chance. Either no input \
             has an effect, or the effects are too weak for {}. The model predicts {guess} for every row.",
            model.settings.alpha,
            plural(model.n_samples, "sample")
        ),
    )
}

fn write_needles(out: &mut String, model: &Model) -> fmt::Result {
    let count = model.needles.len();
    let unit = match model.task {
        Task::Regression { .. } => "outcome",
        Task::Classification { .. } => "log odds",
    };
    writeln!(out, "{} of {} inputs found to matter, strongest first", count, model.n_features)?;
    wrap(out, &format!("(slopes in units of the {unit} per standard deviation of the input)"))?;
    let classes = model.task.classes();
    let mut rows = vec![["", "input", "strength", "mean slope", "effect"].map(String::from)];
    rows.extend(model.needles.iter().take(MOST_ROWS).enumerate().map(|(rank, needle)| {
        [
            (rank + 1).to_string(),
            shown(&needle.name, 28),
            number(needle.strength),
            format!("{}{}", if needle.mean_slope > 0.0 { "+" } else { "" }, number(needle.mean_slope)),
            effect(needle, classes),
        ]
    }));
    align(out, &rows, [false, true, false, false, true])?;
    cut(out, count, "needles")?;
    write_stand_ins(out, &model.stand_ins)
}

fn write_stand_ins(out: &mut String, stand_ins: &[Needle]) -> fmt::Result {
    if stand_ins.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = stand_ins.iter().take(MOST_ROWS).map(|input| shown(&input.name, 28)).collect();
    out.push('\n');
    wrap(
        out,
        &format!(
            "{}, found when the needles are left out; predictions use them too: {}",
            plural(stand_ins.len(), "stand-in"),
            names.join(", ")
        ),
    )?;
    cut(out, stand_ins.len(), "stand-ins")
}

fn effect(needle: &Needle, classes: &[String]) -> String {
    let shape = describe(needle.shape);
    match needle.class {
        Some(class) if classes.len() > 1 => format!("{shape}: {}", shown(&classes[class], 14)),
        _ => shape.into(),
    }
}

/// A shape in a few words.
pub fn describe(shape: Shape) -> &'static str {
    match shape {
        Shape::Rising => "rising",
        Shape::Falling => "falling",
        Shape::Valley => "valley",
        Shape::Peak => "peak",
        Shape::Mixed => "mixed",
    }
}

fn write_neurons(out: &mut String, model: &Model) -> fmt::Result {
    if let Some(width) = model.used.hidden.first() {
        writeln!(out, "\n{} of {width} neurons in use", model.neurons.len())?;
        for (at, neuron) in model.neurons.iter().take(MOST_ROWS).enumerate() {
            write_neuron(out, at + 1, neuron, model)?;
        }
        cut(out, model.neurons.len(), "neurons")?;
    }
    let verdict = match (model.used.hidden.is_empty(), model.linear) {
        (true, _) => "The model is linear.",
        (_, true) => "A linear model would do: one neuron is in use, in its linear range.",
        (_, false) => "A linear model would not do: the fitted function bends.",
    };
    writeln!(out, "{verdict}")
}

fn write_neuron(out: &mut String, rank: usize, neuron: &Neuron, model: &Model) -> fmt::Result {
    let mut line = format!("{rank:>5} ");
    for (at, weight) in neuron.inputs.iter().take(MOST_JOINED) {
        let sign = if *weight < 0.0 { '-' } else { '+' };
        let _ = write!(line, " {sign}{}*{}", number(weight.abs()), shown(&model.needles[*at].name, 20));
    }
    if neuron.inputs.len() > MOST_JOINED {
        let _ = write!(line, " and {} more", neuron.inputs.len() - MOST_JOINED);
    }
    if model.settings.activation.powers.len() > 1 {
        let _ = write!(line, " (k = {})", neuron.power);
    }
    wrap(out, &line)
}

fn cut(out: &mut String, count: usize, what: &str) -> fmt::Result {
    match count.checked_sub(MOST_ROWS) {
        Some(more) if more > 0 => writeln!(out, "      and {more} more {what}; --json lists all"),
        _ => Ok(()),
    }
}

fn write_end(out: &mut String, model: &Model, run: &Run) -> fmt::Result {
    if let Some(noise) = model.noise {
        writeln!(out, "noise scale {}", number(noise))?;
    }
    write_certificate(out, "fit", &model.certificate)?;
    write_certificate(out, "refit", &model.refit)?;
    write_predictor(out, model)?;
    if let Some(seconds) = run.seconds {
        writeln!(out, "seed {}, {seconds:.2} seconds", model.settings.seed)?;
    }
    Ok(())
}

/// What predicts, and how far the network that is read is from it.
fn write_predictor(out: &mut String, model: &Model) -> fmt::Result {
    let Some(HeldOut { predictor, sparse }) = model.held_out else { return Ok(()) };
    let (own, of_sparse) = (number(predictor), number(sparse));
    let losses =
        format!("held-out loss, of that of the empty model: smooth network {own}, refit {of_sparse}");
    wrap(
        out,
        &match &model.predictor {
            Some(predictor) => format!(
                "predictions come from a smooth network of {} on the needles (path ended: {}); {losses}",
                plural(predictor.neurons, "neuron"),
                predictor.stop.describe()
            ),
            None => format!("predictions come from the refit; {losses}"),
        },
    )
}

fn write_certificate(out: &mut String, what: &str, end: &Certificate) -> fmt::Result {
    wrap(out, &format!("{what:<6}{}", end.stop.describe()))?;
    let (objective, loss) = (number(end.objective), number(end.loss));
    let iterations = plural(end.iterations, "iteration");
    let proof =
        format!("objective {objective}, loss {loss}, KKT violation {:.1e}, {iterations}", end.kkt_violation);
    wrap(out, &format!("      {proof}"))
}
