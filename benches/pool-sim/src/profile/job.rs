//! [`submitted`]: a simulated job that repeats a measured run.

use std::sync::Arc;

use raddle_pool::policy::{ByWorkers, Job, JobId, Placement, Profile};

use crate::model::{Model, Submitted};

/// Creates the simulated job of a profile.
///
/// # Errors
/// The message names the value that is out of range.
pub fn submitted(profile: &Profile) -> Result<Submitted, String> {
    profile.check()?;
    let (least, most, requested) = profile.workers();
    let speed = ByWorkers::up_to(most, |workers| profile.speed(workers));
    let job = Job {
        least,
        requested,
        utility: profile.utility(),
        left: Some(profile.epochs),
        program: profile.program.as_deref().unwrap_or("").into(),
        ..Job::new(JobId(0), most, Arc::new(speed))
    };
    let model = ProfiledJob { job, start: profile.start, all: profile.epochs };
    Ok(Submitted { name: profile.name.clone(), arrival: profile.at, model: Box::new(model) })
}

/// A job that repeats a measured run. Its work is counted in epochs.
#[derive(Debug, Clone)]
struct ProfiledJob {
    job: Job,
    start: f64,
    all: f64,
}

impl Model for ProfiledJob {
    fn view(&self) -> Job {
        self.job.clone()
    }

    fn work(&mut self, placement: &Placement, seconds: f64) -> Option<f64> {
        let job = &mut self.job;
        let workers = placement.workers();
        if workers < job.least {
            return None;
        }
        let rate = job.speed.rate(workers.min(job.most), placement.nodes());
        let needed = (self.all - job.done) / rate;
        let is_over = needed <= seconds;
        job.done = if is_over { self.all } else { job.done + rate * seconds };
        (job.left, job.epochs) = (Some(self.all - job.done), job.done as u64);
        is_over.then_some(needed)
    }

    fn done(&self) -> f64 {
        self.job.done
    }

    /// A job without a placement starts a process; a running job is resized at a boundary.
    fn cost(&self, from: &Placement, _: &Placement, rescale: f64) -> f64 {
        if from.shares.is_empty() { self.start.max(rescale) } else { rescale }
    }

    fn copied(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }
}
