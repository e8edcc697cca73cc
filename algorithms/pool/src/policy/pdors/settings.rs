//! PlanSettings of the policies that promise.

/// PlanSettings of a policy that plans slot by slot.
#[derive(Debug, Clone)]
pub struct PlanSettings {
    /// Length of a slot, in seconds. Plans are followed where decisions are asked for at the begin of each slot, besides other times.
    pub slot: f64,
    /// Number of slots ahead in which work is planned.
    pub ahead: u32,
    /// Number of slots after which nothing is planned; none in a pool that goes on.
    pub until: Option<u32>,
    /// Least number of units in which the work of a job is counted: more where a slot at full speed has fewer than four.
    pub units: u32,
    /// Top of the prices.
    pub ceiling: Ceiling,
    /// Least price of what is free, as a share of the top; 0 is the paper's.
    pub floor: f64,
    /// Share by which speeds may turn out lower than they are known: plans count on so much less.
    pub margin: f64,
    /// Seconds that a change of workers costs: plans count on so much less of every slot.
    pub rescale: f64,
    /// Says that what no plan uses is given to admitted jobs, on one node.
    pub fill: bool,
}

/// Price of a resource of which nothing is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ceiling {
    /// The largest value of a job over what one of its workers takes: no job would pay it for a single slot (the paper's).
    Slot,
    /// The largest value of a job over all that it takes until it ends: jobs of one kind fill the cluster.
    Work,
}

impl Default for PlanSettings {
    /// A pool on one machine: slots of 10 s, an hour ahead; a tenth of speed and a tenth of a slot in reserve.
    fn default() -> Self {
        Self {
            slot: 10.0,
            ahead: 360,
            until: None,
            units: 1000,
            ceiling: Ceiling::Work,
            floor: 1e-4,
            margin: 0.1,
            rescale: 1.0,
            fill: true,
        }
    }
}

impl PlanSettings {
    /// The paper's: `slots` slots of a second, known speeds, changes that cost nothing.
    pub fn of_slots(slots: u32) -> Self {
        Self {
            slot: 1.0,
            ahead: slots,
            until: Some(slots),
            units: 100,
            ceiling: Ceiling::Slot,
            floor: 3e-5,
            margin: 0.0,
            rescale: 0.0,
            fill: false,
        }
    }

    /// The slot that a time lies in.
    pub(super) fn slot_of(&self, time: f64) -> u32 {
        (time / self.slot + 1e-9).max(0.0) as u32
    }

    /// The end of a slot, in seconds since the pool began.
    pub(super) fn end(&self, slot: u32) -> f64 {
        f64::from(slot + 1) * self.slot
    }

    /// Seconds of a slot that are still to come.
    pub(super) fn rest(&self, now: f64, slot: u32) -> f64 {
        self.end(slot) - now.max(f64::from(slot) * self.slot)
    }

    /// Seconds at known speed that a plan counts on in a slot: less what a change of workers may cost, less the margin.
    pub(super) fn counted(&self, now: f64, slot: u32) -> f64 {
        (self.rest(now, slot) - self.rescale).max(0.0) * (1.0 - self.margin)
    }

    /// The slot after the last one in which work may be planned from `slot` on.
    pub(super) fn last(&self, slot: u32) -> u32 {
        let ahead = slot.saturating_add(self.ahead);
        self.until.map_or(ahead, |until| ahead.min(until))
    }
}
