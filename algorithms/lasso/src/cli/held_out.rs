//! `lasso fit --test`: rows that are held out of a fit, and the share of their deviance that it explains.

use std::path::Path;
use std::str::FromStr;

use raddle_cli::{Error, Report, Table as Listing, count, number};
use raddle_datasets::{Classes, ColumnOptions, HeldOut, Options as Reading};
use raddle_lasso::files::{About, ModelFacts as _};
use raddle_lasso::{Fit, Loss, Measure, Problem};
use raddle_tabular::cli::{DEFAULT, ModelSamples, field, said_of_rows};
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::problem::Ready;

/// Value of `--test`: rows to measure a fit on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TestRows {
    /// A share of the data's rows, which the fit does not see.
    Share(f64),
    /// Other data, by file or name.
    Data(String),
}

impl FromStr for TestRows {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse::<f64>() {
            Ok(share) if share > 0.0 && share < 1.0 => Ok(Self::Share(share)),
            Ok(_) => Err("give a share above 0 and below 1, such as 0.2, or a file".into()),
            Err(_) if text.is_empty() => Err("give a share, such as 0.2, or a file".into()),
            Err(_) => Ok(Self::Data(text.to_owned())),
        }
    }
}

impl Serialize for TestRows {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Share(share) => serializer.serialize_f64(*share),
            Self::Data(data) => serializer.serialize_str(data),
        }
    }
}

impl TestRows {
    /// Returns the rows to leave out when the data are read.
    pub(crate) fn held_out(&self, seed: u64) -> Option<HeldOut> {
        match self {
            Self::Share(share) => Some(HeldOut { share: *share, seed }),
            Self::Data(_) => None,
        }
    }

    /// Checks the options before anything is read; `of_rows` lists options that may name a file with a value
    /// for each row of the data.
    pub(crate) fn check(&self, data: Option<&str>, of_rows: &[(&str, Option<&str>)]) -> Result<(), Error> {
        let shown = self.shown();
        match self {
            Self::Share(_) if data == Some("-") => Err(Error::usage(format!(
                "{shown}: the data are read twice, which standard input cannot be: give a file"
            ))),
            Self::Data(test) if test == "-" && data == Some("-") => {
                Err(Error::usage(format!("{shown}: standard input is the data already: give a file")))
            }
            Self::Share(_) => Ok(()),
            Self::Data(_) => {
                let is_file =
                    |(_, name): &&(&str, Option<&str>)| name.is_some_and(|name| Path::new(name).is_file());
                let Some((option, Some(file))) = of_rows.iter().find(is_file) else { return Ok(()) };
                Err(Error::usage(format!(
                    "{shown}: {option} {file} is a file of the data's rows, in which test rows have no \
                     values: name a column that both have, or hold out a share"
                )))
            }
        }
    }

    /// The option as messages show it.
    fn shown(&self) -> String {
        match self {
            Self::Share(share) => format!("--test {share}"),
            Self::Data(data) => format!("--test {data}"),
        }
    }

    /// The name of the rows in the table of a measure.
    fn named(&self) -> String {
        match self {
            Self::Share(share) => format!("held out: {} of the rows", number(*share)),
            Self::Data(data) => data.clone(),
        }
    }
}

/// Rows to measure a fit on, as its model sees them.
pub(crate) struct TestSet {
    rows: TestRows,
    samples: ModelSamples,
    y: Vec<f64>,
    loss: Loss,
}

impl TestSet {
    /// Reads the rows held out of `data`, or the rows of other data, with these features; `reading` is how
    /// `data` were read.
    pub(crate) fn read(
        rows: &TestRows,
        data: Option<&str>,
        reading: Reading,
        Ready { problem, features, .. }: &Ready,
        loss: Loss,
    ) -> Result<Self, Error> {
        let width = features.layout(problem.columns(), 0).columns;
        let held_out = reading.held_out;
        let reading = Reading {
            repeat: features.repeated(),
            width: u32::try_from(width).ok(),
            classes: features.classes.clone().map_or(Classes::Refused, Classes::Known),
            columns: ColumnOptions::default(),
            format: reading.format.filter(|_| matches!(rows, TestRows::Share(_))),
            cache: None,
            held_out: None,
            ..reading
        };
        let source = match rows {
            TestRows::Share(_) => data.unwrap_or(DEFAULT),
            TestRows::Data(test) => test,
        };
        let refuse = |why: String| Error::input(format!("{source}: {}: {why}", rows.shown()));
        let names = features.names.as_deref();
        let samples = ModelSamples::read(source, &reading, width, names)
            .map_err(|why| Error::input(format!("{}: {why}", rows.shown())))?;
        let mut samples = match held_out {
            Some(held_out) => {
                let is_out = held_out.rows(samples.read.x.rows()).map_err(refuse)?;
                samples.only(&(0..is_out.len()).filter(|&row| is_out[row]).collect::<Vec<usize>>())
            }
            None => samples,
        };
        let Some(y) = samples.read.y.take() else {
            return Err(match samples.read.notes.join("; ") {
                none if none.is_empty() => refuse("there is no response: name it by --y".into()),
                notes => refuse(format!("there is no response to measure by ({notes}): name it by --y")),
            });
        };
        let test = Self { rows: rows.clone(), samples, y, loss };
        match test.class_of_none(problem) {
            Some(class) => Err(refuse(match rows {
                TestRows::Share(_) => format!(
                    "no row of class {class} is left to fit: give a smaller share, or draw by another --seed"
                ),
                TestRows::Data(_) => format!(
                    "class {class} of the test rows is none of the model's: leave its rows out, or fit some"
                ),
            })),
            None if test.samples.counted(&[]).iter().all(|weight| *weight == 0.0) => {
                Err(refuse("no test row has a response and a weight above 0".into()))
            }
            None => Ok(test),
        }
    }

    /// Notes on how other data were read.
    pub(crate) fn notes(&self) -> impl Iterator<Item = String> {
        let is_other = matches!(self.rows, TestRows::Data(_));
        let notes = self.samples.read.notes.iter().filter(move |_| is_other);
        notes.map(|note| format!("{}: {note}", self.rows.shown()))
    }

    /// Returns a class of the test rows that no row of the fit has, if there is one.
    fn class_of_none(&self, problem: &Problem) -> Option<String> {
        if !self.loss.has_classes() {
            return None;
        }
        let weights = self.samples.counted(&[]);
        let counts = |row: &u32| weights[*row as usize] > 0.0;
        let unknown = self.samples.read.unknown_classes.iter().find(|(_, rows)| rows.iter().any(counts));
        if let Some((class, _)) = unknown {
            return Some(format!("`{class}`"));
        }
        let labels = problem.labels();
        let of_none = |row: &usize| weights[*row] > 0.0 && !labels.contains(&self.y[*row]);
        (0..self.y.len()).find(of_none).map(|row| self.y[row].to_string())
    }

    /// Measures a fit on the rows.
    pub(crate) fn measure(&self, fit: &Fit, model: &About) -> Tested {
        let scores = self.samples.scores(model.by_class(&model.schema().layout().of_data(&fit.coefficients)));
        let lacking = scores.lacking();
        let weights = self.samples.counted(&lacking);
        let measures = fit.loss.measures(&self.y, &scores.all, Some(&weights), fit.classes, &fit.labels);
        Tested {
            measure: measures.into_iter().next_back().unwrap_or(("R2", Err("as there is no row"))),
            counted: weights.iter().filter(|weight| **weight > 0.0).count() as u64,
            notes: said_of_rows(&lacking, &self.samples.read.without_response),
            held_out: matches!(self.rows, TestRows::Share(_))
                .then_some([self.samples.read.without_response.len(), lacking.len()]),
            named: self.rows.named(),
        }
    }
}

/// Measures of a fit on rows that it has not seen.
pub(crate) struct Tested {
    /// The share of the deviance that is explained, or why there is none.
    measure: Measure,
    /// Number of rows that count.
    counted: u64,
    notes: Vec<String>,
    /// Numbers of held-out rows without a response and without a score; `None` for other data.
    held_out: Option<[usize; 2]>,
    named: String,
}

impl Tested {
    /// Adds the measure to the report.
    pub(crate) fn reported(&self, mut report: Report) -> Report {
        if let Some([without, lacking]) = self.held_out {
            report.records.leave_out("missing response", without as u64);
            report.records.leave_out("missing value", lacking as u64);
        }
        let (name, value) = self.measure;
        let value = value.ok().map_or(Value::Null, Value::from);
        report.result(&format!("test_{}", field(name)), value).result("test_rows", self.counted)
    }

    /// The measure on the test rows, as text.
    pub(crate) fn text(&self) -> String {
        let rows = count(self.counted, "test row");
        let (name, value) = self.measure;
        let value = match value {
            Ok(value) => number(value),
            Err(why) => format!("undefined {why}"),
        };
        let notes = self.notes.iter().map(|note| format!("\ntest rows: {note}"));
        format!("{name} {value} on {rows} ({}){}", self.named, notes.collect::<String>())
    }

    /// The measure on the test rows, as a table of the summary.
    pub(crate) fn table(&self) -> Listing {
        let mut table = Listing::new("test", &["measure", "value", "rows", "on"]);
        let (name, value) = self.measure;
        let value = value.ok().map_or(Value::Null, Value::from);
        table.row(vec![name.into(), value, self.counted.into(), self.named.as_str().into()]);
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_a_number_and_all_else_are_data() {
        let parse = str::parse::<TestRows>;
        assert_eq!(parse("0.25"), Ok(TestRows::Share(0.25)));
        for data in ["test.csv", "diabetes", "synth:ar1:n=9,p=5", "-"] {
            assert_eq!(parse(data), Ok(TestRows::Data(data.into())));
        }
        for bad in ["0", "1", "-0.5", "2", "nan", "inf", ""] {
            assert!(parse(bad).unwrap_err().contains("or a file"), "{bad}");
        }
    }
}
