//! [`CoordinatorSettings`]: what a run of several processes is begun with; [`Ended`] and [`Heard`]: what is told of it.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::time::Duration;

use super::coordinator::CoordinatorConfig;

/// How a run of several processes is begun.
#[derive(Debug, Clone)]
pub struct CoordinatorSettings {
    /// Processes at the beginning.
    pub processes: u32,
    /// Workers of each process.
    pub workers: u32,
    /// Where to listen; on loopback unless told otherwise.
    pub listen: IpAddr,
    /// The port there; 0 is any that is free.
    pub port: u16,
    /// Whether shards move to faster workers.
    pub balance: bool,
    /// The program and its arguments, for processes that join.
    pub argv: Vec<String>,
    /// The folder of the run, where it writes checkpoints: all processes reach it.
    pub folder: Option<PathBuf>,
    /// The folder of the checkpoints of a run that this one goes on with.
    pub resume: Option<PathBuf>,
    /// A process that has said nothing for this time is lost. Processes say every second that they are alive.
    pub deadline: Duration,
}

impl CoordinatorSettings {
    /// So many processes with so many workers each, on this machine.
    pub fn new(processes: u32, workers: u32) -> Self {
        let listen = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let (argv, folder, resume, deadline) = (Vec::new(), None, None, Duration::from_secs(10));
        Self { processes, workers, listen, port: 0, balance: true, argv, folder, resume, deadline }
    }
}

/// How a run ended: what process `who` has said is what the run says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// The process.
    pub who: u32,
    /// The run's status.
    pub code: i32,
    /// Why, if it is not as it should be.
    pub why: Option<String>,
    /// Whether the run can go on: a process is lost, and nothing says that another attempt would fail.
    pub lost: bool,
    /// `true` if it is lost because it was asked to end before the run began, so that the run goes on without it.
    pub left: bool,
}

/// What a coordinator tells of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard<'a> {
    /// Worth a line on the screen.
    Note(&'a str),
    /// The first process has begun a generation of this number that goes on from a checkpoint, or from nothing.
    Begun(u64),
}

/// The same for the coordinator's machine, with what else it must know.
pub(super) fn config(
    settings: &CoordinatorSettings,
    run: u64,
    after: u64,
    proof: Option<u64>,
    keeps: bool,
) -> CoordinatorConfig {
    let CoordinatorSettings { processes, workers, balance, argv, deadline, .. } = settings.clone();
    CoordinatorConfig {
        processes,
        workers,
        balance,
        argv,
        run,
        after,
        proof,
        keeps,
        deadline: deadline.as_secs_f64(),
    }
}
