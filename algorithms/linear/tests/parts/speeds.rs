//! Workers of unequal speed, under the virtual clock: parts by share, many small parts, and fixed parts whose
//! shards move.

use super::*;

/// Work that each worker does for a unit of time, from 1 for the first.
struct Speeds(Vec<f64>);

impl Speeds {
    fn slowness(&self) -> Vec<f64> {
        self.0.iter().map(|speed| 1.0 / speed).collect()
    }

    /// Contiguous ranges of shards whose costs are as the speeds.
    fn ranges(&self, costs: &[u64]) -> Vec<u32> {
        let (all, total) = (costs.iter().sum::<u64>() as f64, self.0.iter().sum::<f64>());
        let mut before = 0.0;
        let worker = |&cost: &u64| {
            let middle = (before + 0.5 * cost as f64) / all * total;
            before += cost as f64;
            let mut speed = 0.0;
            let behind = |of: &&f64| {
                speed += **of;
                speed <= middle
            };
            (self.0.iter().take_while(behind).count() as u32).min(self.0.len() as u32 - 1)
        };
        costs.iter().map(worker).collect()
    }

    /// Parts dealt whole: each to the worker that is then done first.
    fn dealt(&self, cut: &Cut, parts: u32) -> Vec<u32> {
        let mut loads = vec![0.0; self.0.len()];
        let worker_of = |_| {
            let done = |worker: usize| (loads[worker] + 1.0) / self.0[worker];
            let best = (0..self.0.len()).min_by(|&a, &b| done(a).total_cmp(&done(b))).unwrap();
            loads[best] += 1.0;
            best as u32
        };
        let workers: Vec<u32> = (0..parts).map(worker_of).collect();
        own_workers(cut, parts).into_iter().map(|part| workers[part as usize]).collect()
    }
}

/// Median virtual times to a relative gap of 1e-2: equal parts, parts by share, 16 parts dealt, fixed parts
/// whose shards have moved.
fn times(table: &Table, speeds: &Speeds, sigma: Sigma, seeds: u64) -> [f64; 4] {
    let workers = speeds.0.len() as u32;
    let run = |seed, parts, shares: Option<Vec<f64>>| {
        let problem = shuffled(table, seed);
        let settings = InParts::new(hinge(1e-3, seed), PartPlan::constant(parts)).sigma(sigma).shards(256);
        let settings = shares.into_iter().fold(settings, InParts::shares);
        (fitted(&problem, &settings).report.epochs as f64, settings.cut(&problem).unwrap())
    };
    let slowness = speeds.slowness();
    let mut times = [const { Vec::new() }; 4];
    for seed in 0..seeds {
        let (rounds, cut) = run(seed, workers, None);
        times[0].push(rounds * epoch_time(&cut, workers, &own_workers(&cut, workers), &slowness));
        times[3].push(rounds * epoch_time(&cut, workers, &speeds.ranges(cut.costs()), &slowness));
        let (rounds, cut) = run(seed, workers, Some(speeds.0.clone()));
        times[1].push(rounds * epoch_time(&cut, workers, &own_workers(&cut, workers), &slowness));
        let (rounds, cut) = run(seed, 16, None);
        times[2].push(rounds * epoch_time(&cut, 16, &speeds.dealt(&cut, 16), &slowness));
    }
    times.map(median)
}

#[test]
fn parts_by_share_beat_equal_ones_and_moved_shards_come_near_with_the_same_bytes() {
    let Some(table) = cocoa() else { return };
    let seeds = long().unwrap_or(1);
    let half = Speeds(vec![1.0, 1.0, 1.0, 0.5]);
    for (sigma, small) in [(Sigma::Parts, 3.0), (Sigma::Adaptive, 1.8)] {
        let [equal, shares, dealt, moved] = times(&table, &half, sigma, seeds);
        println!("{sigma}: equal {equal:.2}, by share {shares:.2}, 16 parts {dealt:.2}, moved {moved:.2}");
        if long().is_some() {
            assert!(equal / shares >= 1.6, "{equal} {shares}");
            assert!(dealt / shares >= small, "{dealt} {shares}");
        } else {
            assert!(equal / shares >= 1.3 && dealt / shares >= 0.7 * small, "{equal} {shares} {dealt}");
        }
        assert!(equal / moved >= 1.45, "{equal} {moved}");
    }
    if long().is_some() {
        for speeds in [vec![1.0; 4], vec![1.0, 1.0, 1.0, 0.25], vec![1.0, 0.5, 0.5, 0.25], vec![1.0, 0.5]] {
            for sigma in [Sigma::Parts, Sigma::Adaptive] {
                let [equal, shares, dealt, moved] = times(&table, &Speeds(speeds.clone()), sigma, seeds);
                println!(
                    "{speeds:?} {sigma}: equal {equal:.2}, by share {shares:.2}, 16 parts {dealt:.2}, moved \
                     {moved:.2}"
                );
            }
        }
    }
    // Where shards are shows nowhere: here costs stand for speeds.
    let problem = shuffled(&table, 1);
    let settings = InParts::new(hinge(1e-3, 1), PartPlan::constant(4)).shards(256);
    let placed = |costs: Vec<u64>| {
        settings.fit_with(&problem, |engine| engine.workers(4).epochs(3).costs(costs)).unwrap().digest()
    };
    let equal = placed(vec![1; 256]);
    assert_eq!(placed((0..256).map(|shard| if shard < 220 { 1 } else { 3 }).collect()), equal);
}

#[test]
fn equal_workers_never_wait() {
    let problem = clouds(512);
    for parts in [1, 2, 4, 8] {
        let cut = InParts::new(hinge(1e-3, 1), PartPlan::constant(parts)).cut(&problem).unwrap();
        let shards = cut.shards() as u32;
        let placement: Vec<u32> = (0..shards).map(|shard| shard * parts / shards).collect();
        let rounds = cut.rounds(parts, &mut Stream::new(&[3]));
        let time = raddle::schedule::makespan(&rounds, &placement, |_| 1.0, &vec![1.0; parts as usize]);
        assert_eq!(time, Some(f64::from(shards / parts)), "{parts}");
    }
}
