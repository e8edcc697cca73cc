//! Messages between the coordinator, the processes of a run and admin clients.

use super::held_boundary::{HeldBoundary, HeldStatus};
use super::plan::GenerationPlan;
use crate::base::identity::Identity;
use crate::checkpoint::SubmittedParts;
use crate::run::traffic::Traffic;

/// Properties of the run as a process has built it: they must agree in every process, and the coordinator
/// plans by them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Registration {
    pub(crate) identity: Identity,
    /// Digest of the process's own data, if it is a party with data of its own: the same at each attempt.
    pub(crate) data: String,
    /// `true` if shards stay in the process that made them.
    pub(crate) is_pinned: bool,
    pub(crate) blocks: u32,
    /// Planned changes of the workers: a number of epochs completed, and the number of workers of the whole
    /// run from there on.
    pub(crate) rescale: Vec<(u64, u64)>,
    /// Number of cores that the process may use, and its processor and system.
    pub(crate) cores: u32,
    pub(crate) machine: String,
    /// Number in the run folder's proof file as the process reads it: shows that the folder is shared. `None`
    /// if the process writes no checkpoints.
    pub(crate) proof: Option<u64>,
}

crate::state!(Registration { identity, data, is_pinned, blocks, rescale, cores, machine, proof });

/// Message of a process to the coordinator.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum MemberReport {
    /// The program of the process is built, and peers reach the process at this address.
    Ready { registration: Box<Registration>, address: String },
    /// An epoch is over: sent by the first process.
    Epoch { generation: u64, epoch: Epoch },
    /// The generation has ended there: the process holds its shards, blocks and replica again. The first one
    /// adds how it ended. `sent` are its messages to other processes, `moved` the bytes that were handed over
    /// to it before.
    Ended { generation: u64, end: Option<GenerationEnd>, sent: Traffic, moved: u64 },
    /// The parts of a checkpoint that the process has written.
    PartsSubmitted { generation: u64, submitted: SubmittedParts },
    /// A heartbeat, with the process's peak memory in bytes.
    Alive { memory: u64 },
    /// A request to write the model: sent by the first process, which has it.
    MayWrite,
    /// The hand-over to a generation is done: so many bytes left the process, and so many seconds have passed
    /// since its last work.
    Settled { generation: u64, bytes: u64, seconds: f64, memory: u64 },
    /// A request to leave at the next boundary.
    Leaving,
    /// The epoch under way is cancelled, as the run is to end: sent by the first process.
    Cancelled { generation: u64 },
    /// The process cannot go on; `of_a_peer` if another process is the cause.
    Failed { why: String, of_a_peer: bool },
    /// The last report: the process will close its connection.
    Done,
}

crate::state!(
    enum MemberReport {
        Ready { registration, address },
        Epoch { generation, epoch },
        Ended { generation, end, sent, moved },
        PartsSubmitted { generation, submitted },
        Alive { memory },
        MayWrite,
        Settled { generation, bytes, seconds, memory },
        Leaving,
        Cancelled { generation },
        Failed { why, of_a_peer },
        Done,
    }
);

/// Progress of the run at the end of an epoch.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Epoch {
    pub(crate) epoch: u64,
    /// Seconds since the run began.
    pub(crate) seconds: f64,
    pub(crate) metric: Option<(String, f64)>,
    /// Seconds that each worker computed in the epoch.
    pub(crate) load: Vec<f64>,
    /// The boundary as the holder is shown it, where the run is held.
    pub(crate) held: Option<Box<HeldBoundary>>,
}

crate::state!(Epoch { epoch, seconds, metric, load, held });

/// End of a generation at a boundary, as the first process reports it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GenerationEnd {
    pub(crate) epoch: u64,
    /// `true` if the run is over.
    pub(crate) over: bool,
    /// The worker of each block at the end.
    pub(crate) block_at: Vec<u32>,
    /// Need for a checkpoint of the boundary.
    pub(crate) checkpoint_need: CheckpointNeed,
    /// The bytes of the conclusion's change, which is not committed yet.
    pub(crate) change: Option<Vec<u8>>,
}

crate::state!(GenerationEnd { epoch, over, block_at, checkpoint_need, change });

/// Need for a checkpoint of a boundary.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum CheckpointNeed {
    /// No checkpoint.
    #[default]
    None,
    /// A checkpoint; parts with the shards and blocks are written already.
    PartsWritten,
    /// A checkpoint; parts with the shards and blocks are to be written now.
    PartsMissing,
}

crate::state!(
    enum CheckpointNeed {
        None,
        PartsWritten,
        PartsMissing,
    }
);

/// Result of writing a checkpoint.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CheckpointResult {
    /// Seconds that it took.
    pub(crate) cost: f64,
    pub(crate) bytes: u64,
    /// The reason why it could not be written; `None` if it was.
    pub(crate) failed: Option<String>,
}

crate::state!(CheckpointResult { cost, bytes, failed });

/// Start of a generation: its plan, and the steps before it begins.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GenerationStart {
    pub(crate) plan: GenerationPlan,
    /// Folder of the checkpoint to restore, at the beginning of a run that resumes.
    pub(crate) from: Option<String>,
    /// Warnings for the report.
    pub(crate) warnings: Vec<String>,
    /// The bytes of a change to commit first.
    pub(crate) change: Option<Vec<u8>>,
    /// Result of the checkpoint of the last boundary, where one was due.
    pub(crate) checkpoint_result: Option<CheckpointResult>,
    /// Heartbeat timeout in seconds, after which a peer is lost.
    pub(crate) deadline: f64,
    /// `true` if the run waits for its holder at each boundary.
    pub(crate) held: bool,
}

crate::state!(GenerationStart { plan, from, warnings, change, checkpoint_result, deadline, held });

/// Message of the coordinator to a process.
#[allow(clippy::large_enum_variant, reason = "an order is sent once a generation, and held by nobody")]
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Order {
    /// Send the transfers, then run this generation.
    Begin { start: GenerationStart },
    /// Submit the parts of a checkpoint; write them first if `anew`.
    SubmitParts { generation: u64, epoch: u64, anew: bool },
    /// To the first process: it may write the model.
    Write,
    /// To the first process: end this generation at the next boundary.
    EndGeneration { generation: u64 },
    /// To the first process: end the run after the epoch under way.
    Stop,
    /// To the others than the first process: work on this generation's epoch under way is for nothing, and
    /// ends.
    Cancel { generation: u64 },
    /// To the first process of a held run: go on from this boundary.
    GoOn { generation: u64, epoch: u64 },
    /// The process does not fit the run: leave.
    Refuse { why: String },
    /// A heartbeat of the coordinator, sent every second, with the heartbeat timeout in seconds. A process
    /// that receives nothing for two timeouts ends.
    Alive { deadline: f64 },
    /// The run has ended.
    End,
    /// A process is lost: end at once.
    Lost,
}

crate::state!(
    enum Order {
        Begin { start },
        SubmitParts { generation, epoch, anew },
        Write,
        EndGeneration { generation },
        Stop,
        Cancel { generation },
        GoOn { generation, epoch },
        Refuse { why },
        Alive { deadline },
        End,
        Lost,
    }
);

/// Message of an admin client to the coordinator.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AdminRequest {
    /// Send the status of the run.
    Status,
    /// Set the number of workers of the whole run, from the next boundary on.
    Rescale { workers: u32 },
    /// Grant one more process to join: with so many workers where the run does not decide it, and with this
    /// number behind those of the launcher's processes if nobody has it.
    Join { workers: Option<u32>, rank: Option<u32> },
    /// Tell that a process which has joined has ended, in the attempt of this number: `crashed` if it was
    /// killed or ended in disorder.
    Exited { run: u64, process: u32, code: i32, crashed: bool, how: String },
    /// Make the client the holder of the run: its connection stays, and more requests follow on it.
    Hold,
    /// Continue from this boundary with this number of workers: sent by the holder.
    GoOn { generation: u64, epoch: u64, workers: u32 },
    /// End the run at this boundary: sent by the holder.
    Pause { generation: u64, epoch: u64 },
    /// Send the command line of the run's processes, for a party to see before it joins.
    Offer,
}

crate::state!(
    enum AdminRequest {
        Status,
        Rescale { workers },
        Join { workers, rank },
        Exited { run, process, code, crashed, how },
        Hold,
        GoOn { generation, epoch, workers },
        Pause { generation, epoch },
        Offer,
    }
);

/// Message of the coordinator to an admin client.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AdminResponse {
    Status(RunStatus),
    /// The request takes effect at the next boundary.
    Accepted,
    /// Grant to join: the command line of the run's processes, the new process's number and workers, the
    /// run's number, and `true` if the process begins the run's folder.
    JoinGrant {
        argv: Vec<String>,
        index: u32,
        workers: u32,
        run: u64,
        begins: bool,
    },
    Refused(String),
    /// The client is the holder of the run.
    Holds,
    /// To the holder: a boundary.
    Boundary(HeldBoundary),
    /// To the holder: the run has ended.
    Ended,
    /// The command line of the run's processes.
    Offer {
        argv: Vec<String>,
    },
}

crate::state!(
    enum AdminResponse {
        Status(status),
        Accepted,
        JoinGrant { argv, index, workers, run, begins },
        Refused(why),
        Holds,
        Boundary(boundary),
        Ended,
        Offer { argv },
    }
);

/// Status of a run.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct RunStatus {
    /// The generation under way, counted from 1; 0 before the first.
    pub generation: u64,
    /// Number of epochs completed.
    pub epoch: u64,
    /// Seconds since the run began.
    pub seconds: f64,
    /// The metric's name and value as last measured.
    pub metric: Option<(String, f64)>,
    /// Number of workers of the whole run.
    pub workers: u32,
    /// The processes.
    pub members: Vec<MemberStatus>,
    /// The pause before each generation but the first, in seconds.
    pub pauses: Vec<f64>,
    /// The last notes on the launcher's screen, in order.
    pub notes: Vec<String>,
    /// Number of losses of processes after which the run went on.
    pub losses: u64,
    /// Number of connections that were turned away.
    pub refused: u64,
    /// State of a held run; `None` where the run is not held.
    pub held: Option<HeldStatus>,
}

/// Status of a process of a run.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct MemberStatus {
    /// Number of the process.
    pub process: u32,
    /// State of the process: `preparing`, `ready`, `running` or `leaving`.
    pub state: String,
    /// Address at which peers reach the process.
    pub address: String,
    /// Number of its workers.
    pub workers: u32,
    /// Number of its shards.
    pub shards: u32,
    /// Peak memory of the process in bytes, updated every second.
    pub peak_memory_bytes: u64,
    /// Processor and system of the process, such as `x86_64-linux`; empty while it prepares.
    pub machine: String,
}

crate::state!(RunStatus {
    generation,
    epoch,
    seconds,
    metric,
    workers,
    members,
    pauses,
    notes,
    losses,
    refused,
    held
});
crate::state!(MemberStatus { process, state, address, workers, shards, peak_memory_bytes, machine });
