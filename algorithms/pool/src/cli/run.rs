//! `pool run`: creates or resumes a pool, and runs it to its end.

use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use raddle_cli::{Earlier, Error, ExitStatus, RunFolder, UseOptions};

use super::folder::{here, holds_run, is_program, profiles, refuse};
use super::jobs::Around;
use super::pool_options::RunOptions;
use super::pool_summary::{Ended, report, write_results, write_run};
use super::pool_tables::{count, mean, reason, reasons, table, word};
use crate::pool::journal::{Journal, JournalError};
use crate::pool::{
    Action, Carried, End, Event, EventKind, Keep, Phase, Pool, Replay, Request, Runs, by_count, by_wall,
};

/// A pool that is ready to run, whose folder is locked.
pub(crate) struct OpenPool {
    /// Lock of the folder.
    _lock: RunFolder,
    folder: PathBuf,
    replay: Replay,
    journal: Journal,
    submitted: Vec<Request>,
    /// Start of the pool, in seconds since the beginning of 1970.
    pub(crate) began: f64,
    use_options: UseOptions,
}

impl OpenPool {
    /// Locks the folder of a pool, and creates or resumes the pool there. `now` is in seconds since the
    /// beginning of 1970.
    pub(crate) fn open(options: &RunOptions, now: f64) -> Result<Self, Error> {
        let folder = options.out.clone();
        let lock = RunFolder::hold(&folder, Earlier::Resumed)?;
        let opened = Journal::read(&folder).map_err(refuse)?;
        let note = |text: &str| options.use_options.note(text);
        let (settings, known) = match &opened {
            Some(opened) => {
                options.check_same(&opened.head.settings)?;
                opened.note.iter().for_each(|text| note(text));
                let fits = opened.replay.pool.fits();
                (opened.head.settings.clone(), fits.iter().map(|fit| fit.request.clone()).collect())
            }
            None if holds_run(&folder) => {
                let why = "it holds a run, not a pool: give another folder with --out";
                return Err(Error::usage(format!("{}: {why}", folder.display())));
            }
            None => (options.new_settings(cores())?, Vec::new()),
        };
        let submitted = match &options.jobs {
            Some(path) => {
                let around = Around {
                    settings: &settings,
                    known: &[],
                    profiles: &profiles(options.profiles.as_deref())?,
                    folder: &here()?,
                    is_program: &is_program,
                    // The folder of a job of this pool may hold its run.
                    holds_run: &|place| {
                        let is_own = |request: &Request| {
                            request.out.as_ref().is_some_and(|out| request.folder.join(out) == place)
                        };
                        holds_run(place) && !known.iter().any(is_own)
                    },
                };
                let text = fs::read_to_string(path)
                    .map_err(|why| Error::input(format!("{}: {why}: give a file of jobs", path.display())))?;
                let mut jobs = around.of_file(path, &text).map_err(Error::input)?;
                jobs.retain(|job| known.iter().all(|known: &Request| known.name != job.name));
                jobs
            }
            None if opened.is_none() => {
                let why = "there is no pool to resume: give a file of jobs, as in `pool run jobs.toml --out nightly`";
                return Err(Error::usage(format!("{}: {why}", folder.display())));
            }
            None => Vec::new(),
        };
        let (journal, replay, began) = match opened {
            Some(opened) => {
                (Journal::go_on(&folder, &opened).map_err(refuse)?, opened.replay, opened.head.began)
            }
            None => {
                let began = if settings.is_counted() { 0.0 } else { now };
                let journal = Journal::create(&folder, began, &settings).map_err(refuse)?;
                let replay = Replay::new(settings).map_err(Error::usage)?;
                (journal, replay, began)
            }
        };
        let use_options = options.use_options;
        Ok(Self { _lock: lock, folder, replay, journal, submitted, began, use_options })
    }

    /// Folder of the pool.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Runs the pool with these processes until all jobs are over or it was interrupted, and prints the
    /// results.
    pub(crate) fn carry(mut self, runs: &mut dyn Runs) -> Result<ExitStatus, Error> {
        write_run(&self.folder, &self.replay.pool, None)?;
        let mut keep = Shown { journal: self.journal, folder: &self.folder, options: self.use_options };
        let submitted = std::mem::take(&mut self.submitted);
        let carried = match self.replay.pool.settings().is_counted() {
            true => by_count(&mut self.replay, submitted, runs, &mut keep),
            false => by_wall(&mut self.replay.pool, submitted, runs, &mut keep),
        };
        let carried = carried.map_err(refuse)?;
        let pool = &self.replay.pool;
        if carried == Carried::Stalled {
            return Err(Error::failed(format!(
                "policy {} gives no workers to the jobs that are left: give another --policy and another folder",
                pool.settings().policy.name
            )));
        }
        let (ending, status) = ending(pool, carried);
        let text = text(pool, ending);
        write_results(&self.folder, pool, ending)?;
        write_run(&self.folder, pool, Some(&Ended { ending, status: status.code(), said: &text }))?;
        self.use_options.say(&text, &report(pool, ending))?;
        Ok(status)
    }
}

/// Number of cores.
#[allow(
    clippy::disallowed_methods,
    reason = "a pool has as many workers, and writes the number into its journal"
)]
fn cores() -> u32 {
    std::thread::available_parallelism().map_or(1, NonZero::get) as u32
}

/// How the pool ended, in a word, and its exit status.
fn ending(pool: &Pool, carried: Carried) -> (&'static str, ExitStatus) {
    let is_bad = |phase: &Phase| matches!(phase, Phase::Over(End::Failed { .. } | End::Refused { .. }));
    match carried {
        Carried::Interrupted => ("interrupted", ExitStatus::Interrupted),
        _ if pool.fits().iter().any(|fit| is_bad(&fit.phase)) => ("failed", ExitStatus::Failed),
        _ => ("done", ExitStatus::Done),
    }
}

/// Text on stdout at the end: the jobs, the reasons of those that failed or were refused, and a summary in a
/// line.
fn text(pool: &Pool, ending: &str) -> String {
    let text = table(pool).to_string() + &reasons(pool);
    let over = pool.fits().iter().filter(|fit| fit.is_over()).count();
    let mean = mean(pool).map_or(String::new(), |mean| format!(", mean JCT {mean:.1} s"));
    let ending = match ending {
        "failed" => format!("ended, {} failed, {} refused", count(pool, "failed"), count(pool, "refused")),
        ending => ending.into(),
    };
    text + &format!("{ending}: {over} of {} jobs are over after {:.1} s{mean}", pool.fits().len(), pool.now())
}

/// Journal that also reports events on stderr and keeps the report of the pool up to date.
struct Shown<'a> {
    journal: Journal,
    folder: &'a Path,
    options: UseOptions,
}

impl Keep for Shown<'_> {
    type Error = JournalError;

    fn event(&mut self, event: &Event) -> Result<(), JournalError> {
        self.journal.event(event)
    }

    fn told(&mut self, what: &EventKind) -> Result<(), JournalError> {
        self.journal.told(what)
    }

    fn shown(&mut self, pool: &Pool, event: &Event, actions: &[Action]) {
        let at = event.at;
        let say = |text: String| self.options.note(&format!("{at:9.1} s  {text}"));
        match &event.what {
            EventKind::Ended { job, .. } | EventKind::Lost { job } => {
                if let Some(fit) = pool.fit(job) {
                    let state = match (reason(fit), &event.what) {
                        (Some(why), _) => format!("{}: {why}", word(fit)),
                        _ if fit.is_over() => word(fit).into(),
                        (_, EventKind::Lost { .. }) => "its process was lost, and is started again".into(),
                        _ => "paused".into(),
                    };
                    say(format!("{job}: {state}"));
                }
                // Best effort: the results are written again at the end.
                let _ = write_results(self.folder, pool, "running");
            }
            EventKind::Silent { job } => say(format!("{job}: no answer; it keeps its workers")),
            EventKind::Interrupted => say("interrupted: jobs are paused at their next epoch".into()),
            _ => {}
        }
        for action in actions {
            match action {
                Action::Start { job, workers } => say(format!("{job}: started with {workers}")),
                Action::GoOn { job, workers } if changed(pool, job) => {
                    say(format!("{job}: continues with {workers}"))
                }
                _ => {}
            }
        }
    }
}

/// `true` if the last event changed the workers of a job.
fn changed(pool: &Pool, job: &str) -> bool {
    let number = pool.fits().iter().position(|fit| fit.name() == job);
    let now = pool.changes().iter().rev().take_while(|change| change.at == pool.now());
    now.into_iter().any(|change| Some(change.job) == number)
}
