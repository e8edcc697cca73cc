//! [`Spec`]: the instances that are generated.

/// Specification of generated instances.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// Number of machines.
    pub nodes: u32,
    /// Number of slots.
    pub slots: u32,
    /// Number of jobs.
    pub jobs: u32,
    /// Minimum rate of a worker across machines, where its rate on one machine is 1; the maximum is 0.9.
    pub lo: f64,
    /// Factor of the work of the jobs; at 1 a job takes 1 to 15 slots on its maximum of workers.
    pub load: f64,
    /// Seed of the first instance.
    pub seed: u64,
    /// Number of instances, with consecutive seeds.
    pub seeds: u32,
    /// `true` for two small machines and little work, for which an optimum can be computed.
    pub tiny: bool,
}

impl Default for Spec {
    /// 20 machines, 40 slots, 50 jobs.
    fn default() -> Self {
        Self { nodes: 20, slots: 40, jobs: 50, lo: 0.5, load: 1.0, seed: 1, seeds: 1, tiny: false }
    }
}

impl Spec {
    /// 2 machines, 6 slots, 5 jobs.
    pub fn tiny() -> Self {
        Self { nodes: 2, slots: 6, jobs: 5, tiny: true, ..Self::default() }
    }
}
