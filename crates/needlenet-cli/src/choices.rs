//! The command line as checked: its text becomes the settings of the learner and the options of the
//! reader. The learner itself refuses a value outside its accepted set, and names the set.

use std::fmt;
use std::str::FromStr;

use needlenet::{Link, NullChoice, Settings, Ties};
use needlenet_io::{ColumnRef, Decimal, Format, Missing, ReadOptions};

use crate::args::{
    DateRule, DecimalMark, FileFormat, LinkChoice, MissingRule, NullRule, Preset, ProblemArgs, ReadArgs,
    TableArgs, TiesRule,
};
use crate::failure::Failure;
use crate::names::{self, Names};

/// Widths of the hidden layers: `20,10`, or `none`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hidden(pub Vec<usize>);

impl fmt::Display for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&needlenet_report::hidden_layers(&self.0))
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

/// The settings of the learner: those of the preset unless an option was given. The precision of the last solve keeps its
/// defaults.
pub fn settings(problem: &ProblemArgs) -> Result<Settings, Failure> {
    let preset = match problem.preset {
        Preset::Default => Settings::default(),
        Preset::Paper => Settings::paper(),
    };
    let settings = Settings {
        hidden: problem.hidden.as_ref().map_or(preset.hidden, |hidden| hidden.0.clone()),
        penalty: problem.penalty.as_ref().map_or(Ok(preset.penalty), |name| name.parse())?,
        scale_outcome: problem.scale_outcome.unwrap_or(preset.scale_outcome),
        alpha: problem.alpha,
        lambda: problem.lambda,
        activation: problem.activation.clone(),
        link: match problem.link {
            LinkChoice::Softmax => Link::Softmax,
            LinkChoice::Logit => Link::Logit,
        },
        null: match problem.null {
            NullRule::Law => NullChoice::Law,
            NullRule::Permutation => NullChoice::Permutation,
        },
        ties: match problem.ties {
            TiesRule::Efron => Ties::Efron,
            TiesRule::Breslow => Ties::Breslow,
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
        target: table.target.clone().or(table.time.clone()).map(ColumnRef),
        beside: [&table.event, &table.strata, &table.weights, &table.offset]
            .into_iter()
            .flatten()
            .cloned()
            .collect(),
        exclude: columns(&table.exclude),
        only: columns(&table.only),
        categories: columns(&table.category),
        ..read_options(&table.read)?
    })
}

fn columns(given: &[Names]) -> Vec<ColumnRef> {
    names::each(given).cloned().map(ColumnRef).collect()
}

/// The reader's options for any table.
pub fn read_options(read: &ReadArgs) -> Result<ReadOptions, Failure> {
    Ok(ReadOptions {
        missing: match read.missing {
            MissingRule::Error => Missing::Error,
            MissingRule::Mean => Missing::Mean,
            MissingRule::Indicator => Missing::Indicator,
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
            FileFormat::Xlsx => Format::Xlsx,
            FileFormat::Ods => Format::Ods,
        }),
        ordered: read.ordered.iter().map(|text| ordered(text)).collect::<Result<_, _>>()?,
        dates_as_days: read.dates == DateRule::Days,
        decimal: read.decimal.map(|mark| match mark {
            DecimalMark::Point => Decimal::Point,
            DecimalMark::Comma => Decimal::Comma,
        }),
        sheet: read.sheet.clone(),
        max_memory: read.max_memory.map(|size| size.as_u64()),
        ..ReadOptions::default()
    })
}

/// `grade=low,mid,high`: a column and its levels from low to high.
fn ordered(text: &str) -> Result<(ColumnRef, Vec<String>), Failure> {
    let parsed = names::first_until(text, '=').and_then(|(name, after)| {
        let levels: Names = after.strip_prefix('=').unwrap_or_default().parse()?;
        Ok((name, levels.0))
    });
    match parsed {
        Ok((name, levels)) if !name.is_empty() && levels.len() > 1 => Ok((ColumnRef(name), levels)),
        _ => Err(Failure::Usage(format!(
            "--ordered \"{text}\" is not a column with its levels; give them from low to high, such as grade=low,mid,high"
        ))),
    }
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
    use needlenet::Activation;

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
                    --null permutation --ties breslow --seed 9 --threads 2 --draws 200 --tolerance 1e-8 --max-iterations 77";
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
            scale_outcome: true,
            null: NullChoice::Permutation,
            ties: Ties::Breslow,
        };
        assert_eq!(settings_of(&words), expected);
    }

    #[test]
    fn the_preset_of_the_paper_is_that_of_the_learner_and_options_change_it() {
        assert_eq!(settings_of(&["--preset", "paper"]), Settings::paper());
        let changed = settings_of(&["--preset", "paper", "--hidden", "20,10", "--scale-outcome", "true"]);
        assert_eq!(changed, Settings { hidden: vec![20, 10], scale_outcome: true, ..Settings::paper() });
    }

    #[test]
    fn widths_read_back_as_they_are_shown() {
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
