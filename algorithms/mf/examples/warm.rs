//! Measures training that is repeated in one process. Nothing derived from the data survives between two
//! trainings; the timed part starts with the parsed triples and ends with factors by row.
//!
//! `cargo run --release -p raddle-mf --example warm -- DATA RANK EPOCHS [NAME=VALUE ...]`, where names are
//! `times`, `workers`, `reg`, `step`, `init`, `power`, `items`, `biases`, `seed` and `out`. Prints one line
//! of JSON; `cold` is the first.

#![allow(clippy::disallowed_types, reason = "it times what it runs")]

use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use raddle_datasets::ratings::HeldOut;
use raddle_datasets::read_any_ratings;
use raddle_mf::{Mf, Problem};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [data, rank, epochs, rest @ ..] = arguments.as_slice() else {
        return Err("give DATA RANK EPOCHS [NAME=VALUE ...]".into());
    };
    let given: HashMap<&str, &str> = rest.iter().filter_map(|pair| pair.split_once('=')).collect();
    let number = |name: &str| given.get(name).map(|value| value.parse::<f64>()).transpose();
    let mut mf = Mf::params().rank(rank.parse()?).epochs(epochs.parse()?);
    mf = mf.workers(number("workers")?.unwrap_or(1.0) as usize).seed(number("seed")?.unwrap_or(42.0) as u64);
    mf = mf.biases(number("biases")? != Some(0.0));
    type Set = fn(Mf, f64) -> Mf;
    let settings: [(&str, Set); 7] = [
        ("reg", Mf::reg),
        ("step", Mf::step),
        ("init", Mf::init_scale),
        ("power", Mf::count_power),
        ("items", Mf::item_step),
        ("blocks", |mf, blocks| mf.blocks(blocks as usize)),
        ("shards", |mf, shards| mf.shards(shards as usize)),
    ];
    for (name, set) in settings {
        if let Some(value) = number(name)? {
            mf = set(mf, value);
        }
    }

    let ratings = read_any_ratings(data, &Default::default())?;
    let (users, items) = (ratings.users.len(), ratings.items.len());
    let HeldOut { train, out: test, .. } = HeldOut::compared(ratings.triples, users, items);
    let train = Arc::new(train);
    let mut seconds = Vec::new();
    let mut last = None;
    for _ in 0..number("times")?.unwrap_or(10.0) as usize {
        let started = Instant::now();
        let problem = Problem::new(users, items, Arc::clone(&train))?;
        let fit = mf.fit(&problem)?;
        seconds.push(started.elapsed().as_secs_f64());
        last = Some(fit.model);
    }
    let (cold, warm) = seconds.split_at_mut(1);
    warm.sort_by(f64::total_cmp);
    let warm = warm.get(warm.len() / 2).copied().unwrap_or(cold[0]);
    let rmse = last.map_or(f64::NAN, |model| model.errors(&test).0);
    println!("{{\"rmse\":{rmse:.6},\"cold\":{:.5},\"warm\":{warm:.5}}}", cold[0]);
    Ok(())
}
