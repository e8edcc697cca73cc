//! Events of a simulated run, and the counts of those that change its processes.

use super::Rng;
use crate::cluster::coordinator::Event;
use crate::cluster::protocol::Order;

/// Event on the agenda of a run.
pub(super) enum SimulatedEvent {
    ToCoordinator(Event),
    Order(u32, Order),
    Transfer {
        from: u32,
        to: u32,
        generation: u64,
        packed: (u8, u32, Vec<u8>),
    },
    /// A message between threads of a generation; the address is a worker, or the hub.
    Message {
        process: u32,
        generation: u64,
        to: u32,
        bytes: Vec<u8>,
    },
    /// A thread has its turn.
    Turn {
        process: u32,
        generation: u64,
        thread: usize,
    },
    /// A request of an admin client.
    AdminEvent(AdminEvent),
    /// A process has built its program.
    Built(u32),
    Fault(Fault),
    /// All processes send a heartbeat.
    Heartbeat,
    /// A process that receives nothing ends.
    Ends(u32),
    /// A process has received nothing from a peer for the deadline, in this attempt.
    Silent {
        from: u32,
        to: u32,
        generation: u64,
        attempt: u64,
    },
    /// A stopped process that was replaced runs on.
    GoesOn,
    /// A process that was stopped while it prepared runs on, in the attempt in which it was stopped.
    Wakes(u32),
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Fault {
    Kill,
    Stop,
    /// Drops messages of a process to the coordinator, from it, or both.
    Partition {
        from: bool,
        to: bool,
    },
    /// Drops messages from one process to another, or in both directions, in one generation.
    CutLink {
        both: bool,
    },
    Launcher,
    /// A process is killed, and in the next one or two attempts one process fails its handshake.
    Handshake,
    /// A process, or the launcher, dies at one of its next writes.
    Writing {
        launcher: bool,
    },
    Slow(bool),
    Full(bool),
}

impl Fault {
    pub(super) fn any(rng: &mut Rng) -> Self {
        match rng.below(17) {
            0..4 => Self::Kill,
            4 | 5 => Self::Stop,
            6 => Self::Partition { from: true, to: rng.one_in(2) },
            7 => Self::Partition { from: false, to: true },
            8 | 9 => Self::CutLink { both: rng.one_in(2) },
            10 => Self::Writing { launcher: false },
            11 | 12 => Self::Writing { launcher: true },
            13 => Self::Slow(true),
            14 => Self::Full(true),
            15 => Self::Handshake,
            _ => Self::Launcher,
        }
    }
}

#[derive(Clone, Copy)]
pub(super) enum AdminEvent {
    Join {
        fits: bool,
        stays: bool,
    },
    Leave,
    /// The first process leaves, and one joins a while later.
    FirstLeaves,
    Rescale,
}

/// Numbers of processes that joined and left.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct MembershipCounts {
    pub(super) joined: u64,
    pub(super) left: u64,
    /// Processes that left as the first one, and processes that joined after one had.
    pub(super) handed_on: u64,
    pub(super) again: u64,
    pub(super) refused: u64,
}

impl std::ops::AddAssign for MembershipCounts {
    fn add_assign(&mut self, other: Self) {
        self.joined += other.joined;
        self.left += other.left;
        self.handed_on += other.handed_on;
        self.again += other.again;
        self.refused += other.refused;
    }
}
