//! The pictures of a page: effect curves and contours of the fitted function, with the samples of the table if there is
//! one. The columns of a category have no curve; the page has a table of its levels.

use needlenet::{Data, Fitted, Model, Outcome};

use crate::chart::Chart;
use crate::effects::{Background, curve, surface};
use crate::outcome::kind;
use crate::quality::Quality;
use crate::report::Report;
use crate::survey::Survey;

/// The largest number of needles with a curve, and of pairs with a contour.
pub(crate) const MOST_CURVES: usize = 8;
const MOST_SURFACES: usize = 3;

/// The pictures of a page.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    pub(crate) curves: Vec<Chart>,
    pub(crate) surfaces: Vec<Chart>,
    pub(crate) quality: Option<Quality>,
    pub(crate) survey: Option<Survey>,
}

impl Evidence {
    /// From the model alone, as a model file has it.
    pub fn of_model(model: &Model, report: &Report) -> Self {
        Evidence::drawn(model, report, &Background::of_means(model), None)
    }

    /// With the table of the fit, whose columns are those that the model was fitted on.
    pub fn of_data(model: &Model, report: &Report, data: &Data) -> Self {
        let columns: Vec<_> = model.inputs().map(|input| data.column(input.index)).collect();
        let columns: Vec<&[f64]> = columns.iter().map(AsRef::as_ref).collect();
        let outcome = data.outcome();
        let mut survey = Survey::new(model, data, &columns);
        for (at, name) in data.names().iter().enumerate() {
            survey.add(at, &report.shown_name(name), &data.column(at));
        }
        let background = Background::of_table(&columns, outcome.len());
        let fitted =
            model.predict_with_offset(outcome.len(), &columns, data.offset(), Fitted::Predictor).ok();
        Evidence {
            quality: fitted.and_then(|fitted| kind(&model.task).quality(outcome, &fitted)),
            survey: Some(survey),
            ..Evidence::drawn(model, report, &background, Some((&columns, outcome)))
        }
    }

    fn drawn(
        model: &Model,
        report: &Report,
        background: &Background,
        table: Option<(&[&[f64]], &Outcome)>,
    ) -> Self {
        let names: Vec<String> = report.needles.iter().map(|needle| needle.name.clone()).collect();
        let drawn: Vec<usize> = report.drawn().take(MOST_CURVES).collect();
        let pairs = pairs(model, &drawn).into_iter();
        Evidence {
            curves: drawn.iter().filter_map(|at| curve(model, *at, &names, background, table)).collect(),
            surfaces: pairs.filter_map(|pair| surface(model, pair, &names, background)).collect(),
            ..Evidence::default()
        }
    }
}

/// The strongest pairs, of the needles `drawn`, that share a neuron.
fn pairs(model: &Model, drawn: &[usize]) -> Vec<[usize; 2]> {
    let mut pairs: Vec<[usize; 2]> = Vec::new();
    for neuron in &model.neurons {
        let joined = neuron.inputs.iter().map(|(at, _)| *at).filter(|at| drawn.contains(at));
        let joined: Vec<usize> = joined.collect();
        for (first, a) in joined.iter().enumerate() {
            pairs.extend(joined[first + 1..].iter().map(|b| [*a, *b]));
        }
    }
    // needles are ranked, so the lowest positions are the strongest
    pairs.sort_by_key(|[a, b]| (a + b, *a));
    pairs.dedup();
    pairs.truncate(MOST_SURFACES);
    pairs
}
