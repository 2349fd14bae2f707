//! The fitted function along one needle, and over two.
//!
//! At each value of the needle the other inputs keep their values in some samples of the table. The line is the mean over these
//! samples, and the band contains the middle 80% of them. Without a table the other inputs are at their means. If the fit was
//! asked how sure the needles are, thin lines are the ends of the nominal 95% band of the curve. Cost: about a hundred samples times
//! the grid for each picture.

use contour::ContourBuilder;
use needlenet::{Fitted, Model, Outcome};

use crate::chart::{Chart, LEVELS, Mark};
use crate::layout::shown;
use crate::outcome::kind;
use crate::quality::thinned;

/// Values along a curve, and along each side of a surface.
const GRID: usize = 41;
const SIDE: usize = 25;

/// Samples over which a curve and a surface are averaged.
const MOST_SAMPLES: usize = 100;
const MOST_SURFACE_SAMPLES: usize = 20;

/// Without a table, a curve extends this many standard deviations from the mean.
const SPAN: f64 = 2.5;

/// The values of the inputs in the samples over which curves are averaged, input by input.
pub(crate) struct Background {
    rows: usize,
    columns: Vec<Vec<f64>>,
    ranges: Vec<[f64; 2]>,
}

impl Background {
    /// One sample, at the means.
    pub fn of_means(model: &Model) -> Self {
        let range = |mean: f64, scale: f64| [mean - SPAN * scale, mean + SPAN * scale];
        Background {
            rows: 1,
            columns: model.inputs().map(|input| vec![input.scaling.mean]).collect(),
            ranges: model.inputs().map(|input| range(input.scaling.mean, input.scaling.scale)).collect(),
        }
    }

    /// Some samples of a table; curves go from the 1% to the 99% quantile.
    pub fn of_table(columns: &[&[f64]], n: usize) -> Self {
        let rows = thinned(n, MOST_SAMPLES);
        let range = |x: &&[f64]| {
            let mut sorted = x.to_vec();
            sorted.sort_by(f64::total_cmp);
            [0.01, 0.99].map(|part| quantile(&sorted, part))
        };
        Background {
            rows: rows.clone().count(),
            columns: columns.iter().map(|x| rows.clone().map(|i| x[i]).collect()).collect(),
            ranges: columns.iter().map(range).collect(),
        }
    }

    /// Predictions of some samples at every point of a grid over some inputs, point after point.
    fn moved(
        &self,
        model: &Model,
        inputs: &[usize],
        points: &[Vec<f64>],
        samples: usize,
    ) -> Option<Vec<Vec<f64>>> {
        let kept: Vec<usize> = thinned(self.rows, samples).collect();
        let column = |at: usize, values: &Vec<f64>| -> Vec<f64> {
            match inputs.iter().position(|input| *input == at) {
                Some(k) => points.iter().flat_map(|point| vec![point[k]; kept.len()]).collect(),
                None => points.iter().flat_map(|_| kept.iter().map(|i| values[*i])).collect(),
            }
        };
        let columns: Vec<Vec<f64>> =
            self.columns.iter().enumerate().map(|(at, values)| column(at, values)).collect();
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let n = points.len() * kept.len();
        // a curve is drawn at the offset 0
        let prediction = model.predict_with_offset(n, &columns, Some(&vec![0.0; n]), Fitted::Refit).ok()?;
        let heights = prediction.heights(model.needles[inputs[0]].class);
        let finite = !heights.is_empty() && heights.iter().all(|v| v.is_finite());
        finite.then(|| heights.chunks(kept.len()).map(<[f64]>::to_vec).collect())
    }
}

/// The effect of the needle at a position of the list.
pub(crate) fn curve(
    model: &Model,
    at: usize,
    names: &[String],
    background: &Background,
    table: Option<(&[&[f64]], &Outcome)>,
) -> Option<Chart> {
    let (kind, class) = (kind(&model.task), model.needles[at].class);
    let grid = steps(background.ranges[at], GRID);
    let points: Vec<Vec<f64>> = grid.iter().map(|v| vec![*v]).collect();
    let mut heights = background.moved(model, &[at], &points, MOST_SAMPLES)?;
    heights.iter_mut().for_each(|some| some.sort_by(f64::total_cmp));
    let mut marks = Vec::new();
    if let Some((columns, outcome)) = table {
        marks.extend(kind.behind(columns[at], outcome, class));
    }
    if background.rows > 1 {
        let ends = |(x, some): (&f64, &Vec<f64>)| [*x, quantile(some, 0.1), quantile(some, 0.9)];
        marks.push(Mark::Band(grid.iter().zip(&heights).map(ends).collect()));
    }
    if let Some(band) = model.sure.as_ref().and_then(|sure| sure.needles[at].effect_band.as_ref())
        && table.is_some()
    {
        let end = |heights: &[f64]| band.values.iter().zip(heights).map(|(x, y)| [*x, *y]).collect();
        marks.extend([&band.low, &band.high].map(|heights| Mark::Guide(end(heights))));
    }
    marks.push(Mark::Line(0, grid.iter().zip(&heights).map(|(x, some)| [*x, mean(some)]).collect()));
    let (name, outcome) = (shown(&names[at], 40), kind.curve_name(class));
    let first_and_last = [0, GRID - 1].map(|k| crate::layout::number(mean(&heights[k])));
    Some(Chart {
        title: format!("Effect of {name} on the {outcome}"),
        description: format!(
            "The mean of the fitted function goes from {} to {} as {name} goes from low to high.",
            first_and_last[0], first_and_last[1]
        ),
        x: name,
        y: outcome,
        key: Vec::new(),
        marks,
    })
}

/// The effect of two needles together.
pub(crate) fn surface(
    model: &Model,
    pair: [usize; 2],
    names: &[String],
    background: &Background,
) -> Option<Chart> {
    let [xs, ys] = pair.map(|at| steps(background.ranges[at], SIDE));
    let points: Vec<Vec<f64>> = ys.iter().flat_map(|y| xs.iter().map(|x| vec![*x, *y])).collect();
    let heights = background.moved(model, &pair, &points, MOST_SURFACE_SAMPLES)?;
    let values: Vec<f64> = heights.iter().map(|some| mean(some)).collect();
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let step = |values: &[f64]| (values[SIDE - 1] - values[0]) / (SIDE - 1) as f64;
    let (dx, dy) = (step(&xs), step(&ys));
    if !(high > low && dx > 0.0 && dy > 0.0) {
        return None;
    }
    let mut levels = steps([low, high], LEVELS + 1);
    levels[LEVELS] += (high - low) * 1e-6;
    // the value of a cell is at its middle
    let builder = ContourBuilder::new(SIDE, SIDE, true).x_step(dx).y_step(dy);
    let builder = builder.x_origin(xs[0] - dx / 2.0).y_origin(ys[0] - dy / 2.0);
    let bands = builder.isobands(&values, &levels).ok()?;
    let areas = bands.iter().enumerate().map(|(level, band)| {
        let lines = band.geometry().iter().flat_map(|p| std::iter::once(p.exterior()).chain(p.interiors()));
        (level, lines.map(|line| line.coords().map(|c| [c.x, c.y]).collect()).collect())
    });
    let [first, second] = pair.map(|at| shown(&names[at], 40));
    let outcome = kind(&model.task).curve_name(model.needles[pair[0]].class);
    Some(Chart {
        title: format!("{first} and {second} together: {outcome}"),
        description: format!("The fitted function over {first} and {second}; lighter is higher."),
        x: first,
        y: second,
        key: Vec::new(),
        marks: vec![Mark::Areas(areas.collect(), [low, high])],
    })
}

fn steps([low, high]: [f64; 2], count: usize) -> Vec<f64> {
    (0..count).map(|k| low + (high - low) * k as f64 / (count - 1) as f64).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// A quantile of sorted values.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * part).round() as usize]
}
