//! Runs the tasks of a topic model without the engine: one thread calls the program's verbs in the schedule's
//! order.
//!
//! ```text
//! bare CORPUS [--topics 1000] [--epochs 20] [--shards S] [--repeats 3] [--beside N]
//! ```
//! Each repeat runs the tasks directly and the same run on the engine with one worker, in alternating order;
//! both must end with the same totals. Prints the median seconds of both, the median ratio of their times
//! with the minimum and maximum, that ratio per task, and the median and best rate of the last five epochs of
//! the direct run.
//!
//! With `--beside N` each repeat runs one thread directly, then N independent threads, then the engine with N
//! workers: the independent threads show what the cores delivered at that time, and so how much of it N
//! workers used.

#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "it times what it runs")]

use std::error::Error;
use std::time::Instant;

use raddle::schedule::{EpochStart, Plan};
use raddle::{Aggregate, BlockTaskOf, Fold, Metric, Partials, Program, Schedule, Task, UpdateBlock};
use raddle_lda::{HoldOut, Lda, Preparation, Problem};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let option = |name: &str, default: u64| -> Result<u64, Box<dyn Error>> {
        match arguments.iter().position(|argument| argument == name) {
            Some(at) => Ok(arguments.get(at + 1).ok_or("a value is missing")?.parse()?),
            None => Ok(default),
        }
    };
    let source =
        arguments.get(1).ok_or("usage: bare CORPUS [--topics K] [--epochs N] [--shards S] [--repeats R]")?;
    let (epochs, repeats) = (option("--epochs", 20)?, option("--repeats", 3)?);
    let corpus = raddle_datasets::read_any_corpus(source, &Default::default())?;
    let preparation = Preparation {
        validation: HoldOut::None,
        // By the number of tokens unless given.
        shards: Some(option("--shards", 0)? as usize).filter(|&shards| shards > 0),
        ..Preparation::default()
    };
    let problem = Problem::new(&corpus, &preparation)?;
    let lda = Lda::params().topics(option("--topics", 1000)? as usize).fixed_priors(true).epochs(epochs);
    let lda = lda.evaluate_every(1 << 40);
    let beside = option("--beside", 1)? as usize;
    if beside > 1 {
        return compare(&lda, &problem, epochs, beside, repeats);
    }
    let (mut by_hand, mut on_engine, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    let (mut last, mut tasks) = (Vec::new(), 0);
    for repeat in 0..repeats {
        let on = || lda.clone().fit(problem.clone());
        let (before, run) =
            (if repeat % 2 == 1 { Some(on()?) } else { None }, bare(&lda, problem.clone(), epochs)?);
        let fit = match before {
            Some(fit) => fit,
            None => on()?,
        };
        assert_eq!(run.totals, fit.totals(), "the engine and the loop by hand differ");
        let seconds = fit.report.seconds - fit.trace.iter().map(|record| record.measured).sum::<f64>();
        ratios.push(seconds / run.seconds);
        by_hand.push(run.seconds);
        on_engine.push(seconds);
        last.extend(run.epochs.iter().rev().take(5));
        tasks = run.tasks;
    }
    let (bare, engine, ratio) = (median(&mut by_hand), median(&mut on_engine), median(&mut ratios));
    let (least, most, more) =
        (ratios[0], ratios[ratios.len() - 1], 1e6 * (ratio - 1.0) * bare / tasks as f64);
    println!("{source}: {epochs} epochs, {tasks} tasks: by hand {bare:.3} s, on the engine {engine:.3} s");
    println!("ratio {ratio:.3} [{least:.3}, {most:.3}], {more:.1} us a task more");
    let rate = |seconds: f64| problem.tokens() as f64 / seconds / 1e6;
    let best = rate(last.iter().copied().fold(f64::INFINITY, f64::min));
    let middle = rate(median(&mut last));
    println!("steady {middle:.2} million tokens/s, {best:.2} at best");
    Ok(())
}

/// Runs one thread, N independent threads, and N workers in turn.
fn compare(
    lda: &Lda,
    problem: &Problem,
    epochs: u64,
    count: usize,
    repeats: u64,
) -> Result<(), Box<dyn Error>> {
    let (mut gained, mut free) = (Vec::new(), Vec::new());
    for _ in 0..repeats {
        let one = bare(lda, problem.clone(), epochs)?.seconds;
        let apart = std::thread::scope(|scope| -> Result<f64, String> {
            let run = || bare(lda, problem.clone(), epochs).map_err(|error| error.to_string());
            let threads: Vec<_> = (0..count).map(|_| scope.spawn(run)).collect();
            let mut slowest = 0.0f64;
            for thread in threads {
                slowest = slowest.max(thread.join().map_err(|_| "a thread has panicked")??.seconds);
            }
            Ok(slowest)
        })?;
        let fit = lda.clone().workers(count).fit(problem.clone())?;
        let measured: f64 = fit.trace.iter().map(|record| record.measured).sum();
        let seconds = fit.report.seconds - measured;
        println!("one thread {one:.3} s, {count} apart {apart:.3} s each, {count} workers {seconds:.3} s");
        gained.push(one / seconds);
        free.push(count as f64 * one / apart);
    }
    println!("{count} workers {:.2} times one, threads apart {:.2}", median(&mut gained), median(&mut free));
    Ok(())
}

/// The result of a direct run.
struct ByHand {
    totals: Vec<i64>,
    seconds: f64,
    epochs: Vec<f64>,
    tasks: usize,
}

/// Runs the tasks in the schedule's order.
fn bare(lda: &Lda, problem: Problem, epochs: u64) -> Result<ByHand, Box<dyn Error>> {
    let (program, mut schedule, mut parts) = lda.parts(problem)?;
    let (started, mut measured, mut each, mut tasks) = (Instant::now(), 0.0, Vec::new(), 0);
    for epoch in 0..epochs {
        let begun = Instant::now();
        let metric = Metric::new("none", 1.0, "nothing");
        let start = EpochStart { epoch, metric, objective: None, weights: Vec::new(), batch_hint: 0 };
        let Plan::Known(rounds) = schedule.begin_epoch(&start) else {
            return Err("a rotation is known".into());
        };
        let mut folded = None;
        for (at, round) in (0..).zip(&rounds) {
            for given in &round.tasks {
                let (phase, shard, block) = (round.phase, given.shard, given.block);
                let task = Task { epoch, round: at, phase, shard, block, variables: Vec::new() };
                let (shard, number) = (&mut parts.shards[shard as usize], block.unwrap_or(0));
                let (block, replica) = (&mut parts.blocks[number as usize], &parts.replica);
                let before = Instant::now();
                let partial =
                    program.update_block(BlockTaskOf { task: &task, shard, number, block, replica });
                measured +=
                    if program.is_evaluation(Some(&phase)) { before.elapsed().as_secs_f64() } else { 0.0 };
                match &mut folded {
                    None => folded = Some(partial),
                    Some(so_far) => program.fold(so_far, partial),
                }
                tasks += 1;
            }
        }
        let partials = Partials::from(folded.into_iter().map(|partial| (0, partial)).collect::<Vec<_>>());
        let (round, pinned) = (rounds.last().ok_or("an epoch has rounds")?, &mut parts.pinned);
        let change = program.aggregate(Aggregate { round, pinned, partials });
        program.commit(&change, &mut parts.replica);
        each.push(begun.elapsed().as_secs_f64());
    }
    let fit = raddle_lda::Replica::clone(&parts.replica);
    let seconds = started.elapsed().as_secs_f64() - measured;
    Ok(ByHand { totals: fit.topics().to_vec(), seconds, epochs: each, tasks })
}

fn median(seconds: &mut [f64]) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}
