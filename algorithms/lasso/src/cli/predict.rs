//! `lasso predict`.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use raddle::cli::{Error, ExitStatus, UseOptions, count, number, write_atomic};
use raddle_datasets::{Classes, Options as Reading, Samples, read_samples};
use raddle_lasso::Measure;
use serde_json::{Map, Value, json};

use super::data::TextArgs;
use super::files::{Fitted, Model};
use super::matching::{Matched, matched};
use super::rows::{Offset, beside_offset, numbers};
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
    /// Format of the data. Default: recognised by its content.
    #[arg(long, value_name = "NAME")]
    format: Option<String>,
    /// The response, to report the error against: a column's name, its index from 1, or a file. Else one that the
    /// format keeps apart, or a column y, target or label that the model does not use; without one there are only
    /// predictions.
    #[arg(long, value_name = "NAME|INDEX|FILE", allow_hyphen_values = true)]
    y: Option<String>,
    /// What scores begin with, of a model that was fitted with an offset: a column or a file with one value a row. The model's
    /// own column unless another is named.
    #[arg(long, value_name = "NAME|FILE")]
    offset: Option<String>,
    /// Of a path: the point to predict with, from 1; path.tsv in its folder lists them.
    #[arg(long, value_name = "K")]
    point: Option<u64>,
    /// Write the predictions to this file, one a line, rather than to stdout. Of a logistic model a line is the class and,
    /// behind a tab, the probability of the larger class (of texts, of the last in order); of a Poisson model it is the mean.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    text: TextArgs,
    #[command(flatten)]
    use_options: UseOptions,
}

const EXAMPLES: &str = "Examples, which work as they stand:
  lasso fit diabetes --out run
  lasso predict run diabetes
  lasso path diabetes --points 20 --out path
  lasso predict path diabetes --point 12

Columns are matched by name where the model and the data have names, else by position. What was encoded or filled when
the model was fitted is encoded and filled alike. Other columns may hold anything: they are left out, and so are libsvm
indices beyond the model's last; both are said.";

/// Predicts a value for each row, or its class and the probability of the larger class. Where there is a response, the
/// error against it is said: on stdout if the predictions go to a file, else on stderr.
pub(crate) fn predict(options: &Options) -> Result<ExitStatus, Error> {
    let Fitted { about, coefficients, .. } = files::read(&options.model, options.point)?;
    let reading = options.text.options(options.format.as_deref(), options.y.as_deref(), 1)?;
    let reading = Reading {
        zero_based: reading.zero_based || about.zero_based,
        repeat: about.repeated(),
        width: u32::try_from(about.columns).ok(),
        classes: about.class_names.clone().map_or(Classes::Refused, Classes::Known),
        beside: offset(options, &about)?.as_deref().map(beside_offset).into_iter().collect(),
        ..reading
    };
    let mut samples = read_samples(&options.data, &reading).map_err(Error::input)?;
    let Matched { columns, y, mut left_out } = matched(&about, &mut samples, &options.data)?;
    left_out.append(&mut samples.left_out);
    let place = |&(column, value): &(u32, f64)| Some((columns.place(column)?, value));
    let coefficients: Vec<(u32, f64)> = coefficients.iter().filter_map(place).collect();
    let mut predictions = raddle_lasso::predict(&samples.x, &coefficients, about.intercept);
    for offset in std::mem::take(&mut samples.beside) {
        let offset = numbers(offset, "--offset", &options.data)?;
        predictions.iter_mut().zip(offset).for_each(|(score, offset)| *score += offset);
    }
    note_what_is_left_out(options, &samples, &about, &left_out);
    let values = |y: Vec<f64>| about.loss().measures(&y, &predictions, about.classes);
    let measured = y.map(|y| Measured { values: values(y) });
    tell(options, &about, &predictions, measured)
}

/// Where offsets are: a model that was fitted with one needs it, others have none.
fn offset(options: &Options, about: &Model) -> Result<Option<String>, Error> {
    match (&about.offset, &options.offset) {
        (None, None) => Ok(None),
        (None, Some(_)) => {
            let why = "--offset has no effect: the model was fitted without an offset; leave it out";
            Err(Error::usage(why))
        }
        (Some(_), Some(given)) => Ok(Some(given.clone())),
        (Some(Offset::Column(name)), None) => Ok(Some(name.clone())),
        (Some(Offset::File(name)), None) => {
            let why = format!(
                "the model was fitted with an offset from the file {name}: give that of these data by --offset NAME|FILE"
            );
            Err(Error::usage(why))
        }
    }
}

fn note_what_is_left_out(options: &Options, samples: &Samples, about: &Model, left_out: &[String]) {
    samples.notes.iter().for_each(|note| options.use_options.note(note));
    if !left_out.is_empty() {
        options
            .use_options
            .note(&format!("left out, as the model does not use them: {}", left_out.join(", ")));
    }
    if samples.beyond > 0 {
        let (values, columns) = (count(samples.beyond, "value"), about.columns);
        let note = format!("left out: {values} at indices above {columns}, the model's columns");
        options.use_options.note(&note);
    }
}

/// What was measured against the response: names and values, and what cannot be said.
struct Measured {
    values: Vec<Measure>,
}

impl Measured {
    fn text(&self) -> String {
        let part = |(name, value): &Measure| match value {
            Ok(value) => format!("{name} {}", number(*value)),
            Err(why) => format!("{name} undefined {why}"),
        };
        self.values.iter().map(part).collect::<Vec<_>>().join(", ")
    }

    /// By names in small letters with underscores; what is undefined is null.
    fn json(&self) -> Map<String, Value> {
        let entry = |(name, value): &Measure| {
            (name.to_lowercase().replace(' ', "_"), value.ok().map_or(Value::Null, Value::from))
        };
        self.values.iter().map(entry).collect()
    }
}

fn tell(
    options: &Options,
    about: &Model,
    predictions: &[f64],
    measured: Option<Measured>,
) -> Result<ExitStatus, Error> {
    let Options { out, use_options, .. } = options;
    let mean = |score: f64| about.loss().mean(score);
    let line = |score: &f64| match about.classes {
        None => mean(*score).to_string(),
        Some(classes) => match about.class(class(classes, *score)) {
            Value::String(name) => format!("{name}\t{}", mean(*score)),
            _ => format!("{}\t{}", class(classes, *score), mean(*score)),
        },
    };
    let mut value = Map::from_iter([("rows".to_owned(), json!(predictions.len()))]);
    value.extend(measured.as_ref().map(Measured::json).unwrap_or_default());
    if let Some(file) = out {
        write_atomic(file, |out| predictions.iter().try_for_each(|score| writeln!(out, "{}", line(score))))?;
        let number = count(predictions.len() as u64, "prediction");
        let text = measured.map_or(number.clone(), |measured| format!("{number}, {}", measured.text()));
        use_options.say(&text, &value)?;
        return Ok(ExitStatus::Done);
    }
    let of = |f: &dyn Fn(f64) -> f64| predictions.iter().map(|score| f(*score)).collect::<Vec<f64>>();
    match about.classes {
        None => value.insert("predictions".into(), json!(of(&mean))),
        Some(classes) => {
            let said: Vec<Value> =
                predictions.iter().map(|score| about.class(class(classes, *score))).collect();
            value.insert("classes".into(), said.into());
            value.insert("probabilities".into(), json!(of(&mean)))
        }
    };
    use_options.say(&predictions.iter().map(line).collect::<Vec<_>>().join("\n"), &value)?;
    if let Some(measured) = measured {
        use_options.note(&measured.text());
    }
    Ok(ExitStatus::Done)
}

fn class(classes: [f64; 2], score: f64) -> f64 {
    classes[usize::from(score > 0.0)]
}
