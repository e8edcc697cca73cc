//! Properties of the small programs: they learn, they count right, they find the optimum.

use raddle::schedule::{Automatic, Cyclic, Priority, PrioritySettings, Schedule, Shuffled};
use raddle::{Ending, Engine, Visibility};
use raddle_common::testing::pairs;

use crate::programs::{lda, mf, ridge};

/// Predictions less ratings, from the parts alone.
fn rmse(problem: &mf::Problem, program: &mf::Mf, parts: &raddle::Parts<mf::Mf>) -> f64 {
    let users: Vec<(f32, &[f32])> = rows(parts.shards.iter().map(|shard| &shard.rows), problem.rank);
    let items = rows(parts.blocks.iter(), problem.rank);
    let error = |&(user, item, rating): &(u32, u32, f32)| {
        let ((b, p), (c, q)) = (users[user as usize], items[item as usize]);
        let product: f64 = p.iter().zip(q).map(|(p, q)| f64::from(p * q)).sum();
        f64::from(rating - program.mean - b - c) - product
    };
    let ratings = problem.ratings();
    (ratings.iter().map(error).map(|error| error * error).sum::<f64>() / ratings.len() as f64).sqrt()
}

fn rows<'a>(parts: impl Iterator<Item = &'a mf::Rows>, rank: usize) -> Vec<(f32, &'a [f32])> {
    parts.flat_map(|rows| rows.biases.iter().copied().zip(rows.factors.chunks(rank))).collect()
}

#[test]
fn a_factorization_learns_and_certifies_the_error_it_has() {
    let problem = mf::Problem::small(11);
    let (program, parts) = problem.parts();
    let engine = Engine::new(program, problem.schedule(), parts).workers(3).epochs(60);
    let outcome = engine.run().unwrap();
    let certified = outcome.report.metric.value;
    let (program, _) = problem.parts();
    let independent = rmse(&problem, &program, &outcome.parts);
    assert!((certified - independent).abs() < 1e-5, "{certified} against {independent}");
    // The ratings spread by 0.9 and hold noise of 0.03.
    assert!(outcome.trace[1].value() > 0.5 && certified < 0.15, "{certified}");
}

#[test]
fn topic_counts_are_those_of_the_assignments_and_perplexity_falls() {
    for visibility in [Visibility::AtBoundary, Visibility::EachRound] {
        let problem = lda::Problem { shards: 6, blocks: 4, seed: 3, visibility };
        let (program, parts) = problem.parts();
        let (topics, words) = (program.topics, program.words);
        let engine = Engine::new(program, problem.schedule(), parts).workers(3).serialized(true).epochs(40);
        let outcome = engine.run().unwrap();
        let mut totals = vec![0; topics];
        let mut of_words = vec![0; words * topics];
        for shard in &outcome.parts.shards {
            let mut of_documents = vec![0; shard.counts.len()];
            let mut first = 0;
            for ((tokens, assigned), block) in
                shard.tokens.iter().zip(&shard.topics).zip(&outcome.parts.blocks)
            {
                for (&(document, word), &topic) in tokens.iter().zip(assigned) {
                    totals[topic as usize] += 1;
                    of_documents[document as usize * topics + topic as usize] += 1;
                    of_words[first + word as usize * topics + topic as usize] += 1;
                }
                first += block.counts.len();
            }
            assert_eq!(of_documents, shard.counts);
        }
        assert_eq!(totals, outcome.parts.replica.topics);
        let counts: Vec<u32> = outcome.parts.blocks.iter().flat_map(|block| block.counts.clone()).collect();
        assert_eq!(of_words, counts);
        let (early, late) = (outcome.trace[1].value(), outcome.report.metric.value);
        // Guessing among 40 words has perplexity 40; knowing the theme leaves 10, two themes a document about
        // 16.
        assert!(early > 30.0 && late < 20.0, "{visibility:?}: {early} to {late}");
    }
}

/// The minimum of the ridge objective by Gaussian elimination on the normal equations.
fn solve(columns: &[Vec<f64>], response: &[f64], lambda: f64) -> Vec<f64> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let n = columns.len();
    let mut matrix: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            let mut row: Vec<f64> = (0..n).map(|j| dot(&columns[i], &columns[j])).collect();
            row[i] += lambda;
            row.push(dot(&columns[i], response));
            row
        })
        .collect();
    for i in 0..n {
        let pivot = matrix[i].clone();
        for row in &mut matrix[i + 1..] {
            let factor = row[i] / pivot[i];
            row.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= factor * p);
        }
    }
    let mut solution = vec![0.0; n];
    for i in (0..n).rev() {
        solution[i] = (matrix[i][n] - dot(&matrix[i][i + 1..n], &solution[i + 1..])) / matrix[i][i];
    }
    solution
}

#[test]
fn every_schedule_finds_the_optimum_of_the_normal_equations() {
    let problem = ridge::Problem { rows: 120, ..ridge::Problem::small(7) };
    let (columns, response) = problem.data();
    let variables = || problem.variables();
    let priority =
        || Priority::new(variables(), PrioritySettings { rho: Some(0.3), ..PrioritySettings::new(8, 1) });
    let all: Vec<Box<dyn Schedule>> = vec![
        Box::new(Cyclic::new(variables(), 2)),
        Box::new(Shuffled::new(variables(), 4, 1)),
        Box::new(priority()),
        Box::new(Automatic::new(
            variables(),
            vec![Box::new(priority()), Box::new(Shuffled::new(variables(), 4, 1))],
        )),
    ];
    let staleness = [0, 0, 1, 0];
    for (schedule, staleness) in pairs(all, staleness) {
        let (program, parts) = problem.parts();
        let optimum = solve(&columns, &response, program.lambda);
        let engine = Engine::new(program, schedule, parts).workers(2).staleness(staleness).epochs(3000);
        let outcome = engine.run().unwrap();
        assert_eq!(outcome.report.ending, Ending::Target);
        let found: Vec<f64> =
            outcome.parts.shards.iter().flat_map(|shard| shard.coefficients.clone()).collect();
        for (found, optimum) in pairs(&found, &optimum) {
            assert!((found - optimum).abs() < 1e-7, "{found} against {optimum}");
        }
    }
}
