//! A policy on an instance, slot by slot.

use serde::Serialize;

use super::instance::Instance;
use crate::policy::{Job, Placement, Policy, Promise};

/// How the world differs from what a policy knows of it.
#[derive(Debug, Clone, Default)]
pub struct World {
    /// True speeds of the jobs, by number, as factors of those that are known; 1 beyond the end of the list.
    pub factors: Vec<f64>,
    /// Seconds in which a job does nothing after its placement changed.
    pub rescale: f64,
}

/// What became of a job.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JobOutcome {
    /// Number of the job.
    pub job: u32,
    /// Its arrival, in seconds.
    pub arrival: f64,
    /// Its end; none if it did not end.
    pub end: Option<f64>,
    /// Time by which it was promised to end.
    pub promised: Option<f64>,
    /// Says that it was refused,
    pub refused: bool,
    /// and the earliest end that it could have been promised.
    pub earliest: Option<f64>,
    /// Value of its end.
    pub utility: f64,
}

/// What a policy reached on an instance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outcome {
    /// Name of the policy.
    pub policy: &'static str,
    /// Sum of the utilities of all jobs.
    pub utility: f64,
    /// Number of jobs that were not refused.
    pub admitted: usize,
    /// Number of jobs that ended.
    pub ended: usize,
    /// Number of jobs that ended after the promised time, or not at all.
    pub late: usize,
    /// Mean of end minus arrival over jobs that ended, in seconds.
    pub mean_completion: f64,
    /// Jobs in order of arrival.
    pub jobs: Vec<JobOutcome>,
}

/// A decision that takes more than there is: a fault of the policy.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{policy} takes more of node {node} than there is in slot {slot}: please report this")]
pub struct Overfull {
    /// Name of the policy.
    pub policy: &'static str,
    /// The slot.
    pub slot: u32,
    /// Number of the node.
    pub node: usize,
}

/// Runs a policy on an instance, in a world that may differ from what is known of it.
///
/// # Errors
/// A decision that takes more than there is.
pub fn run(instance: &Instance, world: &World, policy: &mut dyn Policy) -> Result<Outcome, Overfull> {
    let mut outcomes: Vec<JobOutcome> = instance.jobs.iter().map(fresh).collect();
    let mut jobs = instance.jobs.clone();
    for slot in 0..instance.slots {
        let now = f64::from(slot) * instance.slot;
        let known: Vec<Job> = jobs
            .iter()
            .zip(&outcomes)
            .filter(|(job, at)| job.arrival <= now && is_open(at))
            .map(|(job, _)| job.clone())
            .collect();
        let allocation = policy.decide(now, &instance.cluster, &known);
        for (id, promise) in &allocation.promises {
            let Some(at) = outcomes.iter_mut().find(|at| at.job == id.0) else { continue };
            match *promise {
                Promise::By(by) => at.promised = Some(by),
                Promise::Refused(earliest) => (at.refused, at.earliest) = (true, earliest),
            }
        }
        let mut taken = vec![[0.0; 3]; instance.cluster.nodes.len()];
        for (job, at) in jobs.iter_mut().zip(&mut outcomes) {
            let placement = match allocation.placements.get(&job.id) {
                Some(placement) if job.arrival <= now && is_open(at) => placement.clone(),
                _ => Placement::default(),
            };
            for share in &placement.shares {
                let node = taken.get_mut(share.node as usize);
                let amounts = job.demand.of(share.workers, share.servers);
                node.into_iter().flatten().zip(amounts).for_each(|(taken, amount)| *taken += amount);
            }
            advance(instance, world, now, job, placement, at);
        }
        let over = |node: &usize| {
            taken[*node]
                .iter()
                .zip(&instance.cluster.nodes[*node])
                .any(|(taken, most)| *taken > most * (1.0 + 1e-9))
        };
        if let Some(node) = (0..taken.len()).find(over) {
            return Err(Overfull { policy: policy.name(), slot, node });
        }
    }
    Ok(summed(policy.name(), outcomes))
}

/// Trains a job in one slot.
fn advance(
    instance: &Instance,
    world: &World,
    now: f64,
    job: &mut Job,
    placement: Placement,
    at: &mut JobOutcome,
) {
    let changed = job.placement != placement;
    let seconds = if changed { (instance.slot - world.rescale).max(0.0) } else { instance.slot };
    let workers = placement.workers();
    job.epochs_since_resize = if changed { 0 } else { job.epochs_since_resize + 1 };
    job.placement = placement;
    if workers == 0 || !is_open(at) {
        return;
    }
    let factor = world.factors.get(job.id.0 as usize).copied().unwrap_or(1.0);
    let work = job.speed.rate(workers, job.placement.nodes()) * factor * seconds;
    let left = job.left.unwrap_or(f64::INFINITY);
    job.epochs += 1;
    job.service += f64::from(workers) * instance.slot;
    job.done += work;
    job.left = Some((left - work).max(0.0));
    if work >= left - 1e-9 * (job.done + left) {
        let end = now + instance.slot;
        at.end = Some(end);
        at.utility = job.utility.at(job.arrival, end);
    }
}

fn fresh(job: &Job) -> JobOutcome {
    let (arrival, job) = (job.arrival, job.id.0);
    JobOutcome { job, arrival, end: None, promised: None, refused: false, earliest: None, utility: 0.0 }
}

fn is_open(at: &JobOutcome) -> bool {
    !at.refused && at.end.is_none()
}

fn summed(policy: &'static str, jobs: Vec<JobOutcome>) -> Outcome {
    let times: Vec<f64> = jobs.iter().filter_map(|job| Some(job.end? - job.arrival)).collect();
    let is_late = |job: &&JobOutcome| match (job.promised, job.end) {
        (Some(by), Some(end)) => end > by * (1.0 + 1e-9),
        (promised, _) => promised.is_some(),
    };
    Outcome {
        policy,
        utility: jobs.iter().map(|job| job.utility).sum(),
        admitted: jobs.iter().filter(|job| !job.refused).count(),
        ended: times.len(),
        late: jobs.iter().filter(is_late).count(),
        mean_completion: times.iter().sum::<f64>() / times.len().max(1) as f64,
        jobs,
    }
}
