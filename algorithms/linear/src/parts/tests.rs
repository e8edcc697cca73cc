//! Shards that move take their dual values along, and no row is lost or duplicated.

use std::ops::Range;

use raddle::prelude::*;
use raddle::random::Stream;
use raddle::schedule::{Assignment, EpochStart, Plan, Round};
use raddle_common::testing::{not_empty, pairs};
use raddle_datasets::embedded;

use super::program::PartsProgram;
use super::schedule::PartsSchedule;
use super::settings::InParts;
use super::*;
use crate::{Linear, Loss, Problem};

/// Makes a program like this one, with another seed.
fn again(program: &PartsProgram, seed: u64) -> PartsProgram {
    let PartsProgram { rows, cut, sigma, tolerance, .. } = program;
    PartsProgram { rows: rows.clone(), cut: cut.clone(), sigma: *sigma, tolerance: *tolerance, seed }
}

/// After each of 1,000 random placements with a rescale in between, the weights follow from the dual values
/// of all rows.
#[test]
fn the_weights_stay_those_of_the_dual_values_of_all_shards() {
    let data = embedded::diabetes();
    let y: Vec<f64> = data.y.iter().map(|y| f64::from(u8::from(*y > 152.0))).collect();
    let problem = Problem::new(&data.x, &y, 1.0).unwrap();
    let linear = Linear::params().loss(Loss::Hinge).c(10.0).tolerance(1e-15);
    let plan: PartPlan = "0:16,1:4".parse().unwrap();
    let settings = InParts::new(linear, plan.clone());
    let (program, mut parts) = settings.made(&problem).unwrap();
    let all = problem.rows.whole().unwrap();
    let mut draw = Stream::new(&[39]);
    let mut compared = 0;
    let mut pick = |most: u64| (draw.unit() * most as f64) as usize + 1;
    for turn in 0..1000 {
        let costs: Vec<u64> = program.cut.costs().iter().map(|_| pick(9) as u64).collect();
        let schedule = PartsSchedule::new(plan.clone(), program.cut.clone(), turn);
        let engine = Engine::new(again(&program, turn), schedule, parts).epochs(2).costs(costs);
        let workers = pick(7);
        let engine = engine.workers(workers).threads(2).serialized(turn % 5 == 0).rescale(&[(1, pick(7))]);
        let ran = engine.run().unwrap().parts;
        let (mut w, mut scale) = (vec![0.0; all.width()], 0.0_f64);
        let mut seen = vec![0; problem.rows()];
        for shard in &ran.shards {
            for (row, a) in (shard.first as usize..).zip(shard.values()) {
                all.add(row, a * program.rows.signs[row], &mut w);
                seen[row] += 1;
            }
            assert!(not_empty(shard.values()).all(|a| (0.0..=10.0).contains(a)));
        }
        assert_eq!(seen, vec![1; problem.rows()], "turn {turn}");
        w.iter().for_each(|w| scale = scale.max(w.abs()));
        for (own, kept) in pairs(&w, &ran.replica) {
            assert!((own - kept).abs() <= 1e-12 * scale, "turn {turn}: {own} and {kept}");
            compared += 1;
        }
        parts = ran.into();
    }
    assert_eq!(compared, 11_000);
}

/// A shard meets only the block of its part, while the given cost is for a meeting with each block.
#[test]
fn an_epoch_costs_what_its_shards_cost() {
    let data = embedded::diabetes();
    let y: Vec<f64> = data.y.iter().map(|y| f64::from(u8::from(*y > 152.0))).collect();
    let problem = Problem::new(&data.x, &y, 1.0).unwrap();
    for plan in ["1", "4", "0:16,1:4", "auto"] {
        let plan: PartPlan = plan.parse().unwrap();
        let settings = InParts::new(Linear::params().loss(Loss::Hinge), plan.clone());
        let (program, _) = settings.made(&problem).unwrap();
        let blocks = u64::from(program.cut.finest());
        let mut schedule = PartsSchedule::new(plan.clone(), program.cut.clone(), 1);
        for epoch in 0..3 {
            let metric = Metric::new("gap", 1.0, "training data");
            let start =
                EpochStart { epoch, metric, objective: Some(0.0), weights: Vec::new(), batch_hint: 0 };
            let Plan::Known(rounds) = schedule.begin_epoch(&start) else { panic!("plans are known") };
            let costs = program.cut.costs();
            let tasks = rounds.iter().flat_map(|round| round.tasks.iter().map(|task| (task, &round.phase)));
            let cost = |(task, phase): (&Assignment, _)| {
                schedule.cost(epoch, phase, costs[task.shard as usize] / blocks)
            };
            let (sum, all): (u64, u64) = (tasks.map(cost).sum(), costs.iter().sum());
            assert!(sum <= all && all - sum < blocks * costs.len() as u64, "{plan}: {sum} of {all}");
        }
    }
}

/// Changes come in any order, each after others that it did not see.
#[test]
fn no_change_that_comes_late_lets_the_dual_fall() {
    let data = embedded::diabetes();
    let y: Vec<f64> = data.y.iter().map(|y| f64::from(u8::from(*y > 152.0))).collect();
    let problem = Problem::new(&data.x, &y, 1.0).unwrap();
    let (parts, mut draw, mut shortened) = (8, Stream::new(&[67]), 0);
    let losses = [Loss::Hinge, Loss::SquaredHinge, Loss::Logistic];
    for (loss, sigma) in losses.into_iter().flat_map(|loss| [(loss, 8.0), (loss, 1.0)]) {
        let settings = InParts::new(Linear::params().loss(loss), PartPlan::constant(parts)).shards(1);
        let program = DelayedParts(settings.made(&problem).unwrap().0);
        let shard = |rows: &Range<usize>| PartShard {
            first: rows.start as u64,
            rows: problem.rows.slice(rows.clone()).unwrap(),
            a: vec![0.0; rows.len()],
            before: Vec::new(),
        };
        let mut shards: Vec<PartShard> = program.0.cut.rows.iter().map(shard).collect();
        let mut weights = vec![0.0; problem.rows.width()];
        let mut pinned = DelayedStanding { standing: Standing::default(), weights: weights.clone() };
        let (mut idle, mut late, mut dual): (Vec<u32>, Vec<(u32, PartAnswer)>, f64) =
            ((0..parts).collect(), Vec::new(), 0.0);
        let phase = PartsPhase { parts, sigma };
        for round in 0..400 {
            if late.is_empty() || !idle.is_empty() && draw.below(3) > 0 {
                let shard = idle.swap_remove(draw.below(idle.len()));
                let task =
                    Task { epoch: 0, round, phase: phase.clone(), shard, block: None, variables: vec![] };
                let at = TaskOf { task: &task, shard: &mut shards[shard as usize], replica: &weights };
                late.push((shard, program.update(at)));
                continue;
            }
            let (shard, answer) = late.swap_remove(draw.below(late.len()));
            idle.push(shard);
            let round = Round::to_shards(phase.clone(), [shard]);
            let partials = vec![(shard, answer)].into();
            let change = program.aggregate(Aggregate { round: &round, pinned: &mut pinned, partials });
            shortened += u32::from(change.change.step < 1.0);
            program.commit(&change, &mut weights);
            (0..).zip(&mut shards).for_each(|(number, shard)| program.commit_shard(&change, number, shard));
            // What is not committed yet does not count.
            let of = |shard: &PartShard| {
                let a = if shard.before.is_empty() { &shard.a } else { &shard.before };
                program.0.terms(&PartShard { a: a.clone(), ..shard.clone() }, &weights).sums.1
            };
            let half = 0.5 * weights.iter().map(|weight| weight * weight).sum::<f64>();
            let now = shards.iter().map(of).sum::<f64>() - half;
            assert!(now >= dual - 1e-12 * dual.abs(), "{loss:?}: {now} after {dual}");
            dual = now;
        }
        assert!(dual > 0.0 && pinned.weights == weights);
    }
    assert!(shortened > 0);
}
