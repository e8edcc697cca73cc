//! Mean completion times of ONES on the published workloads, compared with Tiresias.

use std::path::Path;

use raddle_datasets::registry::real_folder;
use raddle_pool::policy::{Cluster, Policy};
use raddle_pool_sim::policy::las::Las;
use raddle_pool_sim::policy::ones::Ones;
use raddle_pool_sim::published::Tables;
use raddle_pool_sim::{Settings, simulate};

/// Mean completion time in hours of each workload at load 1.
fn means(folder: &Path, rescale: f64, policy: &dyn Fn() -> Box<dyn Policy>) -> Vec<f64> {
    let tables = Tables::read(folder).unwrap();
    let cluster = Cluster::of_slots(16, 4);
    let of = |workload| {
        let jobs = tables.jobs(workload, 1.0).unwrap();
        let settings = Settings { tick: 60.0, rescale };
        simulate(&cluster, &jobs, &settings, &mut *policy()).unwrap().mean() / 3600.0
    };
    tables.workloads().into_iter().map(of).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn the_score_over_all_jobs_is_ahead_of_tiresias() {
    let Some(folder) = real_folder() else { return };
    let of_ones = means(&folder, 30.0, &|| Box::new(Ones::new(1)));
    let of_tiresias = means(&folder, 30.0, &|| Box::new(Las::default()));
    let below = of_ones.iter().zip(&of_tiresias).filter(|(ones, tiresias)| ones < tiresias).count();
    let mean = mean(&of_ones);
    assert_eq!((of_ones.len(), of_tiresias.len()), (8, 8));
    assert!(mean <= 0.93, "{mean} h: {of_ones:.3?}");
    assert!(below >= 7, "below Tiresias in {below}: {of_ones:.3?}, {of_tiresias:.3?}");
}
