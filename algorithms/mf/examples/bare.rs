//! Cost of the engine, and gain of more workers: runs the same kernels on the same grid without the engine,
//! in plain loops on this thread, alternating with the same training on the engine. With WORKERS also as many
//! threads that share only the input, and as many workers.
//!
//! `cargo run --release -p raddle-mf --example mf-bare -- DATA RANK EPOCHS [PARTS [WORKERS]]`

#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "it times what it runs")]

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use raddle_datasets::ratings::HeldOut;
use raddle_datasets::{Triples, read_any_ratings};
use raddle_kernels::factors::{Cell, LANES, Rating, Rows, Steps, Vector, moments, sgd};
use raddle_mf::{Fit, Mf, Problem};

const TURNS: usize = 9;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [data, rank, epochs, rest @ ..] = arguments.as_slice() else {
        return Err("give DATA RANK EPOCHS [PARTS [WORKERS]]".into());
    };
    let (rank, epochs): (usize, u32) = (rank.parse()?, epochs.parse()?);
    let given = |at: usize, or: usize| rest.get(at).map_or(Ok(or), |number| number.parse());
    let (parts, workers) = (given(0, 4)?, given(1, 1)?);
    let ratings = read_any_ratings(data, &Default::default())?;
    let (users, items) = (ratings.users.len(), ratings.items.len());
    let HeldOut { train, out: test, .. } = HeldOut::compared(ratings.triples, users, items);
    let train = Arc::new(train);
    let mf = Mf::params().rank(rank).epochs(epochs.into()).shards(parts);
    let by_hand = || {
        let started = Instant::now();
        assert!(by_hand(&train, (users, items), rank, epochs, parts).is_finite());
        started.elapsed().as_secs_f64()
    };
    let by_engine = |workers| -> Result<Phases, Box<dyn Error>> {
        let started = Instant::now();
        let fit = mf.clone().workers(workers).fit(&Problem::new(users, items, Arc::clone(&train))?)?;
        let seconds = started.elapsed().as_secs_f64();
        assert!(fit.model.errors(&test).0.is_finite());
        Ok(phases(&fit, seconds))
    };
    let (mut bare, mut apart, mut one, mut more) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TURNS {
        bare.push([by_hand()]);
        one.push(by_engine(1)?);
        if workers > 1 {
            let slowest = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..workers).map(|_| scope.spawn(by_hand)).collect();
                threads.into_iter().map(|thread| thread.join().unwrap_or(f64::NAN)).fold(0.0, f64::max)
            });
            apart.push([slowest]);
            more.push(by_engine(workers)?);
        }
    }
    let ([bare], one) = (medians(&bare), medians(&one));
    println!("bare {bare:.4} s, engine {:.4} s: {:+.1} %", one[0], 100.0 * (one[0] / bare - 1.0));
    if workers > 1 {
        let ([apart], more) = (medians(&apart), medians(&more));
        let (gained, free) = (one[0] / more[0], workers as f64 * bare / apart);
        println!(
            "{workers} workers {:.4} s: {gained:.2} times one; {workers} threads apart {free:.2}",
            more[0]
        );
        for (phase, name) in
            ["all", "count", "set-up and first epoch", "other epochs", "rest"].iter().enumerate()
        {
            let ratio = one[phase] / more[phase];
            println!("{name}: {:.4} s with one, {:.4} with {workers}: {ratio:.2}", one[phase], more[phase]);
        }
    }
    Ok(())
}

/// Seconds in total; until the ratings are counted; until the first epoch is done; of the other epochs; and
/// of the rest, before and after the engine.
type Phases = [f64; 5];

fn phases(fit: &Fit, seconds: f64) -> Phases {
    let at: Vec<f64> = fit.trace.iter().map(|record| record.seconds).collect();
    let [counted, first, .., last] = at[..] else { return [seconds; 5] };
    [seconds, counted, first - counted, last - first, seconds - last]
}

/// Returns the median of each column.
fn medians<const N: usize>(turns: &[[f64; N]]) -> [f64; N] {
    std::array::from_fn(|column| {
        let mut values: Vec<f64> = turns.iter().map(|turn| turn[column]).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    })
}

/// Counts, splits, trains and writes back, as the engine's program does; returns the sum of squares of the
/// last epoch.
fn by_hand(train: &Triples, (users, items): (usize, usize), rank: usize, epochs: u32, parts: usize) -> f64 {
    let [user_counts, item_counts] = counts(train, users, items);
    let (u, user_parts) = places(&user_counts, parts);
    let (i, item_parts) = places(&item_counts, parts);
    let count = train.len() as f64;
    let (sum, squares) = moments(&train.values);
    let mean = sum / count;
    let deviation = (squares / count - mean * mean).sqrt();
    let (center, scale) = (mean as f32, (1.0 / deviation) as f32);
    let mut cells: Vec<Vec<Rating>> =
        (0..parts * parts).map(|_| Vec::with_capacity(train.len() / parts / parts * 9 / 8)).collect();
    for ((&user, &item), &value) in train.users.iter().zip(&train.items).zip(&train.values) {
        let (user, item) = (u[user as usize], i[item as usize]);
        cells[(user >> 16) as usize * parts + (item >> 16) as usize].push(Rating {
            user: user as u16,
            item: item as u16,
            value: (value - center) * scale,
        });
    }
    let width = rank.next_multiple_of(LANES);
    let in_order = |ratings: Vec<Rating>| Cell::in_order(vec![ratings.into()], width);
    let cells: Vec<Vec<Cell>> = cells.into_iter().map(in_order).collect();
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
        for round in 0..parts {
            for shard in 0..parts {
                let block = (shard + round) % parts;
                for cell in &cells[shard * parts + block] {
                    sum += sgd(cell, &mut shards[shard], &mut blocks[block], &steps);
                }
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

/// Counts how often each user and each item is named, with four counters in turn, so that no addition waits
/// for another.
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

/// Assigns rows to parts: returns the place of each row, as `part << 16 | place`, and the rows of each part
/// that ratings name.
fn places(counts: &[u32], number: usize) -> (Vec<u32>, Vec<Vec<u32>>) {
    let mut parts = vec![Vec::new(); number];
    let place = |(row, &count): (usize, &u32)| {
        if count == 0 {
            return 0;
        }
        let part = row % number;
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
