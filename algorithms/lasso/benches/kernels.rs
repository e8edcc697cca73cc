//! Criterion benches of the kernels, a group for every vector form that the processor has (`avx512`, `avx2`,
//! `portable`; a filter names one). Throughput counts the values read (`dot`, `pass`) or the pairs multiplied
//! and added (`gram`, `cholesky`).

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use raddle::simd_level::SimdLevel;
use raddle_kernels::algebra::{SparseColumns, cholesky, dot, gram_lower, pass, sparse_pass};

/// Rows of the dense columns.
const ROWS: usize = 1814;

/// Pseudorandom numbers between -1 and 1.
fn numbers(count: usize) -> Vec<f64> {
    let mut state = 42u64;
    let mut number = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| number()).collect()
}

fn passes(c: &mut Criterion, level: SimdLevel) {
    let mut group = c.benchmark_group(level.name());
    let residual = numbers(ROWS);
    for columns in [1, 220] {
        let x = numbers(ROWS * columns);
        let mut out = vec![0.0; columns];
        group.throughput(Throughput::Elements(x.len() as u64));
        if columns == 1 {
            group.bench_function("dot", |bench| bench.iter(|| dot(&x, &residual)));
        } else {
            group.bench_function(BenchmarkId::new("pass", columns), |bench| {
                bench.iter(|| pass(&x, &residual, &mut out));
            });
        }
    }
    // Every fiftieth row, shifted from column to column.
    let (rows, columns) = (100_000u32, 200u32);
    let column = |j: u32| (j % 50..rows).step_by(50);
    let stored: Vec<u32> = (0..columns).flat_map(column).collect();
    let starts: Vec<usize> = (0..=columns as usize).map(|j| j * stored.len() / columns as usize).collect();
    let values = numbers(stored.len());
    let (residual, mut out) = (numbers(rows as usize), vec![0.0; columns as usize]);
    group.throughput(Throughput::Elements(values.len() as u64));
    group.bench_function("sparse pass", |bench| {
        let x = SparseColumns { starts: &starts, rows: &stored, values: &values };
        bench.iter(|| sparse_pass(x, &residual, &mut out));
    });
    group.finish();
}

fn grams(c: &mut Criterion, level: SimdLevel) {
    let mut group = c.benchmark_group(level.name());
    for members in [60, 480] {
        let x = numbers(ROWS * members);
        let columns: Vec<&[f64]> = x.chunks_exact(ROWS).collect();
        let mut gram = vec![0.0; members * members];
        gram_lower(&columns, &mut gram, members);
        group.throughput(Throughput::Elements((members * (members + 1) / 2 * ROWS) as u64));
        group.bench_function(BenchmarkId::new("gram", members), |bench| {
            bench.iter(|| gram_lower(&columns, &mut gram, members));
        });
        let (mut factor, mut inverses) = (gram.clone(), Vec::new());
        group.throughput(Throughput::Elements((members * members * members / 6) as u64));
        group.bench_function(BenchmarkId::new("cholesky", members), |bench| {
            bench.iter(|| {
                factor.copy_from_slice(&gram);
                cholesky(&mut factor, members, members, 0, &mut inverses)
            });
        });
    }
    group.finish();
}

fn every_form(c: &mut Criterion) {
    for level in SimdLevel::available() {
        level.during(|| {
            passes(c, level);
            grams(c, level);
        });
    }
}

criterion_group!(kernels, every_form);
criterion_main!(kernels);
