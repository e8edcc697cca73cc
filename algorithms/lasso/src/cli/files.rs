//! The files of a model: `coef.tsv` and `model.json`.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use raddle::cli::{Error, ModelDigest, Session};
use raddle_lasso::{Fit, Loss, Point, Problem};
use serde::{Deserialize, Serialize};

/// `model.json`: what prediction needs beside the coefficients, and how the model came about.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Model {
    pub(crate) columns: usize,
    /// `squared` or `logistic`.
    #[serde(default = "squared")]
    pub(crate) loss: String,
    /// The share of the l1 norm in the penalty.
    #[serde(default = "lasso")]
    pub(crate) l1_ratio: f64,
    /// For the logistic loss, the response's two values: scores above 0 speak for the second.
    #[serde(default)]
    pub(crate) classes: Option<[f64; 2]>,
    pub(crate) lambda: f64,
    pub(crate) lambda_max: f64,
    pub(crate) intercept: f64,
    /// How the run ended, and the relative duality gap it had come to: a model may be written before it is certified.
    pub(crate) ending: String,
    pub(crate) gap: f64,
    pub(crate) certified: bool,
    pub(crate) feature_names: Option<Vec<String>>,
}

fn squared() -> String {
    Loss::Squared.name().into()
}

fn lasso() -> f64 {
    1.0
}

impl Model {
    pub(crate) fn new(fit: &Fit, problem: &Problem, feature_names: Option<Vec<String>>) -> Self {
        Self {
            columns: problem.columns(),
            loss: fit.loss.name().into(),
            l1_ratio: fit.l1_ratio,
            classes: fit.classes,
            lambda: fit.lambda,
            lambda_max: fit.lambda_max,
            intercept: fit.intercept,
            ending: fit.report.ending.name().into(),
            gap: fit.report.metric.value,
            certified: fit.report.metric.is_reached(),
            feature_names,
        }
    }

    /// A column's name, or its number from 1.
    pub(crate) fn name(&self, column: u32) -> String {
        let name = self.feature_names.as_ref().and_then(|names| names.get(column as usize));
        name.cloned().unwrap_or_else(|| format!("column {}", column + 1))
    }
}

/// Writes the model into the run's folder.
pub(crate) fn write(session: &mut Session, fit: &Fit, model: &Model) -> Result<(), Error> {
    session.write("coef.tsv", |out| {
        fit.coefficients.iter().try_for_each(|(column, value)| writeln!(out, "{} {value:.16e}", column + 1))
    })?;
    session.write("model.json", |out| Ok(serde_json::to_writer_pretty(out, model)?))
}

/// Writes a path into the run's folder: `k j value` lines, k the point from 1.
pub(crate) fn write_path(session: &mut Session, fit: &Fit, model: &Model) -> Result<(), Error> {
    session.write("coef.tsv", |out| {
        for (number, point) in (1..).zip(&fit.points) {
            for (column, value) in &point.coefficients {
                writeln!(out, "{number} {} {value:.16e}", column + 1)?;
            }
        }
        Ok(())
    })?;
    session.write("path.tsv", |out| {
        writeln!(out, "point\tlambda\tintercept\tgap\tnonzeros")?;
        (1..).zip(&fit.points).try_for_each(
            |(number, Point { lambda, gap, intercept, coefficients }): (usize, _)| {
                writeln!(out, "{number}\t{lambda:.16e}\t{intercept:.16e}\t{gap:e}\t{}", coefficients.len())
            },
        )
    })?;
    session.write("model.json", |out| Ok(serde_json::to_writer_pretty(out, model)?))
}

/// SHA-256 over the points in order: each as [`digest`] has it.
pub(crate) fn digest_path(fit: &Fit) -> String {
    let digest = fit.points.iter().fold(ModelDigest::default(), |digest, point| {
        add(digest, &point.coefficients).f64s(&[point.intercept, point.lambda])
    });
    digest.finish()
}

/// SHA-256 over the columns (u32, from 1), the coefficients (f64), the intercept and lambda (f64), all little-endian.
pub(crate) fn digest(fit: &Fit) -> String {
    digest_coefficients(&fit.coefficients).f64s(&[fit.intercept, fit.lambda]).finish()
}

/// Of the columns (u32, from 1) and the coefficients (f64) alone.
pub(crate) fn digest_coefficients(coefficients: &[(u32, f64)]) -> ModelDigest {
    add(ModelDigest::default(), coefficients)
}

fn add(digest: ModelDigest, coefficients: &[(u32, f64)]) -> ModelDigest {
    let columns: Vec<u32> = coefficients.iter().map(|(column, _)| column + 1).collect();
    let values: Vec<f64> = coefficients.iter().map(|(_, value)| *value).collect();
    digest.u32s(&columns).f64s(&values)
}

/// Reads a model: coefficients as (column from 0, value).
pub(crate) fn read(folder: &Path) -> Result<(Model, Vec<(u32, f64)>), Error> {
    let (about, coefficients) = (folder.join("model.json"), folder.join("coef.tsv"));
    let text = fs::read_to_string(&about).map_err(|why| {
        Error::input(format!("{}: {why}; give the folder that --out wrote", about.display()))
    })?;
    let model: Model =
        serde_json::from_str(&text).map_err(|why| Error::input(format!("{}: {why}", about.display())))?;
    let text = fs::read_to_string(&coefficients)
        .map_err(|why| Error::input(format!("{}: {why}", coefficients.display())))?;
    let parse = |(number, line): (usize, &str)| {
        let mut fields = line.split_whitespace();
        let column: Option<u32> = fields.next().and_then(|field| field.parse().ok());
        let value: Option<f64> = fields.next().and_then(|field| field.parse().ok());
        match (column, value, fields.next()) {
            (Some(column), Some(value), None) if column >= 1 && column as usize <= model.columns => {
                Ok((column - 1, value))
            }
            _ => Err(Error::input(format!(
                "{}, line {}: expected `column value` with a column from 1 to {}",
                coefficients.display(),
                number + 1,
                model.columns
            ))),
        }
    };
    let values = text.lines().enumerate().map(parse).collect::<Result<_, _>>()?;
    Ok((model, values))
}
