//! What the coordinator knows of each process.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stand {
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

impl Stand {
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
    pub(super) stand: Stand,
    pub(super) address: String,
    /// Whether it was started by the launcher: the first process is always one of these.
    pub(super) own: bool,
    pub(super) cores: u32,
    pub(super) memory: u64,
    pub(super) line: Connection,
    /// `true` if it was asked to leave before the run began.
    pub(super) leaves: bool,
    /// Whether it has failed only because another one did.
    pub(super) follows: bool,
    /// How it has ended, and when that was told.
    pub(super) ended: Option<(Ended, f64)>,
    /// When it was last heard of, or first expected.
    pub(super) heard: f64,
}

impl Member {
    pub(super) fn new(own: bool, now: f64) -> Self {
        let (stand, line) = (Stand::Preparing, Connection::None);
        Self {
            stand,
            address: String::new(),
            own,
            cores: 1,
            memory: 0,
            line,
            leaves: false,
            follows: false,
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
