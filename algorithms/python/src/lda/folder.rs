//! Models of `lda` in folders.

use std::path::PathBuf;

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use raddle::files::FileError;
use raddle_datasets::Vocabulary;
use raddle_lda::Evaluation;
use raddle_lda::files::{Model, Saved, ToSave};

use super::in_rows;
use super::model::{self, GivenModel};
use crate::error::{bad_value, file_error};
use crate::folder::as_json;
use crate::run::as_dict;

/// The parts of a model to write.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct GivenParts<'py> {
    model: GivenModel<'py>,
    about: String,
    /// JSON, as `about` is, too.
    evaluations: String,
    documents: (PyReadonlyArray1<'py, u64>, PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, u32>),
    vocabulary: Option<Vec<String>>,
    names: Option<Vec<String>>,
}

/// Reads a model; returns the same dict as a fit.
#[pyfunction]
pub(crate) fn load_lda(path: PathBuf, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let read = || -> Result<_, FileError> {
        let saved = Saved::open(&path)?;
        let (documents, evaluations) = (saved.documents()?, saved.evaluations()?);
        Ok((saved, documents, evaluations))
    };
    let (saved, documents, evaluations) = py.detach(read).map_err(file_error)?;
    let result = PyDict::new(py);
    result.set_item("digest", saved.digest())?;
    result.set_item("about", as_json(&saved.model)?)?;
    result.set_item("evaluations", as_dict(py, &evaluations)?)?;
    let mut rows = vec![Vec::new(); saved.model.documents];
    for (topic, column) in (0..).zip(documents.counts.outer_iterator()) {
        column.iter().for_each(|(document, &count)| rows[document].push((topic, count as u32)));
    }
    let rows = in_rows(py, rows.len(), |document| rows[document].clone());
    result.set_item("documents", rows)?;
    result.set_item("names", documents.names)?;
    result.set_item("vocabulary", &saved.model.vocabulary)?;
    let Saved { model, counts, .. } = saved;
    result.set_item("model", model::as_dict(py, counts, &model.alpha)?)?;
    Ok(result)
}

/// Writes a model to its own folder; `replaces`: one in the folder may be replaced.
#[pyfunction]
pub(crate) fn save_lda(path: PathBuf, parts: GivenParts<'_>, replaces: bool) -> PyResult<()> {
    let mut about: Model = serde_json::from_str(&parts.about).map_err(bad_value)?;
    let evaluations: Vec<Evaluation> = serde_json::from_str(&parts.evaluations).map_err(bad_value)?;
    let (counts, alpha) = parts.model.copied();
    about.alpha = alpha;
    about.vocabulary = parts.vocabulary;
    about.named_documents = parts.names.is_some();
    let names: Option<Vocabulary> = parts.names.map(|names| names.iter().map(String::as_str).collect());
    let (starts, topics, tokens) = &parts.documents;
    let (starts, topics, tokens) = (starts.as_array(), topics.as_array(), tokens.as_array());
    let topics_of = |document: usize| {
        let range = starts[document] as usize..starts[document + 1] as usize;
        range.map(|at| (topics[at], tokens[at])).collect()
    };
    let parts = ToSave {
        model: &about,
        counts: &counts,
        topics_of: &topics_of,
        names: names.as_ref(),
        evaluations: &evaluations,
    };
    let written = if replaces { parts.replace(&path) } else { parts.save(&path) };
    written.map_err(file_error)
}
