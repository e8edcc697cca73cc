//! Greedy: slots one step after the other to the job that gains most by each of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::cluster::Cluster;
use super::job::Job;
use super::room::Room;
use super::{Allocation, Policy};

/// Value of another number of slots than a job holds, next to that of the same number: a change costs a
/// pause.
const CHANGED: f64 = 0.8;
/// Maximum number of slots of a step. Two slots on one node may gain what a single one does not.
const STEP: u32 = 8;
/// Maximum number of slots, as a multiple of the request, if nothing is known of what is left.
const CAP: u32 = 4;
/// Number of the last ended jobs of a program that are remembered, and the factor within which two jobs are
/// of one size.
const REMEMBERED: (usize, f64) = (64, 2.0);

/// Knowledge of the work that a job has left.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Knowledge {
    /// The work left, where it is known, else as much as can be learnt.
    #[default]
    Known,
    /// The course of a job's metric, else the jobs of the same program and size that have ended.
    Learnt,
    /// Nothing.
    None,
}

impl Knowledge {
    /// Names, as `--knowledge` takes them.
    pub const NAMES: [(&str, Self); 3] =
        [("known", Self::Known), ("learnt", Self::Learnt), ("none", Self::None)];
}

/// Slots where they are worth most. A job whose epoch has not ended since its last change keeps its slots;
/// the others begin with none. Again and again the step with the largest gain a slot is taken. The value of
/// n slots is the speed-up on n slots over the square root of the seconds left on one slot, less a fifth if
/// the job holds another number.
///
/// The weight and the form of the sum are those of ONES (Bian et al., arXiv 2108.03645) with the score over
/// all jobs, which an evolutionary search maximises there; marginal gains are those of Optimus (Peng et al.,
/// EuroSys 2018).
#[derive(Debug, Clone, Default)]
pub struct Greedy {
    knowledge: Knowledge,
    /// Seconds on one slot of an epoch, and of all work, of the last jobs that have ended, by program.
    ended: BTreeMap<Arc<str>, Vec<(f64, f64)>>,
}

impl Greedy {
    /// A policy that knows so much of the work left.
    pub fn new(knowledge: Knowledge) -> Self {
        Self { knowledge, ended: BTreeMap::new() }
    }

    /// Seconds that a job has left on one slot, or on its minimum, where it does `rate` work a second.
    ///
    /// The course of a metric is believed of an end that is near. Far ahead it tells little, as most methods
    /// do not converge by the same factor all the way: the job counts as half done, as if nothing were known.
    fn seconds_left(&self, job: &Job, rate: f64) -> f64 {
        let left = match self.knowledge {
            Knowledge::Known => job.left.or(job.course),
            Knowledge::Learnt => job.course,
            Knowledge::None => return 1.0,
        };
        let half_done = job.course.map_or(f64::INFINITY, |_| job.done + 1.0);
        left.map_or_else(|| self.learnt(job, rate), |left| left.min(half_done) / rate).max(1.0)
    }

    /// The values of a job's numbers of slots; `nodes` are the nodes that have so many slots.
    fn growing<'a>(&self, job: &'a Job, nodes: &[u32]) -> Growing<'a> {
        let least = job.least.max(1);
        let cap = if self.knowledge == Knowledge::None { CAP * job.requested.max(1) } else { u32::MAX };
        let most = job.most.min(cap).min(nodes.len() as u32 - 1);
        let rate = |count: u32| job.speed.rate(count, nodes[count as usize]);
        let first = if least <= most { rate(least) } else { 0.0 };
        if first <= 0.0 {
            return Growing { job, count: 0, values: vec![0.0] };
        }
        let weight = 1.0 / (first * self.seconds_left(job, first).sqrt());
        let held = job.placement.workers();
        let value = |count: u32| match count {
            count if count < least => 0.0,
            count if held == 0 || count == held => weight * rate(count),
            count => CHANGED * weight * rate(count),
        };
        Growing { job, count: 0, values: (0..=most).map(value).collect() }
    }

    /// Seconds left by the jobs of the same program and size that took longer than this one has so far: the
    /// mean of what they took longer. As many as are done and an epoch, if there is none.
    fn learnt(&self, job: &Job, rate: f64) -> f64 {
        let (of_epoch, done) = (1.0 / rate, job.done / rate);
        let same = self.ended.get(&job.program).map_or(&[][..], Vec::as_slice).iter();
        let is_same = |size: f64| size < REMEMBERED.1 * of_epoch && of_epoch < REMEMBERED.1 * size;
        let longer: Vec<f64> =
            same.filter(|(size, all)| is_same(*size) && *all > done).map(|(_, all)| all - done).collect();
        match longer.len() {
            0 => done + of_epoch,
            count => longer.iter().sum::<f64>() / count as f64,
        }
    }
}

/// A job whose slots are shared out.
struct Growing<'a> {
    job: &'a Job,
    count: u32,
    /// Value of 0, 1, 2, .. slots.
    values: Vec<f64>,
}

impl Growing<'_> {
    /// The next step with the largest gain a slot, of at most `free` slots: the gain, and the slots after it.
    fn step(&self, free: u32) -> Option<(f64, u32)> {
        let first = (self.count + 1).max(self.job.least);
        let last = (first - 1 + STEP).min(self.values.len() as u32 - 1).min(self.count + free);
        let gain = |to: u32| {
            let more = self.values[to as usize] - self.values[self.count as usize];
            (more / f64::from(to - self.count), to)
        };
        let best = (first..=last).rev().map(gain).max_by(|a, b| a.0.total_cmp(&b.0));
        best.filter(|(gain, _)| *gain > 0.0)
    }
}

impl Policy for Greedy {
    fn name(&self) -> &'static str {
        "greedy"
    }

    fn decide(&mut self, _: f64, cluster: &Cluster, jobs: &[Job]) -> Allocation {
        let slots = cluster.slots();
        let nodes: Vec<u32> = (0..=slots).map(|workers| cluster.nodes_for(workers)).collect();
        let mut free = slots;
        let mut growing: Vec<Growing<'_>> = jobs.iter().map(|job| self.growing(job, &nodes)).collect();
        for of in &mut growing {
            let held = of.job.placement.workers();
            if held > 0 && of.job.epochs_since_resize == 0 && held <= free {
                (of.count, free) = (held, free - held);
                // It stays as it is.
                of.values.truncate(held as usize + 1);
            }
        }
        let mut steps: Vec<Option<(f64, u32)>> = growing.iter().map(|of| of.step(free)).collect();
        // Of equal gains, that of the first job.
        let best = |steps: &[Option<(f64, u32)>]| {
            let gain = |at: usize| steps[at].map_or(0.0, |(gain, _)| gain);
            (0..steps.len()).rev().max_by(|&a, &b| gain(a).total_cmp(&gain(b)))
        };
        while let Some(at) = best(&steps)
            && let Some((_, to)) = steps[at]
        {
            let more = to - growing[at].count;
            if more <= free {
                (growing[at].count, free) = (to, free - more);
            }
            steps[at] = growing[at].step(free);
        }
        let mut runs: Vec<(&Job, u32)> = growing.iter().map(|of| (of.job, of.count)).collect();
        runs.sort_by_key(|(_, count)| *count);
        place(cluster, &runs)
    }

    fn ended(&mut self, job: &Job) {
        let rate = job.speed.rate(job.least.max(1), 1);
        if rate > 0.0 && job.done > 0.0 {
            let ended = self.ended.entry(job.program.clone()).or_default();
            ended.push((1.0 / rate, job.done / rate));
            ended.drain(..ended.len().saturating_sub(REMEMBERED.0));
        }
    }

    fn scales_batch(&self) -> bool {
        true
    }
}

/// Places jobs with these numbers of workers. Jobs whose number does not change keep their nodes; then the
/// others, in this order, take workers from the nodes with the most capacity left.
pub fn place(cluster: &Cluster, jobs: &[(&Job, u32)]) -> Allocation {
    let (mut room, mut allocation) = (Room::of(cluster), Allocation::default());
    let keeps = |(job, workers): &&(&Job, u32)| job.placement.workers() == *workers;
    let jobs = || jobs.iter().filter(|(_, workers)| *workers > 0);
    for (job, _) in jobs().filter(keeps) {
        room.take_all(&job.demand, &job.placement);
        allocation.placements.insert(job.id, job.placement.clone());
    }
    for (job, workers) in jobs().filter(|job| !keeps(job)) {
        let placement = room.spread(&job.demand, *workers);
        allocation.placements.extend(placement.map(|placement| (job.id, placement)));
    }
    allocation
}
