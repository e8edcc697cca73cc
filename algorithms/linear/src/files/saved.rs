//! [`Saved`]: reads and writes models.

use std::path::Path;

use raddle::ModelDigest;
use raddle::files::{FileError, ModelFiles, ModelFolder, NewModel};
use raddle_datasets::{Occurring, npy};
use raddle_tabular::files::{
    Coefficient, Features, ModelFacts as _, PathPoint, PathTable, Schema, read_facts, write_facts,
};

use super::about::About;
use crate::data::problem::Problem;
use crate::error::LinearError;
use crate::loss::Loss;
use crate::model::{Fit, Scorer, digested};
use crate::params::Linear;
use crate::path::FittedPath;

const PROGRAM: &str = "linear";

/// A model that was read.
#[derive(Debug, Clone)]
pub struct Saved {
    /// Metadata of the model.
    pub about: About,
    /// For each scorer, the nonzero coefficients as (column of the data from 0, coefficient), by column.
    pub coefficients: Vec<Vec<(u32, f64)>>,
    /// For each scorer, the dual value of each row.
    pub dual: Vec<Vec<f64>>,
    /// Digest of the folder, equal exactly for equal models.
    pub digest: String,
}

impl Saved {
    /// Reads a model; of a path, its last point.
    ///
    /// # Errors
    /// If the folder has no model of `linear`, or one that is not as it was written.
    pub fn open(folder: &Path) -> Result<Self, FileError> {
        Self::read(&ModelFolder::open(folder, PROGRAM)?, None)
    }

    /// Reads a model from an open folder; of a path, this point, from 1, or else its last.
    ///
    /// # Errors
    /// If it has no such point, or its files were changed.
    pub fn read(opened: &ModelFolder, point: Option<u64>) -> Result<Self, FileError> {
        let mut about: About = read_facts(opened)?;
        let points = about.points.unwrap_or(1);
        let point = point.unwrap_or(points);
        if !(1..=points).contains(&point) {
            return Err(FileError::refused(opened.path(), format!("no point {point} of {points}")));
        }
        let of_path = about.points.map(|_| point);
        let read = about.schema().read(opened, of_path)?;
        if let Some(point) = of_path {
            let found = path_table(&about.schema().fields()).read(opened, point)?;
            about.c = found.setting;
            about.intercepts = if about.scorers() == 1 { vec![found.intercept] } else { found.intercepts };
        }
        let by_score = Schema::by_score(&about.intercepts, &read);
        let coefficients = by_score.into_iter().map(|(_, of)| of).collect();
        let of_all = about.scorers() * points as usize;
        let mut dual = read_dual(&opened.path().join("dual.npy"), &opened.read("dual.npy")?, of_all)?;
        let dual = dual.drain((point as usize - 1) * about.scorers()..).take(about.scorers()).collect();
        Ok(Self { about, coefficients, dual, digest: opened.digest().to_owned() })
    }

    /// Makes a model of its metadata, the coefficients by fitted column, scorer by scorer, and the dual
    /// values of each scorer.
    ///
    /// # Errors
    /// If a coefficient belongs to no scorer; the reason.
    pub fn new(about: About, fitted: &[(u32, f64)], dual: Vec<Vec<f64>>) -> Result<Self, String> {
        let mut coefficients = vec![Vec::new(); about.scorers()];
        for of in about.schema().layout().of_data(fitted) {
            let scorer =
                coefficients.get_mut(of.class as usize).ok_or("a coefficient is of no column and scorer")?;
            scorer.push((of.column, of.value));
        }
        Ok(Self { about, coefficients, dual, digest: String::new() })
    }

    /// Returns the digest of the coefficients, as for a fit with all columns.
    pub fn model_digest(&self) -> String {
        let scorers = self.coefficients.iter().zip(&self.about.intercepts);
        let scorers = scorers.map(|(of, intercept)| (&of[..], *intercept));
        digested(ModelDigest::default(), scorers, self.about.c).finish()
    }

    /// Writes the files of the model; the caller commits them.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, files: &mut impl ModelFiles) -> Result<(), FileError> {
        let of = |(class, of): (u32, &Vec<(u32, f64)>)| -> Vec<Coefficient> {
            of.iter().map(|&(column, value)| Coefficient { class, column, value }).collect()
        };
        let coefficients: Vec<Coefficient> = (0..).zip(&self.coefficients).flat_map(of).collect();
        let dual: Vec<&[f64]> = self.dual.iter().map(|dual| &dual[..]).collect();
        write(files, &self.about, &coefficients, &[], &dual)
    }

    /// Returns parameters that start from this model: from its dual values if it has one for each row of the
    /// problem, else from its coefficients, as always if all classes are fitted together.
    ///
    /// # Errors
    /// If the model's columns or classes differ from those of the problem, which has these features.
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
                "column {at} of the model is `{model}`, and that of the data `{data}`: give a model of these \
                 columns"
            ));
        }
        if about.classes != problem.classes() || about.class_names != features.classes {
            return refuse("the model has other classes than the data: give a model of these classes".into());
        }
        let is_together = problem.meant(linear.loss) == Loss::Multinomial;
        if !is_together && self.dual.iter().all(|values| values.len() == problem.rows()) {
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

/// Parses the dual values of `scorers` scorers.
fn read_dual(file: &Path, bytes: &[u8], scorers: usize) -> Result<Vec<Vec<f64>>, FileError> {
    let refuse = |why: &str| FileError::refused(file, why);
    let (_, values) = npy::parse_f64s(bytes).map_err(|why| refuse(&why))?;
    if scorers == 0 || values.is_empty() || !values.len().is_multiple_of(scorers) {
        return Err(refuse("it does not have one value for each row and class"));
    }
    Ok(values.chunks(values.len() / scorers).map(<[f64]>::to_vec).collect())
}

impl Fit {
    /// Writes the model to its own folder, as `linear --out` does.
    ///
    /// # Errors
    /// If the folder already has a run, or cannot be written.
    pub fn save(&self, folder: &Path) -> Result<(), FileError> {
        let mut model = NewModel::create(folder)?;
        self.write(&mut model, &About::new(self, &Features::default()))?;
        model.commit(PROGRAM, env!("CARGO_PKG_VERSION"))
    }

    /// Returns the coefficients of all scorers by column of the data, where the fit has the columns that
    /// occur alone.
    pub fn coefficients(&self, occurring: Option<&Occurring>) -> Vec<Coefficient> {
        let number = |at: u32| occurring.map_or(at, |some| some.number(at));
        let of = |(class, of): (u32, &Scorer)| -> Vec<Coefficient> {
            let all = of.coefficients.iter();
            all.map(|&(at, value)| Coefficient { class, column: number(at), value }).collect()
        };
        (0..).zip(&self.scorers).flat_map(of).collect()
    }

    /// Writes the files of the model; the caller commits them.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, files: &mut impl ModelFiles, about: &About) -> Result<(), FileError> {
        let dual: Vec<&[f64]> = self.scorers.iter().map(|of| &of.dual[..]).collect();
        let errors = self.errors.as_ref().map_or(&[][..], |errors| &errors.columns);
        write(files, about, &self.coefficients(about.occurring.as_ref()), errors, &dual)
    }
}

/// Returns the columns of `path.tsv`.
fn path_table(classes: &[String]) -> PathTable<'_> {
    PathTable { setting: "C", other: "support", classes }
}

impl FittedPath {
    /// Writes the files of the path; the caller commits them. `dual.npy` has the dual values of each point.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, files: &mut impl ModelFiles, about: &About) -> Result<(), FileError> {
        let (schema, occurring) = (about.schema(), about.occurring.as_ref());
        let numbered = |fit: &Fit| schema.layout().of_fit(&fit.coefficients(occurring));
        let points: Vec<Vec<(u32, f64)>> = self.fits.iter().map(numbered).collect();
        schema.write_path(files, points.iter())?;
        let line = |(fit, coefficients): (&Fit, &Vec<(u32, f64)>)| {
            let intercepts: Vec<f64> = fit.scorers.iter().map(|of| of.intercept).collect();
            let (intercept, intercepts) = match intercepts[..] {
                [only] => (only, Vec::new()),
                _ => (0.0, intercepts),
            };
            let (setting, gap, nonzeros) = (fit.c, fit.gap(), coefficients.len());
            PathPoint { setting, intercept, intercepts, gap, nonzeros, other: fit.support().to_string() }
        };
        path_table(&schema.fields()).write(files, self.fits.iter().zip(&points).map(line))?;
        let last = self.last();
        let shape = [self.fits.len(), last.scorers.len(), last.costs.len()];
        files.write("dual.npy", |out| {
            npy::header(out, "<f8", &shape)?;
            let mut scorers = self.fits.iter().flat_map(|fit| &fit.scorers);
            scorers.try_for_each(|scorer| npy::f64s(out, &scorer.dual))
        })?;
        write_facts(files, about)
    }
}

/// Writes the files of a model, with the standard errors of its coefficients, if there are some, and the dual
/// values of each scorer.
fn write(
    files: &mut impl ModelFiles,
    about: &About,
    coefficients: &[Coefficient],
    errors: &[f64],
    dual: &[&[f64]],
) -> Result<(), FileError> {
    about.schema().write_with_errors(files, &about.schema().layout().of_fit(coefficients), errors)?;
    files.write("dual.npy", |out| {
        match dual {
            [one] => npy::header(out, "<f8", &[one.len()])?,
            all => npy::header(out, "<f8", &[all.len(), all.first().map_or(0, |dual| dual.len())])?,
        }
        dual.iter().try_for_each(|values| npy::f64s(out, values))
    })?;
    write_facts(files, about)
}
