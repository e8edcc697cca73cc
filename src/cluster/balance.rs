//! [`Balance`]: decides when shards move to other workers, by measured seconds, which never change a result.

use super::placing::place_by_speed;
use super::plan::GenerationPlan;
use super::protocol::Epoch;

/// Factor by which the weight of an epoch falls with each later one, in a speed and in its noise.
const FADE: f64 = 0.93;
const FADE_OF_NOISE: f64 = 0.97;
/// Relative deviation of an epoch from its speed before anything is known of it, which counts as much as one
/// epoch: to tell a change of speed, and for the error of a speed.
const NOISE: f64 = 0.25;
const ERROR: f64 = 0.5;
/// Smallest factor beyond which an epoch is far from the speed of a worker, and how many times the noise; how
/// many times it must be for the speed to count at once, or half as many of the second in a row; and the
/// number of epochs in a row, far on the same side, after which nothing before them counts: they are the new
/// speed.
const FAR: f64 = 1.3;
const FAR_OF_NOISE: f64 = 3.0;
const CLEAR_OF_NOISE: f64 = 9.0;
const IN_A_ROW: usize = 3;
/// Number of epochs after which a speed has been seen for long, and before which it counts nothing.
const SEEN: u32 = 3;
const FEW: u32 = 2;
/// Smallest relative gain for which a generation ends so that shards move, and for a speed that has not been
/// seen for long.
const GAIN: f64 = 0.05;
const EARLY_GAIN: f64 = 0.25;
/// Number of epochs within which the gain must make up for the pause, and the number of standard errors of
/// the slowest worker's seconds of which the gain must be above.
const EPOCHS: f64 = 10.0;
const ERRORS: f64 = 3.0;
/// Smallest number of epochs of a generation that ends for a move: a shard that has moved does not move back
/// at once.
const REST: u32 = 2;
/// Smallest number of epochs of a generation that ends for a move where no speed has clearly changed.
const LONG_REST: u32 = 8;
/// Assumed pause between two generations, in seconds, before one was measured.
const UNKNOWN: f64 = 0.05;

/// Speed of a worker: the counted cost of its epochs over their seconds. A mean of the epochs' speeds would
/// be too high for a worker that gets time slices of a core, as most of its epochs fall into a slice.
#[derive(Debug, Clone, Default)]
struct Speed {
    work: Work,
    /// Number of epochs, and the sum of their fading weights.
    epochs: u32,
    weight: f64,
    /// Squares of relative deviations of epochs from the speed before them, and their number, fading.
    noise: (f64, f64),
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
    /// Returns the cost per second; `None` before an epoch was measured. Epochs that are clearly far from it
    /// are a change, and count alone.
    fn get(&self) -> Option<f64> {
        let work = if self.is_clear() { self.of_far() } else { self.work };
        (self.epochs > 0).then(|| work.cost / work.seconds)
    }

    /// Returns the standard error of the speed, as a share of it.
    fn error(&self) -> f64 {
        let epochs = if self.is_clear() { self.far.len() as f64 } else { self.weight };
        self.noise(ERROR) / epochs.max(1.0).sqrt()
    }

    /// Returns the relative deviation of epochs; `before` is what is assumed of it at first.
    fn noise(&self, before: f64) -> f64 {
        let (squares, count) = self.noise;
        ((squares + before * before) / (count + 1.0)).sqrt()
    }

    fn of_far(&self) -> Work {
        self.far.iter().fold(Work::default(), |sum, &epoch| sum.plus(epoch, 1.0))
    }

    /// `true` if the last epoch is so far from the speed that this has changed.
    fn is_clear(&self) -> bool {
        let times = if self.far.len() > 1 { CLEAR_OF_NOISE / 2.0 } else { CLEAR_OF_NOISE };
        self.epochs >= SEEN && self.far.last().is_some_and(|&last| self.side(last, times) != 0)
    }

    /// `true` if the speed has been measured in epochs enough.
    fn is_seen(&self) -> bool {
        self.epochs >= SEEN && !self.is_clear()
    }

    /// Returns 1 for an epoch that is far slower, by so many times the noise, -1 for one that is far faster,
    /// else 0.
    fn side(&self, epoch: Work, times: f64) -> i32 {
        if self.epochs == 0 {
            return 0;
        }
        let ratio = epoch.seconds / epoch.cost * self.work.cost / self.work.seconds;
        let far = times * self.noise(NOISE);
        i32::from(ratio > FAR.max(1.0 + far)) - i32::from(ratio < (1.0 / FAR).min(1.0 - far))
    }

    /// Adds an epoch.
    fn learn(&mut self, epoch: Work) {
        let side = self.side(epoch, FAR_OF_NOISE);
        if side == 0 || self.far.last().is_some_and(|&last| self.side(last, FAR_OF_NOISE) != side) {
            std::mem::take(&mut self.far).into_iter().for_each(|epoch| self.add(epoch));
        }
        if side == 0 {
            return self.add(epoch);
        }
        self.far.push(epoch);
        if self.far.len() == IN_A_ROW {
            let far = std::mem::take(&mut self.far);
            *self = Self { noise: self.noise, ..Self::default() };
            far.into_iter().for_each(|epoch| self.add(epoch));
        }
    }

    /// Adds an epoch to the speed and to its noise.
    fn add(&mut self, epoch: Work) {
        if self.epochs > 0 {
            let deviation = epoch.seconds / epoch.cost * self.work.cost / self.work.seconds - 1.0;
            let (squares, count) = self.noise;
            self.noise = (FADE_OF_NOISE * squares + deviation * deviation, FADE_OF_NOISE * count + 1.0);
        }
        self.work = self.work.plus(epoch, FADE);
        self.weight = FADE * self.weight + 1.0;
        self.epochs += 1;
    }
}

/// Measured speeds of the workers, and the decision to place shards by them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Balance {
    on: bool,
    speeds: Vec<Speed>,
    /// The worker that each speed belongs to.
    workers: Vec<WorkerIdentity>,
    pause: f64,
    /// Epochs measured in this generation.
    epochs: u32,
    /// `true` if shards have moved by a speed that had not been seen for long, and some speed still has not.
    has_hurried: bool,
}

/// Identity of a worker across generations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct WorkerIdentity {
    process: u32,
    /// Position among the workers of the process.
    position: u32,
}

/// Returns the identities of a plan's workers.
fn identities(plan: &GenerationPlan) -> Vec<WorkerIdentity> {
    let mut identities: Vec<WorkerIdentity> = Vec::with_capacity(plan.process_of.len());
    for &process in &plan.process_of {
        let process = plan.participants[process as usize].id;
        let position = identities.iter().filter(|other| other.process == process).count() as u32;
        identities.push(WorkerIdentity { process, position });
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
            identities.iter().map(|&worker| self.speed_of(worker).cloned().unwrap_or_default()).collect();
        // A generation that follows a decision of `is_worth_it` moves shards by the speeds of this moment.
        self.has_hurried |= !self.is_seen() && !self.workers.is_empty();
        self.workers = identities;
        self.epochs = 0;
    }

    /// Returns the speed of a worker of the last plan.
    fn speed_of(&self, worker: WorkerIdentity) -> Option<&Speed> {
        self.workers.iter().position(|&other| other == worker).map(|at| &self.speeds[at])
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
        self.has_hurried &= !self.is_seen();
    }

    /// `true` if all speeds have been seen for long.
    fn is_seen(&self) -> bool {
        self.speeds.iter().all(Speed::is_seen)
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
        let speed = |worker| self.speed_of(worker).and_then(Speed::get).unwrap_or(mean);
        Some(identities(plan).into_iter().map(speed).collect())
    }

    /// `true` if placing the shards again is expected to gain more than the pause costs: in seconds, and by
    /// as much as is certain of the gain. Until all speeds have been seen for long, once at most, for a large
    /// gain.
    pub(crate) fn is_worth_it(&self, plan: &GenerationPlan, costs: &[u64]) -> bool {
        let Some(speeds) = self.speeds(plan).filter(|speeds| speeds.len() > 1) else { return false };
        // Before the first generation no shard has moved. What has been seen for long can wait.
        let rest = if self.speeds.iter().any(Speed::is_clear) { REST } else { LONG_REST };
        if self.epochs < rest && plan.number > 1 {
            return false;
        }
        let is_seen = self.is_seen();
        let least = if is_seen { GAIN } else { EARLY_GAIN };
        let loads = loads(&plan.shard_at, costs, speeds.len());
        let now = slowest(&loads, &speeds);
        let ideal = loads.iter().sum::<f64>() / speeds.iter().sum::<f64>();
        // No placement is better than the ideal one: few epochs need the search for the best.
        let is_early = self.has_hurried || self.speeds.iter().any(|speed| speed.epochs < FEW);
        if is_early && !is_seen || ideal >= now * (1.0 - least) {
            return false;
        }
        let next = place_by_speed(costs, &speeds);
        let gain = now - slowest(&self::loads(&next, costs, speeds.len()), &speeds);
        let error = |worker: usize| self.speed_of(self.workers[worker]).map_or(0.0, Speed::error);
        let slow =
            (0..speeds.len()).max_by(|&a, &b| (loads[a] / speeds[a]).total_cmp(&(loads[b] / speeds[b])));
        let unsure = if is_seen { ERRORS * now * slow.map_or(0.0, error) } else { 0.0 };
        next != plan.shard_at && gain > now * least && (gain - unsure).max(0.0) * EPOCHS >= self.pause
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
        assert_eq!(speed([(4.0, 2.0), (3.0, 2.0)]), Some((FADE * 4.0 + 3.0) / (FADE * 2.0 + 2.0)));
        // Every other epoch falls between two slices: a quarter, where the speeds of single epochs have a
        // mean of 0.57.
        let sliced = speed((0..200).map(|epoch| (1.0, if epoch % 2 == 0 { 1.0 } else { 7.0 }))).unwrap();
        assert!((0.2..0.3).contains(&sliced), "{sliced}");
    }

    #[test]
    fn what_is_clearly_another_speed_counts_at_once_and_what_is_far_after_three_in_a_row() {
        let after = |far: &[f64]| {
            let usual = std::iter::repeat_n((1.0, 1.0), 20);
            speed(usual.chain(far.iter().map(|&seconds| (1.0, seconds)))).unwrap()
        };
        assert!((after(&[4.0]) - 0.25).abs() < 1e-12 && (after(&[0.25, 0.25, 0.25]) - 4.0).abs() < 1e-12);
        // It was a single one.
        assert!(after(&[4.0, 1.0]) > 0.6);
        // Every third epoch takes three times as long: one that takes twice the mean is no change yet.
        let mut speed = Speed::default();
        (0..60).for_each(|at| speed.learn(Work { cost: 1.0, seconds: if at % 3 == 0 { 3.0 } else { 1.0 } }));
        let before = speed.get().unwrap();
        speed.learn(Work { cost: 1.0, seconds: 4.0 });
        assert!((speed.get().unwrap() / before - 1.0).abs() < 0.3);
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
