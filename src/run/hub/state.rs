//! [`HubState`]: state that the hub hands on, and [`Progress`]: how far a run has come.

use std::time::Instant;

use crate::base::panic_context::PanicContext;
use crate::base::state::Writer;
use crate::program::verdict::{Metric, Status};
use crate::program::{Boundary, Program};
use crate::run::fingerprints::BoundaryFingerprint;
use crate::run::record::{Ending, EpochRecord};
use crate::run::traffic::Traffic;
use crate::schedule::{Counts, EpochStart, Schedule};

/// End of a generation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum GenerationExit {
    /// The run is over.
    Finished(Ending),
    /// The next generation takes over: other workers, or a checkpoint is due.
    Reconfigure,
    /// The run is over, and had no boundary to end at.
    BeforeBoundary(Ending),
}

/// The end of a generation and its counts.
#[derive(Default)]
pub(crate) struct GenerationTotals {
    pub(crate) records: Vec<EpochRecord>,
    pub(crate) fingerprints: Vec<BoundaryFingerprint>,
    pub(crate) verdict: Option<(Metric, Option<f64>)>,
    pub(crate) exit: Option<GenerationExit>,
    /// The worker of each block.
    pub(crate) block_at: Vec<u32>,
    pub(crate) traffic: Traffic,
    /// Moment when the hub had concluded its last boundary.
    pub(crate) at: Option<Instant>,
}

/// State that the hub hands on from generation to generation; a checkpoint keeps its learned form.
pub(crate) struct HubState<P: Program> {
    pub(crate) pinned: P::Pinned,
    pub(crate) schedule: Box<dyn Schedule<P::Phase>>,
    pub(crate) progress: Progress,
    /// The boundary before it was concluded, where a checkpoint of it is to be written.
    pub(crate) unconcluded: Option<Unconcluded<P>>,
}

/// A boundary before it is concluded.
pub(crate) struct Unconcluded<P: Program> {
    /// State that the pinned block had learned, as bytes.
    pub(crate) pinned: Vec<u8>,
    /// The conclusion's change, not committed anywhere yet.
    pub(crate) change: Option<P::Change>,
    /// The metric's value as it was last measured before.
    pub(crate) last: Option<f64>,
}

impl<P: Program> HubState<P> {
    /// A run that begins.
    pub(crate) fn new(pinned: P::Pinned, schedule: Box<dyn Schedule<P::Phase>>, staleness: usize) -> Self {
        let progress = Progress { staleness, ..Progress::default() };
        Self { pinned, schedule, progress, unconcluded: None }
    }

    /// The schedule whole, as bytes.
    pub(crate) fn schedule_bytes(&self) -> Vec<u8> {
        let mut out = Writer::default();
        self.schedule.save(&mut out);
        out.into_bytes()
    }
}

/// Progress of a run at a boundary.
#[derive(Clone, Default)]
pub(crate) struct Progress {
    /// Epochs completed.
    pub(crate) epoch: u64,
    /// The start of the next epoch; `None` before the first boundary.
    pub(crate) start: Option<EpochStart>,
    /// The program's judgement of the run at that boundary.
    pub(crate) status: Status,
    pub(crate) staleness: usize,
    /// Rollbacks since the last epoch that was accepted.
    pub(crate) rollbacks_in_a_row: u64,
    pub(crate) totals: Totals,
    /// The totals, and the schedule's counts, when the epoch under way began.
    pub(crate) before: (Totals, Counts),
    /// The metric's value as it was last measured.
    pub(crate) last: Option<f64>,
}

/// Counts over the whole run.
#[derive(Clone, Copy, Default)]
pub(crate) struct Totals {
    pub(crate) rounds: u64,
    pub(crate) tasks: u64,
    pub(crate) updates: u64,
    pub(crate) rollbacks: u64,
}

crate::state!(Totals { rounds, tasks, updates, rollbacks });

/// More than any run counts: sums of counts below it do not overflow.
const COUNTED: u64 = 1 << 62;

impl Totals {
    fn all(&self) -> [u64; 4] {
        [self.rounds, self.tasks, self.updates, self.rollbacks]
    }
}

impl Progress {
    /// Context of a verb in the epoch under way.
    pub(super) fn panic_context(&self, verb: &'static str) -> PanicContext {
        PanicContext::verb(verb).epoch(self.epoch)
    }

    /// The boundary, of a run of so many shards.
    pub(crate) fn boundary(&self, shards: usize) -> Boundary {
        Boundary { epoch: self.epoch, shards: shards as u32 }
    }

    /// `true` if a run can have these counts: each is within what can be counted, and has only grown since
    /// the epoch under way began.
    pub(crate) fn is_possible(&self) -> bool {
        let grown = self.before.0.all().into_iter().zip(self.totals.all()).all(|(before, now)| before <= now);
        let counts = self.totals.all().into_iter().chain([self.epoch, self.rollbacks_in_a_row]);
        grown && counts.max().is_some_and(|most| most < COUNTED)
    }
}

crate::state!(Progress { epoch, start, status, staleness, rollbacks_in_a_row, totals, before, last });
