//! `needlenet predict`: the outcome of each row of a table.

use std::path::Path;

use needlenet::{Fitted, Model, Prediction, Task, shown};
use needlenet_io::{
    Missing, ReadOptions, Table, Unseen, check_outputs, known_inputs, load_model, read_table,
    write_atomically,
};
use serde_json::json;

use crate::args::{PredictArgs, UnseenRule};
use crate::cells::{self, is_sparse};
use crate::choices::read_options;
use crate::failure::Failure;
use crate::output;
use crate::table::{beside_of_file, strata_of};

/// Rows predicted at once, so that the neurons of a long table need not all be in memory.
const ROWS_AT_ONCE: usize = 8192;

/// Strata named in a message.
const MOST_STRATA: usize = 10;

/// Reads the needles of a table, and writes a prediction for each row.
pub fn predict(args: &PredictArgs) -> Result<(), Failure> {
    let mut inputs = vec![(args.model.as_path(), "the model"), (Path::new(&args.file), "the table")];
    inputs.extend(args.samples.samples.as_deref().map(|path| (Path::new(path), "the table of samples")));
    check_outputs(&inputs, &[("--out", args.out.as_deref())])?;
    let model = load_model(&args.model)?;
    let fitted = if args.penalised { Fitted::Penalised } else { Fitted::Predictor };
    let options = read_options(&args.read)?;
    let (known, columns) = known_inputs(&model, &options);
    let options = ReadOptions {
        exactly: Some(known),
        beside: args.strata.iter().chain(&args.offset).cloned().collect(),
        unseen: match args.unseen {
            UnseenRule::Error => Unseen::Error,
            UnseenRule::Mode => Unseen::Mode,
            UnseenRule::Mean => Unseen::Mean,
        },
        ..options
    };
    if !args.at.is_empty() && !matches!(model.task, Task::Survival { .. }) {
        return Err(Failure::Usage(format!(
            "--at is for survival; this model's task is {}",
            model.task.name()
        )));
    }
    if options.missing == Missing::DropColumns {
        return Err(Failure::Usage(
            "--missing drop-columns would drop inputs that the model needs; use mean or drop-rows".into(),
        ));
    }
    let mut table = if is_sparse(&args.file, &args.samples)? {
        cells::read_known(
            &args.file,
            &args.samples,
            options.exactly.as_deref().unwrap_or_default(),
            &options,
        )?
    } else {
        read_table(&args.file, &options).map_err(|error| Failure::Usage(error.in_prediction()))?
    };
    output::notes(&table.notes, args.quiet);
    let mut beside = std::mem::take(&mut table.beside).into_iter();
    let strata = args.strata.as_ref().and_then(|_| beside.next()).map(|column| strata_of(&column));
    let offset = args.offset.as_ref().and_then(|_| beside.next());
    let offset = offset.map(|column| beside_of_file(&args.file, "--offset", column)).transpose()?;
    let inputs: Vec<&[f64]> =
        columns.iter().map(|&j| &table.values[j * table.n_rows..(j + 1) * table.n_rows]).collect();
    let predicted = predict_rows(&model, table.n_rows, &inputs, offset.as_deref(), fitted)
        .map_err(Failure::of_data(&args.file))?;
    check_finite(args, &table, &predicted)?;
    let survival = survival(&model, &predicted, &args.at, strata.as_deref())?;
    // if rows were dropped, the predictions must say which rows they belong to
    let rows = (options.missing == Missing::DropRows).then_some(table.rows.as_slice());
    let outside = model.outside(table.n_rows, &inputs).map_err(Failure::of_data(&args.file))?;
    let beside = Beside { survival, outside, rows };
    let text =
        if args.json { as_json(&model, &predicted, &beside)? } else { as_csv(&model, &predicted, &beside)? };
    match &args.out {
        Some(path) => Ok(write_atomically(path, &text)?),
        None => output::print(&text),
    }
}

/// Additional columns of the predictions.
struct Beside<'a> {
    survival: Survival,
    /// Which rows are outside the data of the fit.
    outside: Option<Vec<bool>>,
    /// The rows of the file, if some were dropped.
    rows: Option<&'a [usize]>,
}

/// The probability of no event until each time, for each row.
type Survival = Vec<(f64, Vec<f64>)>;

fn survival(
    model: &Model,
    predicted: &Prediction,
    times: &[f64],
    strata: Option<&[String]>,
) -> Result<Survival, Failure> {
    let (Task::Survival { baselines, .. }, Prediction::Numbers(risks)) = (&model.task, predicted) else {
        return Ok(Vec::new());
    };
    let names =
        || baselines.iter().take(MOST_STRATA).map(|b| shown(&b.stratum, 30)).collect::<Vec<_>>().join(", ");
    if !times.is_empty() && strata.is_none() && baselines.len() > 1 {
        return Err(Failure::Usage(format!("the model has strata ({}): give --strata NAME", names())));
    }
    let baseline = |i: usize| match strata {
        None => Ok(&baselines[0]),
        Some(strata) => {
            let name = &strata[i];
            baselines.iter().find(|b| b.stratum == *name).ok_or_else(|| {
                Failure::Usage(format!("row {}: the model has no stratum {name}; it has {}", i + 1, names()))
            })
        }
    };
    let chances = |time: f64| -> Result<(f64, Vec<f64>), Failure> {
        let of = |(i, risk): (usize, &f64)| Ok(baseline(i)?.survival(time, *risk));
        Ok((time, risks.iter().enumerate().map(of).collect::<Result<_, Failure>>()?))
    };
    times.iter().map(|time| chances(*time)).collect()
}

fn predict_rows(
    model: &Model,
    n: usize,
    inputs: &[&[f64]],
    offset: Option<&[f64]>,
    fitted: Fitted,
) -> needlenet::Result<Prediction> {
    let block = |first: usize| {
        let rows = first..n.min(first + ROWS_AT_ONCE);
        let columns: Vec<&[f64]> = inputs.iter().map(|column| &column[rows.clone()]).collect();
        model.predict_with_offset(rows.len(), &columns, offset.map(|o| &o[rows.clone()]), fitted)
    };
    let mut all = block(0)?;
    for first in (0..n).step_by(ROWS_AT_ONCE).skip(1) {
        match (&mut all, block(first)?) {
            (Prediction::Numbers(all), Prediction::Numbers(more)) => all.extend(more),
            (
                Prediction::Classes { probabilities, labels },
                Prediction::Classes { probabilities: p, labels: l },
            ) => {
                probabilities.extend(p);
                labels.extend(l);
            }
            // a model has one task
            _ => {}
        }
    }
    Ok(all)
}

/// Values far outside those of the fit can overflow: an error, not a prediction.
fn check_finite(args: &PredictArgs, table: &Table, predicted: &Prediction) -> Result<(), Failure> {
    let bad = match predicted {
        Prediction::Numbers(values) => values.iter().position(|v| !v.is_finite()),
        Prediction::Classes { probabilities, labels } => {
            let classes = probabilities.len() / labels.len().max(1);
            probabilities.iter().position(|p| !p.is_finite()).map(|at| at / classes)
        }
    };
    match bad {
        None => Ok(()),
        Some(at) => Err(Failure::Usage(format!(
            "{}: the prediction of row {} overflows; its values are far outside those of the fit, so check their units",
            args.file,
            table.rows.get(at).copied().unwrap_or(at + 1)
        ))),
    }
}

fn as_csv(model: &Model, predicted: &Prediction, beside: &Beside) -> Result<Vec<u8>, Failure> {
    let Beside { survival, outside, rows } = beside;
    let (outside, rows) = (outside.as_deref(), *rows);
    let classes = model.task.classes();
    let mut out = csv::Writer::from_writer(Vec::new());
    let mut record: Vec<String> = rows.iter().map(|_| "row".to_owned()).collect();
    match predicted {
        Prediction::Numbers(_) => record.push("prediction".into()),
        Prediction::Classes { .. } => {
            record.push("class".into());
            record.extend(classes.iter().map(|class| format!("probability_{class}")));
        }
    }
    record.extend(survival.iter().map(|(time, _)| format!("survival_{time}")));
    record.extend(outside.iter().map(|_| "outside".to_owned()));
    let written = |error: csv::Error| Failure::Output(error.into());
    out.write_record(&record).map_err(written)?;
    let n = match predicted {
        Prediction::Numbers(values) => values.len(),
        Prediction::Classes { labels, .. } => labels.len(),
    };
    for i in 0..n {
        record.clear();
        record.extend(rows.map(|rows| rows[i].to_string()));
        match predicted {
            Prediction::Numbers(values) => record.push(values[i].to_string()),
            Prediction::Classes { probabilities, labels } => {
                let m = classes.len();
                record.push(classes[labels[i]].clone());
                record.extend(probabilities[i * m..(i + 1) * m].iter().map(f64::to_string));
            }
        }
        record.extend(survival.iter().map(|(_, chances)| chances[i].to_string()));
        record.extend(outside.map(|outside| outside[i].to_string()));
        out.write_record(&record).map_err(written)?;
    }
    out.into_inner().map_err(|error| Failure::Output(error.into_error()))
}

fn as_json(model: &Model, predicted: &Prediction, beside: &Beside) -> Result<Vec<u8>, Failure> {
    let Beside { survival, outside, rows } = beside;
    let (outside, rows) = (outside.as_deref(), *rows);
    let classes = model.task.classes();
    let mut object = match predicted {
        Prediction::Numbers(values) => json!({"task": model.task.name(), "predictions": values}),
        Prediction::Classes { probabilities, labels } => json!({
            "task": "classification",
            "classes": classes,
            "predictions": labels.iter().map(|&label| classes[label].as_str()).collect::<Vec<_>>(),
            "probabilities": probabilities.chunks(classes.len()).collect::<Vec<_>>(),
        }),
    };
    if !survival.is_empty() {
        object["times"] = json!(survival.iter().map(|(time, _)| time).collect::<Vec<_>>());
        object["survival"] = json!(survival.iter().map(|(_, chances)| chances).collect::<Vec<_>>());
    }
    if let Some(rows) = rows {
        object["rows"] = json!(rows);
    }
    if let Some(outside) = outside {
        object["outside"] = json!(outside);
    }
    output::to_json(&object)
}
