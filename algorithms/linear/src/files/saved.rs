//! [`Saved`]: a model that was read; and the writing of one.

use std::path::Path;

use raddle::files::{FileError, ModelFiles, ModelFolder, NewModel};
use raddle_datasets::{Occurring, npy};
use raddle_lasso::files::{Features, parse_coefficients, write_coefficients};

use super::about::About;
use crate::data::problem::Problem;
use crate::error::LinearError;
use crate::model::Fit;
use crate::params::Linear;

const PROGRAM: &str = "linear";

/// A model that was read.
#[derive(Debug, Clone)]
pub struct Saved {
    /// Facts about it.
    pub about: About,
    /// Of each scorer, (column of the data from 0, coefficient) where it is not zero, by column.
    pub coefficients: Vec<Vec<(u32, f64)>>,
    /// Of each scorer, the dual value of each row.
    pub dual: Vec<Vec<f64>>,
    /// Digest of the folder: equal exactly for equal models.
    pub digest: String,
}

impl Saved {
    /// Reads a model.
    ///
    /// # Errors
    /// If the folder has no model of `linear`, or not as it was written.
    pub fn open(folder: &Path) -> Result<Self, FileError> {
        let opened = ModelFolder::open(folder, PROGRAM)?;
        let about: About = opened.about()?;
        about.check().map_err(|why| FileError::refused(&opened.path().join("model.json"), why))?;
        let file = opened.path().join("coef.tsv");
        let text = String::from_utf8(opened.read("coef.tsv")?);
        let text = text.map_err(|_| FileError::refused(&file, "it is no text"))?;
        let read = parse_coefficients(&text, about.layout(), None);
        let read = read.map_err(|(line, why)| FileError::line(&file, line, why))?;
        let mut coefficients = vec![Vec::new(); about.scorers()];
        read.iter().for_each(|of| coefficients[of.class as usize].push((of.column, of.value)));
        let dual = read_dual(&opened.path().join("dual.npy"), &opened.read("dual.npy")?, about.scorers())?;
        Ok(Self { about, coefficients, dual, digest: opened.digest().to_owned() })
    }

    /// Parameters that start from this model: from its dual values where it has one for each row of the problem, else from
    /// its coefficients.
    ///
    /// # Errors
    /// If it has other columns or classes than the problem, which has these features.
    pub fn start(
        &self,
        linear: Linear,
        problem: &Problem,
        features: &Features,
    ) -> Result<Linear, LinearError> {
        let refuse = |why| Err(LinearError::Parameter { name: "init", why });
        let (about, columns) =
            (&self.about, features.occurring.as_ref().map_or(problem.columns(), Occurring::width));
        if about.columns != columns {
            return refuse(format!(
                "the model has {} columns, and the data {columns}: give a model of these columns",
                about.columns
            ));
        }
        let names = about.feature_names.iter().flatten().zip(features.names.iter().flatten());
        if let Some((at, (model, data))) = (1..).zip(names).find(|(_, (model, data))| model != data) {
            return refuse(format!(
                "column {at} of the model is `{model}`, and that of the data `{data}`: give a model of these columns"
            ));
        }
        if about.classes != problem.classes() || about.class_names != features.classes {
            return refuse("the model has other classes than the data: give a model of these classes".into());
        }
        if self.dual.iter().all(|values| values.len() == problem.rows()) {
            return Ok(linear.start_from_dual(self.dual.clone()));
        }
        let place = |&(column, value): &(u32, f64)| match &features.occurring {
            Some(some) => Some((some.place(column)?, value)),
            None => Some((column, value)),
        };
        let of = |(coefficients, intercept): (&Vec<(u32, f64)>, &f64)| {
            (coefficients.iter().filter_map(place).collect(), *intercept)
        };
        Ok(linear.start_from(self.coefficients.iter().zip(&about.intercepts).map(of).collect()))
    }
}

/// Dual values of so many scorers.
fn read_dual(file: &Path, bytes: &[u8], scorers: usize) -> Result<Vec<Vec<f64>>, FileError> {
    let refuse = |why: &str| FileError::refused(file, why);
    let (_, values) = npy::parse_f64s(bytes).map_err(|why| refuse(&why))?;
    if scorers == 0 || values.is_empty() || !values.len().is_multiple_of(scorers) {
        return Err(refuse("it has not a value for each row and each class"));
    }
    Ok(values.chunks(values.len() / scorers).map(<[f64]>::to_vec).collect())
}

impl Fit {
    /// Writes the model into a folder of its own, as `linear --out` does.
    ///
    /// # Errors
    /// If there is a run in the folder already, or it cannot be written.
    pub fn save(&self, folder: &Path) -> Result<(), FileError> {
        let mut model = NewModel::create(folder)?;
        self.write(&mut model, &About::new(self, &Features::default()))?;
        model.commit(PROGRAM, env!("CARGO_PKG_VERSION"))
    }

    /// Writes the files of the model; whoever calls commits them.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, files: &mut impl ModelFiles, about: &About) -> Result<(), FileError> {
        let names = about.feature_names.as_deref();
        let columns = self.columns() as u32;
        let all = (0..).zip(&self.scorers).flat_map(|(scorer, of)| {
            of.coefficients.iter().map(move |&(column, value)| (scorer * columns + column, value))
        });
        let all: Vec<(u32, f64)> = all.collect();
        files.write("coef.tsv", |out| write_coefficients(out, &all, names, about.layout()))?;
        files.write("dual.npy", |out| {
            let rows = self.costs.len();
            match &self.scorers[..] {
                [_] => npy::header(out, "<f8", &[rows])?,
                scorers => npy::header(out, "<f8", &[scorers.len(), rows])?,
            }
            self.scorers.iter().try_for_each(|of| npy::f64s(out, &of.dual))
        })?;
        files.write("model.json", |out| Ok(serde_json::to_writer_pretty(out, about)?))
    }
}
