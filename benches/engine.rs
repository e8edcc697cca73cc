//! Criterion benches of the engine: the cost of a round that does nothing, and the cost of moving a block to
//! another worker.
//!
//! Each time is that of one round, or of one task of a rotation, counted from boundary to boundary.

mod workload;

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use workload::{Idle, MEGABYTE, Turning, epochs};

/// The time of `iterations` steps, run as epochs of a fixed number of steps: the first epoch warms up.
fn steps(iterations: u64, an_epoch: u64, run: impl FnOnce(u64) -> Vec<f64>) -> Duration {
    let times = run(iterations.div_ceil(an_epoch) + 1);
    let total: f64 = times[1..].iter().sum();
    Duration::from_secs_f64(total * iterations as f64 / ((times.len() - 1) as u64 * an_epoch) as f64)
}

fn rounds(c: &mut Criterion) {
    let mut group = c.benchmark_group("empty stepwise round");
    for workers in [1, 2, 8] {
        group.bench_function(BenchmarkId::new("workers", workers), |bench| {
            bench.iter_custom(|n| steps(n, 200, |count| epochs(&Idle::run(workers, 200, count))));
        });
    }
    // Between runs the cores fall asleep, as they do where a run is one of few things that a machine does.
    group.bench_function("2 workers, cores idle before", |bench| {
        let run = |_| {
            std::thread::sleep(Duration::from_millis(50));
            let times = epochs(&Idle::run(2, 200, 1));
            times[0] / 200.0
        };
        bench.iter_custom(|n| Duration::from_secs_f64((0..n).map(run).sum()));
    });
    group.finish();
}

fn rotations(c: &mut Criterion) {
    let mut group = c.benchmark_group("task of a rotation");
    let sixteen = Turning::sixteen(0);
    let cases = [
        ("16 x 16 on 1 worker", Turning { workers: 1, ..sixteen.clone() }),
        ("16 x 16 on 2 workers", sixteen.clone()),
        ("16 x 16 on 8 workers", Turning { workers: 8, ..sixteen.clone() }),
        ("256 x 16 on 2 workers", Turning { shards: 256, ..sixteen.clone() }),
        ("every block crosses, by pointer", Turning::crossing(MEGABYTE, false)),
        ("every block crosses, as bytes", Turning::crossing(MEGABYTE, true)),
    ];
    for (name, turning) in cases {
        group.bench_function(name, |bench| {
            let run = |epochs| Turning { epochs, ..turning.clone() }.run();
            bench.iter_custom(|n| steps(n, turning.tasks(), |count| epochs(&run(count))));
        });
    }
    group.finish();
}

criterion_group! {
    name = engine;
    config = Criterion::default().measurement_time(Duration::from_secs(3)).warm_up_time(Duration::from_secs(1));
    targets = rounds, rotations
}
criterion_main!(engine);
