//! [`Saved`]: a model that was read; and the writing of one.

use std::path::Path;

use raddle::files::{FileError, ModelFiles, ModelFolder, NewModel};
use raddle_datasets::npy;
use raddle_lasso::files::{Features, parse_coefficients, write_coefficients};

use super::about::About;
use crate::model::Fit;

const PROGRAM: &str = "linear";

/// A model that was read.
#[derive(Debug, Clone)]
pub struct Saved {
    /// Facts about it.
    pub about: About,
    /// (column of the data from 0, coefficient) where it is not zero, by column.
    pub coefficients: Vec<(u32, f64)>,
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
        let coefficients = read.into_iter().map(|of| (of.column, of.value)).collect();
        Ok(Self { about, coefficients })
    }
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
        files.write("coef.tsv", |out| write_coefficients(out, &self.coefficients, names, about.layout()))?;
        files.write("dual.npy", |out| {
            npy::header(out, "<f8", &[self.dual.len()])?;
            npy::f64s(out, &self.dual)
        })?;
        files.write("model.json", |out| Ok(serde_json::to_writer_pretty(out, about)?))
    }
}
