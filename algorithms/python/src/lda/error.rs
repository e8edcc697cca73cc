//! Converts errors of the library to exceptions with Python's parameter names.

use pyo3::PyErr;
use raddle_lda::LdaError;

use crate::error::{bad_parameter, bad_value, failed, no_memory};

/// Parameters with another name in Python.
const NAMES: [(&str, &str); 6] = [
    ("topics", "n_components"),
    ("alpha", "doc_topic_prior"),
    ("beta", "topic_word_prior"),
    ("evaluate-every", "evaluate_every"),
    ("epochs", "max_iter"),
    ("workers", "n_jobs"),
];

/// Makes the exception for an error of the library.
pub(super) fn refused(error: LdaError) -> PyErr {
    match error {
        LdaError::Parameter { name, value, range } => bad_parameter(&NAMES, name, &value, range),
        LdaError::Engine(error) => failed(&error),
        LdaError::Memory { .. } => no_memory(error),
        LdaError::Empty { documents, held_out } => bad_value(format!(
            "of {documents} documents (n_samples = {documents}) {held_out} are held out, and the others have \
             no words: lower validation, or keep more words"
        )),
        error => bad_value(error),
    }
}
