//! Converts a topic model to a dict of arrays, and back.

use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use raddle_lda::TopicWords;

/// The counts and priors of a model, as stored in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct GivenModel<'py> {
    width: usize,
    starts: PyReadonlyArray1<'py, u64>,
    words: PyReadonlyArray1<'py, u32>,
    counts: PyReadonlyArray1<'py, u32>,
    /// Word priors: words; topics; weights.
    priors: (PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, f32>),
    alpha: PyReadonlyArray1<'py, f64>,
    beta: f64,
}

impl GivenModel<'_> {
    /// Copies the counts and alpha.
    pub(super) fn copied(&self) -> (TopicWords, Vec<f64>) {
        let (words, topics, weights) = &self.priors;
        let (words, topics, weights) = (words.as_array(), topics.as_array(), weights.as_array());
        let priors =
            words.iter().zip(&topics).zip(&weights).map(|((&word, &topic), &weight)| (word, topic, weight));
        let counts = TopicWords {
            words: self.width,
            starts: self.starts.as_array().to_vec(),
            indices: self.words.as_array().to_vec(),
            counts: self.counts.as_array().to_vec(),
            priors: priors.collect(),
            beta: self.beta,
        };
        (counts, self.alpha.as_array().to_vec())
    }
}

/// Returns the model as a dict that [`GivenModel`] takes.
pub(super) fn as_dict<'py>(
    py: Python<'py>,
    counts: TopicWords,
    alpha: &[f64],
) -> PyResult<Bound<'py, PyDict>> {
    let TopicWords { words: width, starts, indices, counts, priors, beta } = counts;
    let model = PyDict::new(py);
    model.set_item("width", width)?;
    model.set_item("starts", starts.into_pyarray(py))?;
    model.set_item("words", indices.into_pyarray(py))?;
    model.set_item("counts", counts.into_pyarray(py))?;
    let each = |of: fn(&(u32, u32, f32)) -> u32| priors.iter().map(of).collect::<Vec<u32>>().into_pyarray(py);
    let weights: Vec<f32> = priors.iter().map(|prior| prior.2).collect();
    let priors = (each(|prior| prior.0), each(|prior| prior.1), weights.into_pyarray(py));
    model.set_item("priors", priors)?;
    model.set_item("alpha", alpha.to_vec().into_pyarray(py))?;
    model.set_item("beta", beta)?;
    Ok(model)
}
