//! `linear predict`.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use raddle::cli::{Error, ExitStatus, UseOptions, count, number, write_atomic};
use raddle_common::tables::{TextArgs, known};
use raddle_datasets::{Classes, Encoding, Options as Reading, Samples, read_samples};
use raddle_linear::files::{About, Saved};
use raddle_linear::{Fit, Loss};
use serde_json::{Map, Value, json};

/// The options of `linear predict`.
#[derive(Debug, Args)]
#[command(mut_arg("data", |arg| arg.help(format!("The data, with a response or without: {}", known()))))]
pub(crate) struct Options {
    /// The folder of a fitted model, as --out wrote it.
    model: PathBuf,
    /// The data.
    data: String,
    /// Format of the data. Default: recognised by its content.
    #[arg(long, value_name = "NAME")]
    format: Option<String>,
    /// The response, to report the accuracy against: a column's name, its index from 1, or a file.
    #[arg(short, long, value_name = "NAME|INDEX|FILE", allow_hyphen_values = true)]
    y: Option<String>,
    /// Write the predictions to this file, one a line, rather than to stdout: the class and, behind a tab, the margin,
    /// or of a logistic model the probability of the larger class (of texts, of the last in order).
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    text: TextArgs,
    #[command(flatten)]
    use_options: UseOptions,
}

/// Predicts the class of each row, and its margin or probability.
pub(crate) fn predict(options: &Options) -> Result<ExitStatus, Error> {
    let Saved { about, coefficients, .. } = Saved::open(&options.model)?;
    let reading = options.text.options(options.format.as_deref(), options.y.as_deref(), 1)?;
    let of_names = || about.feature_names.as_deref().map(Encoding::of_numbers);
    let reading = Reading {
        zero_based: reading.zero_based || about.zero_based,
        repeat: about.encoding.clone().or_else(of_names),
        width: u32::try_from(about.columns).ok(),
        classes: about.class_names.clone().map_or(Classes::Refused, Classes::Known),
        ..reading
    };
    let samples = read_samples(&options.data, &reading).map_err(Error::input)?;
    check(&about, &samples, &options.data)?;
    let place = |(column, value): (u32, f64)| match &samples.occurring {
        Some(some) => Some((some.place(column)?, value)),
        None => ((column as usize) < samples.x.cols()).then_some((column, value)),
    };
    let score = |(of, intercept): (Vec<(u32, f64)>, &f64)| {
        let of: Vec<(u32, f64)> = of.into_iter().filter_map(place).collect();
        raddle_lasso::predict(&samples.x, &of, *intercept)
    };
    let scores: Vec<Vec<f64>> = coefficients.into_iter().zip(&about.intercepts).map(score).collect();
    let scores: Vec<Vec<f64>> =
        (0..samples.x.rows()).map(|row| scores.iter().map(|of| of[row]).collect()).collect();
    samples.notes.iter().for_each(|note| options.use_options.note(note));
    if samples.beyond > 0 {
        let values = count(samples.beyond, "value");
        options.use_options.note(&format!("left out: {values} at indices above {}", about.columns));
    }
    if !samples.left_out.is_empty() {
        let names = samples.left_out.join(", ");
        options.use_options.note(&format!("left out, as the model does not use them: {names}"));
    }
    let accuracy = samples.y.as_deref().and_then(|y| accuracy(&about, y, &scores));
    tell(options, &about, &scores, accuracy)
}

/// Refuses columns that are not the model's; text stops before its last columns where these are zeros.
fn check(about: &About, samples: &Samples, data: &str) -> Result<(), Error> {
    let width = samples.width();
    let has_other_names = match (&about.feature_names, &samples.feature_names) {
        (Some(model), Some(data)) => model != data,
        _ => false,
    };
    if width == about.columns && !has_other_names || samples.is_open_ended && width < about.columns {
        return Ok(());
    }
    Err(Error::input(format!(
        "{data}: it has {}, which are not those of the model, which has {}: give data with the model's columns",
        count(width as u64, "column"),
        about.columns
    )))
}

/// Share of the rows with a response and a score whose class is right; none unless the response is of the model's classes.
fn accuracy(about: &About, y: &[f64], scores: &[Vec<f64>]) -> Option<f64> {
    let both = || y.iter().zip(scores).filter(|(y, scores)| !y.is_nan() && !is_missing(scores));
    let counted = both().count();
    if counted == 0 || !both().all(|(y, _)| about.classes.contains(y)) {
        return None;
    }
    let right = both().filter(|(y, scores)| **y == about.classes[Fit::class(scores)]).count();
    Some(right as f64 / counted as f64)
}

fn is_missing(scores: &[f64]) -> bool {
    scores.iter().any(|score| score.is_nan())
}

/// A row as it is written: its class, and its margins or probabilities; `nan` where a value is missing that the model
/// needs.
fn line(about: &About, scores: &[f64]) -> String {
    let class = if is_missing(scores) { "nan".into() } else { about.class_name(Fit::class(scores)) };
    shown(about, scores).iter().fold(class, |line, score| format!("{line}\t{score}"))
}

/// Margins; of the logistic loss the probability of the larger class, or that of each class among them.
fn shown(about: &About, scores: &[f64]) -> Vec<f64> {
    if about.loss() != Loss::Logistic {
        return scores.to_vec();
    }
    let each: Vec<f64> = scores.iter().map(|score| Loss::probability(*score)).collect();
    let sum = if each.len() == 1 { 1.0 } else { each.iter().sum() };
    each.into_iter().map(|of| of / sum).collect()
}

fn tell(
    options: &Options,
    about: &About,
    scores: &[Vec<f64>],
    accuracy: Option<f64>,
) -> Result<ExitStatus, Error> {
    let Options { out, use_options, .. } = options;
    let mut value: Map<String, Value> = Map::new();
    value.insert("rows".into(), json!(scores.len()));
    value.insert("accuracy".into(), json!(accuracy));
    let said = accuracy.map(|accuracy| format!("accuracy {}", number(accuracy)));
    if let Some(file) = out {
        write_atomic(file, |out| {
            scores.iter().try_for_each(|scores| writeln!(out, "{}", line(about, scores)))
        })?;
        let text = count(scores.len() as u64, "prediction");
        let text = said.map_or(text.clone(), |said| format!("{text}, {said}"));
        use_options.say(&text, &value)?;
        return Ok(ExitStatus::Done);
    }
    let class = |scores: &Vec<f64>| (!is_missing(scores)).then(|| about.class_name(Fit::class(scores)));
    value.insert("classes".into(), json!(scores.iter().map(class).collect::<Vec<_>>()));
    let kind = if about.loss() == Loss::Logistic { "probabilities" } else { "margins" };
    let number_or_all = |scores: &Vec<f64>| match &shown(about, scores)[..] {
        [one] => json!(one),
        all => json!(all),
    };
    value.insert(kind.into(), json!(scores.iter().map(number_or_all).collect::<Vec<_>>()));
    let lines: Vec<String> = scores.iter().map(|scores| line(about, scores)).collect();
    use_options.say(&lines.join("\n"), &value)?;
    said.iter().for_each(|said| use_options.note(said));
    Ok(ExitStatus::Done)
}
