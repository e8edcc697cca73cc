//! `linear predict`.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use raddle::cli::{Error, ExitStatus, UseOptions, count, number, write_atomic};
use raddle_common::tables::{TextArgs, known};
use raddle_datasets::{Classes, Encoding, Options as Reading, Samples, read_samples};
use raddle_linear::Loss;
use raddle_linear::files::{About, Saved};
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
    let Saved { about, coefficients } = Saved::open(&options.model)?;
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
    let coefficients: Vec<(u32, f64)> = coefficients.into_iter().filter_map(place).collect();
    let scores = raddle_lasso::predict(&samples.x, &coefficients, about.intercept);
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
fn accuracy(about: &About, y: &[f64], scores: &[f64]) -> Option<f64> {
    let both = || y.iter().zip(scores).filter(|(y, score)| !y.is_nan() && !score.is_nan());
    let counted = both().count();
    if counted == 0 || !both().all(|(y, _)| about.classes.contains(y)) {
        return None;
    }
    let right = both().filter(|(y, score)| **y == about.classes[usize::from(**score > 0.0)]).count();
    Some(right as f64 / counted as f64)
}

/// A row as it is written: its class and margin or probability, `nan` where a value is missing that the model needs.
fn line(about: &About, score: f64) -> String {
    if score.is_nan() {
        return "nan\tnan".into();
    }
    format!("{}\t{}", about.class_name(score > 0.0), shown(about, score))
}

fn shown(about: &About, score: f64) -> f64 {
    if about.loss() == Loss::Logistic { Loss::probability(score) } else { score }
}

fn tell(
    options: &Options,
    about: &About,
    scores: &[f64],
    accuracy: Option<f64>,
) -> Result<ExitStatus, Error> {
    let Options { out, use_options, .. } = options;
    let mut value: Map<String, Value> = Map::new();
    value.insert("rows".into(), json!(scores.len()));
    value.insert("accuracy".into(), json!(accuracy));
    let said = accuracy.map(|accuracy| format!("accuracy {}", number(accuracy)));
    if let Some(file) = out {
        write_atomic(file, |out| {
            scores.iter().try_for_each(|score| writeln!(out, "{}", line(about, *score)))
        })?;
        let text = count(scores.len() as u64, "prediction");
        let text = said.map_or(text.clone(), |said| format!("{text}, {said}"));
        use_options.say(&text, &value)?;
        return Ok(ExitStatus::Done);
    }
    let class = |score: &f64| (!score.is_nan()).then(|| about.class_name(*score > 0.0));
    value.insert("classes".into(), json!(scores.iter().map(class).collect::<Vec<_>>()));
    let kind = if about.loss() == Loss::Logistic { "probabilities" } else { "margins" };
    value.insert(kind.into(), json!(scores.iter().map(|score| shown(about, *score)).collect::<Vec<_>>()));
    let lines: Vec<String> = scores.iter().map(|score| line(about, *score)).collect();
    use_options.say(&lines.join("\n"), &value)?;
    said.iter().for_each(|said| use_options.note(said));
    Ok(ExitStatus::Done)
}
