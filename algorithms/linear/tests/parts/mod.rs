//! Parts: their cost, the replay of their runs, and refused settings.

mod auto;
mod bad_input;
mod command_line;
mod delayed;
mod replay;
mod rounds;
mod speeds;

use raddle::random::Stream;
use raddle_datasets::{Csc, Matrix, Table, registry};
use raddle_linear::parts::Cut;
use raddle_linear::{Fit, InParts, Linear, Loss, PartPlan, Problem, Sigma};

/// The set used in the CoCoA paper's code.
fn cocoa() -> Option<Table> {
    registry::real("cocoa-demo")
}

/// Returns the problem of a set whose rows are in an order drawn by a seed, as rows are cut in their order.
fn shuffled(table: &Table, seed: u64) -> Problem {
    let (rows, columns) = (table.x.rows(), table.x.cols());
    let mut places: Vec<u32> = (0..rows as u32).collect();
    Stream::new(&[seed, 17]).shuffle(&mut places);
    let Matrix::Sparse(x) = &table.x else { panic!("libsvm is sparse") };
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for column in x.outer_iterator() {
        let mut of: Vec<(u32, f64)> = column.iter().map(|(row, value)| (places[row], *value)).collect();
        of.sort_unstable_by_key(|of| of.0);
        indices.extend(of.iter().map(|of| of.0));
        values.extend(of.iter().map(|of| of.1));
        starts.push(indices.len());
    }
    let mut y = vec![0.0; rows];
    places.iter().zip(&table.y).for_each(|(&place, label)| y[place as usize] = *label);
    Problem::new(&Matrix::Sparse(Csc::new_csc((rows, columns), starts, indices, values)), &y, 0.0).unwrap()
}

/// Two clouds that overlap, with an empty row.
fn clouds(rows: usize) -> Problem {
    let mut draw = Stream::new(&[rows as u64]);
    let y: Vec<f64> = (0..rows).map(|row| f64::from(u8::from(row % 3 == 0))).collect();
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for _ in 0..9 {
        for (row, y) in y.iter().enumerate().filter(|(row, _)| *row != 3) {
            let value = draw.unit() - 0.5 + 0.4 * y;
            if draw.unit() < 0.6 {
                indices.push(row as u32);
                values.push(value);
            }
        }
        starts.push(indices.len());
    }
    Problem::new(&Matrix::Sparse(Csc::new_csc((rows, 9), starts, indices, values)), &y, 1.0).unwrap()
}

/// A hinge fit to a relative gap of 1e-2.
fn hinge(lambda: f64, seed: u64) -> Linear {
    Linear::params().loss(Loss::Hinge).lambda(lambda).tolerance(1e-2).seed(seed)
}

/// Fits to the tolerance; in no epoch has the dual fallen by more than rounding.
fn fitted(problem: &Problem, settings: &InParts) -> Fit {
    let fit = settings.fit_with(problem, |engine| engine.epochs(4000)).unwrap();
    assert!(fit.report.metric.is_reached(), "{:?}", fit.report.metric);
    let duals: Vec<f64> = fit.trace.iter().map(|record| record.shown["dual"]).collect();
    assert!(duals.len() >= 2);
    assert!(duals.windows(2).all(|two| two[1] >= two[0] - 1e-12 * two[0].abs()), "{duals:?}");
    fit
}

/// Virtual time of an epoch of so many parts, where a pass over all rows at speed 1 takes 1.
fn epoch_time(cut: &Cut, parts: u32, placement: &[u32], slowness: &[f64]) -> f64 {
    let all: u64 = cut.costs().iter().sum();
    let cost = |shard: u32| cut.costs()[shard as usize] as f64;
    let rounds = cut.rounds(parts, &mut Stream::new(&[0]));
    let time = raddle::schedule::makespan(&rounds, placement, |task| cost(task.shard), slowness);
    time.unwrap() / all as f64
}

/// Assigns each part's shards to a worker of its own.
fn own_workers(cut: &Cut, parts: u32) -> Vec<u32> {
    (0..cut.shards() as u32).map(|shard| cut.part_of(shard, parts)).collect()
}

/// Number of seeds of the long forms of tests, if they are asked for.
fn long() -> Option<u64> {
    let seeds = std::env::var("RADDLE_PARTS_SEEDS").ok()?;
    Some(seeds.parse().unwrap())
}

fn median(mut values: Vec<f64>) -> f64 {
    assert!(!values.is_empty());
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
