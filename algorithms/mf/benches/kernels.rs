//! Criterion benches of the kernels, in every vector form of this processor. Throughput counts updates
//! (`sgd`), ratings (`squares`), products of rows (`scores`) or ratings per row (`normal`).

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use raddle::simd_level::SimdLevel;
use raddle_kernels::factors::{
    Cell, LANES, Rating, Rows, Steps, Vector, add_products, scores, sgd, solve, squares,
};

/// Ranks, and the number of parts of each side in the grid on which MovieLens 1M is fitted with that rank.
const GRIDS: [(usize, usize); 4] = [(16, 4), (32, 4), (64, 4), (128, 8)];

/// Numbers of users, items and training ratings of MovieLens 1M.
const SIZES: (usize, usize, usize) = (6040, 3706, 900_000);

/// Pseudorandom whole numbers.
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

/// Makes a cell of random items, with the ratings of a user together, as in files.
fn cell(users: usize, items: usize, count: usize, rank: usize) -> Cell {
    let mut next = numbers();
    let rating = |at: usize| {
        let (user, item) = ((at * users / count) as u16, next(items) as u16);
        Rating { user, item, value: next(5) as f32 / 2.0 - 1.0 }
    };
    let mut cells = Cell::in_order(vec![(0..count).map(rating).collect::<Vec<_>>().into()], rank);
    cells.swap_remove(0)
}

fn steps(c: &mut Criterion) {
    // Steps so small that the factors hardly change.
    let steps = Steps {
        factor: 1e-6,
        decay: 0.03,
        bias: 3e-7,
        bias_decay: 0.02,
        shares: (1.0, 1.0),
        non_negative: false,
    };
    for level in SimdLevel::available() {
        let mut group = c.benchmark_group(level.name());
        for (rank, parts) in GRIDS {
            let (users, items, count) = (SIZES.0 / parts, SIZES.1 / parts, SIZES.2 / parts / parts);
            let cell = cell(users, items, count, rank);
            let (mut p, mut q) = (rows(users, rank), rows(items, rank));
            group.throughput(Throughput::Elements(count as u64));
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
    for level in SimdLevel::available() {
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
