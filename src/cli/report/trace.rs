//! [`Trace`]: `trace.jsonl` and `explain.jsonl`, which grow by a line an epoch while the run goes on.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use raddle::EpochRecord;
use raddle::command_line_support::{EXPLAINED, TRACE};
use raddle::schedule::RoundLog;
use serde::{Deserialize, Serialize};

use crate::exit::Error;

/// The epochs of a run, as a file of JSON lines; the rounds of those that the schedule explains, as another.
///
/// The files are touched when the first record comes. A run that resumes keeps the lines before its first
/// epoch.
#[derive(Debug)]
pub struct Trace {
    epochs: Lines,
    /// None for a part of a run, which has no such file.
    rounds: Option<Lines>,
    keep: bool,
    begun: bool,
    problem: Option<Error>,
}

/// File of JSON lines that grows.
#[derive(Debug)]
struct Lines {
    path: PathBuf,
    out: Option<BufWriter<File>>,
}

/// Place in the run of a line that is already there.
#[derive(Clone, Copy, PartialEq, PartialOrd, Deserialize)]
struct Place {
    #[serde(default)]
    data_version: u64,
    epoch: u64,
}

/// Line of `explain.jsonl`.
#[derive(Serialize)]
struct Explained<'a> {
    epoch: u64,
    data_version: u64,
    rounds: &'a [RoundLog],
}

impl Trace {
    /// The trace of the run of a folder.
    pub(crate) fn new(folder: &Path) -> Self {
        let rounds = Some(Lines::new(folder.join(EXPLAINED)));
        Self { rounds, ..Self::of_part(folder.join(TRACE)) }
    }

    /// The trace of a part of a run, as a file of epochs alone.
    pub(crate) fn of_part(path: PathBuf) -> Self {
        Self { epochs: Lines::new(path), rounds: None, keep: false, begun: false, problem: None }
    }

    /// Keeps the lines of an earlier part of the same run, up to where this part begins.
    pub(crate) fn keep_earlier(&mut self) {
        self.keep = true;
    }

    /// Adds a record, at once visible to readers. A problem is reported by [`check`](Self::check).
    pub fn add(&mut self, record: &EpochRecord) {
        if self.problem.is_none() {
            self.problem = self.append(record).err();
        }
    }

    /// Check that all records were written.
    ///
    /// # Errors
    /// The first problem there was.
    pub fn check(&mut self) -> Result<(), Error> {
        for lines in std::iter::once(&self.epochs).chain(&self.rounds) {
            match fs::remove_file(lines.earlier()) {
                Err(why) if why.kind() != io::ErrorKind::NotFound => {
                    self.problem = self.problem.take().or(Some(Error::write(&lines.path, why)));
                }
                _ => {}
            }
        }
        self.problem.take().map_or(Ok(()), Err)
    }

    /// Ends the trace with this record, of a boundary that was shown before: later ones were given up with an
    /// epoch that was cancelled.
    pub(crate) fn end_with(&mut self, record: &EpochRecord) {
        if self.problem.is_none() {
            let ended = self.drop_from(record).and_then(|()| self.epochs.add(record));
            self.problem = ended.err();
        }
    }

    /// Drops the line of this boundary and those behind it; its rounds stay.
    fn drop_from(&mut self, record: &EpochRecord) -> Result<(), Error> {
        let EpochRecord { data_version, epoch, .. } = *record;
        let of = std::iter::once((&mut self.epochs, epoch)).chain(self.rounds.iter_mut().zip([epoch + 1]));
        for (lines, epoch) in of {
            lines.out = None;
            lines.begin(Some(Place { data_version, epoch })).map_err(|why| Error::write(&lines.path, why))?;
        }
        Ok(())
    }

    fn append(&mut self, record: &EpochRecord) -> Result<(), Error> {
        let EpochRecord { epoch, data_version, log, .. } = record;
        let (epoch, data_version) = (*epoch, *data_version);
        for lines in std::iter::once(&self.epochs).chain(&self.rounds).filter(|_| !self.begun) {
            lines
                .begin(self.keep.then_some(Place { data_version, epoch }))
                .map_err(|why| Error::write(&lines.path, why))?;
        }
        self.begun = true;
        self.epochs.add(record)?;
        match &mut self.rounds {
            Some(rounds) if !log.is_empty() => rounds.add(&Explained { epoch, data_version, rounds: log }),
            _ => Ok(()),
        }
    }
}

impl Lines {
    fn new(path: PathBuf) -> Self {
        Self { path, out: None }
    }

    /// Place of the lines of the run before until the end of this one.
    fn earlier(&self) -> PathBuf {
        self.path.with_extension("jsonl.earlier")
    }

    /// Makes room: of lines that are there, those before `first` stay, or none.
    fn begin(&self, first: Option<Place>) -> io::Result<()> {
        if !self.path.exists() {
            return Ok(());
        }
        let Some(first) = first else {
            // Emptying a file gives its blocks back, which takes milliseconds: after the run, then.
            return fs::rename(&self.path, self.earlier());
        };
        let kept = earlier(&fs::read_to_string(&self.path)?, first) as u64;
        OpenOptions::new().write(true).open(&self.path)?.set_len(kept)
    }

    fn add(&mut self, line: &impl Serialize) -> Result<(), Error> {
        let Self { path, out } = self;
        let mut append = || -> io::Result<()> {
            if out.is_none() {
                *out = Some(BufWriter::new(OpenOptions::new().create(true).append(true).open(&*path)?));
            }
            if let Some(out) = out {
                serde_json::to_writer(&mut *out, line)?;
                out.write_all(b"\n")?;
                out.flush()?;
            }
            Ok(())
        };
        append().map_err(|why| Error::write(path, why))
    }
}

/// Number of bytes of a trace that are whole lines before this version of the data and, in it, this epoch.
fn earlier(text: &str, first: Place) -> usize {
    let is_before = |place: Place| place < first;
    let before = |line: &&str| line.ends_with('\n') && serde_json::from_str(line).is_ok_and(is_before);
    text.split_inclusive('\n').take_while(before).map(str::len).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle::Ending;

    fn record(epoch: u64) -> EpochRecord {
        EpochRecord { epoch, ..EpochRecord::default() }
    }

    fn epochs(path: &Path) -> Vec<u64> {
        let text = fs::read_to_string(path).unwrap();
        text.lines().map(|line| serde_json::from_str::<Place>(line).unwrap().epoch).collect()
    }

    #[test]
    fn it_grows_line_by_line_and_a_new_run_begins_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace.jsonl");
        let mut trace = Trace::new(folder.path());
        assert!(!path.exists());
        for epoch in 0..3 {
            trace.add(&record(epoch));
            assert_eq!(epochs(&path).len() as u64, epoch + 1);
        }
        trace.check().unwrap();
        let mut trace = Trace::new(folder.path());
        trace.add(&record(0));
        assert_eq!(epochs(&path), [0]);
    }

    #[test]
    fn a_resumed_run_keeps_what_is_before_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace.jsonl");
        let mut trace = Trace::new(folder.path());
        (0..5).for_each(|epoch| trace.add(&record(epoch)));
        // Killed while it wrote a line.
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"{\"epoch\":5,").unwrap();
        let mut trace = Trace::new(folder.path());
        trace.keep_earlier();
        (3..5).for_each(|epoch| trace.add(&record(epoch)));
        assert_eq!(epochs(&path), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn a_run_that_goes_back_to_a_boundary_ends_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let mut trace = Trace::new(folder.path());
        (0..5).for_each(|epoch| trace.add(&record(epoch)));
        let last = EpochRecord { ending: Some(Ending::Interrupted), ..record(2) };
        trace.end_with(&last);
        trace.check().unwrap();
        let path = folder.path().join(TRACE);
        assert_eq!(epochs(&path), [0, 1, 2]);
        assert!(fs::read_to_string(path).unwrap().trim_end().ends_with("}"));
        assert_eq!(fs::read_to_string(folder.path().join(TRACE)).unwrap().matches("interrupted").count(), 1);
    }

    #[test]
    fn rounds_that_are_explained_are_kept_and_replaced_as_epochs_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("explain.jsonl");
        let explained = |epoch: u64| {
            let (candidates, survivors) = (vec![1, 2], vec![1]);
            let round = RoundLog { epoch, round: 0, candidates, rejected: Vec::new(), survivors };
            EpochRecord { log: vec![round], ..record(epoch) }
        };
        let mut trace = Trace::new(folder.path());
        trace.add(&record(0));
        assert!(!path.exists(), "nothing is explained");
        (1..5).for_each(|epoch| trace.add(&explained(epoch)));
        assert_eq!(epochs(&path), [1, 2, 3, 4]);
        let mut trace = Trace::new(folder.path());
        trace.keep_earlier();
        (3..6).for_each(|epoch| trace.add(&explained(epoch)));
        assert_eq!(epochs(&path), [1, 2, 3, 4, 5]);
        let text = fs::read_to_string(&path).unwrap();
        let first: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        assert_eq!(first["rounds"][0]["candidates"], serde_json::json!([1, 2]));
        // A new run that explains nothing leaves nothing.
        let mut trace = Trace::new(folder.path());
        trace.add(&record(0));
        trace.check().unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_problem_is_told_once_and_names_the_file() {
        let mut trace = Trace::new(Path::new("no/such/folder"));
        trace.add(&record(0));
        assert!(
            trace.check().unwrap_err().to_string().starts_with("no/such/folder/trace.jsonl: cannot write")
        );
        trace.check().unwrap();
    }
}
