//! Published tables that are small enough to compute results by hand.

use std::fs;

use tempfile::TempDir;

const APPLICATIONS: [(&str, u32); 6] =
    [("bert", 2), ("cifar10", 100), ("deepspeech2", 80), ("imagenet", 90), ("ncf", 10), ("yolov3", 50)];

/// Name of the file of workloads in the folder of data.
pub(crate) const WORKLOADS: &str = "cluster/workloads.csv.gz";

/// A folder of data with these rows of workloads. Every application has local batch sizes of 8 (1 s) and 16
/// (2 s) on one node with one or two replicas, batch sizes of 8 and 64, gradients with a square and a
/// variance of 1, and 100 iterations of progress in an epoch.
pub(crate) fn folder(workloads: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |file: &str, header: &str, rows: Vec<String>| {
        fs::create_dir_all(folder.path().join("cluster")).unwrap();
        let text = format!("{header}\n{}\n", rows.join("\n"));
        fs::write(folder.path().join("cluster").join(file), text).unwrap();
    };
    let header = "load,workload,name,time,application,num_replicas,batch_size";
    write("workloads.csv.gz", header, workloads.iter().map(|&row| row.to_owned()).collect());
    let mut placements = Vec::new();
    let mut epochs = Vec::new();
    for (name, count) in APPLICATIONS {
        for (placement, local, seconds) in [(1, 8, 1), (1, 16, 2), (2, 8, 1), (2, 16, 2)] {
            placements.push(format!("{name},{placement},{local},{seconds},0"));
        }
        for (batch, epoch) in
            [8, 64].into_iter().flat_map(|batch| (0..count).map(move |epoch| (batch, epoch)))
        {
            let progress = 100 * (epoch + 1);
            epochs.push(format!("{name},{batch},{epoch},{progress},{progress},0.5,1,1"));
        }
    }
    write("placements.csv.gz", "application,placement,local_bsz,step_time,sync_time", placements);
    let header = "application,num_nodes,num_replicas,local_bsz,step_time,sync_time";
    write("scalability.csv.gz", header, vec!["bert,6,6,8,1,0".into()]);
    let header = "application,batch_size,epoch,progress,iteration,metric,grad_sqr,grad_var";
    write("validation.csv.gz", header, epochs);
    folder
}
