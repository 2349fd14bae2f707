//! `needlenet predict`: the outcome of each row of a table.

use needlenet::{Fitted, Model, Prediction};
use needlenet_io::{Missing, ReadOptions, Table, load_model, read_table, write_atomically};
use serde_json::json;

use crate::args::PredictArgs;
use crate::choices::read_options;
use crate::failure::Failure;
use crate::output;

/// Rows predicted at once, so that the neurons of a long table need not all be in memory.
const ROWS_AT_ONCE: usize = 8192;

/// Reads the needles of a table, and writes a prediction for each row.
pub fn predict(args: &PredictArgs) -> Result<(), Failure> {
    let model = load_model(&args.model)?;
    let fitted = if args.penalised { Fitted::Penalised } else { Fitted::Predictor };
    let options = ReadOptions {
        only: Some(model.inputs().map(|input| input.name.clone()).collect()),
        ..read_options(&args.read)?
    };
    if options.missing == Missing::DropColumns {
        return Err(Failure::Usage(
            "--missing drop-columns would drop inputs that the model needs; use mean or drop-rows".into(),
        ));
    }
    let table = read_table(&args.file, &options)?;
    output::notes(&table.notes, args.quiet);
    let predicted = predict_rows(&model, &table, fitted).map_err(Failure::of_data(&args.file))?;
    check_finite(args, &table, &predicted)?;
    // a dropped row has no prediction, so the others must say which they are
    let rows = (options.missing == Missing::DropRows).then_some(table.rows.as_slice());
    let outside = outside(&model, &table).map_err(Failure::of_data(&args.file))?;
    let outside = outside.as_deref();
    let text = match args.json {
        true => as_json(&model, &predicted, rows, outside)?,
        false => as_csv(&model, &predicted, rows, outside)?,
    };
    match &args.out {
        Some(path) => Ok(write_atomically(path, &text)?),
        None => output::print(&text),
    }
}

fn predict_rows(model: &Model, table: &Table, fitted: Fitted) -> needlenet::Result<Prediction> {
    let n = table.n_rows;
    let block = |first: usize| {
        let rows = first..n.min(first + ROWS_AT_ONCE);
        let columns: Vec<&[f64]> =
            (0..model.inputs().count()).map(|j| &table.values[j * n..(j + 1) * n][rows.clone()]).collect();
        model.predict(rows.len(), &columns, fitted)
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

/// Which rows have an input outside its range in the fit; none if the model is from before ranges were kept.
fn outside(model: &Model, table: &Table) -> needlenet::Result<Option<Vec<bool>>> {
    let inputs = model.inputs().count();
    let columns: Vec<&[f64]> = table.values.chunks(table.n_rows.max(1)).take(inputs).collect();
    model.outside(table.n_rows, &columns)
}

/// Values far outside those of the fit can overflow: that is an error, not a prediction.
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

fn as_csv(
    model: &Model,
    predicted: &Prediction,
    rows: Option<&[usize]>,
    outside: Option<&[bool]>,
) -> Result<Vec<u8>, Failure> {
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
        record.extend(outside.map(|outside| outside[i].to_string()));
        out.write_record(&record).map_err(written)?;
    }
    out.into_inner().map_err(|error| Failure::Output(error.into_error()))
}

fn as_json(
    model: &Model,
    predicted: &Prediction,
    rows: Option<&[usize]>,
    outside: Option<&[bool]>,
) -> Result<Vec<u8>, Failure> {
    let classes = model.task.classes();
    let mut object = match predicted {
        Prediction::Numbers(values) => json!({"task": "regression", "predictions": values}),
        Prediction::Classes { probabilities, labels } => json!({
            "task": "classification",
            "classes": classes,
            "predictions": labels.iter().map(|&label| classes[label].as_str()).collect::<Vec<_>>(),
            "probabilities": probabilities.chunks(classes.len()).collect::<Vec<_>>(),
        }),
    };
    if let Some(rows) = rows {
        object["rows"] = json!(rows);
    }
    if let Some(outside) = outside {
        object["outside"] = json!(outside);
    }
    output::to_json(&object)
}
