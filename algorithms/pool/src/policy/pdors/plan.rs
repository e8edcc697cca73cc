//! A job's plan: its placement in each slot, and the time that was promised.

use std::collections::BTreeMap;

use super::calendar::Calendar;
use super::settings::PlanSettings;
use crate::policy::cluster::{Demand, Placement};
use crate::policy::job::Job;

/// A plan with its promise.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    /// Time by which the job was promised to end.
    pub(super) by: f64,
    /// Demand with which the calendar was filled.
    demand: Demand,
    /// Placements by slot.
    slots: BTreeMap<u32, Placement>,
}

impl Plan {
    /// A plan without placements.
    pub(super) fn new(by: f64, demand: Demand) -> Self {
        Self { by, demand, slots: BTreeMap::new() }
    }

    /// The placement of a slot.
    pub(super) fn at(&self, slot: u32) -> Option<&Placement> {
        self.slots.get(&slot)
    }

    /// Takes these placements, and the calendar's room for them.
    pub(super) fn take(&mut self, calendar: &mut Calendar, slots: BTreeMap<u32, Placement>) {
        for (&slot, placement) in &slots {
            calendar.change(slot, &self.demand, placement, 1.0);
        }
        self.slots.extend(slots);
    }

    /// Gives back all placements from a slot on.
    pub(super) fn release(&mut self, calendar: &mut Calendar, from: u32) -> BTreeMap<u32, Placement> {
        let released = self.slots.split_off(&from);
        for (&slot, placement) in &released {
            calendar.change(slot, &self.demand, placement, -1.0);
        }
        released
    }

    /// The slot from which on nothing more is needed for what is left of a job; none if the plan is not enough.
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
