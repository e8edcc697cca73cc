//! What the coordinator knows of each process.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MemberState {
    /// Building its program.
    Preparing,
    /// Waits for a generation.
    Ready,
    /// Has a part in the generation under way.
    Running,
    /// The same, and wants to leave.
    Leaving,
    /// Has no part any more: it may go.
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

/// The status of a process that has ended, whether it crashed, and in words.
pub(super) type Ended = (i32, bool, String);

#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) state: MemberState,
    pub(super) address: String,
    /// Whether it was started by the launcher: the first process is always one of these.
    pub(super) spawned_here: bool,
    pub(super) cores: u32,
    pub(super) memory: u64,
    pub(super) connection: Connection,
    /// `true` if it was asked to leave before the run began.
    pub(super) leaves: bool,
    /// Whether it has failed only because another one did.
    pub(super) failed_because_of_peer: bool,
    /// How it has ended, and when that was told.
    pub(super) ended: Option<(Ended, f64)>,
    /// When it was last heard of, or first expected.
    pub(super) heard: f64,
}

impl Member {
    pub(super) fn new(spawned_here: bool, now: f64) -> Self {
        let (state, connection) = (MemberState::Preparing, Connection::None);
        Self {
            state,
            address: String::new(),
            spawned_here,
            cores: 1,
            memory: 0,
            connection,
            leaves: false,
            failed_because_of_peer: false,
            ended: None,
            heard: now,
        }
    }
}

/// Whether all that a process had to say has been heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Connection {
    None,
    Open,
    Closed,
}
