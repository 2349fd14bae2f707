//! The studies: a design, the points at which it is drawn, and the learners that are compared.
//!
//! Replicate `r` of a study with seed `S` is draw number `1000000 S + r` of each of its points, for every
//! learner: learners are compared on the same tables, and other seeds give other tables.

use serde::Serialize;
use thiserror::Error;

use crate::designs::Design;

/// Fresh samples on which the error of prediction is measured.
pub const TEST_SAMPLES: usize = 1000;

/// The seeds of one study: replicate `r` of seed `S` is draw `SEEDS_APART S + r`.
pub const SEEDS_APART: u64 = 1_000_000;

/// The parameter that varies in a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Axis {
    /// The number of needles.
    S,
    /// The number of samples.
    N,
    /// The design itself.
    Design,
}

/// One setting of a study.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Point {
    /// The name of the design, as `lab make` takes it.
    pub design: &'static str,
    /// Samples.
    pub n: usize,
    /// Inputs.
    pub p: usize,
    /// Needles.
    pub s: usize,
}

impl Point {
    /// The design of this setting.
    pub fn design(&self) -> Result<Design, crate::UnknownDesign> {
        let usual: Design = self.design.parse()?;
        Ok(Design { n: self.n, p: self.p, s: self.s, ..usual })
    }
}

/// A named experiment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Study {
    /// Its name.
    pub name: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// What varies.
    pub axis: Axis,
    /// The settings.
    pub points: Vec<Point>,
    /// The learners of this program, by name.
    pub learners: Vec<&'static str>,
    /// Replicates of the full study.
    pub replicates: u64,
}

/// An unknown name of a study.
#[derive(Debug, Error)]
#[error("\"{name}\" is no study; there are {}", Study::NAMES.join(", "))]
pub struct UnknownStudy {
    /// The name given.
    pub name: String,
}

impl Study {
    /// Every study.
    pub const NAMES: [&'static str; 12] = [
        "figure1",
        "figure2",
        "nonlinear",
        "mixed",
        "deep",
        "classes",
        "three-classes",
        "class-laws",
        "noise-classes",
        "survival",
        "survival-pairs",
        "counts",
    ];

    /// A study by its name.
    pub fn named(name: &str) -> Result<Study, UnknownStudy> {
        let at = |design, n, p, s| Point { design, n, p, s };
        let paper = ["sqrt-lasso-qut", "lasso-ann-2", "lasso-ann-3", "lasso-ann-4", "needlenet"];
        let tuned = ["sqrt-lasso-validation", "spinn", "spinn-dropout"];
        let study = |name, title, axis, points: Vec<Point>, learners: Vec<&'static str>, replicates| Study {
            name,
            title,
            axis,
            points,
            learners,
            replicates,
        };
        Ok(match name {
            "figure1" => study(
                "figure1",
                "linear law, 100 samples of 200 inputs (paper, figure 1)",
                Axis::S,
                (0..=16).map(|s| at("linear", 100, 200, s)).collect(),
                [&paper[..], &tuned].concat(),
                100,
            ),
            "figure2" => study(
                "figure2",
                "nonlinear law, 500 samples of 50 inputs (paper, figure 2)",
                Axis::S,
                (0..=8).map(|h| at("nonlinear", 500, 50, 2 * h)).collect(),
                [&paper[..], &tuned, &["standard-network"]].concat(),
                100,
            ),
            "nonlinear" => study(
                "nonlinear",
                "design N: nonlinear law beyond the paper's range, 500 samples of 50 inputs",
                Axis::S,
                (0..=10).map(|h| at("nonlinear", 500, 50, 2 * h)).collect(),
                vec!["needlenet", "lasso-ann-2"],
                200,
            ),
            "mixed" => study(
                "mixed",
                "design L: linear law with mixed coefficients, 70 samples of 250 inputs",
                Axis::S,
                (0..=10).map(|h| at("mixed", 70, 250, 2 * h)).collect(),
                vec!["linear-harder", "linear-scad", "linear-mcp", "sqrt-lasso-qut", "needlenet"],
                200,
            ),
            "deep" => study(
                "deep",
                "design D: a law that needs three layers, 50 inputs, 4 needles",
                Axis::N,
                [200, 300, 400, 500, 600, 800, 1000, 1500, 2000].map(|n| at("deep", n, 50, 4)).to_vec(),
                vec!["needlenet-2", "needlenet-3", "needlenet-4", "needlenet"],
                500,
            ),
            "classes" => study(
                "classes",
                "design C: two classes, nonlinear law, 50 inputs, 2 needles",
                Axis::N,
                [100, 200, 300, 400, 500].map(|n| at("classes", n, 50, 2)).to_vec(),
                vec!["needlenet", "lasso-ann-2", "sqrt-lasso-qut"],
                100,
            ),
            "three-classes" => study(
                "three-classes",
                "design T: three classes, nonlinear law, 50 inputs, 4 needles",
                Axis::N,
                [200, 300, 400, 500, 700].map(|n| at("three-classes", n, 50, 4)).to_vec(),
                vec!["needlenet", "lasso-ann-2", "sqrt-lasso-qut"],
                100,
            ),
            "class-laws" => study(
                "class-laws",
                "classes by laws that are straight, bent or both, 50 inputs, 2 to 4 needles",
                Axis::Design,
                vec![
                    at("class-product", 500, 50, 2),
                    at("class-sphere", 500, 50, 3),
                    at("class-pairs", 500, 50, 4),
                    at("class-mixed", 500, 50, 3),
                    at("class-straight", 500, 50, 3),
                    at("class-rare", 1000, 50, 3),
                    at("three-mixed", 600, 50, 3),
                ],
                vec!["needlenet", "needlenet-on-labels", "lasso-ann-2", "sqrt-lasso-qut"],
                100,
            ),
            "noise-classes" => study(
                "noise-classes",
                "two classes and nothing to find: the level",
                Axis::N,
                [100, 200, 400].map(|n| at("noise-classes", n, 50, 0)).to_vec(),
                vec!["needlenet", "lasso-ann-2", "sqrt-lasso-qut"],
                200,
            ),
            "survival" => study(
                "survival",
                "survival, half of the times censored, linear log hazard with mixed coefficients, 150 samples of 100 inputs",
                Axis::S,
                (0..=7).map(|h| at("survival-linear", 150, 100, 2 * h)).collect(),
                vec!["needlenet", "linear-harder", "linear-l1"],
                100,
            ),
            "survival-pairs" => study(
                "survival-pairs",
                "survival, half of the times censored, nonlinear log hazard, 750 samples of 50 inputs",
                Axis::S,
                (0..=7).map(|h| at("survival-pairs", 750, 50, 2 * h)).collect(),
                vec!["needlenet", "lasso-ann-2"],
                100,
            ),
            "counts" => study(
                "counts",
                "Poisson counts, nonlinear log mean, 500 samples of 50 inputs",
                Axis::S,
                (0..=3).map(|h| at("count-pairs", 500, 50, 2 * h)).collect(),
                vec!["needlenet", "lasso-ann-2", "linear-l1"],
                100,
            ),
            _ => return Err(UnknownStudy { name: name.into() }),
        })
    }

    /// The value of the varying parameter at a point, as `lab run --points` takes it.
    pub fn value(&self, point: &Point) -> String {
        match self.axis {
            Axis::S => point.s.to_string(),
            Axis::N => point.n.to_string(),
            Axis::Design => point.design.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_study_has_designs_and_learners_that_exist_and_points_that_differ() {
        for name in Study::NAMES {
            let study = Study::named(name).unwrap();
            assert_eq!(study.name, name);
            let mut values: Vec<String> = study.points.iter().map(|point| study.value(point)).collect();
            let count = values.len();
            values.dedup();
            assert_eq!(values.len(), count);
            assert!(study.points.iter().all(|point| point.design().is_ok()));
            assert!(study.learners.iter().all(|learner| crate::learner(learner).is_ok()));
        }
    }

    #[test]
    fn figures_have_the_sizes_of_the_paper() {
        let figure1 = Study::named("figure1").unwrap();
        assert_eq!(figure1.points.len(), 17);
        assert!(figure1.points.iter().all(|point| (point.n, point.p) == (100, 200)));
        let figure2 = Study::named("figure2").unwrap();
        assert_eq!(
            figure2.points.iter().map(|point| point.s).collect::<Vec<_>>(),
            [0, 2, 4, 6, 8, 10, 12, 14, 16]
        );
        assert!(figure2.points.iter().all(|point| (point.n, point.p) == (500, 50)));
    }
}
