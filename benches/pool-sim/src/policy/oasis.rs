//! OASiS (Bao et al., "Online job scheduling in distributed machine learning clusters", 2018): prices and
//! admission of [`PdOrs`], but with servers on other nodes than workers, so that all traffic is between
//! nodes.

use raddle_pool::policy::{Allocation, Cluster, Job, PdOrs, PlanSettings, Policy};

use super::placing::Apart;

/// Online scheduling by prices, with servers and workers on separate nodes.
#[derive(Debug)]
pub struct Oasis(PdOrs<Apart>);

impl Oasis {
    /// A policy before its first job.
    pub fn new(settings: PlanSettings) -> Self {
        Self(PdOrs::with_placer(settings, Apart))
    }

    /// Widens the bounds of the prices for a job that may arrive, such as one of an earlier day or of a known
    /// instance.
    pub fn expect(&mut self, cluster: &Cluster, job: &Job) {
        self.0.expect(cluster, job);
    }
}

impl Policy for Oasis {
    fn name(&self) -> &'static str {
        "oasis"
    }

    fn decide(&mut self, now: f64, cluster: &Cluster, jobs: &[Job]) -> Allocation {
        self.0.decide(now, cluster, jobs)
    }

    fn slot(&self) -> Option<f64> {
        self.0.slot()
    }
}
