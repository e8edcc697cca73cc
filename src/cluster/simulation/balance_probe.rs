//! Tests of balance: seconds of epochs under the virtual clock of [`makespan`] where workers are slowed down,
//! with shards placed by [`Balance`].

use super::Rng;
use crate::cluster::balance::Balance;
use crate::cluster::placing::place_by_speed;
use crate::cluster::plan::{Before, GenerationPlan, Participant};
use crate::cluster::protocol::Epoch;
use crate::schedule::{Assignment, Round, makespan};

/// Virtual seconds of a run, with balance and with equal shares.
struct Measured {
    balanced: f64,
    equal: f64,
    /// The placement of each epoch.
    placements: Vec<Vec<u32>>,
    /// The virtual seconds of each epoch.
    epochs: Vec<f64>,
}

fn participants(workers: usize) -> Vec<Participant> {
    (0..workers as u32).map(|id| Participant { id, address: String::new(), capacity: 1 }).collect()
}

/// Runs an epoch of one round for each item of `slowness`, which gives each worker's seconds for a unit of
/// cost.
fn run(costs: &[u64], pause: f64, slowness: impl Iterator<Item = Vec<f64>>) -> Measured {
    run_plan(&[Round::to_shards((), 0..costs.len() as u32)], costs, pause, slowness)
}

/// Runs an epoch of these rounds, in which each shard has one task, for each item of `slowness`.
fn run_plan(
    rounds: &[Round],
    costs: &[u64],
    pause: f64,
    slowness: impl Iterator<Item = Vec<f64>>,
) -> Measured {
    let mut measured = Measured { balanced: 0.0, equal: 0.0, placements: Vec::new(), epochs: Vec::new() };
    let (mut balance, mut plan, mut even) = (Balance::new(true), None::<GenerationPlan>, Vec::new());
    for (epoch, slowness) in (1..).zip(slowness) {
        let workers = slowness.len();
        let now = plan.get_or_insert_with(|| {
            let plan =
                GenerationPlan::new(1, participants(workers), (workers as u64, 1), costs, 0, None, None);
            even = plan.shard_at.clone();
            balance.begin(&plan);
            balance.paused(pause);
            plan
        });
        let load = |placement: &[u32]| {
            let mut load = vec![0.0; workers];
            for (&worker, &cost) in placement.iter().zip(costs) {
                load[worker as usize] += cost as f64 * slowness[worker as usize];
            }
            load
        };
        let lasts = |placement: &[u32]| {
            makespan(rounds, placement, |task| costs[task.shard as usize] as f64, &slowness).unwrap()
        };
        let seconds = load(&now.shard_at);
        measured.epochs.push(lasts(&now.shard_at));
        measured.balanced += lasts(&now.shard_at);
        measured.equal += lasts(&even);
        measured.placements.push(now.shard_at.clone());
        balance.learn(now, costs, &Epoch { epoch, load: seconds, ..Epoch::default() });
        if balance.is_worth_it(now, costs) {
            let speeds = balance.speeds(now);
            let before = Before { plan: now, block_at: &[] };
            let (number, asked) = (now.number + 1, (workers as u64, 1));
            let next = GenerationPlan::new(
                number,
                participants(workers),
                asked,
                costs,
                0,
                speeds.as_deref(),
                Some(&before),
            );
            balance.begin(&next);
            measured.balanced += pause;
            plan = Some(next);
        }
    }
    measured
}

/// `true` if no shard moves and is back within two epochs.
fn never_turns_back(placements: &[Vec<u32>]) -> bool {
    let turns = |three: &[Vec<u32>], shard: usize| {
        three[0][shard] == three[2][shard] && three[0][shard] != three[1][shard]
    };
    placements.windows(3).all(|three| (0..three[0].len()).all(|shard| !turns(three, shard)))
}

#[test]
fn one_worker_of_four_at_half_speed_costs_little() {
    let measured = run(&[1; 256], 0.0, std::iter::repeat_n(vec![1.0, 1.0, 2.0, 1.0], 100));
    assert!(measured.equal / measured.balanced >= 1.6, "{}", measured.equal / measured.balanced);
    let last = measured.placements.last().cloned();
    assert!(
        measured.placements[3..].iter().all(|placement| Some(placement) == last.as_ref()),
        "settled in 3 epochs"
    );
    assert!(never_turns_back(&measured.placements));
}

/// Four blocks, each of which visits 64 shards of its own, a shard for each position, from a quarter of the
/// way round behind the one before. Shards are numbered by position: a range of them is one of positions of
/// every block.
#[test]
fn shards_of_blocks_that_wait_for_nobody_else_are_balanced_nearly_as_well() {
    let round = |at: u32| {
        let task = |block: u32| Assignment {
            shard: (at + 16 * block) % 64 * 4 + block,
            block: Some(block),
            variables: Vec::new(),
        };
        let mut tasks: Vec<Assignment> = (0..4).map(task).collect();
        tasks.sort_unstable_by_key(|task| task.shard);
        Round::new((), tasks)
    };
    let rounds: Vec<Round> = (0..64).map(round).collect();
    let gain = |slowness: [f64; 4]| {
        let measured = run_plan(&rounds, &[1; 256], 0.0, std::iter::repeat_n(slowness.to_vec(), 100));
        assert!(never_turns_back(&measured.placements));
        measured.equal / measured.balanced
    };
    assert_eq!(gain([1.0; 4]), 1.0);
    // Of 1.75 and 3.25 at best.
    let (half, quarter) = (gain([1.0, 1.0, 2.0, 1.0]), gain([1.0, 4.0, 1.0, 1.0]));
    assert!(half >= 1.45 && quarter >= 2.4, "{half} {quarter}");
}

#[test]
fn the_cut_settles_at_the_best_there_is_for_few_shards() {
    for shards in [8, 16, 23] {
        let costs: Vec<u64> = (0..shards).map(|shard| 900 + shard * 37 % 200).collect();
        let slowness = vec![1.0, 2.0, 1.0, 1.3];
        let speeds: Vec<f64> = slowness.iter().map(|slow| 1.0 / slow).collect();
        let measured = run(&costs, 0.0, std::iter::repeat_n(slowness.clone(), 20));
        let mut best = vec![0.0; 4];
        for (worker, cost) in place_by_speed(&costs, &speeds).into_iter().zip(&costs) {
            best[worker as usize] += *cost as f64 * slowness[worker as usize];
        }
        let best = best.into_iter().fold(0.0, f64::max);
        let last = measured.epochs.last().copied().unwrap_or(f64::INFINITY);
        assert!(last <= 1.1 * best, "{shards} shards: {last} instead of {best}");
    }
}

#[test]
fn bursts_cost_no_more_than_equal_shares() {
    for seed in 0..20 {
        let mut rng = Rng::new(seed);
        let mut slow = [1.0; 4];
        // Bursts of a quarter of the speed, five epochs long on average.
        let bursts = (0..1000).map(|_| {
            for factor in &mut slow {
                *factor = match *factor > 1.0 {
                    true if rng.one_in(5) => 1.0,
                    false if rng.one_in(200) => 4.0,
                    _ => *factor,
                };
            }
            slow.to_vec()
        });
        let bursts: Vec<Vec<f64>> = bursts.collect();
        let measured = run(&[1; 64], 0.0, bursts.into_iter());
        assert!(measured.balanced <= 1.02 * measured.equal, "{} / {}", measured.balanced, measured.equal);
        assert!(never_turns_back(&measured.placements));
    }
}

/// Placements that follow each other and differ.
fn cuts(measured: &Measured) -> usize {
    measured.placements.windows(2).filter(|two| two[0] != two[1]).count()
}

/// The slowness of a process that has the first 25 of each 100 ms, in epochs of so many milliseconds that
/// begin anywhere.
fn sliced(lasts: f64, rng: &mut Rng) -> f64 {
    let (mut at, mut left, mut elapsed) = (rng.below(100) as f64, lasts, 0.0);
    while left > 0.0 {
        let runs = left.min((25.0 - at).max(0.0));
        let step = if runs < left { 100.0 - at } else { runs };
        (at, left, elapsed) = (0.0, left - runs, elapsed + step);
    }
    elapsed / lasts
}

#[test]
fn a_process_that_gets_a_quarter_of_its_time_is_balanced_in_one_or_two_cuts() {
    for lasts in [1.0, 5.0, 20.0, 50.0, 100.0, 300.0] {
        // A pause of 50 ms, in units of cost.
        let pause = 50.0 / lasts * 16.0;
        let (mut in_slices, mut from_fourth_on) = (Vec::new(), Vec::new());
        for seed in 0..30 {
            let mut rng = Rng::new(seed);
            let epochs: Vec<Vec<f64>> = (0..20).map(|_| vec![1.0, sliced(lasts, &mut rng)]).collect();
            in_slices.push(cuts(&run(&[1; 32], pause, epochs.into_iter())));
            let mut slowness = |epoch| if epoch < 3 { 1.0 } else { 4.0 + rng.below(50) as f64 / 100.0 };
            let epochs: Vec<Vec<f64>> = (0..20).map(|epoch| vec![1.0, slowness(epoch)]).collect();
            let measured = run(&[1; 32], pause, epochs.into_iter());
            assert!(never_turns_back(&measured.placements), "{lasts} ms, seed {seed}");
            from_fourth_on.push(cuts(&measured));
        }
        let (all, most) = (in_slices.iter().sum::<usize>(), from_fourth_on.iter().max());
        assert!(all <= 2 * 30, "{lasts} ms: {in_slices:?}");
        assert!(most <= Some(&2), "{lasts} ms: {from_fourth_on:?}");
        assert!(
            lasts < 20.0 || from_fourth_on.iter().all(|&cuts| cuts >= 1),
            "{lasts} ms: {from_fourth_on:?}"
        );
        assert!(lasts < 50.0 || in_slices.iter().all(|&cuts| cuts >= 1), "{lasts} ms: {in_slices:?}");
    }
}

/// The slowness of two workers on two cores with two other threads that always run: a slice of 2 to 6 ms of
/// each core goes to one that has work, drawn again each time. Epochs take so many milliseconds of a core.
fn busy(lasts: f64, rng: &mut Rng) -> Vec<f64> {
    let (mut left, mut ended, mut now) = ([lasts; 2], [0.0; 2], 0.0);
    while left.iter().any(|&left| left > 0.0) {
        let slice = 2.0 + 4.0 * rng.part();
        let mut threads: Vec<usize> = (0..4).filter(|&thread| thread > 1 || left[thread] > 0.0).collect();
        for _ in 0..2 {
            let drawn = threads.swap_remove(rng.below(threads.len() as u64) as usize);
            if drawn < 2 {
                left[drawn] -= slice;
                ended[drawn] = now + slice + left[drawn].min(0.0);
            }
        }
        now += slice;
    }
    ended.map(|ended| ended / lasts).into()
}

#[test]
fn noise_moves_shards_twice_at_most_in_forty_epochs_and_leaves_nobody_without() {
    let noises: [fn(f64, &mut Rng) -> Vec<f64>; 3] = [
        |lasts, rng| vec![1.0, sliced(lasts, rng)],
        |lasts, rng| vec![sliced(lasts, rng), sliced(lasts, rng)],
        busy,
    ];
    for lasts in [1.0, 5.0, 20.0, 50.0, 100.0, 300.0] {
        for (number, noise) in noises.into_iter().enumerate() {
            let moves = (0..30).map(|seed| {
                let mut rng = Rng::new(seed);
                let epochs: Vec<Vec<f64>> = (0..40).map(|_| noise(lasts, &mut rng)).collect();
                // A pause of 50 ms, in units of cost.
                let measured = run(&[1; 32], 50.0 / lasts * 16.0, epochs.into_iter());
                let has_all = |at: &Vec<u32>| at.contains(&0) && at.contains(&1);
                assert!(measured.placements.iter().all(has_all), "{lasts} ms, noise {number}, seed {seed}");
                cuts(&measured)
            });
            let moves: Vec<usize> = moves.collect();
            // Where both are in slices, a few runs of thirty move more often.
            let few = |moves: &usize| number == 1 || *moves <= 2;
            let all: usize = moves.iter().sum();
            assert!(moves.iter().all(few) && all <= 60, "{lasts} ms, noise {number}: {moves:?}");
        }
    }
}

#[test]
fn what_changes_for_good_gains_nine_tenths_of_the_ideal() {
    for (at, factor, noise) in [
        (0, 2.0, 0.0),
        (0, 4.0, 0.1),
        (3, 2.0, 0.0),
        (3, 2.0, 0.1),
        (10, 4.0, 0.0),
        (10, 2.0, 0.1),
        (20, 2.0, 0.0),
        (20, 2.0, 0.1),
        (20, 4.0, 0.1),
    ] {
        let gains = (0..30).map(|seed| {
            let mut rng = Rng::new(seed);
            // The sum of twelve has a deviation of 1, and is about normal.
            let mut normal = || (0..12).map(|_| rng.part()).sum::<f64>() - 6.0;
            let epochs: Vec<Vec<f64>> = (0..40)
                .map(|epoch| {
                    let slow = |worker: usize| if worker == 1 && epoch >= at { factor } else { 1.0 };
                    (0..4).map(|worker| slow(worker) * libm::exp(noise * normal())).collect()
                })
                .collect();
            let last = |placement: &[u32], slowness: &[f64]| {
                let mut load = vec![0.0; 4];
                placement.iter().for_each(|&worker| load[worker as usize] += slowness[worker as usize]);
                load.into_iter().fold(0.0, f64::max)
            };
            let measured = run(&[1; 256], 6.0, epochs.iter().cloned());
            // Placed by the true speeds from the epoch after the change on.
            let (equal, best) = (
                place_by_speed(&[1; 256], &[1.0; 4]),
                place_by_speed(&[1; 256], &[1.0, 1.0 / factor, 1.0, 1.0]),
            );
            let ideal: f64 = (0..)
                .zip(&epochs)
                .map(|(epoch, slow)| last(if epoch > at { &best } else { &equal }, slow))
                .sum();
            (measured.equal - measured.balanced) / (measured.equal - ideal)
        });
        let gains: Vec<f64> = gains.collect();
        let mean = gains.iter().sum::<f64>() / 30.0;
        println!("{factor} times slower from epoch {at} on, noise {noise}: {mean:.3} of the ideal gain");
        assert!(mean >= 0.9, "{factor} {at} {noise}: {gains:.3?}");
    }
}

#[test]
fn a_gain_that_does_not_pay_for_the_pause_moves_nothing() {
    let measured = run(&[1; 64], 1e6, std::iter::repeat_n(vec![1.0, 2.0], 50));
    assert!(measured.placements.windows(2).all(|two| two[0] == two[1]));
}

/// The times are those of mini-batches of real jobs on ten workers each. Shares are nearly continuous: shards
/// are many.
#[test]
fn the_times_of_real_jobs_are_balanced_as_the_reference_does() {
    let Some(folder) = raddle_datasets::registry::real_folder() else { return };
    let expected = [(1, 0.963), (2, 0.913), (3, 0.956), (4, 0.401)];
    for (job, reference) in expected {
        let file = folder.join(format!("traces/pai-job-{job}.csv.gz"));
        let times = times(&file, if job == 4 { 1500 } else { usize::MAX });
        let measured = run(&[1; 2000], 0.0, times.into_iter());
        let share = measured.balanced / measured.equal;
        assert!((share - reference).abs() <= 0.01, "job {job}: {share} instead of {reference}");
        assert!(never_turns_back(&measured.placements), "job {job}");
    }
}

/// The normalised time of each worker in each iteration.
fn times(file: &std::path::Path, most: usize) -> Vec<Vec<f64>> {
    let unpacked = std::process::Command::new("gzip").arg("-dc").arg(file).output();
    let text = match unpacked {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).into_owned(),
        _ => panic!("{}: cannot be read", file.display()),
    };
    let mut times: std::collections::BTreeMap<u64, Vec<(u64, f64)>> = std::collections::BTreeMap::new();
    for line in text.lines().skip(1) {
        let fields: Vec<f64> = line.split(',').filter_map(|field| field.parse().ok()).collect();
        let [_, worker, _, time, seconds] = fields[..] else { panic!("{line}") };
        times.entry(time as u64).or_default().push((worker as u64, seconds));
    }
    let mut iterations: Vec<Vec<(u64, f64)>> =
        times.into_values().filter(|times| times.len() == 10).collect();
    iterations.truncate(most);
    iterations.iter_mut().for_each(|times| times.sort_by_key(|&(worker, _)| worker));
    iterations.into_iter().map(|times| times.into_iter().map(|(_, seconds)| seconds).collect()).collect()
}
