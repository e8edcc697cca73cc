//! Optimus (Peng et al., EuroSys 2018), with an oracle: the work left is known.

use raddle_pool::policy::{Allocation, Cluster, Job, Policy, place};

/// Jobs get their minimum of workers in order of arrival; each further worker goes to the job whose remaining
/// time it shortens most.
#[derive(Debug, Clone, Copy, Default)]
pub struct Optimus;

impl Policy for Optimus {
    fn name(&self) -> &'static str {
        "optimus"
    }

    fn decide(&mut self, _: f64, cluster: &Cluster, jobs: &[Job]) -> Allocation {
        let mut left = cluster.slots();
        let mut counts: Vec<u32> = Vec::with_capacity(jobs.len());
        for job in jobs {
            let least = job.least.max(1);
            let given = if least <= left { least } else { 0 };
            left -= given;
            counts.push(given);
        }
        let mut gains: Vec<f64> =
            jobs.iter().zip(&counts).map(|(job, count)| gain(cluster, job, *count)).collect();
        while left > 0 {
            // Of equal gains, that of the first job.
            let best = (0..jobs.len()).rev().max_by(|&a, &b| gains[a].total_cmp(&gains[b]));
            let Some(best) = best.filter(|&best| gains[best] > 0.0) else { break };
            counts[best] += 1;
            left -= 1;
            gains[best] = gain(cluster, &jobs[best], counts[best]);
        }
        let mut runs: Vec<(&Job, u32)> = jobs.iter().zip(counts).collect();
        runs.sort_by_key(|(_, count)| *count);
        place(cluster, &runs)
    }
}

/// Seconds by which one more worker shortens the remaining time of a job.
fn gain(cluster: &Cluster, job: &Job, workers: u32) -> f64 {
    if workers == 0 || workers >= job.most {
        return 0.0;
    }
    let time = |workers| job.remaining() / job.speed.rate(workers, cluster.nodes_for(workers));
    let gain = time(workers) - time(workers + 1);
    if gain.is_finite() { gain } else { 0.0 }
}
