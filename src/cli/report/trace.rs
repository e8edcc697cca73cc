//! [`Trace`]: `trace.jsonl`, which grows by a line an epoch while the run goes on.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::cli::exit::Error;
use crate::run::record::EpochRecord;

/// The epochs of a run, as a file of JSON lines.
///
/// The file is touched when the first record comes. A run that resumes keeps the lines before its first
/// epoch.
#[derive(Debug)]
pub struct Trace {
    path: PathBuf,
    keep: bool,
    out: Option<BufWriter<File>>,
    problem: Option<io::Error>,
}

/// Place in the run of a line that is already there.
#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    data_version: u64,
    epoch: u64,
}

impl Trace {
    pub(crate) fn new(path: &Path) -> Self {
        Self { path: path.into(), keep: false, out: None, problem: None }
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
        match fs::remove_file(self.earlier()) {
            Err(why) if why.kind() != io::ErrorKind::NotFound => {
                self.problem = self.problem.take().or(Some(why))
            }
            _ => {}
        }
        self.problem.take().map_or(Ok(()), |why| Err(Error::write(&self.path, why)))
    }

    /// Place of the trace of the run before until the end of this one.
    fn earlier(&self) -> PathBuf {
        self.path.with_extension("jsonl.earlier")
    }

    fn append(&mut self, record: &EpochRecord) -> io::Result<()> {
        if self.out.is_none() {
            self.out = Some(self.open((record.data_version, record.epoch))?);
        }
        if let Some(out) = &mut self.out {
            serde_json::to_writer(&mut *out, record)?;
            out.write_all(b"\n")?;
            out.flush()?;
        }
        Ok(())
    }

    fn open(&self, first: (u64, u64)) -> io::Result<BufWriter<File>> {
        if !self.keep && self.path.exists() {
            // Emptying a file gives its blocks back, which takes milliseconds: after the run, then.
            fs::rename(&self.path, self.earlier())?;
        }
        let file = OpenOptions::new().create(true).write(true).truncate(false).open(&self.path)?;
        let mut out = BufWriter::new(file);
        if self.keep {
            let kept = earlier(&fs::read_to_string(&self.path)?, first) as u64;
            out.get_ref().set_len(kept)?;
            io::Seek::seek(&mut out, io::SeekFrom::Start(kept))?;
        }
        Ok(out)
    }
}

/// Number of bytes of a trace that are whole lines before this version of the data and, in it, this epoch.
fn earlier(text: &str, first: (u64, u64)) -> usize {
    let is_before = |line: Line| (line.data_version, line.epoch) < first;
    let before = |line: &&str| line.ends_with('\n') && serde_json::from_str(line).is_ok_and(is_before);
    text.split_inclusive('\n').take_while(before).map(str::len).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(epoch: u64) -> EpochRecord {
        EpochRecord { epoch, ..EpochRecord::default() }
    }

    fn epochs(path: &Path) -> Vec<u64> {
        let text = fs::read_to_string(path).unwrap();
        text.lines().map(|line| serde_json::from_str::<Line>(line).unwrap().epoch).collect()
    }

    #[test]
    fn it_grows_line_by_line_and_a_new_run_begins_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace.jsonl");
        let mut trace = Trace::new(&path);
        assert!(!path.exists());
        for epoch in 0..3 {
            trace.add(&record(epoch));
            assert_eq!(epochs(&path).len() as u64, epoch + 1);
        }
        trace.check().unwrap();
        let mut trace = Trace::new(&path);
        trace.add(&record(0));
        assert_eq!(epochs(&path), [0]);
    }

    #[test]
    fn a_resumed_run_keeps_what_is_before_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace.jsonl");
        let mut trace = Trace::new(&path);
        (0..5).for_each(|epoch| trace.add(&record(epoch)));
        // Killed while it wrote a line.
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"{\"epoch\":5,").unwrap();
        let mut trace = Trace::new(&path);
        trace.keep_earlier();
        (3..5).for_each(|epoch| trace.add(&record(epoch)));
        assert_eq!(epochs(&path), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn a_problem_is_told_once_and_names_the_file() {
        let mut trace = Trace::new(Path::new("no/such/folder/trace.jsonl"));
        trace.add(&record(0));
        assert!(
            trace.check().unwrap_err().to_string().starts_with("no/such/folder/trace.jsonl: cannot write")
        );
        trace.check().unwrap();
    }
}
