//! [`HubState`]: state that the hub passes from generation to generation; and [`Progress`] of a run.

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
    /// The next generation continues the run, with other workers, or after a checkpoint that is due.
    Reconfigure,
    /// The run is over before its first boundary.
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
    /// Moment at which the hub concluded its last boundary.
    pub(crate) at: Option<Instant>,
}

/// State that the hub passes from generation to generation; a checkpoint holds its learned form.
pub(crate) struct HubState<P: Program> {
    pub(crate) pinned: P::Pinned,
    pub(crate) schedule: Box<dyn Schedule<P::Phase>>,
    pub(crate) progress: Progress,
    /// The boundary before its conclusion, if a checkpoint of it is to be written.
    pub(crate) unconcluded: Option<Unconcluded<P>>,
}

/// A boundary before it is concluded.
pub(crate) struct Unconcluded<P: Program> {
    /// Learned state of the pinned block, as bytes.
    pub(crate) pinned: Vec<u8>,
    /// The change of the conclusion, which is not committed anywhere yet.
    pub(crate) change: Option<P::Change>,
    /// The metric's value as it was last measured before.
    pub(crate) last: Option<f64>,
}

impl<P: Program> HubState<P> {
    /// Makes the state of a run that starts.
    pub(crate) fn new(pinned: P::Pinned, schedule: Box<dyn Schedule<P::Phase>>, staleness: usize) -> Self {
        let progress = Progress { staleness, ..Progress::default() };
        Self { pinned, schedule, progress, unconcluded: None }
    }

    /// Returns the whole schedule, as bytes.
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
    /// The totals, and the schedule's counts, when the current epoch started.
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

/// Bound that no count of a run reaches: sums of counts below it do not overflow.
const COUNTED: u64 = 1 << 62;

impl Totals {
    fn all(&self) -> [u64; 4] {
        [self.rounds, self.tasks, self.updates, self.rollbacks]
    }
}

impl Progress {
    /// Returns the context of a verb in the current epoch.
    pub(super) fn panic_context(&self, verb: &'static str) -> PanicContext {
        PanicContext::verb(verb).epoch(self.epoch)
    }

    /// Returns the boundary, in a run of this number of shards.
    pub(crate) fn boundary(&self, shards: usize) -> Boundary {
        Boundary { epoch: self.epoch, shards: shards as u32 }
    }

    /// `true` if a run can have these counts: each is below the bound, and has not fallen since the current
    /// epoch started.
    pub(crate) fn is_possible(&self) -> bool {
        let grown = self.before.0.all().into_iter().zip(self.totals.all()).all(|(before, now)| before <= now);
        let counts = self.totals.all().into_iter().chain([self.epoch, self.rollbacks_in_a_row]);
        grown && counts.max().is_some_and(|most| most < COUNTED)
    }
}

crate::state!(Progress { epoch, start, status, staleness, rollbacks_in_a_row, totals, before, last });
