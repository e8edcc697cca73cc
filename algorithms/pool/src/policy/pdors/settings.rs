//! [`PlanSettings`]: settings of a policy that plans by slots.

/// Settings of a policy that plans by slots.
#[derive(Debug, Clone)]
pub struct PlanSettings {
    /// Length of a slot, in seconds. The policy has to be asked at the start of each slot, and may be asked
    /// at other times, too.
    pub slot: f64,
    /// Number of slots ahead that work is planned in.
    pub ahead: u32,
    /// Number of slots after which nothing is planned; `None` in a live pool.
    pub until: Option<u32>,
    /// Minimum number of units that the work of a job is divided into; more if a slot at full speed is worth
    /// fewer than four.
    pub units: u32,
    /// Price of a resource of which nothing is left.
    pub ceiling: Ceiling,
    /// Minimum price of a free resource, as a share of the maximum; 0 in the paper.
    pub floor: f64,
    /// Share by which speeds may be lower than expected: plans count on as much less.
    pub margin: f64,
    /// Seconds that a change of workers costs: plans count on as much less of every slot.
    pub rescale: f64,
    /// `true` if admitted jobs get the workers that no plan uses, on one node.
    pub fill: bool,
}

/// Definition of the price of a resource of which nothing is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ceiling {
    /// Maximum value of a job divided by what one of its workers takes: no job would pay it for a single
    /// slot. Used in the paper.
    Slot,
    /// Maximum value of a job divided by all that it takes until it ends, so that jobs of one kind can fill
    /// the cluster.
    Work,
}

impl Default for PlanSettings {
    /// Settings of a pool on one machine: slots of 10 s, an hour ahead, with three tenths of the speed and a
    /// tenth of each slot in reserve.
    fn default() -> Self {
        Self {
            slot: 10.0,
            ahead: 360,
            until: None,
            units: 1000,
            ceiling: Ceiling::Work,
            floor: 1e-4,
            margin: 0.3,
            rescale: 1.0,
            fill: true,
        }
    }
}

impl PlanSettings {
    /// Settings of the paper: `slots` slots of a second, known speeds, changes that cost nothing.
    pub fn of_slots(slots: u32) -> Self {
        Self {
            slot: 1.0,
            ahead: slots,
            until: Some(slots),
            units: 100,
            ceiling: Ceiling::Slot,
            floor: 1e-4,
            margin: 0.0,
            rescale: 0.0,
            fill: false,
        }
    }

    /// Slot that contains a time.
    pub(super) fn slot_of(&self, time: f64) -> u32 {
        (time / self.slot + 1e-9).max(0.0) as u32
    }

    /// The end of a slot, in seconds since the pool began.
    pub(super) fn end(&self, slot: u32) -> f64 {
        f64::from(slot + 1) * self.slot
    }

    /// Seconds of a slot that are left at time `now`.
    pub(super) fn rest(&self, now: f64, slot: u32) -> f64 {
        self.end(slot) - now.max(f64::from(slot) * self.slot)
    }

    /// Seconds at full speed that a plan counts on in a slot: without the cost of a change of workers, and
    /// without the margin.
    pub(super) fn counted(&self, now: f64, slot: u32) -> f64 {
        (self.rest(now, slot) - self.rescale).max(0.0) * (1.0 - self.margin)
    }

    /// End, exclusive, of the slots in which work may be planned at `slot`.
    pub(super) fn last(&self, slot: u32) -> u32 {
        let ahead = slot.saturating_add(self.ahead);
        self.until.map_or(ahead, |until| ahead.min(until))
    }
}
