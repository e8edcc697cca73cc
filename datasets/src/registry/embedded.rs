//! Samples that are part of the program, for a first fit without any file.

use ndarray::{Array2, ShapeBuilder};

use crate::bytes::source::{self, Source};
use crate::corpus::{Corpus, Vocabulary, docword};
use crate::records::RecordCounts;
use crate::table::{Matrix, Table};

const DIABETES: &str = include_str!("../../data/diabetes.csv");

/// The diabetes study of Efron et al. (2004): 442 patients; 10 measurements in their own units (age in years,
/// sex 1 or 2, body-mass index, blood pressure, six blood serum values); the response is the progression of
/// the disease after one year.
///
/// ```
/// let table = raddle_datasets::embedded::diabetes();
/// assert_eq!((table.x.rows(), table.x.cols()), (442, 10));
/// assert_eq!((table.x.to_dense()[(0, 2)], table.y[0]), (32.1, 151.0));
/// ```
pub fn diabetes() -> Table {
    let (header, rows) = DIABETES.split_once('\n').unwrap_or((DIABETES, ""));
    let mut names: Vec<String> = header.split(',').map(str::to_owned).collect();
    names.pop();
    let cells: Vec<f64> = rows.split([',', '\n']).filter_map(|cell| cell.parse().ok()).collect();
    let rows: Vec<&[f64]> = cells.chunks_exact(names.len() + 1).collect();
    Table {
        name: "diabetes".into(),
        x: Matrix::Dense(Array2::from_shape_fn((rows.len(), names.len()).f(), |(i, j)| rows[i][j])),
        y: rows.iter().map(|row| row[names.len()]).collect(),
        feature_names: Some(names),
        digest: source::digest(DIABETES.as_bytes()),
        format: "embedded".into(),
        records: RecordCounts::of(rows.len()),
        ..Table::default()
    }
}

const PYDOC: &[u8] = include_bytes!("../../data/docword.pydoc.txt.gz");
const PYDOC_WORDS: &str = include_str!("../../data/vocab.pydoc.txt");

/// The embedded corpus: word counts of the documentation strings of the Python standard library, one document
/// per module.
///
/// ```
/// let corpus = raddle_datasets::embedded::pydoc();
/// assert!(corpus.documents() > 200 && corpus.tokens() > 100_000);
/// ```
pub fn pydoc() -> Corpus {
    let source = Source::embedded("pydoc", PYDOC);
    // The file is part of the program and a test reads it, so it is valid.
    let mut corpus = docword::load(&source, 1).unwrap_or_default();
    (corpus.name, corpus.digest, corpus.format) = ("pydoc".into(), source.digest(), "embedded".into());
    corpus.vocabulary = Some(PYDOC_WORDS.lines().collect::<Vocabulary>());
    corpus
}
