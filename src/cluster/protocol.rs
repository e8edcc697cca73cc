//! What the coordinator, the processes of a run and visitors say to each other.

use super::plan::GenerationPlan;
use crate::base::identity::Identity;
use crate::checkpoint::SubmittedParts;

/// What must be the same in every process, and what the coordinator needs to know of the run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Registration {
    pub(crate) identity: Identity,
    pub(crate) blocks: u32,
    /// The plan of workers: an epoch, and the workers in all from there on.
    pub(crate) rescale: Vec<(u64, u32)>,
    /// The cores that the process may use.
    pub(crate) cores: u32,
    /// What the process has read in the run's folder, which proves that it reaches the folder.
    pub(crate) proof: Option<u64>,
}

crate::state!(Registration { identity, blocks, rescale, cores, proof });

/// A process to the coordinator.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum MemberReport {
    /// Its program is built; others reach it at this address.
    Ready { registration: Registration, address: String },
    /// The first process: an epoch is over.
    Epoch { generation: u64, epoch: Epoch },
    /// What was placed on it is back in its hands. The first one adds how the generation ended.
    Ended { generation: u64, cut: Option<GenerationEnd> },
    /// The parts of a checkpoint that it has written.
    PartsSubmitted { generation: u64, submitted: SubmittedParts },
    /// A heartbeat: it is alive, and has had so many bytes of memory at most.
    Alive { memory: u64 },
    /// The first process has the model: may it write it?
    MayWrite,
    /// The hand-over to a generation is done; it moved so many bytes, and took so many seconds since the process's last
    /// work.
    Settled { generation: u64, bytes: u64, seconds: f64, memory: u64 },
    /// It wants to leave at the next boundary.
    Leaving,
    /// It cannot go on; perhaps only because another process is gone.
    Failed { why: String, of_a_peer: bool },
    /// It has nothing more to say, and will close its connection.
    Done,
}

crate::state!(
    enum MemberReport {
        Ready { registration, address },
        Epoch { generation, epoch },
        Ended { generation, cut },
        PartsSubmitted { generation, submitted },
        Alive { memory },
        MayWrite,
        Settled { generation, bytes, seconds, memory },
        Leaving,
        Failed { why, of_a_peer },
        Done,
    }
);

/// What is told of an epoch.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Epoch {
    pub(crate) epoch: u64,
    /// Seconds since the run began.
    pub(crate) seconds: f64,
    pub(crate) metric: Option<(String, f64)>,
    /// Seconds that each worker computed.
    pub(crate) load: Vec<f64>,
}

crate::state!(Epoch { epoch, seconds, metric, load });

/// How a generation ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GenerationEnd {
    pub(crate) epoch: u64,
    /// The run is over.
    pub(crate) over: bool,
    /// The worker of each block.
    pub(crate) block_at: Vec<u32>,
    /// Whether the boundary is to become a checkpoint.
    pub(crate) keep: CheckpointNeed,
    /// The bytes of the conclusion's change, which nobody has committed yet.
    pub(crate) change: Option<Vec<u8>>,
}

crate::state!(GenerationEnd { epoch, over, block_at, keep, change });

/// What becomes of a boundary.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum CheckpointNeed {
    /// No checkpoint.
    #[default]
    None,
    /// A checkpoint, whose shards and blocks are written.
    PartsWritten,
    /// A checkpoint, whose shards and blocks are to be written anew.
    PartsMissing,
}

crate::state!(
    enum CheckpointNeed {
        None,
        PartsWritten,
        PartsMissing,
    }
);

/// What a checkpoint has come to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CheckpointResult {
    /// Seconds.
    pub(crate) cost: f64,
    pub(crate) bytes: u64,
    /// Why it could not be written.
    pub(crate) failed: Option<String>,
}

crate::state!(CheckpointResult { cost, bytes, failed });

/// A generation, and what must be done before it begins.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GenerationStart {
    pub(crate) plan: GenerationPlan,
    /// The checkpoint to go on from, where a run goes on.
    pub(crate) from: Option<String>,
    /// What is worth a warning in the report.
    pub(crate) warnings: Vec<String>,
    /// The bytes of a change to commit.
    pub(crate) change: Option<Vec<u8>>,
    /// What the checkpoint of the last boundary has come to.
    pub(crate) kept: Option<CheckpointResult>,
    /// Seconds of silence after which another process is lost.
    pub(crate) deadline: f64,
}

crate::state!(GenerationStart { plan, from, warnings, change, kept, deadline });

/// The coordinator to a process.
#[allow(clippy::large_enum_variant, reason = "an order is sent once a generation, and held by nobody")]
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Order {
    /// Hand over, then run this generation.
    Begin { start: GenerationStart },
    /// Hand in the parts of a checkpoint.
    SubmitParts { generation: u64, epoch: u64, anew: bool },
    /// To the first process: it may write the model.
    Write,
    /// To the first process: end this generation at the next boundary.
    EndGeneration { generation: u64 },
    /// To the first process: end the run after the epoch under way.
    Stop,
    /// The process does not fit the run: leave.
    Refuse { why: String },
    /// The coordinator is alive, and says so every second. Who does not hear it for three times this number of seconds is cut
    /// off.
    Alive { deadline: f64 },
    /// The run has ended elsewhere.
    End,
    /// A process is lost: this one is to end at once.
    Lost,
}

crate::state!(
    enum Order {
        Begin { start },
        SubmitParts { generation, epoch, anew },
        Write,
        EndGeneration { generation },
        Stop,
        Refuse { why },
        Alive { deadline },
        End,
        Lost,
    }
);

/// A visitor to the coordinator.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AdminRequest {
    /// How the run stands.
    Status,
    /// Go on with this number of workers in all, from the next boundary on.
    Rescale { workers: u32 },
    /// Let another process join.
    Join,
}

crate::state!(
    enum AdminRequest {
        Status,
        Rescale { workers },
        Join,
    }
);

/// The coordinator to a visitor.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AdminResponse {
    Status(RunStatus),
    /// It will be done at the next boundary.
    Accepted,
    /// A place in the run: the line that its processes were started with, and the newcomer's number.
    JoinGrant {
        argv: Vec<String>,
        index: u32,
        workers: u32,
        run: u64,
    },
    Refused(String),
}

crate::state!(
    enum AdminResponse {
        Status(status),
        Accepted,
        JoinGrant { argv, index, workers, run },
        Refused(why),
    }
);

/// How a run stands.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct RunStatus {
    /// The generation under way, counted from 1; 0 before the first.
    pub generation: u64,
    /// Epochs completed.
    pub epoch: u64,
    /// Seconds since the run began.
    pub seconds: f64,
    /// The metric's name and value as last measured.
    pub metric: Option<(String, f64)>,
    /// Workers in all.
    pub workers: u32,
    /// The processes.
    pub members: Vec<MemberStatus>,
    /// The pause before each generation but the first, in seconds.
    pub pauses: Vec<f64>,
    /// Notes on the launcher's screen, the last of it last.
    pub notes: Vec<String>,
}

/// How a process of a run stands.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct MemberStatus {
    /// Its number.
    pub process: u32,
    /// What it is doing: `preparing`, `ready`, `running` or `leaving`.
    pub state: String,
    /// Where others reach it.
    pub address: String,
    /// Its workers.
    pub workers: u32,
    /// Its shards.
    pub shards: u32,
    /// The most memory that it has had, in bytes; told every second.
    pub peak_memory_bytes: u64,
}

crate::state!(RunStatus { generation, epoch, seconds, metric, workers, members, pauses, notes });
crate::state!(MemberStatus { process, state, address, workers, shards, peak_memory_bytes });
