//! Criterion benches of the kernels, in every vector form of this processor. Throughput counts updates (`sgd`), ratings
//! (`squares`), products of rows (`scores`) or ratings per row (`normal`).

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use raddle::level::Level;
use raddle_mf::kernels::{
    Cell, LANES, Rating, Rows, Steps, Vector, add_products, scores, sgd, solve, squares,
};

/// Users of a shard, items of a block and ratings of a cell, about those of MovieLens 1M on a grid of 4 by 4.
const SIZES: (usize, usize, usize) = (1510, 927, 56_000);

/// Whole numbers without a pattern.
fn numbers() -> impl FnMut(usize) -> usize {
    let mut state = 42u64;
    move |bound| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((u128::from(state) * bound as u128) >> 64) as usize
    }
}

fn rows(count: usize, rank: usize) -> Rows {
    let mut next = numbers();
    let mut number = || (next(1 << 20) as f32 / (1 << 19) as f32 - 1.0) * 0.2 / (rank as f32).sqrt();
    let factors = (0..count * rank / LANES).map(|_| Vector(std::array::from_fn(|_| number()))).collect();
    Rows { width: rank, factors, biases: vec![0.0; count], scales: Vec::new() }
}

fn steps(c: &mut Criterion) {
    let (users, items, count) = SIZES;
    let mut next = numbers();
    let rating =
        |_| Rating { user: next(users) as u16, item: next(items) as u16, value: next(5) as f32 / 2.0 - 1.0 };
    let cell = Cell::new((0..count).map(rating).collect());
    // Steps so small that the factors stay what they are.
    let steps = Steps {
        factor: 1e-6,
        decay: 0.03,
        bias: 3e-7,
        bias_decay: 0.02,
        shares: (1.0, 1.0),
        non_negative: false,
    };
    for level in Level::available() {
        let mut group = c.benchmark_group(level.name());
        group.throughput(Throughput::Elements(count as u64));
        for rank in [16, 32, 64, 128] {
            let (mut p, mut q) = (rows(users, rank), rows(items, rank));
            group.bench_function(BenchmarkId::new("sgd", rank), |bench| {
                level.during(|| bench.iter(|| sgd(&cell, &mut p, &mut q, &steps)));
            });
            group.bench_function(BenchmarkId::new("squares", rank), |bench| {
                level.during(|| bench.iter(|| squares(&cell, &p, &q)));
            });
        }
        group.finish();
    }
}

fn solves(c: &mut Criterion) {
    for level in Level::available() {
        let mut group = c.benchmark_group(level.name());
        for rank in [32, 64] {
            let (chunks, count) = (rank / LANES, 150);
            let features = rows(count, rank).factors;
            let ones = vec![1.0; count];
            let empty = vec![Vector([0.0; LANES]); rank * chunks];
            group.throughput(Throughput::Elements(count as u64));
            group.bench_function(BenchmarkId::new("normal", rank), |bench| {
                level.during(|| {
                    bench.iter(|| {
                        let (mut matrix, mut right) = (empty.clone(), vec![Vector([0.0; LANES]); chunks]);
                        (0..rank).for_each(|j| matrix[j * chunks + j / LANES].0[j % LANES] = 0.1);
                        add_products(&features, chunks, &ones, &ones, &mut matrix, &mut right);
                        assert!(solve(&mut matrix, &mut right, chunks));
                        right
                    });
                });
            });
            let all = rows(4000, rank).factors;
            let four: [&[Vector]; 4] = std::array::from_fn(|j| &features[j * chunks..(j + 1) * chunks]);
            let mut out = std::array::from_fn(|_| Vec::new());
            group.throughput(Throughput::Elements(16_000));
            group.bench_function(BenchmarkId::new("scores", rank), |bench| {
                level.during(|| bench.iter(|| scores(four, &all, chunks, &mut out)));
            });
        }
        group.finish();
    }
}

criterion_group!(kernels, steps, solves);
criterion_main!(kernels);
