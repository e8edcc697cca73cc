//! Simulation of a policy on an instance, slot by slot.

use raddle_pool::policy::{Job, Placement, Policy};

use super::instance::Instance;
use crate::error::SimulateError;
use crate::model::{Model, Submitted};
use crate::outcome::Outcome;
use crate::run::{Settings, ticks};

/// Differences between the simulated world and the knowledge of a policy.
#[derive(Debug, Clone, Default)]
pub struct World {
    /// True speeds of the jobs, by number, as factors of the known speeds; 1 beyond the end of the list.
    pub factors: Vec<f64>,
    /// Seconds without work after a change of a job's placement.
    pub rescale: f64,
}

/// Runs a policy on an instance, in a world that may differ from the policy's knowledge.
///
/// # Errors
/// An allocation that exceeds the cluster.
pub fn run(instance: &Instance, world: &World, policy: &mut dyn Policy) -> Result<Outcome, SimulateError> {
    let submitted = |job: &Job| {
        let factor = world.factors.get(job.id.0 as usize).copied().unwrap_or(1.0);
        let model = Box::new(SlotJob { job: job.clone(), factor });
        Submitted { name: job.id.0.to_string(), arrival: job.arrival, model }
    };
    let jobs: Vec<Submitted> = instance.jobs.iter().map(submitted).collect();
    let settings = Settings { tick: instance.slot, rescale: world.rescale };
    ticks(&instance.cluster, &jobs, &settings, 0, Some(instance.slots), policy)
}

/// A job that ends at the end of a slot.
#[derive(Debug, Clone)]
struct SlotJob {
    job: Job,
    /// True speed, relative to the known speed.
    factor: f64,
}

impl Model for SlotJob {
    fn view(&self) -> Job {
        self.job.clone()
    }

    fn work(&mut self, placement: &Placement, seconds: f64) -> Option<f64> {
        let job = &mut self.job;
        let work = job.speed.rate(placement.workers(), placement.nodes()) * self.factor * seconds;
        let left = job.left.unwrap_or(f64::INFINITY);
        job.epochs += 1;
        job.done += work;
        job.left = Some((left - work).max(0.0));
        (work >= left - 1e-9 * (job.done + left)).then_some(seconds)
    }

    fn done(&self) -> f64 {
        self.job.done
    }

    fn copied(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }
}
