//! `lasso predict`.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use raddle::cli::{Error, ExitStatus, count, say, write_atomic};
use raddle_datasets::read_samples;
use raddle_lasso::HeldOut;

use super::matching::{Matched, matched};
use super::{data, files};

/// The options of `lasso predict`.
#[derive(Debug, Args)]
#[command(mut_arg("data", |arg| arg.help(format!("The data, with a response or without: {}", data::known()))))]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The folder of a fitted model, as --out wrote it.
    model: PathBuf,
    /// The data.
    data: String,
    /// The data's format, where it is not recognised.
    #[arg(long, value_name = "NAME")]
    format: Option<String>,
    /// The response, to report the error against: a column's name, its index from 1, or a file. Else one that the
    /// format keeps apart, or a column y, target or label that the model does not use; without one there are only
    /// predictions.
    #[arg(long, value_name = "NAME|INDEX|FILE", allow_hyphen_values = true)]
    y: Option<String>,
    /// Write the predictions to this file, one a line, rather than to stdout. Of a logistic model a line is the class and,
    /// behind a tab, the probability of the larger class.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

const EXAMPLES: &str = "Examples, which work as they stand:
  lasso fit diabetes --out run
  lasso predict run diabetes

Columns are matched by name where the model and the data have names, else by position.";

/// Predicts a value for each row, or its class and the probability of the larger class. Where there is a response, the
/// error against it is said: on stdout if the predictions go to a file, else on stderr.
pub(crate) fn predict(options: &Options) -> Result<ExitStatus, Error> {
    let (model, coefficients) = files::read(&options.model)?;
    let reading = data::options(options.format.as_deref(), options.y.as_deref(), 1)?;
    let mut samples = read_samples(&options.data, &reading).map_err(Error::input)?;
    let Matched { columns, y, left_out } = matched(&model, &mut samples, &options.data)?;
    let place = |&(column, value): &(u32, f64)| Some((columns[column as usize]?, value));
    let coefficients: Vec<(u32, f64)> = coefficients.iter().filter_map(place).collect();
    let predictions = raddle_lasso::predict(&samples.x, &coefficients, model.intercept);
    if !left_out.is_empty() {
        note(&format!("left out, as the model does not use them: {}", left_out.join(", ")));
    }
    let measured = y.map(|y| match model.classes {
        None => measures(&predictions, &y),
        Some(classes) => misses(&predictions, &y, classes),
    });
    let lines: Vec<String> = match model.classes {
        None => predictions.iter().map(f64::to_string).collect(),
        Some(classes) => predictions
            .iter()
            .map(|score| format!("{}\t{}", class(classes, *score), probability(*score)))
            .collect(),
    };
    let Some(file) = &options.out else {
        say(&lines.join("\n"))?;
        if let Some(measured) = measured {
            note(&measured);
        }
        return Ok(ExitStatus::Done);
    };
    write_atomic(file, |out| lines.iter().try_for_each(|line| writeln!(out, "{line}")))?;
    let number = count(predictions.len() as u64, "prediction");
    say(&measured.map_or(number.clone(), |measured| format!("{number}, {measured}")))?;
    Ok(ExitStatus::Done)
}

/// Root mean squared error, and R2, the part of the response's variance that is explained.
fn measures(predictions: &[f64], y: &[f64]) -> String {
    let rows = y.len() as f64;
    let mean = y.iter().sum::<f64>() / rows;
    let error: f64 = predictions.iter().zip(y).map(|(p, y)| (p - y) * (p - y)).sum();
    let total: f64 = y.iter().map(|y| (y - mean) * (y - mean)).sum();
    let explained = match total > 0.0 {
        true => format!("R2 {:.4}", 1.0 - error / total),
        false => "R2 undefined as the response does not vary".into(),
    };
    format!("root mean squared error {:.6}, {explained}", (error / rows).sqrt())
}

/// How often the class is right, and the mean logistic loss of the rows that have one of the two classes.
fn misses(scores: &[f64], y: &[f64], classes: [f64; 2]) -> String {
    let right = scores.iter().zip(y).filter(|&(score, y)| class(classes, *score) == *y).count();
    let known = scores.iter().zip(y).filter(|(_, y)| classes.contains(y));
    let sign = |y: f64| if y == classes[1] { 1.0 } else { -1.0 };
    let losses: Vec<f64> = known.map(|(score, y)| HeldOut::LogisticLoss.of(sign(*y), *score)).collect();
    let loss = match losses.is_empty() {
        true => "mean logistic loss undefined as no row has a class of the model".into(),
        false => format!("mean logistic loss {:.6}", losses.iter().sum::<f64>() / losses.len() as f64),
    };
    format!("accuracy {:.4}, {loss}", right as f64 / scores.len() as f64)
}

fn class(classes: [f64; 2], score: f64) -> f64 {
    classes[usize::from(score > 0.0)]
}

/// Of the larger class: 1 / (1 + exp(-score)), which overflows to its limits.
fn probability(score: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-score))
}

/// Says something on stderr.
fn note(text: &str) {
    // Nobody is left to tell if stderr is closed.
    let _ = writeln!(std::io::stderr(), "{text}");
}
