//! Measures passes of the sampler over a small real corpus in every vector form, in tokens a second; and the
//! map of its topics.

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use raddle::schedule::{EpochStart, Plan};
use raddle::simd_level::SimdLevel;
use raddle::{Aggregate, BlockTaskOf, Metric, Program, Schedule, Task, UpdateBlock};
use raddle_lda::{HoldOut, Lda, Preparation, Problem, topic_map};

fn passes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("passes");
    let preparation = Preparation { validation: HoldOut::None, ..Preparation::default() };
    let problem =
        Problem::new(&raddle_datasets::embedded::pydoc(), &preparation).expect("the embedded corpus");
    group.throughput(Throughput::Elements(problem.tokens()));
    for topics in [20, 100, 1000] {
        for level in SimdLevel::available() {
            let lda = Lda::params().topics(topics).fixed_priors(true).evaluate_every(1 << 40);
            let make = || {
                let mut made = lda.parts(problem.clone()).expect("parameters in range");
                (0..10).for_each(|epoch| pass(&mut made, epoch));
                made
            };
            group.bench_function(BenchmarkId::new(level.name(), topics), |bench| {
                bench.iter_batched_ref(make, |made| level.during(|| pass(made, 10)), BatchSize::PerIteration);
            });
        }
    }
    group.finish();
}

/// Runs one epoch directly, on one thread.
fn pass(
    (program, schedule, parts): &mut (
        raddle_lda::LdaProgram,
        raddle_lda::LdaSchedule,
        raddle::Parts<raddle_lda::LdaProgram>,
    ),
    epoch: u64,
) {
    let metric = Metric::new("none", 1.0, "nothing");
    let start = EpochStart { epoch, metric, objective: None, weights: Vec::new(), batch_hint: 0 };
    let Plan::Known(rounds) = schedule.begin_epoch(&start) else { return };
    let mut partials = Vec::new();
    for round in &rounds {
        for given in &round.tasks {
            let (phase, shard, block) = (round.phase, given.shard, given.block);
            let task = Task { epoch, round: 0, phase, shard, block, variables: Vec::new() };
            let number = block.unwrap_or(0);
            let (of, block) = (&mut parts.shards[shard as usize], &mut parts.blocks[number as usize]);
            let at = BlockTaskOf { task: &task, shard: of, number, block, replica: &parts.replica };
            partials.push((shard, program.update_block(at)));
        }
    }
    let Some(round) = rounds.last() else { return };
    let pinned = &mut parts.pinned;
    let change = program.aggregate(Aggregate { round, pinned, partials: partials.into() });
    program.commit(&change, &mut parts.replica);
}

fn map(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("map");
    let preparation = Preparation { validation: HoldOut::None, ..Preparation::default() };
    for topics in [100, 1000] {
        let problem =
            Problem::new(&raddle_datasets::embedded::pydoc(), &preparation).expect("the embedded corpus");
        let fit = Lda::params().topics(topics).epochs(5).fit(problem).expect("parameters in range");
        let (counts, all) = (fit.topic_words(), (0..topics).collect::<Vec<_>>());
        group.bench_function(BenchmarkId::from_parameter(topics), |bench| {
            bench.iter(|| topic_map(&counts, &all));
        });
    }
    group.finish();
}

criterion_group!(kernels, passes, map);
criterion_main!(kernels);
