//! What does the engine cost? The same kernels on the same grid, without it: plain loops on this thread, beside the same
//! training through the engine, in turns.
//!
//! `cargo run --release -p raddle-mf --example bare -- DATA RANK EPOCHS`

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use raddle_datasets::ratings::Held;
use raddle_datasets::{Triples, read_any_ratings};
use raddle_mf::kernels::{Cell, LANES, Rating, Rows, Steps, Vector, sgd};
use raddle_mf::{Mf, Problem};

/// Shards, and blocks.
const PARTS: usize = 4;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [data, rank, epochs] = arguments.as_slice() else { return Err("give DATA RANK EPOCHS".into()) };
    let (rank, epochs): (usize, u32) = (rank.parse()?, epochs.parse()?);
    let ratings = read_any_ratings(data, &Default::default())?;
    let (users, items) = (ratings.users.len(), ratings.items.len());
    let Held { train, out: test, .. } = Held::compared(ratings.triples, users, items);
    let train = Arc::new(train);
    let mf = Mf::params().rank(rank).epochs(epochs.into()).shards(PARTS);
    let (mut bare, mut engine) = (Vec::new(), Vec::new());
    for _ in 0..11 {
        let started = Instant::now();
        let squares = by_hand(&train, users, items, rank, epochs);
        bare.push(started.elapsed().as_secs_f64());
        let started = Instant::now();
        let fit = mf.fit(&Problem::new(users, items, Arc::clone(&train))?)?;
        engine.push(started.elapsed().as_secs_f64());
        assert!(squares.is_finite() && fit.model.errors(&test).0.is_finite());
    }
    bare.sort_by(f64::total_cmp);
    engine.sort_by(f64::total_cmp);
    let (bare, engine) = (bare[bare.len() / 2], engine[engine.len() / 2]);
    println!("bare {bare:.5} s, engine {engine:.5} s: {:+.1} %", 100.0 * (engine / bare - 1.0));
    Ok(())
}

/// Counts, deals, trains and writes back, as the engine's program does; the sum of squares of the last epoch.
fn by_hand(train: &Triples, users: usize, items: usize, rank: usize, epochs: u32) -> f64 {
    let [user_counts, item_counts] = counts(train, users, items);
    let (u, user_parts) = places(&user_counts);
    let (i, item_parts) = places(&item_counts);
    let count = train.len() as f64;
    let (sum, squares) = moments(&train.values);
    let mean = sum / count;
    let deviation = (squares / count - mean * mean).sqrt();
    let (center, scale) = (mean as f32, (1.0 / deviation) as f32);
    let mut cells: Vec<Vec<Rating>> =
        (0..PARTS * PARTS).map(|_| Vec::with_capacity(train.len() / PARTS / PARTS * 9 / 8)).collect();
    for ((&user, &item), &value) in train.users.iter().zip(&train.items).zip(&train.values) {
        let (user, item) = (u[user as usize], i[item as usize]);
        cells[(user >> 16) as usize * PARTS + (item >> 16) as usize].push(Rating {
            user: user as u16,
            item: item as u16,
            value: (value - center) * scale,
        });
    }
    let cells: Vec<Cell> = cells.into_iter().map(Cell::new).collect();
    let mut shards: Vec<Rows> = user_parts.iter().map(|part| rows(part.len(), rank)).collect();
    let mut blocks: Vec<Rows> = item_parts.iter().map(|part| rows(part.len(), rank)).collect();
    let mut sum = 0.0;
    for epoch in 0..epochs {
        let turn = std::f64::consts::PI * f64::from(epoch) / f64::from(epochs);
        let factor = (0.09 * (0.02 + 0.49 * (1.0 + turn.cos()))) as f32;
        let steps = Steps {
            factor,
            decay: 0.027,
            bias: 0.3 * factor,
            bias_decay: 0.018,
            shares: (1.0, 1.0),
            non_negative: false,
        };
        sum = 0.0;
        for round in 0..PARTS {
            for shard in 0..PARTS {
                let block = (shard + round) % PARTS;
                sum += sgd(&cells[shard * PARTS + block], &mut shards[shard], &mut blocks[block], &steps);
            }
        }
    }
    let mut factors = vec![0.0; (users + items) * rank];
    for (parts, sides, from) in [(&user_parts, &shards, 0), (&item_parts, &blocks, users)] {
        for (part, rows) in parts.iter().zip(sides) {
            let all: &[f32] = bytemuck::cast_slice(&rows.factors);
            for (&row, values) in part.iter().zip(all.chunks_exact(rows.width)) {
                let to = &mut factors[(from + row as usize) * rank..][..rank];
                to.iter_mut().zip(values).for_each(|(to, value)| *to = value * (deviation as f32).sqrt());
            }
        }
    }
    sum + f64::from(factors[0])
}

/// How often each user and each item is named; four places in turn, so that no count waits for itself.
fn counts(train: &Triples, users: usize, items: usize) -> [Vec<u32>; 2] {
    let mut counts = [vec![0; users], vec![0; items]];
    let quarter = train.len() / 4;
    let mut add = |at: usize| {
        counts[0][train.users[at] as usize] += 1;
        counts[1][train.items[at] as usize] += 1;
    };
    for at in 0..quarter {
        (0..4).for_each(|place| add(place * quarter + at));
    }
    (4 * quarter..train.len()).for_each(add);
    counts
}

/// The sum of the values and of their squares.
fn moments(values: &[f32]) -> (f64, f64) {
    let mut lanes = [(0.0, 0.0); 8];
    for group in values.chunks(8) {
        for ((sum, squares), &value) in lanes.iter_mut().zip(group) {
            let value = f64::from(value);
            *sum += value;
            *squares += value * value;
        }
    }
    lanes.iter().fold((0.0, 0.0), |all, lane| (all.0 + lane.0, all.1 + lane.1))
}

/// Where each row goes, as `part << 16 | place`, and the rows of each part: those that are named.
fn places(counts: &[u32]) -> (Vec<u32>, Vec<Vec<u32>>) {
    let mut parts = vec![Vec::new(); PARTS];
    let place = |(row, &count): (usize, &u32)| {
        if count == 0 {
            return 0;
        }
        let part = row % PARTS;
        parts[part].push(row as u32);
        (part << 16 | (parts[part].len() - 1)) as u32
    };
    let places = counts.iter().enumerate().map(place).collect();
    (places, parts)
}

fn rows(count: usize, rank: usize) -> Rows {
    let width = rank.next_multiple_of(LANES);
    let mut state = count as u32;
    let mut number = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((state >> 8) as f32 / (1 << 23) as f32 - 1.0) * 0.2 / (rank as f32).sqrt()
    };
    let factors = (0..count * width / LANES).map(|_| Vector(std::array::from_fn(|_| number()))).collect();
    Rows { width, factors, biases: vec![0.0; count], scales: Vec::new() }
}
