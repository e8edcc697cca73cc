//! Prices of resources: the more of a node is taken in a slot, the dearer is the rest.

use super::settings::{Ceiling, PlanSettings};
use crate::policy::cluster::{Amounts, Cluster, RESOURCES};
use crate::policy::job::{Job, Utility};

/// Bounds of the prices, from the jobs that were seen.
///
/// The price of resource r on a node of which a share s is taken is `L (U_r / L)^s`: nearly nothing at first, and at last
/// more than any job would pay. L is half of what the least job would pay at the end of all slots, and not below a share of
/// the top: sigmoids are as good as nothing by then, and prices that begin there let jobs of little value fill the cluster.
#[derive(Debug, Clone)]
pub(super) struct Prices {
    most: Amounts,
    /// Least utility at the end of all slots over all that a job takes.
    worth: f64,
    /// Least share of all slots of the whole cluster that a job takes.
    share: f64,
    /// Least of all prices, as a share of the top.
    floor: f64,
}

impl Default for Prices {
    fn default() -> Self {
        Self { most: [0.0; RESOURCES], worth: f64::INFINITY, share: f64::INFINITY, floor: 0.0 }
    }
}

impl Prices {
    /// Widens the bounds by a job: both ends of what it would pay.
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

/// The highest speed of a job with any number of workers, on one node or on two.
pub(super) fn fastest(cluster: &Cluster, job: &Job) -> f64 {
    let across = cluster.nodes.len().min(2) as u32;
    let rates = (job.least.max(1)..=job.most)
        .flat_map(|workers| [job.speed.rate(workers, 1), job.speed.rate(workers, across)]);
    rates.fold(0.0, f64::max)
}

/// Value of a job at the end of all slots; of one with a deadline, the value up to there.
fn late(utility: &Utility, arrival: f64, end: f64) -> f64 {
    match *utility {
        Utility::Deadline { value, .. } | Utility::Constant(value) => value,
        Utility::Sigmoid { .. } => utility.at(arrival, end),
    }
}
