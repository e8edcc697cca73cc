//! [`RunSnapshot`]: a run's folder as other processes read it, without locking it.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use raddle::command_line_support::{EXPLAINED, TRACE};
use raddle::{EpochRecord, Metric};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::begun::{self, Begun, RecordedEnd};
use super::life::Life;
use super::tail::Tail;
use crate::exit::Error;
use crate::report::summary::Summary;

/// Files of a run, as they are at the moment.
#[derive(Debug)]
pub(crate) struct RunSnapshot {
    pub(crate) path: PathBuf,
    /// The request of the run; empty if it did not train.
    pub(crate) begun: Begun,
    pub(crate) life: Life,
    pub(crate) trace: Vec<EpochRecord>,
    /// Lines of `explain.jsonl`.
    pub(crate) explained: Vec<Value>,
    /// Content of `report.json`; null if the run has no model.
    report: Value,
    pub(crate) summary: Option<Summary>,
    /// Notes on files that are incomplete, a sentence each.
    pub(crate) notes: Vec<String>,
    tail: Tail,
}

impl RunSnapshot {
    /// Reads a folder.
    ///
    /// # Errors
    /// If the folder is missing or holds no run, or one of its files cannot be read or is not a run's.
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        let refuse = |why: &str| {
            Err(Error::input(format!("{}: {why}: give the --out folder of a run", path.display())))
        };
        if !path.is_dir() {
            return refuse("no such folder");
        }
        if ![begun::NAME, TRACE, "report.json"].iter().any(|name| path.join(name).is_file()) {
            return refuse("no run: it has none of run.json, trace.jsonl and report.json");
        }
        let mut snapshot = Self {
            path: path.into(),
            begun: Begun::default(),
            life: Life::Unknown,
            trace: Vec::new(),
            explained: Vec::new(),
            report: Value::Null,
            summary: None,
            notes: Vec::new(),
            tail: Tail::new(path.join(TRACE)),
        };
        snapshot.refresh()?;
        snapshot.report = json(&path.join("report.json"))?.unwrap_or_default();
        snapshot.summary = json(&path.join("summary.json"))?;
        let mut explained = Tail::new(path.join(EXPLAINED));
        let cut = append(&mut explained, &mut snapshot.explained)?;
        snapshot.note(EXPLAINED, cut);
        Ok(snapshot)
    }

    /// Reads what was appended to the trace, and the state of the run.
    ///
    /// # Errors
    /// If a file cannot be read or is not a run's.
    pub(crate) fn refresh(&mut self) -> Result<(), Error> {
        // First: a run that ends in the meantime has then written all that is read below.
        self.life = Life::of(&self.path);
        self.begun = Begun::read(&self.path)?.unwrap_or_default();
        let cut = append(&mut self.tail, &mut self.trace)?;
        self.notes.clear();
        self.note(TRACE, cut);
        Ok(())
    }

    /// Notes that a file ends within this line, unless the run is writing it.
    fn note(&mut self, file: &str, cut: Option<usize>) {
        if let Some(line) = cut.filter(|_| !matches!(self.life, Life::Alive(_))) {
            self.notes.push(format!("{file} ends in the middle of line {line}, which is left out"));
        }
    }

    /// Returns a field of the report, by its path; null if there is none.
    pub(crate) fn field(&self, path: &[&str]) -> &Value {
        path.iter().fold(&self.report, |value, name| &value[*name])
    }

    /// Returns the end of the run; `None` while it is running.
    pub(crate) fn ended(&self) -> Option<&RecordedEnd> {
        self.begun.ended.as_ref()
    }

    /// Returns the metric as it was measured last.
    pub(crate) fn metric(&self) -> Option<&Metric> {
        self.trace.iter().rev().find_map(|epoch| epoch.metric.as_ref())
    }
}

/// Adds the records that were appended to a file; returns the number of a line that is not whole.
///
/// # Errors
/// If the file cannot be read, or a line is not such a record.
pub(crate) fn append<T: DeserializeOwned>(
    tail: &mut Tail,
    records: &mut Vec<T>,
) -> Result<Option<usize>, Error> {
    let new = tail.next().map_err(|why| Error::input(format!("{}: {why}", tail.path.display())))?;
    if new.anew {
        records.clear();
    }
    for text in &new.lines {
        let (path, line) = (tail.path.display(), records.len() + 1);
        let refuse = |why| format!("{path}, line {line}: not what a run wrote ({why}): remove the line");
        records.push(serde_json::from_str(text).map_err(|why| Error::input(refuse(why)))?);
    }
    Ok(new.cut.then_some(records.len() + 1))
}

/// Reads a file of JSON, if there is one.
pub(crate) fn json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Error> {
    match fs::read(path) {
        Ok(text) => serde_json::from_slice(&text).map(Some).map_err(|why| {
            Error::input(format!("{}: not what a run wrote ({why}): remove it", path.display()))
        }),
        Err(why) if why.kind() == ErrorKind::NotFound => Ok(None),
        Err(why) => Err(Error::input(format!("{}: {why}", path.display()))),
    }
}
