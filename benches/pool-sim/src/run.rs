//! [`simulate`]: the ticks of a simulation.

use raddle_pool::policy::{Allocation, Cluster, Job, JobId, Placement, Policy, Promise, Room};

use super::error::SimulateError;
use super::model::{Model, Submitted};
use super::outcome::{Ended, Outcome};

/// Seconds without progress after which a simulation is stalled.
const STALLED: f64 = 86_400.0;

/// Settings of a simulation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Seconds between two decisions.
    pub tick: f64,
    /// Seconds for which a job holds a new placement without working, its first start included.
    pub rescale: f64,
}

impl Settings {
    fn check(&self, cluster: &Cluster) -> Result<(), SimulateError> {
        let refuse = |name, value, message| Err(SimulateError::Setting { name, value, message });
        if cluster.slots() == 0 {
            return refuse("nodes times slots", 0.0, "choose one or more");
        }
        if !(self.tick > 0.0 && self.tick.is_finite()) {
            return refuse("tick", self.tick, "choose seconds above 0");
        }
        if !(self.rescale >= 0.0 && self.rescale.is_finite()) {
            return refuse("rescale", self.rescale, "choose seconds, 0 or more");
        }
        Ok(())
    }
}

/// State of a job in the simulation.
struct Simulated<'a> {
    submitted: &'a Submitted,
    id: JobId,
    model: Box<dyn Model>,
    placement: Placement,
    /// Seconds of the rescale that are left.
    owed: f64,
    epochs_at_resize: u64,
    has_begun: bool,
    is_over: bool,
    end: Ended,
}

impl<'a> Simulated<'a> {
    fn new(number: usize, submitted: &'a Submitted, scales_batch: bool) -> Self {
        let mut model = submitted.model.copied();
        model.scale_batch(scales_batch);
        let (name, arrival) = (submitted.name.clone(), submitted.arrival);
        let end = Ended { name, arrival, ..Ended::default() };
        Self {
            submitted,
            id: JobId(number as u32),
            model,
            placement: Placement::default(),
            owed: 0.0,
            epochs_at_resize: 0,
            has_begun: false,
            is_over: false,
            end,
        }
    }

    fn view(&self) -> Job {
        let job = self.model.view();
        Job {
            id: self.id,
            arrival: self.submitted.arrival,
            service: self.end.service,
            placement: self.placement.clone(),
            epochs_since_resize: job.epochs - self.epochs_at_resize.min(job.epochs),
            ..job
        }
    }

    /// Works for a tick from time `now` on, and returns `true` if the job made progress.
    fn work(&mut self, now: f64, tick: f64) -> bool {
        let workers = f64::from(self.placement.workers());
        if self.is_over || self.placement.shares.is_empty() {
            return false;
        }
        let idle = self.owed.min(tick);
        self.owed -= idle;
        let seconds = tick - idle;
        if seconds <= 0.0 {
            self.end.service += workers * tick;
            return false;
        }
        let before = self.model.done();
        match self.model.work(&self.placement, seconds) {
            Some(used) => {
                self.end.service += workers * (idle + used);
                let end = now + idle + used;
                self.end.end = Some(end);
                self.end.value = self.model.view().utility.at(self.submitted.arrival, end);
                self.is_over = true;
            }
            None => self.end.service += workers * tick,
        }
        self.is_over || self.model.done() > before
    }

    /// Moves the job to another placement.
    fn resize(&mut self, to: Placement, rescale: f64) {
        if !to.shares.is_empty() {
            self.owed = self.model.cost(&self.placement, &to, rescale);
            self.end.rescales += u32::from(self.has_begun);
            self.has_begun = true;
        }
        self.epochs_at_resize = self.model.view().epochs;
        self.placement = to;
    }
}

/// Simulates jobs on a cluster under a policy.
///
/// # Errors
/// A setting out of range; an allocation that exceeds the cluster; jobs that never end.
pub fn simulate(
    cluster: &Cluster,
    jobs: &[Submitted],
    settings: &Settings,
    policy: &mut dyn Policy,
) -> Result<Outcome, SimulateError> {
    settings.check(cluster)?;
    ticks(cluster, jobs, settings, 1, None, policy)
}

/// Simulates jobs by ticks. The first decision is at the start of tick `first`; the simulation ends at tick
/// `end`, or once all jobs are over.
///
/// # Errors
/// An allocation that exceeds the cluster; jobs that never end.
pub(crate) fn ticks(
    cluster: &Cluster,
    jobs: &[Submitted],
    settings: &Settings,
    first: u32,
    end: Option<u32>,
    policy: &mut dyn Policy,
) -> Result<Outcome, SimulateError> {
    let Settings { tick, rescale } = *settings;
    let mut ordered: Vec<&Submitted> = jobs.iter().collect();
    ordered.sort_by(|a, b| a.arrival.total_cmp(&b.arrival));
    let scales = policy.scales_batch();
    let mut jobs: Vec<Simulated<'_>> =
        ordered.into_iter().enumerate().map(|(number, job)| Simulated::new(number, job, scales)).collect();
    let last_arrival = jobs.last().map_or(0.0, |job| job.submitted.arrival);
    let (mut decisions, mut worked) = (0, 0.0);
    for number in u64::from(first).. {
        if jobs.iter().all(|job| job.is_over) {
            break;
        }
        let (before, now) = ((number as f64 - 1.0) * tick, number as f64 * tick);
        for job in jobs.iter_mut().filter(|job| !job.is_over) {
            if job.work(before, tick) {
                worked = now;
            }
            if job.is_over {
                policy.ended(&job.view());
                job.placement = Placement::default();
            }
        }
        if end.is_some_and(|end| number >= u64::from(end)) {
            break;
        }
        let views: Vec<Job> = jobs
            .iter()
            .take_while(|job| job.submitted.arrival <= now)
            .filter(|job| !job.is_over)
            .map(Simulated::view)
            .collect();
        if views.is_empty() {
            continue;
        }
        let allocation = policy.decide(now, cluster, &views);
        check(policy.name(), now, cluster, &views, &allocation)?;
        decisions += 1;
        apply(&mut jobs, &views, allocation, rescale);
        if now - f64::max(worked, last_arrival) > STALLED {
            let left = jobs.iter().filter(|job| !job.is_over).count();
            return Err(SimulateError::Stalled { policy: policy.name(), since: worked, jobs: left });
        }
    }
    let jobs = jobs.into_iter().map(|job| job.end).collect();
    Ok(Outcome { policy: policy.name(), jobs, slots: cluster.slots(), decisions })
}

/// Refuses an allocation that exceeds the cluster or names an unknown job.
fn check(
    policy: &'static str,
    now: f64,
    cluster: &Cluster,
    views: &[Job],
    allocation: &Allocation,
) -> Result<(), SimulateError> {
    let refuse = |message| Err(SimulateError::Allocation { policy, now, message });
    let mut room = Room::of(cluster);
    for (id, placement) in &allocation.placements {
        let Ok(at) = views.binary_search_by_key(id, |view| view.id) else {
            return refuse(format!("job {} is unknown or over", id.0));
        };
        if placement.shares.iter().any(|share| share.node as usize >= cluster.nodes.len()) {
            return refuse(format!("job {} is placed on an unknown node", id.0));
        }
        room.take_all(&views[at].demand, placement);
    }
    if room.is_exceeded() { refuse("the placements exceed the cluster".into()) } else { Ok(()) }
}

/// Applies the placements and promises of an allocation.
fn apply(jobs: &mut [Simulated<'_>], views: &[Job], mut allocation: Allocation, rescale: f64) {
    for view in views {
        let to = allocation.placements.remove(&view.id).unwrap_or_default();
        if to != view.placement {
            jobs[view.id.0 as usize].resize(to, rescale);
        }
    }
    for (id, promise) in allocation.promises {
        let Some(job) = jobs.get_mut(id.0 as usize) else { continue };
        job.end.promise = Some(promise);
        job.is_over |= matches!(promise, Promise::Refused(_));
    }
}
