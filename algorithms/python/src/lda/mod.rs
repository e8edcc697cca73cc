//! Fits of `raddle.lda`, and functions of their models.

mod counts;
mod error;
mod folder;
mod model;

use std::sync::Arc;
use std::time::Instant;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods as _};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use raddle_lda::files::Model;
use raddle_lda::{Fit, HoldOut, Inference, Lda, Preparation, Problem, coherence};

pub(crate) use self::folder::{load_lda, save_lda};

use self::counts::GivenCounts;
use self::error::refused;
use self::model::GivenModel;
use crate::folder::as_json;
use crate::run::{Seconds, as_dict, carry_out, report_as_dict};

/// The parameters in a dict from Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Asked {
    topics: usize,
    alpha: Option<f64>,
    beta: Option<f64>,
    fixed_priors: bool,
    epochs: Option<u64>,
    evaluate_every: Option<u64>,
    validation: f64,
    seed: u64,
    workers: usize,
    /// Words, topics and tokens of a model to start from.
    init: Option<Init>,
}

/// Words, topics and tokens.
type Init = (Vec<u32>, Vec<u32>, Vec<u32>);

impl Asked {
    fn lda(&self) -> Lda {
        let lda = Lda::params().topics(self.topics).fixed_priors(self.fixed_priors);
        let mut lda = lda.seed(self.seed).workers(self.workers);
        if let Some(epochs) = self.evaluate_every {
            lda = lda.evaluate_every(epochs);
        }
        if let Some(alpha) = self.alpha {
            lda = lda.alpha(alpha);
        }
        if let Some(beta) = self.beta {
            lda = lda.beta(beta);
        }
        if let Some(epochs) = self.epochs {
            lda = lda.epochs(epochs);
        }
        if let Some((words, topics, tokens)) = &self.init {
            let counts = words.iter().zip(topics).zip(tokens).map(|((&w, &t), &n)| (w, t, n));
            lda = lda.init(counts.collect());
        }
        lda
    }

    fn preparation(&self) -> Preparation {
        let validation =
            if self.validation > 0.0 { HoldOut::Fraction(self.validation) } else { HoldOut::None };
        Preparation { validation, seed: self.seed, ..Preparation::default() }
    }
}

/// Topics of documents in compressed rows: row starts, topics and counts.
type Rows<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>);

/// Fits a model; returns a dict.
#[pyfunction]
pub(crate) fn fit_lda<'py>(
    counts: GivenCounts<'py>,
    asked: Asked,
    callback: Option<Bound<'py, PyAny>>,
    py: Python<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let started = Instant::now();
    let corpus = counts.corpus(py)?;
    let read = started.elapsed().as_secs_f64();
    let (fit, held_out, seconds) = carry_out(py, callback.as_ref(), move |watch| {
        let fit = || {
            let started = Instant::now();
            let problem = Problem::new(&corpus, &asked.preparation())?;
            // The fit needs the memory.
            drop(corpus);
            let (documents, held_out) = (problem.documents(), problem.held_out_documents());
            let (prepare, started) = (started.elapsed().as_secs_f64(), Instant::now());
            let outcome = watch.over(asked.lda().engine(problem)?).run()?;
            let seconds = Seconds { read, prepare, fit: started.elapsed().as_secs_f64() };
            Ok((Fit::new(outcome, documents), held_out, seconds))
        };
        fit().map_err(refused)
    })?;
    let result = PyDict::new(py);
    let counts = fit.topic_words();
    let about = Model { held_out_documents: held_out as u64, ..Model::new(&fit, &counts, None) };
    result.set_item("about", as_json(&about)?)?;
    result.set_item("digest", counts.digest(fit.alpha()))?;
    result.set_item("evaluations", as_dict(py, &fit.evaluations())?)?;
    result.set_item("iterations", fit.report.epochs)?;
    result.set_item("report", report_as_dict(py, &fit.report, seconds)?)?;
    let rows = fit.document_topics();
    result.set_item("documents", in_rows(py, fit.documents(), |document| rows.of(document)))?;
    result.set_item("model", model::as_dict(py, counts, fit.alpha())?)?;
    Ok(result)
}

/// Returns the topics of documents as arrays.
fn in_rows<'py>(py: Python<'py>, documents: usize, of: impl Fn(usize) -> Vec<(u32, u32)>) -> Rows<'py> {
    let (mut starts, mut topics, mut counts) = (vec![0], Vec::new(), Vec::new());
    for document in 0..documents {
        of(document).into_iter().for_each(|(topic, count)| {
            topics.push(topic);
            counts.push(count);
        });
        starts.push(topics.len() as u64);
    }
    (starts.into_pyarray(py), topics.into_pyarray(py), counts.into_pyarray(py))
}

/// Returns the shares of topics in documents, a matrix of documents by topics.
#[pyfunction]
pub(crate) fn infer_lda<'py>(
    model: GivenModel<'py>,
    counts: GivenCounts<'py>,
    workers: usize,
    py: Python<'py>,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let (corpus, (counts, alpha)) = (Arc::new(counts.corpus(py)?), model.copied());
    let shape = [corpus.documents(), alpha.len()];
    let thetas = carry_out(py, None, move |_| {
        let inference = Arc::new(Inference::new(&counts, alpha).map_err(refused)?);
        inference.thetas(&corpus, 0..corpus.documents(), workers).map_err(refused)
    })?;
    thetas.into_pyarray(py).reshape(shape)
}

/// Returns the log-likelihood of half of the documents' tokens given the other half, and the number of scored
/// tokens.
#[pyfunction]
pub(crate) fn score_lda(
    model: GivenModel<'_>,
    counts: GivenCounts<'_>,
    workers: usize,
    py: Python<'_>,
) -> PyResult<(f64, u64)> {
    let (corpus, (counts, alpha)) = (Arc::new(counts.corpus(py)?), model.copied());
    let score = carry_out(py, None, move |_| {
        let inference = Arc::new(Inference::new(&counts, alpha).map_err(refused)?);
        inference.score(&corpus, workers).map_err(refused)
    })?;
    Ok((score.log_likelihood, score.tokens))
}

/// Returns the digest of a model.
#[pyfunction]
pub(crate) fn digest_lda(model: GivenModel<'_>) -> String {
    let (counts, alpha) = model.copied();
    counts.digest(&alpha)
}

/// Returns the top words of each topic as (word, count), in descending order.
#[pyfunction]
pub(crate) fn top_words_lda(model: GivenModel<'_>, most: usize) -> Vec<Vec<(u32, u32)>> {
    let (counts, _) = model.copied();
    (0..counts.topics()).map(|topic| counts.top(topic, most)).collect()
}

/// Returns the probabilities of words in topics, a matrix of topics by words.
#[pyfunction]
pub(crate) fn probabilities_lda<'py>(
    model: GivenModel<'py>,
    py: Python<'py>,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let (counts, _) = model.copied();
    let mut all = vec![0.0; counts.topics() * counts.words];
    let rows = all.chunks_exact_mut(counts.words.max(1));
    rows.enumerate().for_each(|(topic, row)| counts.probabilities(topic, row));
    all.into_pyarray(py).reshape([counts.topics(), counts.words])
}

/// Returns u_mass and npmi of lists of words.
#[pyfunction]
pub(crate) fn coherence_lda(
    counts: GivenCounts<'_>,
    tops: Vec<Vec<u32>>,
    py: Python<'_>,
) -> PyResult<(Vec<f64>, Vec<f64>)> {
    let corpus = counts.corpus(py)?;
    let found = carry_out(py, None, move |_| Ok(coherence(&corpus, &tops)))?;
    Ok(found.iter().map(|one| (one.u_mass, one.npmi)).unzip())
}
