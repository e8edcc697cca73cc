//! State of each process as the coordinator knows it.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MemberState {
    /// Building its program.
    Preparing,
    /// Waiting for a generation.
    Ready,
    /// Participant of the current generation.
    Running,
    /// Participant of the current generation that leaves at its end.
    Leaving,
    /// The process has left the run, and may end.
    Released,
}

impl MemberState {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Preparing => "preparing",
            Self::Ready => "ready",
            Self::Running => "running",
            Self::Leaving | Self::Released => "leaving",
        }
    }
}

/// Exit status of a process, `true` if it crashed, and a description.
pub(super) type ProcessExit = (i32, bool, String);

#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) state: MemberState,
    pub(super) address: String,
    /// `true` if the launcher started the process. If it starts any, the first process is always one of
    /// these.
    pub(super) spawned_here: bool,
    /// Number of workers that the process contributes.
    pub(super) capacity: u32,
    pub(super) cores: u32,
    pub(super) machine: String,
    /// Digest of the data of a party.
    pub(super) data: String,
    pub(super) memory: u64,
    pub(super) connection: Connection,
    /// `true` if the process was asked to leave before the run started.
    pub(super) leaves: bool,
    /// `true` if the process has reported that a peer made it fail.
    pub(super) failed_because_of_peer: bool,
    /// The end of the process, and when it was reported, while reports may still arrive.
    pub(super) ended: Option<(ProcessExit, f64)>,
    /// Time of the last report of the process, or from which one was expected.
    pub(super) last_report: f64,
}

impl Member {
    pub(super) fn new(spawned_here: bool, capacity: u32, now: f64) -> Self {
        let (state, connection) = (MemberState::Preparing, Connection::None);
        Self {
            state,
            address: String::new(),
            spawned_here,
            capacity,
            cores: 1,
            machine: String::new(),
            data: String::new(),
            memory: 0,
            connection,
            leaves: false,
            failed_because_of_peer: false,
            ended: None,
            last_report: now,
        }
    }
}

/// State of a process's connection; after `Closed` no more reports arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Connection {
    None,
    Open,
    Closed,
}
