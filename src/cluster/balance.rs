//! [`Balance`]: decides when shards move to other workers, by measured seconds, which never change a result.

use super::plan::{GenerationPlan, place_by_speed};
use super::protocol::Epoch;

/// Factor by which the weight of an epoch falls with each later one.
const FADE: f64 = 0.8;
/// Factor beyond which an epoch is far from the speed of a worker, and the number of epochs in a row, far on
/// the same side, after which nothing before them counts: sums over all would come to the new speed in a
/// dozen epochs, and end a generation for a few shards every other one.
const FAR: f64 = 1.5;
const IN_A_ROW: usize = 3;
/// Smallest relative gain for which a generation ends so that shards move, and the number of epochs within
/// which the gain must outweigh the pause.
const GAIN: f64 = 0.05;
const EPOCHS: f64 = 10.0;
/// Smallest number of epochs of a generation that ends for a move: a shard that has moved does not move back
/// at once.
const REST: u32 = 2;
/// Assumed pause between two generations, in seconds, before one was measured.
const UNKNOWN: f64 = 0.05;

/// Speed of a worker: the counted cost of its epochs over their seconds. A mean of the epochs' speeds would
/// be too high for a worker that gets time slices of a core, as most of its epochs fall into a slice.
#[derive(Debug, Clone, Default)]
struct Speed {
    work: Work,
    /// The last epochs in a row that are far from the speed, on the same side.
    far: Vec<Work>,
}

/// Cost of epochs, and the seconds that they took.
#[derive(Debug, Clone, Copy, Default)]
struct Work {
    cost: f64,
    seconds: f64,
}

impl Work {
    /// Returns the sum of both, `self` times this weight.
    fn plus(self, other: Self, weight: f64) -> Self {
        Self { cost: weight * self.cost + other.cost, seconds: weight * self.seconds + other.seconds }
    }
}

impl Speed {
    /// Returns the cost per second; `None` before an epoch was measured.
    fn get(&self) -> Option<f64> {
        (self.work.seconds > 0.0).then(|| self.work.cost / self.work.seconds)
    }

    /// Returns 1 for an epoch that is far faster, -1 for one that is far slower, else 0.
    fn side(&self, epoch: Work) -> i32 {
        let ratio = self.get().map_or(1.0, |speed| epoch.cost / (speed * epoch.seconds));
        i32::from(ratio > FAR) - i32::from(ratio < 1.0 / FAR)
    }

    /// Adds an epoch.
    fn learn(&mut self, epoch: Work) {
        let side = self.side(epoch);
        if side == 0 || self.far.last().is_some_and(|&last| self.side(last) != side) {
            self.far.clear();
        }
        if side != 0 {
            self.far.push(epoch);
        }
        self.work = self.work.plus(epoch, FADE);
        if self.far.len() == IN_A_ROW {
            self.work = self.far.drain(..).fold(Work::default(), |sum, epoch| sum.plus(epoch, 1.0));
        }
    }
}

/// Measured speeds of the workers, and the decision to place shards by them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Balance {
    on: bool,
    speeds: Vec<Speed>,
    /// The worker that each speed belongs to: its process, and its position among that process's workers.
    workers: Vec<(u32, u32)>,
    pause: f64,
    /// Epochs measured in this generation.
    epochs: u32,
}

/// Returns the identity of each worker across generations: its process, and its position among that process's
/// workers.
fn identities(plan: &GenerationPlan) -> Vec<(u32, u32)> {
    let mut identities: Vec<(u32, u32)> = Vec::with_capacity(plan.process_of.len());
    for &process in &plan.process_of {
        let id = plan.participants[process as usize].id;
        let before = identities.iter().filter(|(other, _)| *other == id).count() as u32;
        identities.push((id, before));
    }
    identities
}

/// Returns the counted cost of each worker.
fn loads(shard_at: &[u32], costs: &[u64], workers: usize) -> Vec<f64> {
    let mut loads = vec![0.0; workers];
    for (&worker, &cost) in shard_at.iter().zip(costs) {
        loads[worker as usize] += cost as f64;
    }
    loads
}

/// Returns the seconds of the slowest worker.
fn slowest(loads: &[f64], speeds: &[f64]) -> f64 {
    loads.iter().zip(speeds).map(|(load, speed)| load / speed).fold(0.0, f64::max)
}

impl Balance {
    pub(crate) fn new(on: bool) -> Self {
        Self { on, pause: UNKNOWN, ..Self::default() }
    }

    /// Starts a generation: workers that stay keep their speed.
    pub(crate) fn begin(&mut self, plan: &GenerationPlan) {
        let identities = identities(plan);
        self.speeds =
            identities.iter().map(|name| self.speed_of(name).cloned().unwrap_or_default()).collect();
        self.workers = identities;
        self.epochs = 0;
    }

    /// Returns the speed of a worker of the last plan, by its identity.
    fn speed_of(&self, name: &(u32, u32)) -> Option<&Speed> {
        self.workers.iter().position(|other| other == name).map(|at| &self.speeds[at])
    }

    /// Updates the speeds by the seconds that each worker computed in an epoch.
    pub(crate) fn learn(&mut self, plan: &GenerationPlan, costs: &[u64], epoch: &Epoch) {
        if epoch.load.len() != self.speeds.len() || epoch.epoch == 0 {
            return;
        }
        self.epochs += 1;
        let loads = loads(&plan.shard_at, costs, self.speeds.len());
        for ((speed, cost), &seconds) in self.speeds.iter_mut().zip(loads).zip(&epoch.load) {
            // A worker without shards has no speed to measure.
            if cost > 0.0 && seconds > 0.0 {
                speed.learn(Work { cost, seconds });
            }
        }
    }

    /// Records the last pause between two generations, in seconds.
    pub(crate) fn paused(&mut self, seconds: f64) {
        self.pause = seconds;
    }

    /// Returns the speeds by which to place the shards of this plan's workers; `None` if balance is off or no
    /// speed is known.
    pub(crate) fn speeds(&self, plan: &GenerationPlan) -> Option<Vec<f64>> {
        if !self.on {
            return None;
        }
        let known: Vec<f64> = self.speeds.iter().filter_map(Speed::get).collect();
        if known.is_empty() {
            return None;
        }
        // A worker that was not measured is assumed to be as fast as the mean of the others.
        let mean = known.iter().sum::<f64>() / known.len() as f64;
        let speed = |name| self.speed_of(name).and_then(Speed::get).unwrap_or(mean);
        Some(identities(plan).iter().map(speed).collect())
    }

    /// `true` if placing the shards again is expected to gain more than the pause costs.
    pub(crate) fn is_worth_it(&self, plan: &GenerationPlan, costs: &[u64]) -> bool {
        let Some(speeds) = self.speeds(plan).filter(|speeds| speeds.len() > 1) else { return false };
        // Before the first generation no shard has moved.
        if self.epochs < REST && plan.number > 1 {
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

    fn speed(epochs: impl IntoIterator<Item = (f64, f64)>) -> Option<f64> {
        let mut speed = Speed::default();
        epochs.into_iter().for_each(|(cost, seconds)| speed.learn(Work { cost, seconds }));
        speed.get()
    }

    #[test]
    fn speed_is_all_work_over_all_time_of_which_the_last_epochs_count_most() {
        assert_eq!(speed([]), None);
        assert_eq!(speed([(4.0, 2.0)]), Some(2.0));
        assert_eq!(speed([(4.0, 2.0), (3.0, 2.0)]), Some((0.8 * 4.0 + 3.0) / (0.8 * 2.0 + 2.0)));
        // Every other epoch falls between two slices: a quarter, where the speeds of single epochs have a
        // mean of 0.57.
        let sliced = speed((0..200).map(|epoch| (1.0, if epoch % 2 == 0 { 1.0 } else { 7.0 }))).unwrap();
        assert!((0.2..0.3).contains(&sliced), "{sliced}");
    }

    #[test]
    fn three_epochs_in_a_row_far_on_one_side_are_another_speed_and_fewer_are_not() {
        let after = |far: &[f64]| {
            let usual = std::iter::repeat_n((1.0, 1.0), 20);
            speed(usual.chain(far.iter().map(|&seconds| (1.0, seconds)))).unwrap()
        };
        assert!((after(&[4.0, 4.0, 4.0]) - 0.25).abs() < 1e-12);
        assert!((after(&[0.25, 0.25, 0.25]) - 4.0).abs() < 1e-12);
        assert!(after(&[4.0]) > 0.6 && after(&[4.0, 4.0]) > 0.4);
        // An epoch on the other side, or one that is not far, breaks the row.
        assert!(after(&[4.0, 4.0, 0.1, 4.0]) > 0.3 && after(&[4.0, 1.0, 4.0, 4.0]) > 0.3);
    }

    #[test]
    fn epochs_without_work_and_workers_without_epochs_have_no_speed_of_their_own() {
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
        // One that has not computed yet is as fast as the mean.
        assert_eq!(learn(1, [4.0, 0.0]), Some(vec![1.0, 1.0]));
        assert_eq!(learn(2, [4.0, 8.0]), Some(vec![1.0, 0.5]));
        // An epoch in which a worker computed nothing does not change its speed.
        assert_eq!(learn(3, [4.0, 0.0]), Some(vec![1.0, 0.5]));
    }
}
