//! OASiS (Bao and others, "Online job scheduling in distributed machine learning clusters", 2018): prices and admission as in
//! [`PdOrs`], but servers on other nodes than workers, so that all traffic goes across.

use raddle_pool::policy::{Allocation, Cluster, Job, PdOrs, PlanSettings, Policy};

use super::placing::Apart;

/// Online scheduling with prices, servers apart from workers.
#[derive(Debug)]
pub struct Oasis(PdOrs<Apart>);

impl Oasis {
    /// A policy that has seen no job.
    pub fn new(settings: PlanSettings) -> Self {
        Self(PdOrs::with_placer(settings, Apart))
    }

    /// Widens the bounds of the prices by a job that may come: of earlier days, or of an instance that is known.
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
