//! The files of a model: `coef.tsv`, `dual.npy`, `model.json`, and of a path `path.tsv` in place of the dual point.

use std::io::Write as _;
use std::path::Path;

use raddle::cli::{Error, ModelFolder, Session};
use raddle_datasets::{Encoding, npy};
use raddle_lasso::{Fit, Loss, Point, Problem};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::coefficients::{self, Coefficients};
use super::problem::Features;
use super::rows::Offset;

const PROGRAM: &str = "lasso";

/// The program's own part of `model.json`: what prediction needs beside the coefficients, and how the model came about.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Model {
    pub(crate) columns: usize,
    /// Of a path, how many points there are; its lambda and intercept are those of the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) points: Option<u64>,
    /// The loss by its name.
    #[serde(default = "squared")]
    pub(crate) loss: String,
    /// The share of the l1 norm in the penalty.
    #[serde(default = "lasso")]
    pub(crate) l1_ratio: f64,
    /// For a loss of two classes, the response's two values: scores above 0 speak for the second.
    #[serde(default)]
    pub(crate) classes: Option<[f64; 2]>,
    /// The texts of classes that are their numbers, sorted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) class_names: Option<Vec<String>>,
    pub(crate) lambda: f64,
    pub(crate) lambda_max: f64,
    pub(crate) intercept: f64,
    /// How the run ended, and the relative duality gap of what is written, of a path the largest: a model may be written
    /// before it is certified, a path before it is whole.
    pub(crate) ending: String,
    pub(crate) gap: f64,
    pub(crate) certified: bool,
    /// Whether the columns' numbers in libsvm text counted from 0.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) zero_based: bool,
    /// Where offsets are, which predictions need: their scores begin there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) offset: Option<Offset>,
    pub(crate) feature_names: Option<Vec<String>>,
    /// How columns became features, for prediction to repeat; none where they are numbers as they stand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) encoding: Option<Encoding>,
}

fn squared() -> String {
    Loss::Squared.name().into()
}

fn lasso() -> f64 {
    1.0
}

/// A model that was read, of one lambda.
#[derive(Debug)]
pub(crate) struct Fitted {
    pub(crate) about: Model,
    pub(crate) coefficients: Coefficients,
    /// The same exactly when two folders hold the same model.
    pub(crate) digest: String,
}

impl Model {
    pub(crate) fn new(fit: &Fit, problem: &Problem, features: &Features) -> Self {
        Self {
            columns: problem.columns(),
            points: None,
            loss: fit.loss.name().into(),
            l1_ratio: fit.l1_ratio,
            classes: fit.classes,
            class_names: features.classes.clone(),
            lambda: fit.lambda,
            lambda_max: fit.lambda_max,
            intercept: fit.intercept,
            ending: fit.report.ending.name().into(),
            gap: fit.report.metric.value,
            certified: fit.report.metric.is_reached(),
            zero_based: features.zero_based,
            offset: features.offset.clone(),
            feature_names: features.names.clone(),
            encoding: features.encoding.clone(),
        }
    }

    /// The loss, which a check has found known.
    pub(crate) fn loss(&self) -> Loss {
        Loss::named(&self.loss).unwrap_or_default()
    }

    /// A class of those two as predictions show it.
    pub(crate) fn class(&self, class: f64) -> Value {
        match &self.class_names {
            // A tab or a line end in a name would shift what stands behind it.
            Some(names) => {
                names[usize::from(class > 0.0)].replace(|letter: char| letter.is_control(), " ").into()
            }
            None => class.into(),
        }
    }

    /// A column's name, or its number from 1.
    pub(crate) fn name(&self, column: u32) -> String {
        let name = self.feature_names.as_ref().and_then(|names| names.get(column as usize));
        let name = name.filter(|name| !name.is_empty());
        name.cloned().unwrap_or_else(|| format!("column {}", column + 1))
    }

    /// How data to predict from are read: as the model's were.
    pub(crate) fn repeated(&self) -> Option<Encoding> {
        self.encoding.clone().or_else(|| self.feature_names.as_deref().map(Encoding::of_numbers))
    }

    /// Whether the numbers fit each other.
    fn check(&self) -> Result<(), String> {
        let names = self.feature_names.as_ref().map(Vec::len);
        if names.is_some_and(|names| names != self.columns) {
            return Err(format!("{} columns, but {} names of them", self.columns, names.unwrap_or(0)));
        }
        if !self.intercept.is_finite() {
            return Err("the intercept is no finite number".into());
        }
        match (Loss::named(&self.loss).map(Loss::has_classes), self.classes) {
            (Some(false), None) => Ok(()),
            (Some(true), Some([a, b])) if a < b => Ok(()),
            _ => Err(format!("the loss `{}` with these classes is unknown", self.loss)),
        }?;
        let names = self.class_names.as_ref().map(Vec::len);
        match names.zip(self.classes) {
            Some((2, [0.0, 1.0])) => Ok(()),
            None if names.is_none() => Ok(()),
            _ => Err("the names of the classes are not theirs".into()),
        }
    }
}

/// Writes the model into the run's folder.
pub(crate) fn write(session: &mut Session, fit: &Fit, model: &Model) -> Result<(), Error> {
    session.write("coef.tsv", |out| {
        coefficients::write(out, &fit.coefficients, model.feature_names.as_deref())
    })?;
    session.write("dual.npy", |out| {
        npy::header(out, "<f8", &[fit.dual.len()])?;
        npy::f64s(out, &fit.dual)
    })?;
    session.write("model.json", |out| Ok(serde_json::to_writer_pretty(out, model)?))
}

/// Writes a path into the run's folder.
pub(crate) fn write_path(session: &mut Session, fit: &Fit, model: &Model) -> Result<(), Error> {
    session.write("coef.tsv", |out| {
        let points = fit.points.iter().map(|point| &point.coefficients);
        coefficients::write_path(out, points, model.feature_names.as_deref())
    })?;
    session.write("path.tsv", |out| {
        writeln!(out, "point\tlambda\tintercept\tgap\tnonzeros\tdual_scale")?;
        (1..).zip(&fit.points).try_for_each(
            |(number, Point { lambda, gap, intercept, dual_scale, coefficients }): (usize, _)| {
                let nonzeros = coefficients.len();
                writeln!(
                    out,
                    "{number}\t{lambda:.16e}\t{intercept:.16e}\t{gap:e}\t{nonzeros}\t{dual_scale:.16e}"
                )
            },
        )
    })?;
    let mut model = Model { points: Some(fit.points.len() as u64), ..model.clone() };
    // Of what is written: a path that was ended early was at work on another lambda.
    if let Some(last) = fit.points.last() {
        (model.lambda, model.intercept) = (last.lambda, last.intercept);
        model.gap = fit.points.iter().map(|point| point.gap).fold(0.0, f64::max);
    }
    session.write("model.json", |out| Ok(serde_json::to_writer_pretty(out, &model)?))
}

/// Reads what a run starts from: the model, of a path its last point.
pub(crate) fn read_start(folder: &Path) -> Result<Fitted, Error> {
    let opened = ModelFolder::open(folder, PROGRAM)?;
    let about: Model = about(&opened, folder)?;
    let point = about.points;
    read_point(&opened, folder, about, point)
}

/// Reads the model that `predict` uses: of a path, the point that is given.
pub(crate) fn read(folder: &Path, point: Option<u64>) -> Result<Fitted, Error> {
    let opened = ModelFolder::open(folder, PROGRAM)?;
    let about: Model = about(&opened, folder)?;
    let refuse = |why: String| Err(Error::usage(why));
    let shown = folder.display();
    match (about.points, point) {
        (None, Some(_)) => refuse(format!("--point has no effect: {shown} is not a path; leave it out")),
        (Some(0), _) => refuse(format!("{shown}: a path without a certified point; fit it again")),
        (Some(points), None) => refuse(format!(
            "{shown}: a path of {points} points: choose one by --point 1 to {points}; path.tsv there lists them"
        )),
        (Some(points), Some(point)) if point == 0 || point > points => {
            refuse(format!("--point is {point}: {shown} has the points 1 to {points}"))
        }
        _ => read_point(&opened, folder, about, point),
    }
}

fn about(opened: &ModelFolder, folder: &Path) -> Result<Model, Error> {
    let about: Model = opened.about()?;
    let refuse = |why| Error::input(format!("{}: {why}", folder.join("model.json").display()));
    about.check().map_err(refuse)?;
    Ok(about)
}

fn read_point(
    opened: &ModelFolder,
    folder: &Path,
    mut about: Model,
    point: Option<u64>,
) -> Result<Fitted, Error> {
    let refuse = |name: &str, why: &str| Error::input(format!("{}, {why}", folder.join(name).display()));
    let text = |name: &str| String::from_utf8(opened.read(name)?).map_err(|_| refuse(name, "it is no text"));
    let coefficients = coefficients::parse(&text("coef.tsv")?, about.columns, point);
    let coefficients = coefficients.map_err(|why| refuse("coef.tsv", &why))?;
    if let Some(point) = point {
        let why = format!("line {}: expected lambda and intercept of point {point}", point + 1);
        (about.lambda, about.intercept) =
            place(&text("path.tsv")?, point).ok_or_else(|| refuse("path.tsv", &why))?;
    }
    Ok(Fitted { about, coefficients, digest: opened.digest().to_owned() })
}

/// lambda and intercept of a point in `path.tsv`.
fn place(lines: &str, point: u64) -> Option<(f64, f64)> {
    let line = lines.lines().nth(usize::try_from(point).ok()?)?;
    let mut fields = line.split('\t');
    let number: u64 = fields.next()?.parse().ok()?;
    let (lambda, intercept): (f64, f64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    (number == point && lambda.is_finite() && intercept.is_finite()).then_some((lambda, intercept))
}
