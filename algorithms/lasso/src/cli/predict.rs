//! `lasso predict`.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use raddle::cli::{Error, ExitStatus, say, write_atomic};
use raddle_datasets::{Matrix, Table};

use super::data;
use super::files::{self, Model};

/// The options of `lasso predict`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The folder of a fitted model, as --out wrote it.
    model: PathBuf,
    /// The data: a file (gzip or not), a public set's name or a `synth:` specification.
    data: String,
    /// The data's format, where it is not recognised.
    #[arg(long, value_name = "NAME")]
    format: Option<String>,
    /// The response, to report the error against: a column's name, its index from 1, or a file.
    #[arg(long, value_name = "NAME|INDEX|FILE", allow_hyphen_values = true)]
    y: Option<String>,
    /// Write the predictions to this file, one a line, rather than to stdout.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Predicts a value for each row; where predictions go to a file, the error against the response is said.
pub(crate) fn predict(options: &Options) -> Result<ExitStatus, Error> {
    let (model, coefficients) = files::read(&options.model)?;
    let table = data::read(Some(&options.data), options.format.as_deref(), options.y.as_deref(), 1)?;
    check(&model, &table, &options.data)?;
    let mut predictions = vec![model.intercept; table.x.rows()];
    for &(column, value) in coefficients.iter().filter(|(column, _)| (*column as usize) < table.x.cols()) {
        match &table.x {
            Matrix::Dense(x) => {
                x.column(column as usize).iter().zip(&mut predictions).for_each(|(x, sum)| *sum += value * x);
            }
            Matrix::Sparse(x) => {
                for (row, x) in x.outer_view(column as usize).iter().flat_map(|view| view.iter()) {
                    predictions[row] += value * x;
                }
            }
        }
    }
    let Some(file) = &options.out else {
        let lines: Vec<String> = predictions.iter().map(f64::to_string).collect();
        say(&lines.join("\n"))?;
        return Ok(ExitStatus::Done);
    };
    let written = write_atomic(file, |out| predictions.iter().try_for_each(|value| writeln!(out, "{value}")));
    written.map_err(|why| Error::write(file, why))?;
    let (rows, mean) = (predictions.len() as f64, table.y.iter().sum::<f64>() / predictions.len() as f64);
    let error: f64 = predictions.iter().zip(&table.y).map(|(p, y)| (p - y) * (p - y)).sum();
    let total: f64 = table.y.iter().map(|y| (y - mean) * (y - mean)).sum();
    let explained = if total > 0.0 { 1.0 - error / total } else { f64::NAN };
    say(&format!(
        "{rows} predictions, root mean squared error {:.6}, R2 {explained:.4}",
        (error / rows).sqrt()
    ))?;
    Ok(ExitStatus::Done)
}

/// Refuses data whose columns are not those of the model.
fn check(model: &Model, table: &Table, data: &str) -> Result<(), Error> {
    let (here, there) = (table.x.cols(), model.columns);
    let refuse = |why: String| Err(Error::input(format!("{data}: {why}: give data with the same columns")));
    // A sparse file ends at its last column that is not zero.
    if here > there || (here < there && !table.x.is_sparse()) {
        return refuse(format!("it has {here} columns, the model {there}"));
    }
    let Some((ours, theirs)) = model.feature_names.as_ref().zip(table.feature_names.as_ref()) else {
        return Ok(());
    };
    match (1..).zip(theirs.iter().zip(ours)).find(|(_, (theirs, ours))| theirs != ours) {
        Some((column, (theirs, ours))) => {
            refuse(format!("column {column} is `{theirs}`, in the model it is `{ours}`"))
        }
        None => Ok(()),
    }
}
