//! [`Outcome`]: the ends of simulated jobs.

use raddle_pool::policy::Promise;
use serde::Serialize;

/// Results of a job.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Ended {
    /// Name of the job.
    pub name: String,
    /// Time of arrival, in seconds since the simulation began.
    pub arrival: f64,
    /// Time at which the job ended; `None` if it was refused.
    pub end: Option<f64>,
    /// Answer of a policy that makes promises.
    pub promise: Option<Promise>,
    /// Value of the job at its end.
    pub value: f64,
    /// Service received: workers times seconds.
    pub service: f64,
    /// Number of changes of the placement after the first start, except to an empty one.
    pub rescales: u32,
}

impl Ended {
    /// Job completion time: seconds from the arrival to the end.
    pub fn completion(&self) -> Option<f64> {
        self.end.map(|end| end - self.arrival)
    }
}

/// Results of all jobs under one policy, in order of arrival.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Name of the policy.
    pub policy: &'static str,
    /// Results of the jobs.
    pub jobs: Vec<Ended>,
    /// Number of slots of the cluster.
    pub slots: u32,
    /// Number of decisions.
    pub decisions: u64,
}

impl Outcome {
    /// Seconds from the first arrival to the last end.
    pub fn makespan(&self) -> f64 {
        let first = self.jobs.iter().map(|job| job.arrival).fold(f64::INFINITY, f64::min);
        let last = self.jobs.iter().filter_map(|job| job.end).fold(f64::NEG_INFINITY, f64::max);
        (last - first).max(0.0)
    }

    /// Mean completion time of the jobs that ended; 0 for none.
    pub fn mean(&self) -> f64 {
        let times = self.completions();
        times.iter().sum::<f64>() / times.len().max(1) as f64
    }

    /// Quantile of the completion times of the jobs that ended; 0 for none.
    pub fn quantile(&self, share: f64) -> f64 {
        let times = self.completions();
        let rank = (share * times.len() as f64).ceil() as usize;
        times.get(rank.clamp(1, times.len().max(1)) - 1).copied().unwrap_or(0.0)
    }

    /// Share of the slots that was in use from the first arrival to the last end.
    pub fn utilisation(&self) -> f64 {
        let held: f64 = self.jobs.iter().map(|job| job.service).sum();
        let all = self.makespan() * f64::from(self.slots);
        if all > 0.0 { held / all } else { 0.0 }
    }

    /// Number of rescales of all jobs.
    pub fn rescales(&self) -> u64 {
        self.jobs.iter().map(|job| u64::from(job.rescales)).sum()
    }

    /// Value of all jobs at their ends.
    pub fn value(&self) -> f64 {
        self.jobs.iter().map(|job| job.value).sum()
    }

    /// Number of jobs that ended.
    pub fn ended(&self) -> usize {
        self.completions().len()
    }

    /// Number of jobs that were refused.
    pub fn refused(&self) -> usize {
        self.jobs.iter().filter(|job| matches!(job.promise, Some(Promise::Refused(_)))).count()
    }

    /// Number of jobs that were not refused.
    pub fn admitted(&self) -> usize {
        self.jobs.len() - self.refused()
    }

    /// Number of jobs that were promised an end and did not end by then.
    pub fn late(&self) -> usize {
        let is_late = |job: &&Ended| match job.promise {
            Some(Promise::By(by)) => job.end.is_none_or(|end| end > by * (1.0 + 1e-9)),
            _ => false,
        };
        self.jobs.iter().filter(is_late).count()
    }

    /// Completion times, in ascending order.
    fn completions(&self) -> Vec<f64> {
        let mut times: Vec<f64> = self.jobs.iter().filter_map(Ended::completion).collect();
        times.sort_unstable_by(f64::total_cmp);
        times
    }
}
