//! The folder of a pool, as the verbs read it.

use std::path::Path;

use raddle::cli::{Error, find_program};

use crate::policy::{Profile, Profiles};
use crate::pool::Request;
use crate::pool::journal::{Journal, JournalError, Opened};
use crate::pool::queue::Queue;

/// Error of a journal: a file that cannot be used is bad input, one that cannot be written a failure.
pub(super) fn refuse(error: JournalError) -> Error {
    match error {
        JournalError::Line { .. } => Error::input(error),
        JournalError::File { .. } => Error::failed(error),
    }
}

/// The pool in a folder, as its journal tells it.
pub(super) fn opened(folder: &Path) -> Result<Opened, Error> {
    Journal::read(folder).map_err(refuse)?.ok_or_else(|| {
        Error::usage(format!("{}: no pool: give the --out folder of `pool run`", folder.display()))
    })
}

/// The queue of a pool.
pub(super) fn queue(folder: &Path) -> Result<Queue, Error> {
    Queue::of(folder).map_err(|why| unread(folder, &why))
}

/// Error of the queue of a pool.
pub(super) fn unread(folder: &Path, why: &std::io::Error) -> Error {
    Error::failed(format!("{}: its queue cannot be used: {why}", folder.display()))
}

/// Jobs that a pool has, and those that were submitted to it since.
pub(super) fn known(opened: &Opened, queue: &Queue, folder: &Path) -> Result<Vec<Request>, Error> {
    let mut known: Vec<Request> = opened.replay.pool.fits().iter().map(|fit| fit.request.clone()).collect();
    for request in queue.submitted().map_err(|why| unread(folder, &why))? {
        if known.iter().all(|other| other.name != request.name) {
            known.push(request);
        }
    }
    Ok(known)
}

/// Profiles of a file.
pub(super) fn profiles(path: Option<&Path>) -> Result<Vec<Profile>, Error> {
    let Some(path) = path else { return Ok(Vec::new()) };
    Ok(Profiles::read(path).map_err(Error::input)?.jobs)
}

/// `true` if a program is there to be started.
pub(super) fn is_program(name: &str) -> bool {
    find_program(name).is_ok()
}

/// `true` if a folder holds a run, or what one has left.
pub(super) fn holds_run(folder: &Path) -> bool {
    ["run.json", "report.json", "model.json", "trace.jsonl"].iter().any(|name| folder.join(name).exists())
}

/// The folder in which this process was started.
pub(super) fn here() -> Result<std::path::PathBuf, Error> {
    std::env::current_dir()
        .map_err(|why| Error::failed(format!("the folder that this was started in: {why}")))
}
