//! Pictures as SVG: marks on two axes, with a title and a description for screen readers.

mod axis;
mod draw;

/// A picture.
#[derive(Debug, Clone, Default)]
pub(crate) struct Chart {
    /// What it shows, in a few words.
    pub title: String,
    /// A description of the picture in words.
    pub description: String,
    /// The horizontal axis.
    pub x: String,
    /// The vertical axis.
    pub y: String,
    /// The names of lines 0, 1, ..., if there are several.
    pub key: Vec<String>,
    /// What is drawn, the first at the bottom.
    pub marks: Vec<Mark>,
}

/// Something drawn.
#[derive(Debug, Clone)]
pub(crate) enum Mark {
    /// Samples.
    Dots(Vec<[f64; 2]>),
    /// A line; those of different numbers differ in colour and dashes.
    Line(usize, Vec<[f64; 2]>),
    /// A thin reference line.
    Guide(Vec<[f64; 2]>),
    /// A band: position, lower and upper end.
    Band(Vec<[f64; 3]>),
    /// Bars on the horizontal axis: left, right, height.
    Bars(Vec<[f64; 3]>),
    /// A short stroke on the lower axis for each value.
    RugBelow(Vec<f64>),
    /// The same at the upper end.
    RugAbove(Vec<f64>),
    /// A vertical line with its name, at one of several heights.
    Threshold(f64, String, usize),
    /// Closed areas, each with its level from 0 to 7; the lowest and highest value.
    Areas(Vec<(usize, Vec<Vec<[f64; 2]>>)>, [f64; 2]),
}

/// The number of levels of [`Mark::Areas`].
pub(crate) const LEVELS: usize = 8;

impl Mark {
    /// The points that must be on the picture. Rugs have no height of their own.
    fn corners(&self) -> Vec<[f64; 2]> {
        match self {
            Mark::Dots(points) | Mark::Line(_, points) | Mark::Guide(points) => points.clone(),
            Mark::Band(points) => points.iter().flat_map(|[x, a, b]| [[*x, *a], [*x, *b]]).collect(),
            Mark::Bars(bars) => bars.iter().flat_map(|[a, b, h]| [[*a, 0.0], [*b, *h]]).collect(),
            Mark::Threshold(x, ..) => vec![[*x, f64::NAN]],
            Mark::Areas(areas, _) => areas.iter().flat_map(|(_, rings)| rings.concat()).collect(),
            Mark::RugBelow(_) | Mark::RugAbove(_) => Vec::new(),
        }
    }
}

impl Chart {
    /// The lowest and highest finite value of one coordinate.
    fn range(&self, coordinate: usize) -> [f64; 2] {
        let values = self.marks.iter().flat_map(Mark::corners).map(|point| point[coordinate]);
        let [low, high] = values
            .filter(|v| v.is_finite())
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| [low.min(v), high.max(v)]);
        if low <= high { [low, high] } else { [0.0, 1.0] }
    }
}
