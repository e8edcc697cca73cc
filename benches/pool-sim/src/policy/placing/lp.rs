//! Linear programme of the cheapest placement, with fractions of workers and servers.

use std::panic::{AssertUnwindSafe, catch_unwind};

use microlp::{ComparisonOp, Error, OptimizationDirection, Problem, SolveOutcome};
use raddle_pool::policy::{Market, RESOURCES};

/// Maximum relative violation of a constraint by an answer.
const TOLERANCE: f64 = 1e-6;

/// Answer of the linear programme.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Answer {
    /// Workers and servers on each node, checked against all constraints.
    Found(Vec<(f64, f64)>),
    /// The programme is infeasible: there is no placement, even with fractions.
    Infeasible,
    /// The library panicked, gave up, or returned an answer that violates a constraint.
    Failed,
}

/// Solves for at least `workers` workers and `servers` servers.
pub(super) fn solve(market: &Market<'_>, workers: u32, servers: u32) -> Answer {
    match catch_unwind(AssertUnwindSafe(|| ask(market, workers, servers))) {
        Ok(Ok(found)) if holds(market, workers, servers, &found) => Answer::Found(found),
        Ok(Err(Error::Infeasible)) => Answer::Infeasible,
        Ok(_) | Err(_) => Answer::Failed,
    }
}

fn ask(market: &Market<'_>, workers: u32, servers: u32) -> Result<Vec<(f64, f64)>, Error> {
    let demand = &market.job.demand;
    let mut problem = Problem::new(OptimizationDirection::Minimize);
    // Prices of one slot differ by a hundred orders of magnitude, so the highest is scaled to 1.
    let dearest = market.worker.iter().chain(&market.server).fold(f64::MIN_POSITIVE, |a, &b| a.max(b));
    let variables: Vec<_> = (0..market.room.nodes())
        .map(|node| {
            let most = market.room.workers(node, demand, workers);
            let worker = problem.add_var(market.worker[node] / dearest, (0.0, f64::from(most)));
            let most = market.room.servers(node, demand, servers);
            let server = problem.add_var(market.server[node] / dearest, (0.0, f64::from(most)));
            (worker, server)
        })
        .collect();
    problem.add_constraint(variables.iter().map(|v| (v.0, 1.0)), ComparisonOp::Ge, f64::from(workers));
    if servers > 0 {
        problem.add_constraint(variables.iter().map(|v| (v.1, 1.0)), ComparisonOp::Ge, f64::from(servers));
    }
    for (node, v) in variables.iter().enumerate() {
        for r in 0..RESOURCES {
            let free = market.room.free(node)[r];
            let (a, b) = (demand.worker[r], demand.server[r]);
            if free.is_finite() && (a > 0.0 || b > 0.0) {
                problem.add_constraint([(v.0, a), (v.1, b)], ComparisonOp::Le, free.max(0.0));
            }
        }
    }
    let SolveOutcome::Solution(solution) = problem.solve()? else {
        return Err(Error::InternalError("interrupted".into()));
    };
    Ok(variables.iter().map(|v| (solution.var_value(v.0), solution.var_value(v.1))).collect())
}

/// `true` if an answer satisfies all constraints, checked independently of the library.
fn holds(market: &Market<'_>, workers: u32, servers: u32, found: &[(f64, f64)]) -> bool {
    let demand = &market.job.demand;
    let enough = |sum: f64, needed: u32| sum >= f64::from(needed) * (1.0 - TOLERANCE);
    found.len() == market.room.nodes()
        && found.iter().all(|&(w, s)| w >= -TOLERANCE && s >= -TOLERANCE)
        && enough(found.iter().map(|v| v.0).sum(), workers)
        && enough(found.iter().map(|v| v.1).sum(), servers)
        && found.iter().enumerate().all(|(node, &(w, s))| {
            (0..RESOURCES).all(|r| {
                let taken = w * demand.worker[r] + s * demand.server[r];
                taken <= market.room.free(node)[r].max(0.0) + TOLERANCE * (1.0 + taken.abs())
            })
        })
}
