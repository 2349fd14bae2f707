//! The laws: how the outcome depends on the needles `x_1 .. x_s`.
//!
//! A law of numbers has a mean, to which noise is added. A law of classes has a score for each class, and
//! `P(class t) = exp(score_t) / sum of exp(score)`. Shares and the best accuracy that any rule can have (Bayes)
//! are for independent standard Gaussian inputs. Tested in `tests/laws.rs`.

/// How the outcome depends on the needles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Law {
    /// `sum over pairs of 10 |x_a - x_b|` (design N).
    Pairs,
    /// Linear, coefficients 3 (design P, the paper's).
    LinearEqual,
    /// Linear, coefficients drawn from {-3, -2, -1, 1, 2} (design L).
    LinearMixed,
    /// `| 10 |x_2 - x_1| - 10 |x_4 - x_3| |` (design D).
    Deep,
    /// `2 x_1 x_2 x_3`: variance 4.
    ProductOfThree,
    /// `0.498 (|x_1 - x_2| + |x_3 - x_4|)`: variance 0.36.
    FaintPairs,
    /// `sum of 2 sign(x_k)`.
    StepSum,
    /// `3 max(x_1, x_2, x_3, x_4)`: variance 4.4.
    MaxOfFour,
    /// Two classes with log odds `4 (|x_a - x_b| - 1.13)` (design C).
    TwoClasses,
    /// Two classes with log odds `5 x_1 x_2`: halves, Bayes .81.
    ClassProduct,
    /// Two classes with log odds `1.5 (2.5 - x_1^2 - x_2^2 - x_3^2)`: halves, Bayes .84.
    ClassSphere,
    /// Two classes with log odds `2.5 (|x_1 - x_2| + |x_3 - x_4| - 2.15)`: halves, Bayes .84.
    ClassPairs,
    /// Two classes with log odds `2 x_1 - 2 x_2 + 4 (|x_3| - 0.77)`: halves, Bayes .86.
    ClassMixed,
    /// Two classes with log odds `2 x_1 - 2 x_2 + 2 x_3`: halves, Bayes .85.
    ClassStraight,
    /// The log odds of `ClassMixed` minus 5.5: a tenth is of the second class, Bayes .95.
    ClassRare,
    /// Three classes with log odds `4 |x_1 - x_2|`, `4 |x_3 - x_4|` and `4.5` (design T).
    ThreeClasses,
    /// Three classes with log odds `0`, `4 x_1` and `4 (|x_2 - x_3| - 1.1)`: shares .28, .38 and .33, Bayes .81.
    ThreeMixed,
    /// Poisson counts with log mean `0.8 (sum over pairs of |x_a - x_b| - 1.13)`.
    CountPairs,
    /// Poisson counts with log mean `0.5 x_1 - 0.5 x_2 + ...`, the signs alternating.
    CountLinear,
    /// Exponential times with the log hazard of `LinearMixed`, each censored with chance one half.
    SurvivalLinear,
    /// Exponential times with the log hazard of `Pairs`, each censored with chance one half.
    SurvivalPairs,
    /// Two classes; no input matters.
    NoiseClasses,
    /// A number from a heavy-tailed law (Student, 3 degrees of freedom); no input matters.
    HeavyNoise,
}

/// The kind of outcome of a law.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The mean plus Gaussian noise.
    Number,
    /// Student noise alone.
    HeavyNumber,
    /// Two classes; the mean is the log odds of the second.
    Two,
    /// Three classes.
    Three,
    /// Counts; the mean is their log mean.
    Count,
    /// Times; the mean is the log hazard.
    Time,
}

impl Law {
    pub(super) fn kind(self) -> Kind {
        match self {
            Law::Pairs | Law::LinearEqual | Law::LinearMixed | Law::Deep => Kind::Number,
            Law::ProductOfThree | Law::FaintPairs | Law::StepSum | Law::MaxOfFour => Kind::Number,
            Law::HeavyNoise => Kind::HeavyNumber,
            Law::TwoClasses | Law::NoiseClasses => Kind::Two,
            Law::ClassProduct | Law::ClassSphere | Law::ClassPairs => Kind::Two,
            Law::ClassMixed | Law::ClassStraight | Law::ClassRare => Kind::Two,
            Law::ThreeClasses | Law::ThreeMixed => Kind::Three,
            Law::CountPairs | Law::CountLinear => Kind::Count,
            Law::SurvivalLinear | Law::SurvivalPairs => Kind::Time,
        }
    }

    /// Why the law cannot have `s` needles, as the end of the sentence "this law has ..."; none if
    /// it can.
    ///
    /// ```
    /// use needlenet_lab::Law;
    /// assert_eq!(Law::Pairs.refuses(4), None);
    /// assert_eq!(Law::ClassSphere.refuses(4).as_deref(), Some("3 needles"));
    /// ```
    pub fn refuses(self, s: usize) -> Option<String> {
        let exactly = match self {
            Law::LinearEqual | Law::LinearMixed | Law::StepSum => return None,
            Law::CountLinear | Law::SurvivalLinear => return None,
            Law::Pairs | Law::CountPairs | Law::SurvivalPairs if s.is_multiple_of(2) => return None,
            Law::Pairs | Law::CountPairs | Law::SurvivalPairs => {
                return Some("an even number of needles, since they come in pairs".into());
            }
            Law::NoiseClasses | Law::HeavyNoise => 0,
            Law::TwoClasses | Law::ClassProduct => 2,
            Law::ClassSphere | Law::ClassMixed | Law::ClassStraight | Law::ClassRare => 3,
            Law::ProductOfThree | Law::ThreeMixed => 3,
            Law::Deep | Law::FaintPairs | Law::MaxOfFour | Law::ClassPairs | Law::ThreeClasses => 4,
        };
        if s == exactly {
            return None;
        }
        Some(match exactly {
            0 => "0 needles, since there is nothing to find".into(),
            count => format!("{count} needles"),
        })
    }

    /// The mean of the outcome at needles `x`; the log odds of the second class in classification, of the
    /// first against the second in design T. `beta` holds the coefficients of the law that draws them.
    pub(super) fn mean(self, x: &[f64], beta: &[f64]) -> f64 {
        let pair = |a: usize| (x[a] - x[a + 1]).abs();
        match self {
            Law::Pairs | Law::SurvivalPairs => (0..x.len() / 2).map(|h| 10.0 * pair(2 * h)).sum(),
            Law::CountPairs => (0..x.len() / 2).map(|h| 0.8 * (pair(2 * h) - 1.13)).sum(),
            Law::CountLinear => {
                x.iter().enumerate().map(|(k, v)| if k % 2 == 0 { 0.5 * v } else { -0.5 * v }).sum()
            }
            Law::LinearEqual => x.iter().map(|v| 3.0 * v).sum(),
            Law::LinearMixed | Law::SurvivalLinear => x.iter().zip(beta).map(|(v, b)| b * v).sum(),
            Law::Deep => (10.0 * pair(0) - 10.0 * pair(2)).abs(),
            Law::ProductOfThree => 2.0 * x[0] * x[1] * x[2],
            Law::FaintPairs => 0.498 * (pair(0) + pair(2)),
            Law::StepSum => x.iter().map(|v| 2.0 * v.signum()).sum(),
            Law::MaxOfFour => 3.0 * x.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            Law::TwoClasses => 4.0 * (pair(0) - 1.13),
            Law::ClassProduct => 5.0 * x[0] * x[1],
            Law::ClassSphere => 1.5 * (2.5 - x.iter().map(|v| v * v).sum::<f64>()),
            Law::ClassPairs => 2.5 * (pair(0) + pair(2) - 2.15),
            Law::ClassMixed => 2.0 * x[0] - 2.0 * x[1] + 4.0 * (x[2].abs() - 0.77),
            Law::ClassStraight => 2.0 * x[0] - 2.0 * x[1] + 2.0 * x[2],
            Law::ClassRare => Law::ClassMixed.mean(x, beta) - 5.5,
            Law::ThreeClasses => 4.0 * (pair(0) - pair(2)),
            Law::ThreeMixed => 4.0 * x[0],
            Law::NoiseClasses | Law::HeavyNoise => 0.0,
        }
    }

    /// The scores of the classes of a law with three.
    pub(super) fn scores_of_three(self, x: &[f64]) -> [f64; 3] {
        let pair = |a: usize| (x[a] - x[a + 1]).abs();
        match self {
            Law::ThreeMixed => [0.0, 4.0 * x[0], 4.0 * (pair(1) - 1.1)],
            _ => [4.0 * pair(0), 4.0 * pair(2), 4.5],
        }
    }
}
