//! Events and actions of the coordinator, and its configuration.

use super::known_parties::Parties;
use crate::base::identity::Identity;
use crate::checkpoint::{Checkpoint, SubmittedParts};
use crate::cluster::protocol::{AdminRequest, AdminResponse, CheckpointResult, MemberReport, Order};
use crate::parties::Keyring;

/// Input of the coordinator.
#[derive(Debug, Clone)]
pub(crate) enum Event {
    /// A process of the run has sent a report.
    Report { from: u32, report: MemberReport },
    /// The connection to a process has ended.
    Closed { of: u32, damaged: bool },
    /// A process of the launcher has ended; `crashed` if it was killed or panicked; `how` describes the end.
    Exited { of: u32, code: i32, crashed: bool, how: String },
    /// The checkpoint to resume from, if there is one, its number of epochs completed, and warnings about
    /// unusable ones.
    Found { from: Option<String>, epoch: u64, warnings: Vec<String> },
    /// There are checkpoints, and none can be used.
    Unusable { why: String },
    /// Result of the checkpoint of the boundary that ended this generation.
    Committed { generation: u64, checkpoint_result: CheckpointResult },
    /// The generation's number is durable, or could not be written.
    Numbered { number: u64, failed: Option<String> },
    /// A connection was refused: of the process of this number, if it proved that it holds the token.
    TurnedAway { of: Option<u32>, why: String },
    /// A line of the launcher for the screen and the status.
    Noted(String),
    /// A process that the launcher starts on another machine is absent, for the reason `why`, and is started
    /// again; `None` once it is there.
    Absent { host: String, why: Option<String> },
    /// Too few of the processes that the launcher starts on other machines will come, so that the run cannot
    /// start: its exit status, and the reason.
    NotComing { code: i32, why: String },
    /// An admin client has sent a request.
    Asked { admin: u64, request: AdminRequest },
    /// The connection of an admin client that was the holder, or asked to be, has ended.
    AdminGone { admin: u64 },
    /// The launcher was asked for a checkpoint of the next boundary.
    CheckpointAsked,
    /// The run is to end after the current epoch.
    Stop,
    /// Time has passed.
    Tick,
}

impl Event {
    /// Makes the event that the run resumes from this checkpoint.
    pub(crate) fn found(checkpoint: &Checkpoint) -> Self {
        let from = Some(checkpoint.folder.to_string_lossy().into_owned());
        Self::Found { from, epoch: checkpoint.epoch(), warnings: checkpoint.unfit.clone() }
    }

    /// Makes the event that there is no checkpoint: the run starts from the beginning.
    pub(crate) fn none_found() -> Self {
        Self::Found { from: None, epoch: 0, warnings: Vec::new() }
    }
}

/// Output of the coordinator, for its server to carry out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Action {
    Send {
        to: u32,
        order: Order,
    },
    AdminResponse {
        admin: u64,
        answer: AdminResponse,
    },
    /// Tell a process that it has no place in the run, and close its connection: it may join again.
    Dismiss {
        of: u32,
    },
    /// Look up the checkpoint to resume from.
    Find {
        identity: Identity,
    },
    /// Commit a checkpoint of the submitted parts.
    Commit {
        epoch: u64,
        generation: u64,
        identity: Identity,
        submitted: SubmittedParts,
    },
    /// Write the number of the next generation durably, so that it is never used again.
    Number(u64),
    /// The first process has started the first generation of this attempt.
    Begun,
    /// A line for the screen.
    Note(String),
    /// A process is lost: the generation is over, and the run starts again from the last checkpoint.
    Lost {
        who: u32,
        why: String,
    },
    /// A process was asked to end before the run started: the run starts again with the others.
    Left {
        who: u32,
        why: String,
    },
    /// The run is over, by the report of process `who`, with this exit status and reason.
    Over {
        who: u32,
        code: i32,
        why: Option<String>,
    },
}

/// Configuration of a run, or of an attempt after a loss.
#[derive(Debug, Clone, Default)]
pub(crate) struct CoordinatorConfig {
    pub(crate) processes: u32,
    /// Number of workers of each process.
    pub(crate) workers: u32,
    pub(crate) balance: bool,
    /// The program and its arguments, for processes that join.
    pub(crate) argv: Vec<String>,
    /// The coordinator's keys, if the run has parties: each process is the party of its number.
    pub(crate) keyring: Option<Keyring>,
    /// Words that the identity of each party's run contains.
    pub(crate) schema: String,
    pub(crate) run: u64,
    /// Number of the last generation before this attempt.
    pub(crate) after: u64,
    /// Number in the proof file of the run's folder; `None` without a folder.
    pub(crate) proof: Option<u64>,
    /// `true` if there may be checkpoints to resume from.
    pub(crate) may_resume: bool,
    /// Heartbeat timeout in seconds, after which a process is lost.
    pub(crate) deadline: f64,
    /// Number of processes, those that join among them, that the first epoch waits for, and for how many
    /// seconds.
    pub(crate) wait_for: u32,
    pub(crate) wait: f64,
    /// `true` if a generation of the run has started in an earlier attempt.
    pub(crate) goes_on: bool,
    /// Losses before this attempt, and connections that were refused before it.
    pub(crate) losses: u64,
    pub(crate) refused: u64,
    /// `true` if the run waits for its holder at each boundary.
    pub(crate) held: bool,
    /// Number of the admin client that held the attempt before.
    pub(crate) holder: Option<u64>,
    pub(crate) parties: Parties,
}

impl CoordinatorConfig {
    /// Returns the number of the first process that joins. Number 0 is only for the launcher's first process.
    pub(crate) fn first_guest(&self) -> u32 {
        self.processes.max(1)
    }
}
