//! [`Queue`]: wishes to a pool that runs, as files in its folder.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::event::What;
use super::request::Request;

/// Name of the folder in that of a pool.
pub const NAME: &str = "queue";

/// A wish to a pool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Wish {
    Submit(Box<Request>),
    Cancel { job: String },
}

/// Wishes to a pool, in the order in which they were put there. A file is there whole or not at all.
#[derive(Debug)]
pub struct Queue {
    folder: PathBuf,
    /// The wish that was told last: it stays until the next one is asked for, so that the pool has kept it by then.
    told: Option<PathBuf>,
    /// Sentences on files that are no wishes.
    notes: Vec<String>,
}

impl Queue {
    /// The queue of the pool in a folder; it is made if need be.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn of(pool: &Path) -> io::Result<Self> {
        let folder = pool.join(NAME);
        fs::create_dir_all(&folder)?;
        Ok(Self { folder, told: None, notes: Vec::new() })
    }

    /// Puts a job behind the others.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn submit(&self, request: &Request) -> io::Result<()> {
        self.put(&Wish::Submit(Box::new(request.clone())))
    }

    /// Asks to cancel a job.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn cancel(&self, job: &str) -> io::Result<()> {
        self.put(&Wish::Cancel { job: job.into() })
    }

    /// Jobs that were submitted, and not told yet.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn submitted(&self) -> io::Result<Vec<Request>> {
        let wishes = self.files()?.into_iter().filter_map(|(_, path)| read(&path).ok());
        Ok(wishes.filter_map(|wish| if let Wish::Submit(job) = wish { Some(*job) } else { None }).collect())
    }

    /// The oldest wish that was not told yet, as what happens to the pool. The one that was told before is removed: it must have been
    /// kept by now. A file that is no wish is set aside, with a note.
    ///
    /// # Errors
    /// If the folder cannot be read or written.
    pub fn oldest(&mut self) -> io::Result<Option<What>> {
        if let Some(told) = self.told.take() {
            fs::remove_file(told)?;
        }
        for (_, path) in self.files()? {
            match read(&path) {
                Ok(wish) => {
                    self.told = Some(path);
                    return Ok(Some(match wish {
                        Wish::Submit(request) => What::Submitted(vec![*request]),
                        Wish::Cancel { job } => What::Cancelled { job },
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

    /// Sentences on files that were set aside since they were asked for last.
    pub fn notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// The wishes by number.
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

    /// Writes a wish beside the others, then gives it the first number behind them that nobody else takes.
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
