//! Rows of the published tables, with their line numbers.

use std::path::Path;

use raddle_datasets::read_text;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::{NO_TABLES, SimulateError};

/// A row of `workloads.csv.gz`.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Submission {
    pub(super) load: f64,
    pub(super) workload: u32,
    pub(super) name: String,
    pub(super) time: f64,
    pub(super) application: String,
    pub(super) num_replicas: u32,
    pub(super) batch_size: u32,
}

/// A row of `placements.csv.gz`, with the seconds of a step and of its synchronisation.
#[derive(Debug, Deserialize)]
pub(super) struct Placed {
    pub(super) application: String,
    /// Number of replicas on each node, as digits.
    pub(super) placement: String,
    pub(super) local_bsz: f64,
    pub(super) step_time: f64,
    pub(super) sync_time: f64,
}

/// A row of `scalability.csv.gz`.
#[derive(Debug, Deserialize)]
pub(super) struct Scaled {
    pub(super) application: String,
    pub(super) num_nodes: u32,
    pub(super) num_replicas: u32,
    pub(super) local_bsz: f64,
    pub(super) step_time: f64,
    pub(super) sync_time: f64,
}

/// A row of `validation.csv.gz`, for an epoch at a batch size.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Epoch {
    pub(super) application: String,
    pub(super) batch_size: u32,
    pub(super) progress: f64,
    pub(super) iteration: f64,
    pub(super) grad_sqr: f64,
    pub(super) grad_var: f64,
}

/// Reads the rows of a file in the folder of data, with their line numbers. All numbers of the given columns
/// must be finite: those of `positive` above 0, those of `others` at least 0.
pub(super) fn read<T: DeserializeOwned>(
    folder: &Path,
    file: &str,
    positive: &[&str],
    others: &[&str],
) -> Result<Vec<(u64, T)>, SimulateError> {
    let path = folder.join("cluster").join(file);
    if !path.is_file() {
        return Err(SimulateError::File { path, message: NO_TABLES.into() });
    }
    let text = read_text(&path)?;
    let refuse = |why: csv::Error| {
        let line = why.position().map_or(1, csv::Position::line);
        SimulateError::Line { path: path.clone(), line, message: format!("{why}: get the file again") }
    };
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let headers = reader.headers().map_err(refuse)?.clone();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(refuse)?;
        let line = record.position().map_or(1, csv::Position::line);
        let row: T = record.deserialize(Some(&headers)).map_err(refuse)?;
        let number = |name: &str| -> Option<f64> {
            let at = headers.iter().position(|header| header == name)?;
            record.get(at)?.parse().ok().filter(|number: &f64| number.is_finite())
        };
        let is_fit = positive.iter().all(|name| number(name).is_some_and(|number| number > 0.0))
            && others.iter().all(|name| number(name).is_some_and(|number| number >= 0.0));
        if !is_fit {
            let message = "a number that is not finite, or below what it may be: get the file again".into();
            return Err(SimulateError::Line { path, line, message });
        }
        rows.push((line, row));
    }
    Ok(rows)
}
