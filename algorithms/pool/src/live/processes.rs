//! [`Processes`]: the jobs of a pool as processes on this machine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use std::{fs, io};

use serde_json::Value;

use super::child::{Child, Heard, Sound};
use crate::pool::queue::Queue;
use crate::pool::{Boundary, Event, EventKind, Request, Runs};

/// Interval at which the queue and interrupts are checked.
const LOOK: Duration = Duration::from_millis(200);
/// Time that a process has to end after it was asked to, before it is killed.
const POLITE: Duration = Duration::from_secs(10);
/// Maximum number of log lines that are shown of a failed job.
const LINES: usize = 3;
/// Bytes at the end of a log in which these lines are searched.
const TAIL: usize = 4096;
/// Name of the folder of logs in the folder of a pool.
const LOGS: &str = "logs";

/// Folder and times that processes need to know.
pub struct Places<'a> {
    /// Folder of the pool.
    pub pool: &'a Path,
    /// Start of the pool, in seconds since the beginning of 1970.
    pub began: f64,
    /// Time without an event after which a running job counts as silent.
    pub patience: Duration,
}

/// The jobs of a pool as processes on this machine: each is a `raddle launch --held` with one process, or the
/// program itself if it cannot be held. Output goes to `logs/NAME.log` in the folder of the pool.
pub struct Processes<'a> {
    pool: PathBuf,
    /// Seconds since the pool began, at `since`.
    began: f64,
    since: Instant,
    patience: Duration,
    queue: Queue,
    is_interrupted: &'a dyn Fn() -> bool,
    note: &'a dyn Fn(&str),
    /// `true` once the interrupt was reported.
    has_told: bool,
    children: BTreeMap<String, Running>,
    /// Number of starts so far.
    starts: u64,
    sender: Sender<Heard>,
    heard: Receiver<Heard>,
    /// Events that no process sends.
    ready: Vec<EventKind>,
}

/// A process, with its timeouts.
struct Running {
    child: Child,
    /// Start of the time in which an event is expected; `None` while the job waits.
    since: Option<Instant>,
    /// Time at which the process is killed, once it was asked to end.
    ends: Option<Instant>,
}

impl<'a> Processes<'a> {
    /// Creates the processes of the pool in a folder. Requests in its queue and an interrupt are reported as
    /// events; `note` is called for files of the queue that are not valid requests.
    ///
    /// # Errors
    /// If the folders of the pool cannot be created.
    pub fn new(
        places: &Places<'_>,
        is_interrupted: &'a dyn Fn() -> bool,
        note: &'a dyn Fn(&str),
    ) -> io::Result<Self> {
        let pool = fs::canonicalize(places.pool)?;
        fs::create_dir_all(pool.join(LOGS))?;
        let (sender, heard) = channel();
        Ok(Self {
            queue: Queue::of(&pool)?,
            pool,
            began: (super::now() - places.began).max(0.0),
            since: Instant::now(),
            patience: places.patience,
            is_interrupted,
            note,
            has_told: false,
            children: BTreeMap::new(),
            starts: 0,
            sender,
            heard,
            ready: Vec::new(),
        })
    }

    /// The log of a job. Separators of paths in its name are replaced.
    pub fn log(pool: &Path, job: &str) -> PathBuf {
        let name: String = job.chars().map(|c| if "/\\".contains(c) { '_' } else { c }).collect();
        pool.join(LOGS).join(format!("{name}.log"))
    }

    /// A request from the queue, or an interrupt.
    fn wish(&mut self) -> Option<EventKind> {
        if !self.has_told && (self.is_interrupted)() {
            self.has_told = true;
            return Some(EventKind::Interrupted);
        }
        // A queue that cannot be read now may be readable at the next check.
        let wish = self.queue.oldest().ok().flatten();
        self.queue.notes().iter().for_each(|text| (self.note)(text));
        wish
    }

    /// Reports a job that has been silent for too long, once.
    fn silent(&mut self) -> Option<EventKind> {
        let patience = self.patience;
        let is_silent = |running: &Running| running.since.is_some_and(|since| since.elapsed() > patience);
        let (job, running) = self.children.iter_mut().find(|(_, running)| is_silent(running))?;
        running.since = None;
        Some(EventKind::Silent { job: job.clone() })
    }

    /// Kills processes that were asked to end and did not in time.
    fn insist(&mut self) {
        for running in self.children.values_mut() {
            if running.ends.take_if(|ends| *ends <= Instant::now()).is_some() {
                running.child.kill();
            }
        }
    }

    /// The event of a message, unless it comes from an earlier start of the job.
    fn hear(&mut self, heard: Heard) -> Option<EventKind> {
        let Heard { job, start, what } = heard;
        let running = self.children.get_mut(&job).filter(|running| running.child.start == start)?;
        match what {
            Sound::Boundary(at) => {
                // After its last boundary a job only ends; else it reports nothing until it is answered.
                running.since = at.is_last.then(Instant::now);
                Some(EventKind::Boundary(Boundary {
                    job,
                    epoch: at.epoch,
                    cost: at.cost as f64,
                    seconds: at.seconds,
                    workers: u32::try_from(at.workers).unwrap_or(u32::MAX),
                    metric: at.metric.map(|(_, value)| value).filter(|value| value.is_finite()),
                    target: at.target.filter(|value| value.is_finite()),
                    epochs: at.epochs,
                    wanted: at.wanted,
                    is_last: at.is_last,
                }))
            }
            Sound::Ended(status) => {
                if let Some(running) = self.children.remove(&job) {
                    running.child.join();
                }
                Some(match status {
                    Ok(Some(status)) => {
                        let said =
                            if [0, 3, 130].contains(&status) { String::new() } else { self.said(&job) };
                        ended_with(&job, status, said)
                    }
                    // A signal ended it, or its status is unknown.
                    Ok(None) | Err(_) => EventKind::Lost { job },
                })
            }
        }
    }

    /// The last lines of a job's log.
    fn said(&self, job: &str) -> String {
        let bytes = fs::read(Self::log(&self.pool, job)).unwrap_or_default();
        let tail = String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(TAIL)..]).into_owned();
        let lines: Vec<&str> = tail.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        lines[lines.len().saturating_sub(LINES)..].join("; ")
    }
}

impl Runs for Processes<'_> {
    fn start(&mut self, job: &Request, workers: u32) {
        if let Some(status) = ended(job) {
            // The pool was killed before it received the end of the job.
            return self.ready.push(ended_with(&job.name, status, String::new()));
        }
        self.starts += 1;
        let log = Self::log(&self.pool, &job.name);
        match Child::start(&self.pool, &log, job, workers, self.starts, self.sender.clone()) {
            Ok(child) => {
                let running = Running { child, since: Some(Instant::now()), ends: None };
                self.children.insert(job.name.clone(), running);
            }
            Err(why) => {
                self.ready.push(ended_with(&job.name, 1, format!("cannot be started: {why}")));
            }
        }
    }

    fn go_on(&mut self, job: &str, workers: u32) {
        if let Some(running) = self.children.get_mut(job) {
            running.since = Some(Instant::now());
            running.child.answer(|answers, at| answers.go_on(at, workers as usize));
        }
    }

    fn pause(&mut self, job: &str) {
        if let Some(running) = self.children.get_mut(job) {
            running.since = Some(Instant::now());
            running.child.answer(|answers, at| answers.pause(at));
        }
    }

    fn cancel(&mut self, job: &str) {
        if let Some(running) = self.children.get_mut(job) {
            running.child.ask_to_end();
            running.ends = Some(Instant::now() + POLITE);
        }
    }

    fn now(&self) -> f64 {
        self.began + self.since.elapsed().as_secs_f64()
    }

    fn next(&mut self, until: Option<f64>) -> Event {
        loop {
            let wish = if self.ready.is_empty() { self.wish() } else { self.ready.pop() };
            if let Some(what) = wish.or_else(|| self.silent()) {
                return Event { at: self.now(), what };
            }
            self.insist();
            let left = until.map_or(f64::INFINITY, |until| until - self.now());
            if left <= 0.0 {
                return Event { at: self.now(), what: EventKind::Time };
            }
            let wait = LOOK.min(Duration::try_from_secs_f64(left).unwrap_or(LOOK));
            match self.heard.recv_timeout(wait) {
                Ok(heard) => {
                    if let Some(what) = self.hear(heard) {
                        return Event { at: self.now(), what };
                    }
                }
                // The pool itself has a sender, so that the channel never closes.
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
        }
    }
}

impl Drop for Processes<'_> {
    /// Kills processes that are still alive when the pool ends.
    fn drop(&mut self) {
        for (_, running) in std::mem::take(&mut self.children) {
            running.child.kill();
            running.child.join();
        }
    }
}

/// The end of a job's process with this status, and last lines of its log.
fn ended_with(job: &str, status: i32, said: String) -> EventKind {
    EventKind::Ended { job: job.into(), status, cost: 0.0, said }
}

/// Exit status of a run that had already ended with a model.
fn ended(job: &Request) -> Option<i32> {
    let out = job.out.as_ref().filter(|_| job.elastic)?;
    let text = fs::read(job.folder.join(out).join("run.json")).ok()?;
    let begun: Value = serde_json::from_slice(&text).ok()?;
    [0, 3].into_iter().find(|status| begun["ended"]["status"] == *status)
}
