//! What the coordinator is told, what is to be done, and what a run is begun with.

use crate::base::identity::Identity;
use crate::checkpoint::SubmittedParts;
use crate::cluster::protocol::{AdminRequest, AdminResponse, CheckpointResult, MemberReport, Order};

/// What the coordinator is told.
#[derive(Debug, Clone)]
pub(crate) enum Event {
    /// A process of the run says something.
    Said { from: u32, report: MemberReport },
    /// The connection to a process has ended.
    Closed { of: u32 },
    /// A process that was started here has ended; it has crashed if it did not end by itself and in good order.
    Exited { of: u32, code: i32, crashed: bool, how: String },
    /// The checkpoint to go on from, if there is one, the epochs completed there, and what is wrong with others.
    Found { from: Option<String>, epoch: u64, warnings: Vec<String> },
    /// None of the checkpoints can be used.
    Unusable { why: String },
    /// What the checkpoint of the boundary that ended this generation has come to.
    Committed { generation: u64, kept: CheckpointResult },
    /// The generation's number is noted so that it outlives a loss of power, or could not be.
    Numbered { number: u64, failed: Option<String> },
    /// Somebody was not let in: a process of this number, where it is known to hold the token.
    TurnedAway { of: Option<u32>, why: String },
    /// The launcher has seen something that is worth a line on the screen.
    Noted(String),
    /// A visitor asks something.
    Asked { admin: u64, request: AdminRequest },
    /// The run is to end after the epoch under way.
    Stop,
    /// Some time has passed.
    Tick,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Action {
    Tell {
        to: u32,
        order: Order,
    },
    AdminResponse {
        admin: u64,
        answer: AdminResponse,
    },
    /// Find the checkpoint to go on from.
    Find {
        identity: Identity,
    },
    /// Make a checkpoint of what was handed in.
    Commit {
        epoch: u64,
        generation: u64,
        identity: Identity,
        submitted: SubmittedParts,
    },
    /// Note the number of the generation that is to begin: nobody uses it again.
    Number(u64),
    /// The first process has begun a generation that goes on from elsewhere than memory.
    Begun,
    /// Worth a line on the screen.
    Note(String),
    /// A process is lost: what is left of the generation is over, and the run begins anew from the last checkpoint.
    Lost {
        who: u32,
        why: String,
    },
    /// A process was asked to end before the run began: it begins anew with the others.
    Left {
        who: u32,
        why: String,
    },
    /// The run is over: what process `who` has said is what the run says, and this is its status.
    Over {
        who: u32,
        code: i32,
        why: Option<String>,
    },
}

/// What a run is begun with.
#[derive(Debug, Clone)]
pub(crate) struct CoordinatorConfig {
    pub(crate) processes: u32,
    /// Workers of each process.
    pub(crate) workers: u32,
    pub(crate) balance: bool,
    /// The program and its arguments, for processes that join.
    pub(crate) argv: Vec<String>,
    pub(crate) run: u64,
    /// The number of the last generation before.
    pub(crate) after: u64,
    /// What proves that a process reaches the run's folder.
    pub(crate) proof: Option<u64>,
    /// Whether there may be checkpoints to go on from.
    pub(crate) keeps: bool,
    /// Seconds of silence after which a process is lost.
    pub(crate) deadline: f64,
}
