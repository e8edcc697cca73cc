//! [`Balance`]: decides when shards move to other workers, by measured seconds; they never change a result.

use super::plan::{GenerationPlan, place_by_speed};
use super::protocol::Epoch;

/// Weight of the newest epoch in the moving average of a worker's speed.
const NEWEST: f64 = 0.2;
/// Smallest relative gain for which a generation ends so that shards move, and the number of epochs in which
/// it must pay for the pause.
const GAIN: f64 = 0.05;
const EPOCHS: f64 = 10.0;
/// Fewest epochs of a generation that ends so: a shard that has moved does not move back at once.
const REST: u32 = 2;
/// Assumed pause between two generations, in seconds, before one was measured.
const UNKNOWN: f64 = 0.05;

/// Moving average of each worker's speed: counted cost over measured seconds.
#[derive(Debug, Clone, Default)]
pub(crate) struct Balance {
    on: bool,
    speeds: Vec<f64>,
    /// The worker that each speed belongs to: its process, and its position among that process's workers.
    workers: Vec<(u32, u32)>,
    pause: f64,
    /// Epochs measured in this generation.
    epochs: u32,
}

/// Identity of each worker across generations: its process, and its position among that process's workers.
fn identities(plan: &GenerationPlan) -> Vec<(u32, u32)> {
    let mut identities: Vec<(u32, u32)> = Vec::with_capacity(plan.process_of.len());
    for &process in &plan.process_of {
        let id = plan.participants[process as usize].id;
        let before = identities.iter().filter(|(other, _)| *other == id).count() as u32;
        identities.push((id, before));
    }
    identities
}

/// The counted cost of each worker.
fn loads(shard_at: &[u32], costs: &[u64], workers: usize) -> Vec<f64> {
    let mut loads = vec![0.0; workers];
    for (&worker, &cost) in shard_at.iter().zip(costs) {
        loads[worker as usize] += cost as f64;
    }
    loads
}

/// Seconds of the slowest worker.
fn slowest(loads: &[f64], speeds: &[f64]) -> f64 {
    loads.iter().zip(speeds).map(|(load, speed)| load / speed).fold(0.0, f64::max)
}

fn is_known(speed: &f64) -> bool {
    speed.is_finite() && *speed > 0.0
}

/// Mean of the speeds that are known; `None` if none is.
fn mean_of_known(speeds: &[f64]) -> Option<f64> {
    let known: Vec<f64> = speeds.iter().copied().filter(is_known).collect();
    (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
}

impl Balance {
    pub(crate) fn new(on: bool) -> Self {
        Self { on, pause: UNKNOWN, ..Self::default() }
    }

    /// Begins a generation: workers that stay keep their speed, new ones get the mean.
    pub(crate) fn begin(&mut self, plan: &GenerationPlan) {
        let identities = identities(plan);
        let mean = mean_of_known(&self.speeds).unwrap_or(f64::NAN);
        let speed = |name| {
            let at = self.workers.iter().position(|other| other == name);
            at.map_or(mean, |at| self.speeds[at])
        };
        self.speeds = identities.iter().map(speed).collect();
        self.workers = identities;
        self.epochs = 0;
    }

    /// Updates the speeds by the seconds that each worker computed in an epoch.
    pub(crate) fn learn(&mut self, plan: &GenerationPlan, costs: &[u64], epoch: &Epoch) {
        if epoch.load.len() != self.speeds.len() || epoch.epoch == 0 {
            return;
        }
        self.epochs += 1;
        let loads = loads(&plan.shard_at, costs, self.speeds.len());
        for ((speed, load), &seconds) in self.speeds.iter_mut().zip(loads).zip(&epoch.load) {
            // A worker without shards has no speed to measure.
            if load > 0.0 && seconds > 0.0 {
                let now = load / seconds;
                *speed = if speed.is_finite() { *speed + NEWEST * (now - *speed) } else { now };
            }
        }
    }

    /// Records the last pause between two generations, in seconds.
    pub(crate) fn paused(&mut self, seconds: f64) {
        self.pause = seconds;
    }

    /// Speeds by which to place the shards of this plan's workers; `None` if balance is off or no speed is
    /// known.
    pub(crate) fn speeds(&self, plan: &GenerationPlan) -> Option<Vec<f64>> {
        if !self.on {
            return None;
        }
        // A new worker is assumed to be as fast as the mean of the others.
        let mean = mean_of_known(&self.speeds)?;
        let speed = |name| {
            let at = self.workers.iter().position(|other| *other == name);
            at.map(|at| self.speeds[at]).filter(is_known).unwrap_or(mean)
        };
        Some(identities(plan).into_iter().map(speed).collect())
    }

    /// `true` if placing the shards anew is expected to gain more than the pause costs.
    pub(crate) fn is_worth_it(&self, plan: &GenerationPlan, costs: &[u64]) -> bool {
        let Some(speeds) = self.speeds(plan).filter(|speeds| speeds.len() > 1) else { return false };
        let settled = self.speeds.iter().all(|speed| speed.is_finite());
        // Before the first generation no shard has moved.
        if !settled || (self.epochs < REST && plan.number > 1) {
            return false;
        }
        let now = slowest(&loads(&plan.shard_at, costs, speeds.len()), &speeds);
        let then = slowest(&loads(&place_by_speed(costs, &speeds), costs, speeds.len()), &speeds);
        then < now * (1.0 - GAIN) && (now - then) * EPOCHS > self.pause
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::plan::Participant;

    #[test]
    fn a_worker_that_was_slow_once_is_slower_by_a_fifth_of_it() {
        let participants = (0..2).map(|id| Participant { id, address: String::new(), capacity: 1 }).collect();
        let costs = [1; 8];
        let plan = GenerationPlan::new(1, participants, (2, 1), &costs, 0, None, None);
        let mut balance = Balance::new(true);
        balance.begin(&plan);
        let mut learn = |epoch, load: [f64; 2]| {
            balance.learn(&plan, &costs, &Epoch { epoch, load: load.into(), ..Epoch::default() });
            balance.speeds(&plan)
        };
        // The boundary before the first epoch is no epoch.
        assert_eq!(learn(0, [4.0, 4.0]), None);
        assert_eq!(learn(1, [4.0, 4.0]), Some(vec![1.0, 1.0]));
        assert_eq!(learn(2, [4.0, 40.0]), Some(vec![1.0, 1.0 + 0.2 * (0.1 - 1.0)]));
        // An epoch in which a worker computed nothing does not change its speed.
        assert_eq!(learn(3, [4.0, 0.0]), Some(vec![1.0, 1.0 + 0.2 * (0.1 - 1.0)]));
    }
}
