//! [`RunView`]: a run's folder as other processes read it, without locking it.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use raddle::EpochRecord;
use raddle::command_line_support::{EXPLAINED, TRACE};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::begun::{self, Begun};
use super::life::Life;
use super::tail::Tail;
use crate::exit::Error;
use crate::report::summary::Summary;

/// Files of a run, as they are at the moment.
pub(crate) struct RunView {
    pub(crate) path: PathBuf,
    /// The request of the run; `None` if it did not train.
    pub(crate) begun: Option<Begun>,
    pub(crate) life: Life,
    pub(crate) trace: Vec<EpochRecord>,
    /// Lines of `explain.jsonl`.
    pub(crate) explained: Vec<Value>,
    /// Content of `report.json`, if the run has a model.
    pub(crate) report: Option<Value>,
    pub(crate) summary: Option<Summary>,
    /// Notes on files that are incomplete, a sentence each.
    pub(crate) notes: Vec<String>,
    tail: Tail,
}

impl RunView {
    /// Reads a folder.
    ///
    /// # Errors
    /// If the folder is missing or holds no run, or one of its files cannot be read or is not a run's.
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        if !path.is_dir() {
            return Err(Error::input(format!(
                "{}: no such folder: give the --out folder of a run",
                path.display()
            )));
        }
        if ![begun::NAME, TRACE, "report.json"].iter().any(|name| path.join(name).is_file()) {
            let why = "no run: it has none of run.json, trace.jsonl and report.json: give the --out folder \
                       of a run";
            return Err(Error::input(format!("{}: {why}", path.display())));
        }
        let tail = Tail::new(path.join(TRACE));
        let mut view = Self {
            path: path.into(),
            begun: None,
            life: Life::Unknown,
            trace: Vec::new(),
            explained: Vec::new(),
            report: None,
            summary: None,
            notes: Vec::new(),
            tail,
        };
        view.refresh()?;
        view.report = json(&path.join("report.json"))?;
        view.summary = json(&path.join("summary.json"))?;
        let explained = path.join(EXPLAINED);
        let lines = Tail::new(explained.clone())
            .next()
            .map_err(|why| Error::input(format!("{}: {why}", explained.display())))?;
        if lines.cut && !matches!(view.life, Life::Alive(_)) {
            view.notes.push(format!(
                "{EXPLAINED} ends in the middle of line {}, which is left out",
                lines.lines.len() + 1
            ));
        }
        for (at, line) in lines.lines.iter().enumerate() {
            view.explained.push(parsed(&explained, at + 1, line)?);
        }
        Ok(view)
    }

    /// Reads what was appended to the trace, and the state of the run.
    ///
    /// # Errors
    /// If a file cannot be read or is not a run's.
    pub(crate) fn refresh(&mut self) -> Result<(), Error> {
        // First: a run that ends in the meantime has then written all that is read below.
        let life = Life::of(&self.path);
        let begun = Begun::read(&self.path)?;
        let path = self.path.join(TRACE);
        let new = self.tail.next().map_err(|why| Error::input(format!("{}: {why}", path.display())))?;
        if new.anew {
            self.trace.clear();
        }
        for line in &new.lines {
            let record = parsed(&path, self.trace.len() + 1, line)?;
            self.trace.push(record);
        }
        self.notes.clear();
        if new.cut && !matches!(life, Life::Alive(_)) {
            let line = self.trace.len() + 1;
            self.notes.push(format!("{TRACE} ends in the middle of line {line}, which is left out"));
        }
        (self.life, self.begun) = (life, begun);
        Ok(())
    }
}

fn parsed<T: DeserializeOwned>(path: &Path, line: usize, text: &str) -> Result<T, Error> {
    serde_json::from_str(text).map_err(|why| {
        Error::input(format!(
            "{}, line {line}: not what a run wrote ({why}): remove the line",
            path.display()
        ))
    })
}

/// Reads a file of JSON, if there is one.
fn json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Error> {
    match fs::read(path) {
        Ok(text) => serde_json::from_slice(&text).map(Some).map_err(|why| {
            Error::input(format!("{}: not what a run wrote ({why}): remove it", path.display()))
        }),
        Err(why) if why.kind() == ErrorKind::NotFound => Ok(None),
        Err(why) => Err(Error::input(format!("{}: {why}", path.display()))),
    }
}
