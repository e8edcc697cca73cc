//! PD-ORS (arXiv 2108.02917): jobs are promised an end or refused, by prices of the resources left in each
//! slot.

mod admission;
mod calendar;
mod fill;
mod in_slot;
mod plan;
mod planner;
mod prices;
mod programme;
mod settings;
mod unfit;

pub use self::in_slot::{Market, OneNode, Placer};
pub use self::settings::{Ceiling, PlanSettings};
pub use self::unfit::{Unfit, promisable};

use self::planner::Planner;
use super::cluster::Cluster;
use super::job::Job;
use super::{Allocation, Policy};

/// Primal-dual online scheduling: a job is admitted with a plan by slots and a promised end, or refused.
#[derive(Debug)]
pub struct PdOrs<P = OneNode>(Planner<P>);

impl PdOrs {
    /// A policy before its first job, which places each job on one node.
    pub fn new(settings: PlanSettings) -> Self {
        Self::with_placer(settings, OneNode)
    }
}

impl<P: Placer> PdOrs<P> {
    /// A policy before its first job, which places jobs with `placer`.
    pub fn with_placer(settings: PlanSettings, placer: P) -> Self {
        Self(Planner::new(settings, placer))
    }

    /// Number of placements and of sums of the dynamic programme computed so far.
    pub fn steps(&self) -> u64 {
        self.0.steps
    }
}

impl<P: Placer> Policy for PdOrs<P> {
    fn name(&self) -> &'static str {
        P::POLICY
    }

    /// Widens the bounds of the prices.
    fn expect(&mut self, cluster: &Cluster, job: &Job) {
        self.0.expect(cluster, job);
    }

    fn decide(&mut self, now: f64, cluster: &Cluster, jobs: &[Job]) -> Allocation {
        self.0.decide(now, cluster, jobs)
    }

    fn slot(&self) -> Option<f64> {
        Some(self.0.slot())
    }
}
