//! Prices of resources: the more of a node is taken in a slot, the higher is the price of the rest.

use super::settings::{Ceiling, PlanSettings};
use crate::policy::cluster::{Amounts, Cluster, RESOURCES};
use crate::policy::job::{Job, Utility};

/// Bounds of the prices, from the jobs seen so far.
///
/// The price of resource r on a node of which a share s is taken is `L (U_r / L)^s`: almost nothing at first,
/// and in the end more than any job would pay. L is half of what the job of lowest value would pay at the end
/// of all slots, but at least a share of U_r: a sigmoid is almost 0 by then, and prices that start there let
/// jobs of little value fill the cluster.
#[derive(Debug, Clone)]
pub(super) struct Prices {
    most: Amounts,
    /// Minimum over jobs of the utility at the end of all slots, divided by all that the job takes.
    worth: f64,
    /// Minimum over jobs of the share that a job takes of all slots of the cluster.
    share: f64,
    /// Minimum of all prices, as a share of the maximum.
    floor: f64,
}

impl Default for Prices {
    fn default() -> Self {
        Self { most: [0.0; RESOURCES], worth: f64::INFINITY, share: f64::INFINITY, floor: 0.0 }
    }
}

impl Prices {
    /// Widens the bounds for a job, by the most and the least that it would pay.
    pub(super) fn see(&mut self, settings: &PlanSettings, cluster: &Cluster, job: &Job) {
        let Some(left) = job.left else { return };
        self.floor = settings.floor;
        let across = cluster.nodes.len().min(2) as u32;
        let fastest = fastest(cluster, job);
        let slow = match job.speed.rate(job.least.max(1), across) {
            0.0 => job.speed.rate(job.least.max(1), 1),
            rate => rate,
        } / f64::from(job.least.max(1));
        if fastest <= 0.0 || slow <= 0.0 || left <= 0.0 {
            return;
        }
        let slots = (left / fastest / settings.slot).ceil();
        let soon = job.utility.at(job.arrival, job.arrival + slots * settings.slot);
        let end = settings.until.map_or(job.arrival + f64::from(settings.ahead) * settings.slot, |until| {
            f64::from(until) * settings.slot
        });
        let worker_slots = left / slow / settings.slot;
        let least_worker_slots = f64::from(job.least.max(1)) * left / fastest / settings.slot;
        for r in 0..RESOURCES {
            let demands = [job.demand.worker[r], job.demand.server[r]];
            let demand = demands.into_iter().filter(|&demand| demand > 0.0).fold(f64::INFINITY, f64::min);
            let taken = match settings.ceiling {
                Ceiling::Slot => demand,
                Ceiling::Work => demand * least_worker_slots.max(1.0),
            };
            if taken.is_finite() {
                self.most[r] = self.most[r].max(soon / taken);
            }
        }
        let finite = |r: &usize| cluster.nodes.iter().all(|node| node[*r].is_finite());
        let work: f64 =
            (0..RESOURCES).filter(finite).map(|r| job.demand.worker[r] + job.demand.server[r]).sum();
        let capacity: f64 = (0..RESOURCES)
            .filter(finite)
            .map(|r| cluster.nodes.iter().map(|node| node[r]).sum::<f64>())
            .sum();
        let all = worker_slots * work;
        if all > 0.0 && capacity > 0.0 {
            self.worth = self.worth.min(late(&job.utility, job.arrival, end) / all);
            self.share = self.share.min(all / (f64::from(settings.last(0)) * capacity));
        }
    }

    /// Prices on a node of which these amounts are taken.
    pub(super) fn of(&self, capacity: &Amounts, taken: &Amounts) -> Amounts {
        let least = (self.share / 2.0 * self.worth).max(f64::MIN_POSITIVE);
        std::array::from_fn(|r| {
            if capacity[r].is_infinite() || self.most[r] <= 0.0 || !least.is_finite() {
                return 0.0;
            }
            let least = least.max(self.floor * self.most[r]).min(self.most[r]);
            let share = if capacity[r] > 0.0 { (taken[r] / capacity[r]).min(1.0) } else { 1.0 };
            least * libm::pow(self.most[r] / least, share)
        })
    }
}

/// Maximum speed of a job over its numbers of workers, on one node or on two.
pub(super) fn fastest(cluster: &Cluster, job: &Job) -> f64 {
    let across = cluster.nodes.len().min(2) as u32;
    let rates = (job.least.max(1)..=job.most)
        .flat_map(|workers| [job.speed.rate(workers, 1), job.speed.rate(workers, across)]);
    rates.fold(0.0, f64::max)
}

/// Value of a job over the share of the cluster that its workers take until it ends.
pub(super) fn density(cluster: &Cluster, job: &Job) -> f64 {
    let least = job.least.max(1);
    let share = |r: usize| job.demand.worker[r] / cluster.nodes.iter().map(|node| node[r]).sum::<f64>();
    let share = (0..RESOURCES).map(share).fold(0.0, f64::max);
    let seconds = job.left.unwrap_or(f64::INFINITY) / job.speed.rate(least, 1);
    job.utility.at(job.arrival, job.arrival) / (f64::from(least) * share * seconds)
}

/// Value of a job at the end of all slots; for a job with a deadline, its value before it.
fn late(utility: &Utility, arrival: f64, end: f64) -> f64 {
    match *utility {
        Utility::Deadline { value, .. } | Utility::Constant(value) => value,
        Utility::Sigmoid { .. } => utility.at(arrival, end),
    }
}
