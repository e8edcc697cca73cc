//! [`Tables`]: the published tables, and their workloads.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::application::Application;
use super::job::{Asked, PublishedJob};
use super::rows::{self, Epoch, Placed, Scaled, Submission};
use crate::error::SimulateError;
use crate::model::{Model as _, Submitted};

/// Seconds of a tick of the published simulator.
pub const TICK: f64 = 60.0;
/// Loads of the workloads.
pub const LOADS: [f64; 4] = [0.5, 1.0, 1.5, 2.0];

const WORKLOADS: &str = "workloads.csv.gz";

/// Applications, with number of epochs, maximum local batch size unless it is the largest measured one, and
/// maximum number of replicas.
const APPLICATIONS: [(&str, usize, Option<u32>, u32); 6] = [
    ("bert", 2, None, u32::MAX),
    ("cifar10", 100, None, u32::MAX),
    ("deepspeech2", 80, None, u32::MAX),
    ("imagenet", 90, None, u32::MAX),
    ("ncf", 10, None, 1),
    ("yolov3", 50, Some(8), u32::MAX),
];

/// The published tables.
#[derive(Debug)]
pub struct Tables {
    path: PathBuf,
    applications: BTreeMap<&'static str, (Arc<Application>, u32)>,
    submissions: Vec<(u64, Submission)>,
}

impl Tables {
    /// Reads the tables from `cluster/` in a folder of data.
    ///
    /// # Errors
    /// A file that is missing or cannot be read, with its name and line.
    pub fn read(folder: &Path) -> Result<Self, SimulateError> {
        let submissions = rows::read::<Submission>(folder, WORKLOADS, &["load"], &[])?;
        let placed = rows::read(folder, "placements.csv.gz", &["local_bsz", "step_time"], &["sync_time"])?;
        let placed = by_application(placed, |row: &Placed| &row.application);
        let positive = ["num_nodes", "num_replicas", "local_bsz", "step_time"];
        let scaled = rows::read(folder, "scalability.csv.gz", &positive, &["sync_time"])?;
        let scaled = by_application(scaled, |row: &Scaled| &row.application);
        let others = ["iteration", "metric", "grad_sqr", "grad_var"];
        let epochs = rows::read(folder, "validation.csv.gz", &["batch_size", "progress"], &others)?;
        let epochs = by_application(epochs, |row: &Epoch| &row.application);
        let mut applications = BTreeMap::new();
        for (name, count, local, limit) in APPLICATIONS {
            let application = Application::new(
                placed.get(name).map_or(&[], Vec::as_slice),
                scaled.get(name).map_or(&[], Vec::as_slice),
                epochs.get(name).map_or(&[], Vec::as_slice),
                count,
                local,
            );
            let application = application.ok_or_else(|| SimulateError::File {
                path: folder.join("cluster"),
                message: format!(
                    "the tables of placements and validation have no row of {name}: get them again"
                ),
            })?;
            applications.insert(name, (Arc::new(application), limit));
        }
        Ok(Self { path: folder.join("cluster").join(WORKLOADS), applications, submissions })
    }

    /// Numbers of the workloads.
    pub fn workloads(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = self.submissions.iter().map(|(_, row)| row.workload).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// Jobs of a workload at a load; empty if there is no such workload.
    ///
    /// # Errors
    /// A job of an unknown application, without replicas, or with a batch size outside the validated range.
    pub fn jobs(&self, workload: u32, load: f64) -> Result<Vec<Submitted>, SimulateError> {
        let is_of = |(_, row): &&(u64, Submission)| row.workload == workload && row.load == load;
        // The same few kinds of jobs are submitted many times.
        let mut kinds: BTreeMap<_, PublishedJob> = BTreeMap::new();
        let mut jobs = Vec::new();
        for (line, row) in self.submissions.iter().filter(is_of) {
            let kind = (row.application.as_str(), row.batch_size, row.num_replicas);
            let (application, limit) = self.checked(*line, row)?;
            let asked = || Asked::new(application.clone(), row, *limit);
            let model = kinds.entry(kind).or_insert_with(|| PublishedJob::new(asked())).copied();
            jobs.push(Submitted { name: row.name.clone(), arrival: row.time, model });
        }
        Ok(jobs)
    }

    /// Application of a submission, with its maximum number of replicas.
    fn checked(&self, line: u64, row: &Submission) -> Result<&(Arc<Application>, u32), SimulateError> {
        let refuse = |message| Err(SimulateError::Line { path: self.path.clone(), line, message });
        let name = &row.application;
        let Some(found) = self.applications.get(name.as_str()) else {
            let known: Vec<&str> = self.applications.keys().copied().collect();
            return refuse(format!("unknown application `{name}`: the tables have {}", known.join(", ")));
        };
        let (least, most) = found.0.batches;
        if !(least..=most).contains(&row.batch_size) {
            let batch = row.batch_size;
            return refuse(format!(
                "batch size {batch} of {name}: choose {least} to {most}, the range that was validated"
            ));
        }
        if row.num_replicas == 0 {
            return refuse(format!("0 replicas of {name}: choose one or more"));
        }
        if !(row.time >= 0.0 && row.time.is_finite()) {
            return refuse(format!("arrival at {}: choose seconds, 0 or more", row.time));
        }
        Ok(found)
    }
}

fn by_application<T>(rows: Vec<(u64, T)>, application: impl Fn(&T) -> &String) -> BTreeMap<String, Vec<T>> {
    let mut grouped: BTreeMap<String, Vec<T>> = BTreeMap::new();
    for (_, row) in rows {
        grouped.entry(application(&row).clone()).or_default().push(row);
    }
    grouped
}
