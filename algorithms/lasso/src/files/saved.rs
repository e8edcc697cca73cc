//! [`Saved`]: a model that was read; and writing a model: `coef.tsv`, `dual.npy` and `model.json`, or for a
//! path `path.tsv` in place of the dual point.

use std::path::Path;

use raddle::ModelDigest;
use raddle::files::{FileError, ModelFiles, ModelFolder, NewModel};
use raddle_datasets::{Matrix, npy};
use raddle_tabular::files::{
    Coefficient, Features, ModelFacts as _, PathPoint, PathTable, read_facts, write_facts,
};

use super::about::About;
use crate::error::LassoError;
use crate::model::{Fit, Point, digested};
use crate::predict::predict;

const PROGRAM: &str = "lasso";

/// A model of one lambda that was read.
#[derive(Debug, Clone)]
pub struct Saved {
    /// Facts about the model.
    pub about: About,
    /// The coefficients that are not zero, by class and column.
    pub coefficients: Vec<Coefficient>,
    /// Digest of the folder: equal exactly for equal models.
    pub digest: String,
}

impl Saved {
    /// Reads a model; of a path, its last point.
    ///
    /// # Errors
    /// If the folder has no model of the Lasso, if its files were changed, or if a path has no point.
    pub fn open(folder: &Path) -> Result<Self, FileError> {
        Self::read(&ModelFolder::open(folder, PROGRAM)?, None)
    }

    /// Reads a point, from 1, of a path.
    ///
    /// # Errors
    /// If the folder has no path of the Lasso with that point, or its files were changed.
    pub fn open_point(folder: &Path, point: u64) -> Result<Self, FileError> {
        Self::read(&ModelFolder::open(folder, PROGRAM)?, Some(point))
    }

    /// Reads a model from an open folder; of a path, this point, from 1, or else its last.
    ///
    /// # Errors
    /// If it has no such point, or its files were changed.
    pub fn read(opened: &ModelFolder, point: Option<u64>) -> Result<Self, FileError> {
        let mut about: About = read_facts(opened)?;
        let refuse = |why: String| Err(FileError::refused(opened.path(), why));
        let point = match (about.points, point) {
            (last, None) => last,
            (Some(points), Some(point)) if (1..=points).contains(&point) => Some(point),
            (Some(points), Some(point)) => {
                return refuse(format!("no point {point}: it has the points 1 to {points}"));
            }
            (None, Some(_)) => return refuse("it is not a path: open it without a point".into()),
        };
        let coefficients = about.schema().read(opened, point)?;
        if let Some(point) = point {
            let found = path_table(&about.schema().fields()).read(opened, point)?;
            (about.lambda, about.intercept) = (found.setting, found.intercept);
            about.intercepts = found.intercepts;
        }
        Ok(Self { about, coefficients, digest: opened.digest().to_owned() })
    }

    /// Returns the digest of the coefficients: [`Fit::digest`] of their fit, and `model_digest` in its
    /// report. For a point of a path it is the digest of a fit at that lambda.
    pub fn model_digest(&self) -> String {
        let About { columns, intercept, intercepts, lambda, .. } = &self.about;
        let number = |of: &Coefficient| u64::from(of.class) * *columns as u64 + u64::from(of.column);
        let coefficients = self.coefficients.iter().map(|of| (number(of), of.value));
        digested(ModelDigest::default(), coefficients, *intercept, intercepts, *lambda).finish()
    }

    /// Writes the files of a model of one lambda, which the caller commits; `dual` has n values, or n rows of
    /// K if each of K classes has a score.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, files: &mut impl ModelFiles, dual: &[f64]) -> Result<(), FileError> {
        let one = About { points: None, ..self.about.clone() };
        write_one(files, &one, &one.schema().layout().of_fit(&self.coefficients), dual)
    }

    /// Returns the coefficients for [`Lasso::init`](crate::Lasso::init), numbered as in a fit of `count`
    /// columns of these features.
    ///
    /// # Errors
    /// If the data lack a column of a coefficient.
    pub fn start(&self, features: &Features, count: usize) -> Result<Vec<(u32, f64)>, LassoError> {
        let layout = features.layout(count, self.about.labels.len());
        let is_beyond = |column: u32| features.occurring.is_some() && column as usize >= layout.columns;
        match self.coefficients.iter().find(|of| is_beyond(of.column)) {
            Some(of) => Err(LassoError::Start { column: of.column as usize + 1, columns: layout.columns }),
            None => Ok(layout.of_fit(&self.coefficients)),
        }
    }

    /// Returns the score `intercept + x'b`, without offset, of each of the n rows of `x`, whose p columns are
    /// those of the data; if each of K classes has a score, n scores for each class in turn.
    pub fn predict(&self, x: &Matrix) -> Vec<f64> {
        let by_class = self.about.by_class(&self.coefficients);
        by_class.iter().flat_map(|(intercept, of)| predict(x, of, *intercept)).collect()
    }
}

impl Fit {
    /// Writes the model into a folder of its own, as `lasso --out` does. [`Saved::open`] and the program read
    /// it.
    ///
    /// # Errors
    /// If there already is a run in the folder, or it cannot be written.
    pub fn save(&self, folder: &Path) -> Result<(), FileError> {
        let mut model = NewModel::create(folder)?;
        self.write(&mut model, &About::new(self, &Features::default()))?;
        model.commit(PROGRAM, env!("CARGO_PKG_VERSION"))
    }

    /// Writes the files of the model, which the caller commits. To store names, classes and encodings, make
    /// the facts [from the features](About::new).
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, files: &mut impl ModelFiles, about: &About) -> Result<(), FileError> {
        if !self.is_path {
            return write_one(files, about, &self.coefficients, &self.dual);
        }
        let (schema, points) = (about.schema(), self.points.iter().map(|point| &point.coefficients));
        schema.write_path(files, points)?;
        let line = |point: &Point| PathPoint {
            setting: point.lambda,
            intercept: point.intercept,
            intercepts: point.intercepts.clone(),
            gap: point.gap,
            nonzeros: point.coefficients.len(),
            other: format!("{:.16e}", point.dual_scale),
        };
        path_table(&schema.fields()).write(files, self.points.iter().map(line))?;
        write_facts(files, about)
    }
}

/// Returns the columns of `path.tsv`.
fn path_table(classes: &[String]) -> PathTable<'_> {
    PathTable { setting: "lambda", other: "dual_scale", classes }
}

/// Writes a model of one lambda; its coefficients are numbered as in a fit.
fn write_one(
    files: &mut impl ModelFiles,
    about: &About,
    coefficients: &[(u32, f64)],
    dual: &[f64],
) -> Result<(), FileError> {
    about.schema().write(files, coefficients)?;
    files.write("dual.npy", |out| {
        match about.labels.len() {
            0 => npy::header(out, "<f8", &[dual.len()])?,
            classes => npy::header(out, "<f8", &[dual.len() / classes, classes])?,
        }
        npy::f64s(out, dual)
    })?;
    write_facts(files, about)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use serde_json::{Value, json};

    use super::*;

    /// Returns why a model of two columns is refused after these changes of `model.json` and files, with all
    /// digests correct.
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
        let mut run = NewModel::create(&path).unwrap();
        for (name, bytes) in files {
            run.write(name, |out| out.write_all(bytes)).unwrap();
        }
        run.write("model.json", |out| Ok(serde_json::to_writer(out, &about)?)).unwrap();
        run.commit("lasso", "1.0").unwrap();
        drop(run);
        let read = match point {
            None => Saved::open(&path),
            Some(point) => Saved::open_point(&path, point),
        };
        read.map_or_else(|why| why.to_string(), |_| "nothing".into())
    }

    #[test]
    fn models_that_number_their_classes_and_those_that_name_them_are_read_alike() {
        let folder = tempfile::tempdir().unwrap();
        let read = |name: &str, class_type: Value, classes: [&str; 2]| {
            let path = folder.path().join(name);
            let mut about = json!({
                "columns": 2, "lambda": 0.5, "lambda_max": 1.0, "intercept": 0.0, "ending": "converged", "gap": 0.0,
                "certified": true, "feature_names": ["a", "b"], "loss": "multinomial", "points": 1,
                "labels": [0.0, 1.0, 2.0], "intercepts": [0.5, -0.5, 0.0],
            });
            if !class_type.is_null() {
                about["class_type"] = class_type;
            }
            let [first, last] = classes;
            let mut run = NewModel::create(&path).unwrap();
            let text = format!(
                "point\tclass\tcolumn \
                 number\tname\tcoefficient\n1\t{first}\t2\tb\t1.5\n1\t{last}\t1\ta\t-0.5\n"
            );
            run.write("coef.tsv", |out| out.write_all(text.as_bytes())).unwrap();
            let middle = if last == "3" { 2 } else { 1 };
            let header = format!(
                "point\tlambda\tintercept\tgap\tnonzeros\tdual_scale\tintercept_{first}\tintercept_{middle}\tintercept_{last}"
            );
            let text = format!("{header}\n1\t0.25\t0\t0\t2\t1\t0.5\t-0.25\t-0.25\n");
            run.write("path.tsv", |out| out.write_all(text.as_bytes())).unwrap();
            run.write("model.json", |out| Ok(serde_json::to_writer(out, &about)?)).unwrap();
            run.commit("lasso", "1.0").unwrap();
            drop(run);
            Saved::open(&path).map(|saved| (saved.coefficients, saved.about.intercepts))
        };
        let of = |class, column, value| Coefficient { class, column, value };
        let expected = (vec![of(0, 1, 1.5), of(2, 0, -0.5)], vec![0.5, -0.25, -0.25]);
        assert_eq!(read("old", Value::Null, ["1", "3"]).unwrap(), expected);
        assert_eq!(read("new", "int64".into(), ["0", "2"]).unwrap(), expected);
        let refused = read("other", "int64".into(), ["1", "3"]).unwrap_err().to_string();
        assert!(refused.contains("coef.tsv, line 3: expected a class of the model"), "{refused}");
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
            (vec![("coef.tsv", &b"\xff"[..])], "coef.tsv: it is no text"),
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
        for point in [0, 3] {
            let said = read(first, Some(point));
            assert!(said.contains(&format!("no point {point}: it has the points 1 to 2")), "{said}");
        }
        let said = refused(&json!({}), &[("coef.tsv", COEFFICIENTS)], Some(1));
        assert!(said.contains("it is not a path"), "{said}");
    }
}
