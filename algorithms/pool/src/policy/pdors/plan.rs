//! [`Plan`]: the placement of a job in each slot, and its promised end.

use std::collections::BTreeMap;

use super::calendar::Calendar;
use super::settings::PlanSettings;
use crate::policy::cluster::{Demand, Placement};
use crate::policy::job::Job;

/// Plan of an admitted job.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    /// Promised end, in seconds since the pool began.
    pub(super) by: f64,
    /// Demand that the calendar was filled with.
    demand: Demand,
    /// Placement in each slot.
    slots: BTreeMap<u32, Placement>,
}

impl Plan {
    /// A plan without placements.
    pub(super) fn new(by: f64, demand: Demand) -> Self {
        Self { by, demand, slots: BTreeMap::new() }
    }

    /// Placement in a slot.
    pub(super) fn at(&self, slot: u32) -> Option<&Placement> {
        self.slots.get(&slot)
    }

    /// Adds these placements, and takes their resources in the calendar.
    pub(super) fn take(&mut self, calendar: &mut Calendar, slots: BTreeMap<u32, Placement>) {
        for (&slot, placement) in &slots {
            calendar.change(slot, &self.demand, placement, 1.0);
        }
        self.slots.extend(slots);
    }

    /// Releases all placements from a slot on, and returns them.
    pub(super) fn release(&mut self, calendar: &mut Calendar, from: u32) -> BTreeMap<u32, Placement> {
        let released = self.slots.split_off(&from);
        for (&slot, placement) in &released {
            calendar.change(slot, &self.demand, placement, -1.0);
        }
        released
    }

    /// First slot that is not needed to finish the work left of a job; `None` if the plan is too short or the
    /// work is unknown.
    pub(super) fn enough(&self, settings: &PlanSettings, now: f64, job: &Job) -> Option<u32> {
        let left = job.left?;
        let mut done = 0.0;
        let slot = settings.slot_of(now);
        let mut before = (slot, &job.placement);
        for (&at, placement) in self.slots.range(slot..) {
            let stays = (at, placement) == before;
            let seconds = if stays {
                settings.rest(now, at) * (1.0 - settings.margin)
            } else {
                settings.counted(now, at)
            };
            done += job.speed.rate(placement.workers(), placement.nodes()) * seconds;
            if done >= left * (1.0 - 1e-9) {
                return Some(at + 1);
            }
            before = (at + 1, placement);
        }
        None
    }
}
