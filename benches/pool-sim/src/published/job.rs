//! [`PublishedJob`]: a job of a published workload.

use std::sync::Arc;

use raddle_pool::policy::{ByWorkers, Job, JobId, Placement};

use super::application::{Application, Configuration, packed};
use super::rows::Submission;
use crate::model::Model;

/// Maximum number of replicas with a speed of their own.
const REPLICAS: u32 = 64;

/// A submission: an application, a batch size, and the number of requested replicas.
#[derive(Debug)]
pub(super) struct Asked {
    application: Arc<Application>,
    name: Arc<str>,
    batch: u32,
    replicas: u32,
    /// Maximum number of replicas at any batch size: one for an application that is not distributed.
    limit: u32,
    /// Configuration and seconds of an iteration by replicas on as few nodes as possible: at the submitted
    /// batch size, and with a batch that grows with the replicas.
    packed: [Vec<(Configuration, f64)>; 2],
}

impl Asked {
    pub(super) fn new(application: Arc<Application>, row: &Submission, limit: u32) -> Self {
        let (name, none) = (row.application.as_str().into(), [Vec::new(), Vec::new()]);
        let (batch, replicas) = (row.batch_size, row.num_replicas);
        let mut asked = Self { application, name, batch, replicas, limit, packed: none };
        asked.packed = [false, true].map(|scales| {
            let of = |replicas| {
                let configuration = asked.configured(replicas, scales);
                (configuration, asked.application.seconds(&packed(replicas), configuration))
            };
            (1..=asked.most(scales)).map(of).collect()
        });
        asked
    }

    /// Maximum number of replicas, at which each has the minimum local batch size.
    fn most(&self, scales: bool) -> u32 {
        let batch = if scales { self.application.batches.1 } else { self.batch };
        (batch / self.application.local.0).clamp(1, self.limit.min(REPLICAS))
    }

    /// Batch size on `replicas` replicas: as submitted, or in proportion to them within the measured range.
    fn batch(&self, replicas: u32, scales: bool) -> u32 {
        let (least, most) = self.application.batches;
        match scales {
            true => (self.batch.div_ceil(self.replicas) * replicas).clamp(least, most),
            false => self.batch,
        }
    }

    fn configured(&self, replicas: u32, scales: bool) -> Configuration {
        self.application.configured(self.batch(replicas, scales), replicas)
    }
}

/// A job of a published workload. Work is counted in iterations at the submitted batch size, or in progress
/// if the batch grows with the workers.
#[derive(Debug, Clone)]
pub(super) struct PublishedJob {
    asked: Arc<Asked>,
    scales: bool,
    speed: Arc<ByWorkers>,
    epoch: usize,
    progress: f64,
    /// Replicas on each node, with their configuration and the seconds of an iteration.
    placed: (Vec<u32>, Configuration, f64),
}

impl PublishedJob {
    pub(super) fn new(asked: Asked) -> Self {
        let nothing = Configuration { atomic: 0, accumulated: 0, batch: 0 };
        let mut job = Self {
            asked: Arc::new(asked),
            scales: false,
            speed: Arc::new(ByWorkers::new(Vec::new())),
            epoch: 0,
            progress: 0.0,
            placed: (Vec::new(), nothing, f64::INFINITY),
        };
        job.renew_speed();
        job
    }

    /// Updates the speeds, which depend on the epoch if the batch grows with the workers.
    fn renew_speed(&mut self) {
        let Self { asked, epoch, scales, .. } = &*self;
        let rate = |&(configuration, seconds): &(Configuration, f64)| match scales {
            true => asked.application.gain(configuration.batch, *epoch) / seconds,
            false => 1.0 / seconds,
        };
        self.speed = Arc::new(ByWorkers::new(asked.packed[usize::from(*scales)].iter().map(rate).collect()));
    }

    /// Configures the job for a placement, if it differs from the last.
    fn place(&mut self, placement: &Placement) {
        let shares = &placement.shares;
        if !self.placed.0.iter().copied().eq(shares.iter().map(|share| share.workers)) {
            let replicas: Vec<u32> = shares.iter().map(|share| share.workers).collect();
            let configuration = self.asked.configured(replicas.iter().sum(), self.scales);
            let seconds = self.asked.application.seconds(&replicas, configuration);
            self.placed = (replicas, configuration, seconds);
        }
    }
}

impl Model for PublishedJob {
    fn view(&self) -> Job {
        let Asked { application, name, batch, replicas, .. } = &*self.asked;
        let last = application.epochs().saturating_sub(1);
        let (done, left) = match self.scales {
            true => (self.progress, application.total() - self.progress),
            // As in the artifact, the work left is counted from the end of this epoch to that of the last,
            // and is 1 in the last.
            false => {
                let at = |epoch| application.iterations(*batch, epoch);
                let done = self.epoch.checked_sub(1).map_or(0.0, at);
                (done, if self.epoch < last { at(last) - at(self.epoch) } else { 1.0 })
            }
        };
        Job {
            requested: *replicas,
            done,
            left: Some(left),
            program: name.clone(),
            epochs: self.epoch as u64,
            ..Job::new(JobId(0), self.asked.most(self.scales), self.speed.clone())
        }
    }

    fn work(&mut self, placement: &Placement, seconds: f64) -> Option<f64> {
        self.place(placement);
        let application = self.asked.application.clone();
        let (_, configuration, iteration) = self.placed;
        let mut left = seconds;
        while left > 0.0 {
            let rate = application.gain(configuration.batch, self.epoch) / iteration;
            let end = application.end(self.epoch);
            if self.progress + rate * left < end {
                self.progress += rate * left;
                return None;
            }
            // The artifact counts whole seconds.
            left -= ((end - self.progress) / rate).round_ties_even().clamp(0.0, left);
            self.progress = end;
            self.epoch += 1;
            if self.epoch == application.epochs() {
                return Some(seconds - left);
            }
            if self.scales {
                self.renew_speed();
            }
        }
        None
    }

    fn done(&self) -> f64 {
        self.progress
    }

    fn scale_batch(&mut self, scales: bool) {
        if self.scales != scales {
            self.scales = scales;
            self.renew_speed();
        }
    }

    fn copied(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }
}
