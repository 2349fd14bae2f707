//! The designs by name, with their usual sizes.

use std::str::FromStr;

use thiserror::Error;

use super::{Columns, Design, Law};

/// Name, law, samples, inputs, needles.
type Named = (&'static str, Law, usize, usize, usize);

const NAMED: [Named; 23] = [
    ("nonlinear", Law::Pairs, 500, 50, 4),
    ("linear", Law::LinearEqual, 100, 200, 4),
    ("mixed", Law::LinearMixed, 70, 250, 4),
    ("deep", Law::Deep, 500, 50, 4),
    ("product-of-three", Law::ProductOfThree, 1000, 30, 3),
    ("faint-pairs", Law::FaintPairs, 500, 50, 4),
    ("step-sum", Law::StepSum, 500, 50, 3),
    ("max-of-four", Law::MaxOfFour, 500, 50, 4),
    ("classes", Law::TwoClasses, 500, 50, 2),
    ("class-product", Law::ClassProduct, 500, 50, 2),
    ("class-sphere", Law::ClassSphere, 500, 50, 3),
    ("class-pairs", Law::ClassPairs, 500, 50, 4),
    ("class-mixed", Law::ClassMixed, 500, 50, 3),
    ("class-straight", Law::ClassStraight, 500, 50, 3),
    ("class-rare", Law::ClassRare, 1000, 50, 3),
    ("three-classes", Law::ThreeClasses, 500, 50, 4),
    ("three-mixed", Law::ThreeMixed, 600, 50, 3),
    ("count-pairs", Law::CountPairs, 500, 50, 4),
    ("count-linear", Law::CountLinear, 200, 100, 4),
    ("survival-linear", Law::SurvivalLinear, 150, 100, 4),
    ("survival-pairs", Law::SurvivalPairs, 750, 50, 4),
    ("noise-classes", Law::NoiseClasses, 200, 50, 0),
    ("heavy-noise", Law::HeavyNoise, 200, 50, 0),
];

/// The letters under which some designs are known.
const LETTERS: [(&str, &str); 6] = [
    ("N", "nonlinear"),
    ("P", "linear"),
    ("L", "mixed"),
    ("D", "deep"),
    ("C", "classes"),
    ("T", "three-classes"),
];

/// An unknown name of a design.
#[derive(Debug, Error)]
#[error("\"{0}\" is no design; there are {known}", known = known())]
pub struct UnknownDesign(String);

fn known() -> String {
    let with_letter = |name: &str| match LETTERS.iter().find(|(_, long)| *long == name) {
        Some((letter, _)) => format!("{name} ({letter})"),
        None => name.to_owned(),
    };
    NAMED.map(|(name, ..)| with_letter(name)).join(", ")
}

impl Design {
    /// Every design, by name.
    pub const NAMES: [&'static str; NAMED.len()] = {
        let mut names = [""; NAMED.len()];
        let mut at = 0;
        while at < names.len() {
            names[at] = NAMED[at].0;
            at += 1;
        }
        names
    };
}

impl FromStr for Design {
    type Err = UnknownDesign;

    /// A design by name, with its usual sizes.
    fn from_str(name: &str) -> Result<Self, UnknownDesign> {
        let long = LETTERS.iter().find(|(letter, _)| *letter == name).map_or(name, |(_, long)| long);
        let (_, law, n, p, s) =
            *NAMED.iter().find(|named| named.0 == long).ok_or_else(|| UnknownDesign(name.into()))?;
        Ok(Design { law, n, p, s, noise: 1.0, columns: Columns::Independent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_design_is_found_by_its_name_and_has_a_number_of_needles_its_law_accepts() {
        for name in Design::NAMES {
            let design: Design = name.parse().unwrap();
            assert_eq!(design.law.refuses(design.s), None, "{name}");
        }
        assert_eq!("N".parse::<Design>().unwrap(), "nonlinear".parse().unwrap());
        let refused = "triangle".parse::<Design>().unwrap_err().to_string();
        assert!(refused.contains("\"triangle\"") && refused.contains("deep (D)"), "{refused}");
        assert!(Design::NAMES.iter().all(|name| refused.contains(name)), "{refused}");
    }
}
