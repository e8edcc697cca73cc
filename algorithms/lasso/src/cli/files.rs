//! The files of a model: `coef.tsv`, `dual.npy`, `model.json`, and of a path `path.tsv` in place of the dual point.

use std::io::Write as _;
use std::path::Path;

use raddle::cli::{Error, ModelFolder, Session, VersionOf};
use raddle::files::ModelFiles as _;
use raddle_datasets::{Encoding, Occurring, npy};
use raddle_lasso::{Fit, LassoError, Loss, Point, Problem};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::coefficients::{self, Coefficient, Coefficients, Layout};
use super::features::Features;
use super::rows::Offset;

const PROGRAM: &str = "lasso";

/// The program's own part of `model.json`: what prediction needs beside the coefficients, and how the model came about.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Model {
    /// Of the data, p.
    pub(crate) columns: usize,
    /// Which of them were fitted, where not all; of a model that was read, nothing.
    #[serde(skip)]
    pub(crate) occurring: Option<Occurring>,
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
    /// For classes that have scores of their own, the response's values, ascending, and their intercepts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) labels: Vec<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) intercepts: Vec<f64>,
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
    /// Columns were numbered from 0 in libsvm text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) zero_based: bool,
    /// Where offsets are, which predictions need: their scores begin there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) offset: Option<Offset>,
    pub(crate) feature_names: Option<Vec<String>>,
    /// How columns became features, for prediction to repeat; none where they are numbers as they stand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) encoding: Option<Encoding>,
    /// Of rows that change: which version of them the model is of.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<VersionOf>,
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
    /// Digest of the folder: equal exactly for equal models.
    pub(crate) digest: String,
}

impl Fitted {
    /// Its coefficients as a fit of this many columns numbers them.
    ///
    /// # Errors
    /// If the data have no such column.
    pub(crate) fn start(&self, features: &Features, count: usize) -> Result<Vec<(u32, f64)>, LassoError> {
        let layout = features.layout(count, self.about.labels.len());
        let is_beyond = |column: u32| features.occurring.is_some() && column as usize >= layout.columns;
        match self.coefficients.iter().find(|of| is_beyond(of.column)) {
            Some(of) => Err(LassoError::Start { column: of.column as usize + 1, columns: layout.columns }),
            None => Ok(layout.of_fit(&self.coefficients)),
        }
    }
}

impl Model {
    pub(crate) fn new(fit: &Fit, problem: &Problem, features: &Features) -> Self {
        Self {
            columns: features.occurring.as_ref().map_or(problem.columns(), Occurring::width),
            occurring: features.occurring.clone(),
            points: None,
            loss: fit.loss.name().into(),
            l1_ratio: fit.l1_ratio,
            classes: fit.classes,
            labels: fit.labels.clone(),
            intercepts: fit.intercepts.clone(),
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
            version: None,
        }
    }

    /// Intercept and (column, coefficient) of each class that has a score, or of the only score.
    pub(crate) fn by_class(&self, coefficients: &[Coefficient]) -> Vec<(f64, Vec<(u32, f64)>)> {
        let intercepts = match &self.intercepts[..] {
            [] => &[self.intercept],
            all => all,
        };
        let mut by_class: Vec<_> = intercepts.iter().map(|intercept| (*intercept, Vec::new())).collect();
        for of in coefficients {
            by_class[of.class as usize].1.push((of.column, of.value));
        }
        by_class
    }

    /// How coefficients are numbered.
    pub(crate) fn layout(&self) -> Layout<'_> {
        Layout { columns: self.columns, classes: self.labels.len(), occurring: self.occurring.as_ref() }
    }

    /// The name of a coefficient: that of its column, with its class where each has a score.
    pub(crate) fn coefficient(&self, at: u32) -> String {
        match self.layout().place(at) {
            (_, column) if self.labels.is_empty() => self.name(column),
            (class, column) => format!("{} (class {})", self.name(column), self.class_name(class)),
        }
    }

    /// A class by its number from 0, as text.
    pub(crate) fn class_name(&self, class: usize) -> String {
        match self.class(self.labels.get(class).copied().unwrap_or(f64::NAN)) {
            Value::String(name) => name,
            number => number.as_f64().unwrap_or(f64::NAN).to_string(),
        }
    }

    /// The loss, which a check has found known.
    pub(crate) fn loss(&self) -> Loss {
        Loss::named(&self.loss).unwrap_or_default()
    }

    /// A class as predictions show it.
    pub(crate) fn class(&self, class: f64) -> Value {
        match &self.class_names {
            // A tab or a line end in a name would shift what stands behind it.
            Some(names) => {
                let name = names.get(class as usize).map_or("", String::as_str);
                name.replace(|letter: char| letter.is_control(), " ").into()
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

    /// Check that the numbers fit each other.
    fn check(&self) -> Result<(), String> {
        let names = self.feature_names.as_ref().map(Vec::len);
        if names.is_some_and(|names| names != self.columns) {
            return Err(format!("{} columns, but {} names of them", self.columns, names.unwrap_or(0)));
        }
        if !self.intercept.is_finite() {
            return Err("the intercept is no finite number".into());
        }
        let is_ordered = self.labels.is_sorted_by(|a, b| a < b) && self.labels.len() == self.intercepts.len();
        if !is_ordered || self.intercepts.iter().any(|intercept| !intercept.is_finite()) {
            return Err("there must be classes in ascending order, and an intercept for each".into());
        }
        let known = Loss::named(&self.loss).map(|loss| (loss.has_classes(), loss.scores_each_class()));
        match (known, self.classes, self.labels.len()) {
            (Some((false, _)), None, 0) | (Some((true, true)), None, 2..) => Ok(()),
            (Some((true, false)), Some([a, b]), 0) if a < b => Ok(()),
            _ => Err(format!("the loss `{}` with these classes is unknown", self.loss)),
        }?;
        let names = self.class_names.as_ref().map(Vec::len);
        let values: Vec<f64> =
            self.classes.into_iter().flatten().chain(self.labels.iter().copied()).collect();
        match names {
            None => Ok(()),
            Some(count) if (0..count).map(|number| number as f64).eq(values) => Ok(()),
            _ => Err("the names of the classes are not theirs".into()),
        }
    }
}

/// Writes the model into the run's folder.
pub(crate) fn write(session: &mut Session, fit: &Fit, model: &Model) -> Result<(), Error> {
    session.write("coef.tsv", |out| {
        coefficients::write(out, &fit.coefficients, model.feature_names.as_deref(), model.layout())
    })?;
    session.write("dual.npy", |out| {
        let classes = fit.labels.len();
        match classes {
            0 => npy::header(out, "<f8", &[fit.dual.len()])?,
            _ => npy::header(out, "<f8", &[fit.dual.len() / classes, classes])?,
        }
        npy::f64s(out, &fit.dual)
    })?;
    Ok(session.write("model.json", |out| Ok(serde_json::to_writer_pretty(out, model)?))?)
}

/// Writes a path into the run's folder.
pub(crate) fn write_path(session: &mut Session, fit: &Fit, model: &Model) -> Result<(), Error> {
    session.write("coef.tsv", |out| {
        let points = fit.points.iter().map(|point| &point.coefficients);
        coefficients::write_path(out, points, model.feature_names.as_deref(), model.layout())
    })?;
    session.write("path.tsv", |out| {
        write!(out, "point\tlambda\tintercept\tgap\tnonzeros\tdual_scale")?;
        (1..=model.labels.len()).try_for_each(|class| write!(out, "\tintercept_{class}"))?;
        writeln!(out)?;
        (1..).zip(&fit.points).try_for_each(
            |(number, Point { lambda, gap, intercept, intercepts, dual_scale, coefficients }): (usize, _)| {
                let nonzeros = coefficients.len();
                write!(
                    out,
                    "{number}\t{lambda:.16e}\t{intercept:.16e}\t{gap:e}\t{nonzeros}\t{dual_scale:.16e}"
                )?;
                intercepts.iter().try_for_each(|intercept| write!(out, "\t{intercept:.16e}"))?;
                writeln!(out)
            },
        )
    })?;
    let mut model = Model { points: Some(fit.points.len() as u64), ..model.clone() };
    // Of what is written: a path that was ended early was at work on another lambda.
    if let Some(last) = fit.points.last() {
        (model.lambda, model.intercept) = (last.lambda, last.intercept);
        model.intercepts.clone_from(&last.intercepts);
        model.gap = fit.points.iter().map(|point| point.gap).fold(0.0, f64::max);
    }
    Ok(session.write("model.json", |out| Ok(serde_json::to_writer_pretty(out, &model)?))?)
}

/// Reads what a run starts from: the model, of a path its last point.
pub(crate) fn read_start(folder: &Path) -> Result<Fitted, Error> {
    start(&ModelFolder::open(folder, PROGRAM)?)
}

/// Reads what a run starts from, of a model that is open.
pub(crate) fn start(opened: &ModelFolder) -> Result<Fitted, Error> {
    let about = about(opened)?;
    let point = about.points;
    read_point(opened, about, point)
}

/// Reads the model that `predict` uses: of a path, the point that is given.
pub(crate) fn read(folder: &Path, point: Option<u64>) -> Result<Fitted, Error> {
    let opened = ModelFolder::open(folder, PROGRAM)?;
    let about = about(&opened)?;
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
        _ => read_point(&opened, about, point),
    }
}

fn about(opened: &ModelFolder) -> Result<Model, Error> {
    let about: Model = opened.about()?;
    let refuse = |why| Error::input(format!("{}: {why}", opened.path().join("model.json").display()));
    about.check().map_err(refuse)?;
    Ok(about)
}

fn read_point(opened: &ModelFolder, mut about: Model, point: Option<u64>) -> Result<Fitted, Error> {
    let refuse =
        |name: &str, why: &str| Error::input(format!("{}, {why}", opened.path().join(name).display()));
    let text = |name: &str| String::from_utf8(opened.read(name)?).map_err(|_| refuse(name, "it is no text"));
    let coefficients = coefficients::parse(&text("coef.tsv")?, about.layout(), point);
    let coefficients = coefficients.map_err(|why| refuse("coef.tsv", &why))?;
    if let Some(point) = point {
        let why = format!("line {}: expected lambda and intercept of point {point}", point + 1);
        let classes = about.labels.len();
        (about.lambda, about.intercept, about.intercepts) =
            place(&text("path.tsv")?, point, classes).ok_or_else(|| refuse("path.tsv", &why))?;
    }
    Ok(Fitted { about, coefficients, digest: opened.digest().to_owned() })
}

/// lambda and intercept of a point in `path.tsv`, and the intercepts of classes that have scores.
fn place(lines: &str, point: u64, classes: usize) -> Option<(f64, f64, Vec<f64>)> {
    let line = lines.lines().nth(usize::try_from(point).ok()?)?;
    let mut fields = line.split('\t');
    let number: u64 = fields.next()?.parse().ok()?;
    let (lambda, intercept): (f64, f64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    let of_classes: Option<Vec<f64>> = fields.skip(3).map(|field| field.parse().ok()).collect();
    let of_classes =
        of_classes.filter(|all| all.len() == classes && all.iter().all(|value| value.is_finite()))?;
    (number == point && lambda.is_finite() && intercept.is_finite())
        .then_some((lambda, intercept, of_classes))
}

#[cfg(test)]
mod tests {
    use raddle::cli::{Earlier, RunFolder};
    use serde_json::json;

    use super::*;

    /// Refusal of a model of two columns with these changes of `model.json`, and files; all digests are right.
    fn refused(changes: &Value, files: &[(&str, &[u8])], point: Option<u64>) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let mut about = json!({
            "columns": 2, "lambda": 0.5, "lambda_max": 1.0, "intercept": 0.25, "ending": "converged", "gap": 0.0,
            "certified": true, "feature_names": ["a", "b"],
        });
        for (member, value) in changes.as_object().unwrap() {
            about[member] = value.clone();
        }
        let mut run = RunFolder::hold(&path, Earlier::Replaced).unwrap();
        for (name, bytes) in files {
            run.write(name, |out| out.write_all(bytes)).unwrap();
        }
        run.write("model.json", |out| Ok(serde_json::to_writer(out, &about)?)).unwrap();
        run.commit("lasso", "1.0").unwrap();
        drop(run);
        read(&path, point).map_or_else(|why| why.to_string(), |_| "nothing".into())
    }

    const COEFFICIENTS: &[u8] = b"column number\tname\tcoefficient\n2\tb\t1.5\n";

    #[test]
    fn what_no_run_can_have_written_of_a_model_is_refused_by_file_and_reason() {
        let whole = [("coef.tsv", COEFFICIENTS)];
        assert_eq!(refused(&json!({}), &whole, None), "nothing");
        let classes = "model.json: there must be classes in ascending order, and an intercept for each";
        let unknown = |loss: &str| format!("model.json: the loss `{loss}` with these classes is unknown");
        let names = "model.json: the names of the classes are not theirs";
        for (changes, why) in [
            (json!({"feature_names": ["a"]}), "model.json: 2 columns, but 1 names of them"),
            (json!({"columns": 3}), "model.json: 3 columns, but 2 names of them"),
            (json!({"intercept": null}), "model.json: invalid type: null"),
            (json!({"lambda": "small"}), "model.json: invalid type: string"),
            (json!({"loss": "hinge"}), &unknown("hinge")),
            (json!({"classes": [0.0, 1.0]}), &unknown("squared")),
            (json!({"loss": "logistic"}), &unknown("logistic")),
            (json!({"loss": "logistic", "classes": [1.0, 0.0]}), &unknown("logistic")),
            (json!({"loss": "logistic", "classes": [1.0, 1.0]}), &unknown("logistic")),
            (json!({"loss": "multinomial"}), &unknown("multinomial")),
            (json!({"loss": "multinomial", "labels": [1.0], "intercepts": [0.5]}), &unknown("multinomial")),
            (json!({"loss": "multinomial", "labels": [2.0, 1.0], "intercepts": [0.5, 0.5]}), classes),
            (json!({"loss": "multinomial", "labels": [1.0, 1.0], "intercepts": [0.5, 0.5]}), classes),
            (json!({"loss": "multinomial", "labels": [1.0, 2.0], "intercepts": [0.5]}), classes),
            (json!({"class_names": ["no", "yes"]}), names),
            (json!({"loss": "logistic", "classes": [0.0, 1.0], "class_names": ["no"]}), names),
            (json!({"loss": "logistic", "classes": [1.0, 2.0], "class_names": ["no", "yes"]}), names),
        ] {
            let said = refused(&changes, &whole, None);
            assert!(said.contains(why), "{changes}: {said}");
        }
        for (files, why) in [
            (vec![], "coef.tsv: the model in this folder has no such file"),
            (vec![("coef.tsv", &b"\xff"[..])], "coef.tsv, it is no text"),
            (vec![("coef.tsv", b"")], "coef.tsv, line 1: expected the header"),
            (
                vec![("coef.tsv", b"column number\tname\tcoefficient\n3\tc\t1\n")],
                "coef.tsv, line 2: expected a column from 1 to 2",
            ),
        ] {
            let said = refused(&json!({}), &files, None);
            assert!(said.contains(why), "{said}");
        }
    }

    #[test]
    fn a_path_whose_lines_are_not_its_points_is_refused_by_the_line() {
        let path = json!({"points": 2});
        let read = |lines: &str, point| {
            let text = format!("point\tlambda\tintercept\tgap\tnonzeros\tdual_scale\n{lines}");
            let coefficients = b"point\tcolumn number\tname\tcoefficient\n2\t2\tb\t1.5\n";
            refused(&path, &[("coef.tsv", coefficients), ("path.tsv", text.as_bytes())], point)
        };
        let first = "1\t0.5\t0.25\t0\t0\t1\n";
        assert_eq!(read(&format!("{first}2\t0.25\t0.5\t0\t1\t1\n"), Some(2)), "nothing");
        for wrong in [
            "",
            "3\t0.25\t0.5\t0\t1\t1\n",
            "2\n",
            "2\t0.25\n",
            "2\tinf\t0.5\t0\t1\t1\n",
            "2\t0.25\tNaN\t0\t1\t1\n",
            "2\tx\t0.5\t0\t1\t1\n",
            "2\t0.25\t0.5\t0\t1\t1\t0.125\n",
        ] {
            let said = read(&format!("{first}{wrong}"), Some(2));
            assert!(
                said.contains("path.tsv, line 3: expected lambda and intercept of point 2"),
                "{wrong:?}: {said}"
            );
        }
        for (point, why) in
            [(Some(0), "--point is 0"), (Some(3), "--point is 3"), (None, "a path of 2 points")]
        {
            let said = read(first, point);
            assert!(said.contains(why), "{said}");
        }
        let said = refused(&json!({"points": 0}), &[("coef.tsv", COEFFICIENTS)], None);
        assert!(said.contains("a path without a certified point"), "{said}");
        let said = refused(&json!({}), &[("coef.tsv", COEFFICIENTS)], Some(1));
        assert!(said.contains("--point has no effect"), "{said}");
    }
}
