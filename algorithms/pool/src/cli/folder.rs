//! Access to the folder of a pool, for all verbs.

use std::path::Path;

use raddle_cli::{Error, find_program};

use crate::policy::{Profile, Profiles};
use crate::pool::Request;
use crate::pool::journal::{Journal, JournalError, Opened};
use crate::pool::queue::Queue;

/// Converts the error of a journal: a journal that cannot be used is bad input, a failed write is a failure.
pub(super) fn refuse(error: JournalError) -> Error {
    match error {
        JournalError::Line { .. } => Error::input(error),
        JournalError::File { .. } => Error::failed(error),
    }
}

/// Reads the journal of the pool in a folder.
pub(super) fn opened(folder: &Path) -> Result<Opened, Error> {
    Journal::read(folder).map_err(refuse)?.ok_or_else(|| {
        Error::usage(format!("{}: no pool: give the --out folder of `pool run`", folder.display()))
    })
}

/// Opens the queue of a pool.
pub(super) fn queue(folder: &Path) -> Result<Queue, Error> {
    Queue::of(folder).map_err(|why| unread(folder, &why))
}

/// Error of a queue that cannot be used.
pub(super) fn unread(folder: &Path, why: &std::io::Error) -> Error {
    Error::failed(format!("{}: its queue cannot be used: {why}", folder.display()))
}

/// Jobs of a pool, those in its queue included.
pub(super) fn known(opened: &Opened, queue: &Queue, folder: &Path) -> Result<Vec<Request>, Error> {
    let mut known: Vec<Request> = opened.replay.pool.fits().iter().map(|fit| fit.request.clone()).collect();
    for request in queue.submitted().map_err(|why| unread(folder, &why))? {
        if known.iter().all(|other| other.name != request.name) {
            known.push(request);
        }
    }
    Ok(known)
}

/// Reads a file of profiles; no profiles without a file.
pub(super) fn profiles(path: Option<&Path>) -> Result<Vec<Profile>, Error> {
    let Some(path) = path else { return Ok(Vec::new()) };
    Ok(Profiles::read(path).map_err(Error::input)?.jobs)
}

/// `true` if a program is installed.
pub(super) fn is_program(name: &str) -> bool {
    find_program(name).is_ok()
}

/// `true` if a folder holds a run, or files of one.
pub(super) fn holds_run(folder: &Path) -> bool {
    ["run.json", "report.json", "model.json", "trace.jsonl"].iter().any(|name| folder.join(name).exists())
}

/// Working directory of this process.
pub(super) fn here() -> Result<std::path::PathBuf, Error> {
    std::env::current_dir()
        .map_err(|why| Error::failed(format!("the folder that this was started in: {why}")))
}
