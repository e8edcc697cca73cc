//! [`PartResults`]: a checkpoint of runs that make one model together: the results of those that are done.
//!
//! Magic, version, the run's identity, each part, and SHA-256 over all of it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use raddle::command_line_support::Identity;
use raddle::files::write_atomic;
use raddle::state::{from_bytes, to_bytes};
use raddle::{EpochRecord, RunReport};
use sha2::{Digest, Sha256};

use crate::exit::Error;
use crate::report::combine::combine;

const MAGIC: &[u8] = b"raddle parts 1\n";

/// Results of the parts that are done, by their numbers.
#[derive(Debug)]
pub(super) struct PartResults {
    identity: String,
    pub(super) parts: BTreeMap<u64, PartResult>,
}

/// Result of a part.
#[derive(Debug, Clone)]
pub(super) struct PartResult {
    pub(super) value: Vec<u8>,
    /// Report on all runs of the part as one, in JSON; empty if it had no run.
    run: String,
    trace: Vec<String>,
}

raddle::state!(PartResults { identity, parts });
raddle::state!(PartResult { value, run, trace });

impl PartResults {
    pub(super) fn new(identity: &str) -> Self {
        Self { identity: identity.into(), parts: BTreeMap::new() }
    }

    /// Reads the results that an earlier attempt of the same run has kept, of so many parts.
    ///
    /// # Errors
    /// If the file is damaged, or of another run.
    pub(super) fn read(path: &Path, identity: &str, count: usize) -> Result<Self, Error> {
        let refuse = |why: String| Error::input(format!("checkpoint {}: {why}", path.display()));
        let bytes = fs::read(path).map_err(|why| refuse(why.to_string()))?;
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return Err(refuse("it is of another verb or version: start the run again with --force".into()));
        };
        let damaged = || refuse("it is damaged: start the run again with --force".into());
        let (body, sum) = rest.split_last_chunk::<32>().ok_or_else(damaged)?;
        if Sha256::digest(body)[..] != sum[..] {
            return Err(damaged());
        }
        let results: Self = from_bytes(body).map_err(|_| damaged())?;
        let of = |run: &str| {
            let (run, schedule, costs) = (run.to_owned(), String::new(), Vec::new());
            Identity { run, schedule, staleness: 0, guard: true, costs }
        };
        if let Some(why) = of(&results.identity).difference(&of(identity)) {
            return Err(refuse(why));
        }
        let is_whole = |(number, part): (&u64, &PartResult)| {
            *number < count as u64
                && part.parsed().is_some()
                && part.trace.iter().all(|line| record(line).is_some())
        };
        if results.parts.iter().all(is_whole) { Ok(results) } else { Err(damaged()) }
    }

    /// Writes the results to a file, whole or not at all.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(super) fn write(&self, path: &Path) -> Result<(), Error> {
        let body = to_bytes(self);
        Ok(write_atomic(path, |out| {
            out.write_all(MAGIC)?;
            out.write_all(&body)?;
            out.write_all(&Sha256::digest(&body))
        })?)
    }
}

impl PartResult {
    /// Makes the result of a part whose runs are complete.
    pub(super) fn new(value: Vec<u8>, runs: &[RunReport], trace: &[EpochRecord]) -> Self {
        let total = runs.iter().cloned().reduce(|mut total, run| {
            combine(&mut total, &run);
            total
        });
        let run = total.and_then(|total| serde_json::to_string(&total).ok()).unwrap_or_default();
        let trace = trace.iter().filter_map(|record| serde_json::to_string(record).ok()).collect();
        Self { value, run, trace }
    }

    /// Returns the report on all runs of the part as one, if it had any.
    pub(super) fn report(&self) -> Option<RunReport> {
        self.parsed().flatten()
    }

    fn parsed(&self) -> Option<Option<RunReport>> {
        match self.run.as_str() {
            "" => Some(None),
            run => serde_json::from_str(run).ok().map(Some),
        }
    }

    /// Returns the epochs of the part.
    pub(super) fn records(&self) -> Vec<EpochRecord> {
        self.trace.iter().filter_map(|line| record(line)).collect()
    }
}

/// A line of a trace, if it is one.
pub(super) fn record(line: &str) -> Option<EpochRecord> {
    serde_json::from_str(line).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::small_run;
    use raddle::{CheckpointRecord, Ending, Metric};

    fn results() -> PartResults {
        let metric = Metric::new("gap", 1.0 / 3.0, "training data").target(1e-6).certified();
        let record = EpochRecord {
            epoch: 3,
            seconds: 0.1 + 0.2,
            metric: Some(metric.clone()),
            ending: Some(Ending::Target),
            position: Some("point 2 of 9".into()),
            shown: BTreeMap::from([("drift".to_owned(), 0.25)]),
            load: vec![0.5, 0.75],
            ..EpochRecord::default()
        };
        let checkpoints = CheckpointRecord { count: 2, seconds: 0.25, bytes: 100 };
        let (seconds, warnings) = (0.7, vec!["it was cold".into()]);
        let run = RunReport { checkpoints, seconds, warnings, ..small_run(Ending::Target, metric) };
        let mut results = PartResults::new("program data d1 tol 3");
        results.parts.insert(2, PartResult::new(vec![1, 2, 3], &[run.clone(), run], &[record]));
        results
    }

    #[test]
    fn what_is_kept_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("checkpoint");
        results().write(&path).unwrap();
        let (results, read) = (results(), PartResults::read(&path, "program data d1 tol 3", 3).unwrap());
        let (there, here) = (&results.parts[&2], &read.parts[&2]);
        assert_eq!(there.value, here.value);
        let json = |part: &PartResult| {
            let records: Vec<String> =
                part.records().iter().map(|record| serde_json::to_string(record).unwrap()).collect();
            (serde_json::to_string(&part.report().unwrap()).unwrap(), records)
        };
        assert_eq!(json(here), (there.run.clone(), there.trace.clone()));
        assert_eq!(here.report().unwrap().epochs, 6);
    }

    #[test]
    fn what_is_damaged_or_of_another_run_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("checkpoint");
        results().write(&path).unwrap();
        let refused =
            |identity: &str, count| PartResults::read(&path, identity, count).unwrap_err().to_string();
        assert!(refused("program data d1 tol 4", 3).contains("`tol 3` there, `tol 4` here"));
        assert!(refused("program data d2 tol 3", 3).contains("a run on other data"));
        assert!(refused("program data d1 tol 3", 2).contains("damaged"), "a part that there is not");
        let whole = fs::read(&path).unwrap();
        for length in [0, 5, MAGIC.len(), whole.len() / 2, whole.len() - 1] {
            fs::write(&path, &whole[..length]).unwrap();
            let why = refused("program data d1 tol 3", 3);
            assert!(why.starts_with("checkpoint ") && why.contains("start the run again"), "{why}");
        }
        for at in (MAGIC.len()..whole.len()).step_by(7) {
            let mut other = whole.clone();
            other[at] ^= 1;
            fs::write(&path, &other).unwrap();
            assert!(refused("program data d1 tol 3", 3).contains("damaged"), "byte {at}");
        }
    }
}
