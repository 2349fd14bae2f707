//! The report as text for a terminal: what was found, how sure it is, how the fit ended. Lines have at most 80 letters.

use std::fmt::Write;

use crate::layout::{align, number, plural, shown, wrap};
use crate::report::Report;
use crate::rows::{End, NeedleRow, NeuronRow};
use crate::sentences::Sentences;
use crate::words::hidden_layers;

/// Rows of the longest list; a longer list says how many rows it leaves out.
const MOST_ROWS: usize = 30;

/// Needles named in the line of a neuron.
const MOST_JOINED: usize = 8;

impl Report {
    /// The report as lines of text; every line ends with a line break.
    pub fn text(&self) -> String {
        let mut out = String::new();
        self.write_problem(&mut out);
        let values =
            [self.lambda_qut, self.lambda_qut_standard_error, self.alpha, self.lambda_zero, self.p_value];
        write_threshold(&mut out, values, self.sentences.threshold);
        let Sentences { given_lambda, raised_lambda, .. } = &self.sentences;
        given_lambda.iter().chain(raised_lambda).for_each(|sentence| wrap(&mut out, sentence));
        out.push('\n');
        match &self.sentences.nothing {
            Some(nothing) => wrap(&mut out, nothing),
            None => {
                self.write_needles(&mut out);
                self.write_sure(&mut out);
                self.write_stand_ins(&mut out);
                self.write_neurons(&mut out);
            }
        }
        out.push('\n');
        self.write_end(&mut out);
        out
    }

    fn write_problem(&self, out: &mut String) {
        let (samples, inputs) = (plural(self.n_samples, "sample"), plural(self.n_features, "input"));
        line(out, &format!("{samples}, {inputs}, {}", self.task));
        if !self.constant_inputs.is_empty() {
            line(
                out,
                &format!(
                    "{} left out because the values do not vary",
                    plural(self.constant_inputs.len(), "input")
                ),
            );
        }
        if let Some(reason) = &self.task_reason {
            wrap(out, &format!("task chosen because {reason}"));
        }
        if let Some(why) = &self.sentences.prefers_linear {
            wrap(out, why);
        }
        if !self.classes.is_empty() {
            self.write_classes(out);
        }
        if let Some(link) = &self.link {
            line(out, &format!("link {}", format!("{link:?}").to_lowercase()));
        }
        line(
            out,
            &format!(
                "hidden layers {}, penalty {}, activation {}",
                hidden_layers(&self.hidden),
                self.penalty,
                self.activation
            ),
        );
        if let Some(kept) = self.sentences.kept_unit {
            line(out, kept);
        }
        if let Some(given) = &self.sentences.given {
            line(out, given);
        }
        if let Some(adjusted) = &self.sentences.adjusted {
            wrap(out, adjusted);
        }
        out.push('\n');
    }

    fn write_classes(&self, out: &mut String) {
        let count = |t: usize| self.class_counts.as_ref().and_then(|counts| counts.get(t));
        let named = self.classes.iter().enumerate().take(MOST_ROWS).map(|(t, class)| match count(t) {
            Some(count) => format!("{} ({count})", shown(class, 30)),
            None => shown(class, 30),
        });
        let mut list = named.collect::<Vec<_>>().join(", ");
        if self.classes.len() > MOST_ROWS {
            let _ = write!(list, " and {} more", self.classes.len() - MOST_ROWS);
        }
        wrap(out, &format!("{} classes: {list}", self.classes.len()));
    }

    fn write_needles(&self, out: &mut String) {
        line(
            out,
            &format!("{} of {} inputs found to matter, strongest first", self.n_selected, self.n_features),
        );
        wrap(out, &format!("({})", self.sentences.unit));
        let mut rows = vec![["", "input", "strength", "mean slope", "effect"].map(String::from)];
        rows.extend(self.needles.iter().take(MOST_ROWS).enumerate().map(|(rank, needle)| {
            [
                (rank + 1).to_string(),
                shown(&needle.name, 28),
                number(needle.strength),
                signed(needle.mean_slope),
                effect(needle),
            ]
        }));
        align(out, &rows, [false, true, false, false, true]);
        self.cut(out, self.needles.len(), "needles");
        if let Some(columns) = &self.sentences.columns {
            wrap(out, columns);
        }
        self.groups.iter().for_each(|group| group.write(out, &self.classes));
        let open = self.sentences.exchangeable.iter().chain(&self.sentences.other_searches);
        open.for_each(|sentence| wrap(out, sentence));
    }

    fn write_stand_ins(&self, out: &mut String) {
        let count = self.stand_ins.len();
        if count == 0 {
            return;
        }
        let names: Vec<String> =
            self.stand_ins.iter().take(MOST_ROWS).map(|input| shown(&input.name, 28)).collect();
        out.push('\n');
        wrap(
            out,
            &format!(
                "{}, found when the needles are left out; only predictions use them: {}",
                plural(count, "stand-in"),
                names.join(", ")
            ),
        );
        self.cut(out, count, "stand-ins");
    }

    fn write_neurons(&self, out: &mut String) {
        if let Some(width) = self.hidden.first() {
            line(out, &format!("\n{} of {width} neurons in use", self.active_neurons));
            for (at, neuron) in self.neurons.iter().take(MOST_ROWS).enumerate() {
                wrap(out, &format!("{:>5} {}", at + 1, self.neuron(neuron)));
            }
            self.cut(out, self.active_neurons, "neurons");
        }
        if let Some(verdict) = self.sentences.linear {
            line(out, verdict);
        }
    }

    /// The weighted needles that a neuron joins.
    fn neuron(&self, neuron: &NeuronRow) -> String {
        let mut sum = String::new();
        for joined in neuron.inputs.iter().take(MOST_JOINED) {
            let sign = if joined.weight < 0.0 { '-' } else { '+' };
            let _ = write!(sum, " {sign}{}*{}", number(joined.weight.abs()), shown(&joined.name, 20));
        }
        if neuron.inputs.len() > MOST_JOINED {
            let _ = write!(sum, " and {} more", neuron.inputs.len() - MOST_JOINED);
        }
        if self.activation.powers.len() > 1 {
            let _ = write!(sum, " (k = {})", neuron.power);
        }
        sum
    }

    fn cut(&self, out: &mut String, count: usize, what: &str) {
        if let Some(more) = count.checked_sub(MOST_ROWS).filter(|more| *more > 0) {
            line(out, &format!("      and {more} more {what}; {}", self.front.whole_list()));
        }
    }

    fn write_end(&self, out: &mut String) {
        if let Some(noise) = self.noise {
            line(out, &format!("noise scale {}", number(noise)));
        }
        write_certificate(out, "fit", &self.fit);
        write_certificate(out, "refit", &self.refit);
        if let Some(predicts) = &self.sentences.predicts {
            wrap(out, predicts);
        }
        if let Some(expected) = &self.sentences.on_new_samples {
            wrap(out, expected);
        }
        if let Some(passes) = self.passes {
            let passes = if passes == 1 { "1 pass".into() } else { format!("{passes} passes") };
            line(out, &format!("{passes} over all columns of the shards"));
        }
        match self.seconds {
            Some(seconds) => line(out, &format!("seed {}, {seconds:.2} seconds", self.seed)),
            None => line(out, &format!("seed {}", self.seed)),
        }
    }
}

/// A number that always has its sign.
fn signed(value: f64) -> String {
    format!("{}{}", if value > 0.0 { "+" } else { "" }, number(value))
}

fn effect(needle: &NeedleRow) -> String {
    match &needle.class {
        Some(class) => format!("{}: {}", needle.shape, shown(class, 14)),
        None => needle.shape.into(),
    }
}

/// `lambda_QUT`, its error, the level, `lambda_0`, its p-value, and what their order means.
pub(crate) fn write_threshold(out: &mut String, values: [f64; 5], meaning: &str) {
    let [qut, error, _, zero, p_value] = values.map(number);
    line(out, &format!("lambda_QUT  {qut:<12} Monte Carlo standard error {error}, level {}", values[2]));
    line(out, &format!("lambda_0    {zero:<12} of the data, p-value {p_value}"));
    wrap(out, meaning);
}

fn write_certificate(out: &mut String, what: &str, end: &End) {
    wrap(out, &format!("{what:<6}{}", end.sentence));
    let (objective, loss) = (number(end.objective), number(end.loss));
    let iterations = plural(end.iterations, "iteration");
    let proof =
        format!("objective {objective}, loss {loss}, KKT violation {:.1e}, {iterations}", end.kkt_violation);
    wrap(out, &format!("      {proof}"));
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}
