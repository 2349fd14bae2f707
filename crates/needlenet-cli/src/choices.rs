//! The command line as checked: words become the settings of the learner and the options of the reader.
//! A value outside its set is refused by the learner itself, which names the set.

use std::fmt;
use std::str::FromStr;

use needlenet::{Activation, Link, Settings};
use needlenet_io::{ColumnRef, Format, Missing, ReadOptions};

use crate::args::{FileFormat, LinkChoice, MissingRule, ProblemArgs, ReadArgs, TableArgs};
use crate::failure::Failure;

/// Widths of the hidden layers: `20,10`, or `none`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hidden(pub Vec<usize>);

impl fmt::Display for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("none");
        }
        let widths: Vec<String> = self.0.iter().map(usize::to_string).collect();
        f.write_str(&widths.join(","))
    }
}

impl FromStr for Hidden {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "none" {
            return Ok(Hidden(Vec::new()));
        }
        text.split(',')
            .map(|width| width.trim().parse())
            .collect::<Result<_, _>>()
            .map(Hidden)
            .map_err(|_| "give widths such as 40 or 20,10, or none for the linear model".into())
    }
}

/// An activation by name or by its constants `M,u0,k`.
#[derive(Debug, Clone, PartialEq)]
pub struct Sigma(pub Activation);

/// The activations that have a name.
fn named() -> [(&'static str, Activation); 4] {
    [
        ("default", Activation::default()),
        ("softplus", Activation::softplus()),
        ("smooth-relu", Activation::smooth_relu()),
        ("interactions", Activation::interactions()),
    ]
}

impl fmt::Display for Sigma {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, _)) = named().iter().find(|(_, activation)| *activation == self.0) {
            return f.write_str(name);
        }
        let powers: Vec<String> = self.0.powers.iter().map(f64::to_string).collect();
        write!(f, "{},{},{}", self.0.sharpness, self.0.shift, powers.join(":"))
    }
}

impl FromStr for Sigma {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some((_, activation)) = named().into_iter().find(|(name, _)| *name == text) {
            return Ok(Sigma(activation));
        }
        let numbers = |text: &str, by: char| -> Option<Vec<f64>> {
            text.split(by).map(|part| part.trim().parse().ok()).collect()
        };
        let parsed = text.rsplit_once(',').and_then(|(front, powers)| {
            let [sharpness, shift] = numbers(front, ',')?.try_into().ok()?;
            Some(Activation { sharpness, shift, powers: numbers(powers, ':')? })
        });
        let activation = parsed.ok_or(
            "give default, softplus, smooth-relu, interactions, or M,u0,k such as 20,1,1 or 20,1,1:2",
        )?;
        activation.check().map_err(|error| error.to_string())?;
        Ok(Sigma(activation))
    }
}

/// The learner's settings. Those of the last solve keep their defaults.
pub fn settings(problem: &ProblemArgs) -> Result<Settings, Failure> {
    let settings = Settings {
        hidden: problem.hidden.0.clone(),
        penalty: problem.penalty.parse()?,
        alpha: problem.alpha,
        lambda: problem.lambda,
        activation: problem.activation.0.clone(),
        link: match problem.link {
            LinkChoice::Softmax => Link::Softmax,
            LinkChoice::Logit => Link::Logit,
        },
        seed: problem.seed,
        threads: problem.threads,
        draws: problem.draws,
        ..Settings::default()
    };
    settings.check()?;
    Ok(settings)
}

/// The reader's options for a table with an outcome.
pub fn table_options(table: &TableArgs) -> Result<ReadOptions, Failure> {
    Ok(ReadOptions {
        target: Some(ColumnRef(table.target.clone())),
        exclude: table.exclude.iter().cloned().map(ColumnRef).collect(),
        ..read_options(&table.read)?
    })
}

/// The reader's options for any table.
pub fn read_options(read: &ReadArgs) -> Result<ReadOptions, Failure> {
    Ok(ReadOptions {
        missing: match read.missing {
            MissingRule::Error => Missing::Error,
            MissingRule::Mean => Missing::Mean,
            MissingRule::DropRows => Missing::DropRows,
            MissingRule::DropColumns => Missing::DropColumns,
        },
        missing_markers: read.missing_marker.clone(),
        header: !read.no_header,
        delimiter: read.delimiter.as_deref().map(delimiter).transpose()?,
        format: read.format.map(|format| match format {
            FileFormat::Csv => Format::Csv,
            FileFormat::Tsv => Format::Tsv,
            FileFormat::Parquet => Format::Parquet,
            FileFormat::Arrow => Format::Arrow,
            FileFormat::Npy => Format::Npy,
            FileFormat::Npz => Format::Npz,
        }),
        ..ReadOptions::default()
    })
}

fn delimiter(text: &str) -> Result<u8, Failure> {
    match text.as_bytes() {
        _ if text == "tab" || text == "\\t" => Ok(b'\t'),
        &[byte] if byte.is_ascii() && !matches!(byte, b'\n' | b'\r' | b'"') => Ok(byte),
        _ => Err(Failure::Usage(format!(
            "--delimiter \"{text}\" is not a separator; give one ASCII character, such as \";\", or \"tab\""
        ))),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Cli, Command};

    fn settings_of(words: &[&str]) -> Settings {
        let line = ["needlenet", "fit", "table.csv", "--target", "y"];
        match Cli::try_parse_from(line.iter().chain(words)).unwrap().command {
            Command::Fit(fit) => Settings {
                tolerance: fit.tolerance,
                max_iterations: fit.max_iterations,
                ..settings(&fit.problem).unwrap()
            },
            other => panic!("{other:?} is not a fit"),
        }
    }

    #[test]
    fn a_bare_command_has_the_defaults_of_the_learner() {
        assert_eq!(settings_of(&[]), Settings::default());
    }

    #[test]
    fn every_choice_reaches_the_learner() {
        let line = "--hidden 20,10 --penalty scad --alpha 0.01 --lambda 3 --activation 5,0.5,1:2 --link logit \
                    --seed 9 --threads 2 --draws 200 --tolerance 1e-8 --max-iterations 77";
        let words: Vec<&str> = line.split_whitespace().collect();
        let expected = Settings {
            hidden: vec![20, 10],
            penalty: needlenet::Penalty::Scad { a: 3.7 },
            alpha: 0.01,
            lambda: Some(3.0),
            activation: Activation { sharpness: 5.0, shift: 0.5, powers: vec![1.0, 2.0] },
            link: Link::Logit,
            seed: 9,
            threads: 2,
            draws: 200,
            tolerance: 1e-8,
            max_iterations: 77,
        };
        assert_eq!(settings_of(&words), expected);
    }

    #[test]
    fn activations_and_widths_read_back_as_they_are_shown() {
        for (_, activation) in named() {
            assert_eq!(Sigma(activation.clone()).to_string().parse(), Ok(Sigma(activation)));
        }
        let by_hand = Sigma(Activation { sharpness: 5.0, shift: 0.25, powers: vec![1.0, 3.0] });
        assert_eq!(by_hand.to_string().parse(), Ok(by_hand));
        for hidden in [Hidden(vec![]), Hidden(vec![7]), Hidden(vec![20, 10])] {
            assert_eq!(hidden.to_string().parse(), Ok(hidden));
        }
    }

    #[test]
    fn the_definition_of_the_command_line_is_sound() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}
