//! [`Child`]: the process of a job, with the thread that listens to it.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use raddle::cluster::{HeldBoundary, HeldEvent, Holder, HolderAnswers};
use raddle_cli::{TIE, Tied, find_program, verbs_of};

use super::leftover::POOL;
use super::signals::{Signal, end_group, signal_group};
use crate::pool::Request;

/// Seconds that a job has to end by itself after its pool died, before it is killed.
const BEHIND_ITS_POOL: u32 = 5;
/// Timeout of one attempt to connect to the launcher of a job.
const STARTS: Duration = Duration::from_secs(10);

/// Message from the process of a job, with the number of its start.
pub(super) struct Heard {
    pub(super) job: String,
    pub(super) start: u64,
    pub(super) what: Sound,
}

/// Content of a message.
pub(super) enum Sound {
    Boundary(HeldBoundary),
    /// Exit status; `None` if a signal ended the process, an error if it could not be waited for.
    Ended(io::Result<Option<i32>>),
}

/// The boundary at which a run waits, with the means to answer it.
type Waiting = Arc<Mutex<Option<(HolderAnswers, HeldBoundary)>>>;

/// The process of a job.
pub(super) struct Child {
    pub(super) start: u64,
    /// Process number; the process leads a group of its own.
    process: u32,
    waiting: Waiting,
    hearing: JoinHandle<()>,
    /// Pipe that ends the process, with those that it started, once this process is dead.
    _tie: Option<ChildStdin>,
}

impl Child {
    /// Starts the process of a job, whose output goes to `log`.
    pub(super) fn start(
        pool: &Path,
        log: &Path,
        job: &Request,
        workers: u32,
        start: u64,
        sender: Sender<Heard>,
    ) -> io::Result<Self> {
        let mut process = command(job, workers)?;
        let log = OpenOptions::new().create(true).append(true).open(log)?;
        process.current_dir(if job.folder.as_os_str().is_empty() { Path::new(".") } else { &job.folder });
        process.env(POOL, pool).stdin(Stdio::piped());
        process.stdout(File::try_clone(&log)?).stderr(log);
        // Ctrl-C on a terminal is meant for the pool, which ends its jobs in order.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut process, 0);
        // Its standard input is tied to this process, and ends with it.
        let mut child = process.spawn()?;
        let tie = child.stdin.take();
        let (number, waiting) = (child.id(), Waiting::default());
        let run = job.out.as_ref().filter(|_| job.elastic).map(|out| job.folder.join(out));
        let hears = Hears { job: job.name.clone(), start, sender, waiting: waiting.clone() };
        let hearing = thread::Builder::new().name("pool:job".into()).spawn(move || hears.all(child, run))?;
        Ok(Self { start, process: number, waiting, hearing, _tie: tie })
    }

    /// Answers the boundary at which the run waits. A run that has continued or ended needs no answer.
    pub(super) fn answer(
        &self,
        answer: impl Fn(&HolderAnswers, &HeldBoundary) -> Result<(), raddle::EngineError>,
    ) {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((answers, at)) = waiting {
            // If the launcher is gone, the end of its process is reported.
            let _ = answer(&answers, &at);
        }
    }

    /// Asks the process, and those that it started, to end.
    pub(super) fn ask_to_end(&self) {
        signal_group(self.process, Signal::Term);
    }

    /// Kills the process, and those that it started.
    pub(super) fn kill(&self) {
        signal_group(self.process, Signal::Kill);
    }

    /// Waits until all messages of the process are received.
    pub(super) fn join(self) {
        // A thread that panicked has no more messages.
        let _ = self.hearing.join();
    }
}

/// Thread that listens to a process.
struct Hears {
    job: String,
    start: u64,
    sender: Sender<Heard>,
    waiting: Waiting,
}

impl Hears {
    /// Sends the boundaries of an elastic job, then its end.
    fn all(self, mut child: std::process::Child, run: Option<PathBuf>) {
        let is_there = Arc::new(AtomicBool::new(true));
        let ended = thread::scope(|scope| {
            let holding = run.as_deref().map(|run| {
                let (is_there, hears) = (is_there.clone(), &self);
                scope.spawn(move || hears.boundaries(run, &is_there))
            });
            let ended = child.wait();
            if ended.as_ref().is_ok_and(|status| status.code().is_none()) {
                // The processes that it started end with it, before the job is started again.
                end_group(child.id());
            }
            is_there.store(false, Ordering::Release);
            // The last boundary is sent before the end.
            holding.into_iter().for_each(|holding| drop(holding.join()));
            ended
        });
        self.tell(Sound::Ended(ended.map(|status: ExitStatus| status.code())));
    }

    /// Sends boundaries until the process is gone, and connects again if the connection breaks.
    fn boundaries(&self, run: &Path, is_there: &AtomicBool) {
        while is_there.load(Ordering::Acquire) {
            let Ok(mut holder) = Holder::of_run(run, STARTS, || is_there.load(Ordering::Acquire)) else {
                continue;
            };
            while let Ok(event) = holder.wait() {
                let HeldEvent::Boundary(at) = event else { return };
                if !at.is_last {
                    *self.waiting.lock().unwrap_or_else(PoisonError::into_inner) =
                        Some((holder.answers(), at.clone()));
                }
                self.tell(Sound::Boundary(at));
            }
        }
    }

    fn tell(&self, what: Sound) {
        // Nobody receives messages after the pool has ended.
        let _ = self.sender.send(Heard { job: self.job.clone(), start: self.start, what });
    }
}

/// `true` if an inelastic job, such as a cross-validation, has already started a run that can be resumed.
fn goes_on(job: &Request, program: &str, out: &Path) -> bool {
    let name = Path::new(program).file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    !verbs_of(name).is_empty() && job.folder.join(out).join("run.json").is_file()
}

/// Command that starts or resumes a job, and ends it once this process is dead.
fn command(job: &Request, workers: u32) -> io::Result<Command> {
    let found = |name: &str| {
        let path = find_program(name).map_err(|why| io::Error::other(why.to_string()))?;
        std::path::absolute(path)
    };
    let program = job.command.first().map_or("", String::as_str);
    let in_folder = if Path::new(program).components().count() > 1 {
        std::path::absolute(job.folder.join(program))?
    } else {
        found(program)?
    };
    let raddle = found("raddle")?;
    let mut command = Command::new(&raddle);
    command.args([TIE, &BEHIND_ITS_POOL.to_string(), Tied::Nothing.word()]);
    let held = job.out.as_ref().filter(|_| job.elastic);
    if let Some(out) = held {
        command.arg(raddle);
        command.args(["launch", "--held", "--processes", "1", "--workers", &workers.to_string(), "--resume"]);
        command.arg(out).arg("--");
    }
    command.arg(in_folder).args(job.command.iter().skip(1));
    if held.is_none()
        && let Some(out) = job.out.as_ref().filter(|out| goes_on(job, program, out))
    {
        command.arg("--resume").arg(out);
    }
    Ok(command)
}
