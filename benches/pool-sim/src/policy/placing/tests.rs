//! Tests of placements against an exhaustive search.

use std::sync::Arc;

use raddle::random::Stream;
use raddle_pool::policy::{Amounts, Cluster, Demand, Job, JobId, Market, Placer as _, Room, Speed};

use super::{Apart, spread};

#[derive(Debug)]
struct Known;

impl Speed for Known {
    fn rate(&self, workers: u32, nodes: u32) -> f64 {
        f64::from(workers) * if nodes == 1 { 1.0 } else { 0.5 }
    }
}

fn job(stream: &mut Stream) -> Job {
    let mut whole = |most: usize| 1.0 + stream.below(most) as f64;
    let demand = Demand {
        worker: [whole(3) - 1.0, whole(3), whole(6)],
        server: [0.0, whole(3), whole(6)],
        workers_per_server: whole(3) as u32,
    };
    Job { requested: 1, demand, left: Some(1.0), ..Job::new(JobId(0), 5, Arc::new(Known)) }
}

fn prices(stream: &mut Stream) -> Vec<Amounts> {
    (0..2).map(|_| std::array::from_fn(|_| stream.unit())).collect()
}

/// Minimum price of `workers` workers and their servers on two machines, over all ways to divide them.
fn exhaustive(market: &Market<'_>, workers: u32) -> Option<f64> {
    let demand = &market.job.demand;
    let servers = demand.servers(workers);
    let mut least: Option<f64> = None;
    for w in 0..=workers {
        for s in 0..=servers {
            let parts = [(w, s), (workers - w, servers - s)];
            if parts.iter().enumerate().all(|(node, &(w, s))| market.room.fits(node, demand, w, s)) {
                let of = |node: usize| {
                    f64::from(parts[node].0) * market.worker[node]
                        + f64::from(parts[node].1) * market.server[node]
                };
                least = Some(least.map_or(of(0) + of(1), |least| least.min(of(0) + of(1))));
            }
        }
    }
    least
}

#[test]
fn cheapest_first_is_near_the_cheapest() {
    let (mut missed, mut ratios) = (0, Vec::new());
    for seed in 0..400 {
        let mut stream = Stream::new(&[seed, 2]);
        let (job, prices) = (job(&mut stream), prices(&mut stream));
        let room = Room::of(&Cluster { nodes: vec![[4.0, 8.0, 16.0]; 2] });
        let market = Market::new(&job, room, &prices);
        let order = spread::Order::of(&market);
        for workers in 1..=5 {
            let found = spread::cheapest(&market, workers, &order).map(|placement| market.cost(&placement));
            match (found, exhaustive(&market, workers)) {
                (Some(found), Some(least)) => {
                    assert!(found >= least - 1e-9);
                    ratios.push(found / least);
                }
                (None, Some(_)) => missed += 1,
                (found, None) => assert_eq!(found, None, "seed {seed}"),
            }
        }
    }
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    assert!(ratios.len() > 500 && mean < 1.1 && missed * 20 < ratios.len(), "{mean} {missed}");
}

#[test]
fn servers_apart_share_no_machine_with_workers() {
    let mut found = 0;
    for seed in 0..100 {
        let mut stream = Stream::new(&[seed, 4]);
        let (job, prices) = (job(&mut stream), prices(&mut stream));
        let market = Market::new(&job, Room::of(&Cluster { nodes: vec![[4.0, 8.0, 16.0]; 2] }), &prices);
        for placement in Apart.placements(&market, &[1, 2, 3, 4, 5]) {
            assert!(placement.shares.iter().all(|share| share.workers == 0 || share.servers == 0));
            let rate = job.speed.rate(placement.workers(), placement.nodes());
            assert_eq!(rate, f64::from(placement.workers()) * 0.5);
            found += 1;
        }
    }
    assert!(found > 100, "{found}");
}
