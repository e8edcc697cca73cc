//! Admission: the end with the largest utility minus price, or a refusal.

use std::collections::BTreeMap;

use super::in_slot::{Market, Placer};
use super::planner::PdOrs;
use super::prices::fastest;
use super::programme::{Choice, Programme};
use crate::policy::cluster::{Amounts, Cluster, Placement, RESOURCES};
use crate::policy::job::Job;

/// Minimum number of units that a slot at full speed is worth.
const UNITS_A_SLOT: f64 = 4.0;

/// Maximum number of units that a long job is divided into.
const MOST_UNITS: u32 = 10_000;

/// A possible schedule, with its end.
#[derive(Debug)]
pub(super) struct Offer {
    /// End of the last slot, in seconds since the pool began.
    pub(super) end: f64,
    /// Placement in each slot.
    pub(super) slots: BTreeMap<u32, Placement>,
}

impl<P: Placer> PdOrs<P> {
    /// Returns the schedule with the largest utility minus price, if that is above 0; else the earliest end
    /// at which the full value of the job would pay its price, if there is one.
    pub(super) fn admission(&mut self, now: f64, cluster: &Cluster, job: &Job) -> Result<Offer, Option<f64>> {
        let full = job.utility.at(job.arrival, job.arrival);
        let mut best: Option<(f64, f64, usize)> = None;
        let mut would = None;
        let settings = self.settings.clone();
        let first = settings.slot_of(now);
        let (programme, left) = self.programme(now, cluster, job, |slots, cost| {
            let end = settings.end(first + slots as u32 - 1);
            let utility = job.utility.at(job.arrival, end);
            if cost < full && would.is_none() {
                would = Some(end);
            }
            if utility > cost && best.is_none_or(|(gain, ..)| utility - cost > gain) {
                best = Some((utility - cost, end, slots));
            }
            // Utilities never grow and prices are not negative: no later end is worth more.
            match best {
                Some((gain, ..)) => utility > gain,
                None => utility > 0.0 || would.is_none(),
            }
        });
        let Some((_, end, slots)) = best else { return Err(would) };
        Ok(Offer { end, slots: by_slot(first, programme.plan(slots, left)) })
    }

    /// Returns the cheapest schedule that ends by time `by`, else the one that ends first; `None` if there is
    /// none.
    pub(super) fn again(&mut self, now: f64, by: f64, cluster: &Cluster, job: &Job) -> Option<Offer> {
        let settings = self.settings.clone();
        let first = settings.slot_of(now);
        let mut found = None;
        let (programme, left) = self.programme(now, cluster, job, |slots, cost| {
            let end = settings.end(first + slots as u32 - 1);
            let in_time = end <= by + 1e-9 * settings.slot;
            if cost.is_finite() && (in_time || found.is_none()) {
                found = Some((end, slots));
            }
            in_time || found.is_none()
        });
        let (end, slots) = found?;
        Some(Offer { end, slots: by_slot(first, programme.plan(slots, left)) })
    }

    /// Runs the dynamic programme of a job slot by slot, as long as `go_on` returns `true` for the number of
    /// slots and the minimum cost of all the work left.
    fn programme(
        &mut self,
        now: f64,
        cluster: &Cluster,
        job: &Job,
        mut go_on: impl FnMut(usize, f64) -> bool,
    ) -> (Programme, f64) {
        let left = job.left.unwrap_or(f64::INFINITY);
        let first = self.settings.slot_of(now);
        let mut programme = Programme::new(left, self.units(left, cluster, job));
        for slot in first..self.settings.last(first) {
            let choices = self.choices(now, slot, cluster, job);
            programme.add(choices);
            if !go_on((slot - first + 1) as usize, programme.cost()) {
                break;
            }
        }
        (programme, left)
    }

    /// Number of units that the work of a job is divided into, such that a slot at full speed is worth some
    /// of them.
    fn units(&self, left: f64, cluster: &Cluster, job: &Job) -> u32 {
        let rate = fastest(cluster, job);
        let slots = left / rate / self.settings.counted(0.0, 0).max(f64::MIN_POSITIVE);
        // The conversion saturates: a job that is longer than all slots is refused.
        ((UNITS_A_SLOT * slots).ceil() as u32).min(MOST_UNITS).max(self.settings.units).max(1)
    }

    /// Possible placements of a job in a slot.
    fn choices(&mut self, now: f64, slot: u32, cluster: &Cluster, job: &Job) -> Vec<Choice> {
        let taken = self.calendar.taken(slot);
        let none = [0.0; RESOURCES];
        let prices: Vec<Amounts> = (0..cluster.nodes.len())
            .map(|node| self.prices.of(&cluster.nodes[node], taken.get(node).unwrap_or(&none)))
            .collect();
        let market = Market::new(job, self.calendar.room(slot, cluster), &prices);
        market.choices(self.settings.counted(now, slot), &mut self.placer)
    }
}

fn by_slot(first: u32, plan: Vec<(usize, Choice)>) -> BTreeMap<u32, Placement> {
    plan.into_iter().map(|(slot, choice)| (first + slot as u32, choice.placement)).collect()
}
