//! [`Queue`]: requests to a live pool, as files in its folder.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::event::EventKind;
use super::request::Request;

/// Name of the queue's folder in the folder of a pool.
pub const NAME: &str = "queue";

/// A request to a pool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Wish {
    Submit(Box<Request>),
    Cancel { job: String },
}

/// Requests to a pool, in order of submission. Files appear atomically: each is complete or absent.
#[derive(Debug)]
pub struct Queue {
    folder: PathBuf,
    /// File of the request that was returned last. It is removed when the next one is asked for: by then the
    /// pool has stored it.
    told: Option<PathBuf>,
    /// Notes on files that are not valid requests.
    notes: Vec<String>,
}

impl Queue {
    /// Opens the queue of the pool in a folder, and creates it if necessary.
    ///
    /// # Errors
    /// If the folder cannot be created.
    pub fn of(pool: &Path) -> io::Result<Self> {
        let folder = pool.join(NAME);
        fs::create_dir_all(&folder)?;
        Ok(Self { folder, told: None, notes: Vec::new() })
    }

    /// Appends the submission of a job.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn submit(&self, request: &Request) -> io::Result<()> {
        self.put(&Wish::Submit(Box::new(request.clone())))
    }

    /// Appends the cancellation of a job.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn cancel(&self, job: &str) -> io::Result<()> {
        self.put(&Wish::Cancel { job: job.into() })
    }

    /// Submitted jobs that the pool has not taken from the queue.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn submitted(&self) -> io::Result<Vec<Request>> {
        let wishes = self.files()?.into_iter().filter_map(|(_, path)| read(&path).ok());
        Ok(wishes.filter_map(|wish| if let Wish::Submit(job) = wish { Some(*job) } else { None }).collect())
    }

    /// Returns the oldest request as an event of the pool, and removes the one that was returned before,
    /// which the pool has stored by now. A file that is not a valid request is renamed to `.refused`, with a
    /// note.
    ///
    /// # Errors
    /// If the folder cannot be read or written.
    pub fn oldest(&mut self) -> io::Result<Option<EventKind>> {
        if let Some(told) = self.told.take() {
            fs::remove_file(told)?;
        }
        for (_, path) in self.files()? {
            match read(&path) {
                Ok(wish) => {
                    self.told = Some(path);
                    return Ok(Some(match wish {
                        Wish::Submit(request) => EventKind::Submitted(vec![*request]),
                        Wish::Cancel { job } => EventKind::Cancelled { job },
                    }));
                }
                Err(why) => {
                    let aside = path.with_extension("refused");
                    self.notes.push(format!(
                        "{}: {why}: it is set aside as {}",
                        path.display(),
                        aside.display()
                    ));
                    fs::rename(&path, aside)?;
                }
            }
        }
        Ok(None)
    }

    /// Takes the notes on files that were set aside since the last call.
    pub fn notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// Files of requests, by number.
    fn files(&self) -> io::Result<Vec<(u64, PathBuf)>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            let number = path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.parse().ok());
            if let Some(number) = number.filter(|_| path.extension().is_some_and(|ending| ending == "json")) {
                files.push((number, path));
            }
        }
        files.sort();
        Ok(files)
    }

    /// Writes a request to a temporary file, then links it to the next number that no other process takes.
    fn put(&self, wish: &Wish) -> io::Result<()> {
        let beside = self.folder.join(format!("{}.partial", std::process::id()));
        fs::write(&beside, serde_json::to_vec(wish)?)?;
        let mut number = self.files()?.last().map_or(0, |(number, _)| *number) + 1;
        let put = loop {
            match fs::hard_link(&beside, self.folder.join(format!("{number:06}.json"))) {
                Err(why) if why.kind() == ErrorKind::AlreadyExists => number += 1,
                put => break put,
            }
        };
        fs::remove_file(&beside)?;
        put
    }
}

fn read(path: &Path) -> io::Result<Wish> {
    Ok(serde_json::from_slice(&fs::read(path)?)?)
}
