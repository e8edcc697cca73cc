//! A Newton step on the support: whole where it keeps all signs, else line search or block pivoting.

use super::factor::Factor;
use super::line_search::line_search;
use super::local::{Local, Problem};
use super::stats::Work;
use crate::kernels::{NotPositive, sum_squares};

/// Rounds of block pivoting before it is given up.
const PIVOT_ROUNDS: usize = 20;

/// Moves b to the minimum of the face it lies on, or as far as the objective falls; g follows.
///
/// On the face F is the quadratic with G_SS, S the support: d = G_SS^-1 (g_S - L s), s the signs. If b + d keeps
/// the signs it is the minimum, exactly. Otherwise the better of two points: the exact line search along d, and
/// block pivoting, which drops the members with the wrong sign and solves again until there are none.
///
/// # Errors
/// The Gram of the support has no factor; b is unchanged.
pub(crate) fn newton(
    local: &mut Local,
    problem: Problem,
    factor: &mut Factor,
    work: &mut Work,
) -> Result<(), NotPositive> {
    let support: Vec<usize> = (0..local.b.len()).filter(|&i| local.b[i] != 0.0).collect();
    work.newtons += 1;
    factor.prepare(&local.gram, &support, super::inner::most_columns(problem.rows), work)?;
    // Everything below is by row of the factor; members that left the support stand there with b = 0.
    let outside: Vec<usize> = (0..factor.members().len())
        .filter(|&place| local.b[factor.members()[place] as usize] == 0.0)
        .collect();
    if factor.hold(&outside, work).is_err() {
        // One that left duplicates one that stayed.
        factor.rebuild(&local.gram, &support, work)?;
    }
    let b = by_place(factor, &local.b);
    let g = by_place(factor, &local.g);
    let mut r: Vec<f64> = g
        .iter()
        .zip(&b)
        .map(|(g, &b)| if b == 0.0 { 0.0 } else { g - problem.penalty * b.signum() })
        .collect();
    factor.forward(&mut r, work);
    let mut d = Vec::new();
    let image = factor.solve(&r, &mut d, work);
    if b.iter().zip(&d).all(|(&b, d)| b == 0.0 || (b + d) * b > 0.0) {
        work.whole_steps += 1;
        let members: Vec<usize> = factor.members().iter().map(|&i| i as usize).collect();
        let target: Vec<f64> = b.iter().zip(&d).map(|(b, d)| b + d).collect();
        move_to(local, &members, &target, work);
        return Ok(());
    }
    let step = line_search(&b, &d, sum_squares(&image), problem.penalty);
    let start = Start { members: factor.members().iter().map(|&i| i as usize).collect(), b, d };
    let target = match pivot(local, problem, factor, &start, work) {
        Some((target, gain)) if gain < step.gain => {
            work.pivotings += 1;
            target
        }
        _ => {
            work.line_searches += 1;
            start.b.iter().zip(&start.d).map(|(&b, d)| end(b, step.length * d)).collect()
        }
    };
    move_to(local, &start.members, &target, work);
    Ok(())
}

/// b + change; zero where that is rounding: the line search stops at points where a coefficient vanishes.
fn end(b: f64, change: f64) -> f64 {
    let end = b + change;
    if end.abs() <= 1e-14 * b.abs() { 0.0 } else { end }
}

/// Where the step starts: by row of the factor as it was.
struct Start {
    members: Vec<usize>,
    b: Vec<f64>,
    d: Vec<f64>,
}

/// Block pivoting from the signs of b: where it ends, and F there less F at the start; None where it does not
/// end or a factor fails.
fn pivot(
    local: &Local,
    problem: Problem,
    factor: &mut Factor,
    start: &Start,
    work: &mut Work,
) -> Option<(Vec<f64>, f64)> {
    let mut wrong: Vec<usize> = (0..start.b.len())
        .filter(|&place| start.b[place] != 0.0 && (start.b[place] + start.d[place]) * start.b[place] <= 0.0)
        .collect();
    let mut free: Vec<bool> = start.b.iter().map(|&b| b != 0.0).collect();
    let mut signs: Vec<f64> = start.b.iter().map(|b| b.signum()).collect();
    let mut z = right_side(local, problem, factor, &free, &signs, work);
    let mut x = Vec::new();
    for _ in 0..PIVOT_ROUNDS {
        work.pivot_rounds += 1;
        wrong.iter().for_each(|&place| free[place] = false);
        if factor.is_dear(wrong.len()) || factor.hold(&wrong, work).is_err() {
            let members = factor.members().iter().zip(&free);
            let kept: Vec<usize> = members.filter(|(_, free)| **free).map(|(&i, _)| i as usize).collect();
            if kept.is_empty() {
                return None;
            }
            factor.rebuild(&local.gram, &kept, work).ok()?;
            signs = factor.members().iter().map(|&i| local.b[i as usize].signum()).collect();
            free = vec![true; kept.len()];
            z = right_side(local, problem, factor, &free, &signs, work);
        }
        let image = factor.solve(&z, &mut x, work);
        wrong = (0..x.len()).filter(|&place| free[place] && x[place] * signs[place] <= 0.0).collect();
        if wrong.is_empty() {
            let value = |&i: &usize| factor.place(i).map_or(0.0, |place| x[place]);
            let target = start.members.iter().map(value).collect();
            return Some((target, gain(local, problem, start, &image)));
        }
    }
    None
}

/// L^-1 (q - L s) by row of the factor, for the members that are free.
fn right_side(
    local: &Local,
    problem: Problem,
    factor: &Factor,
    free: &[bool],
    signs: &[f64],
    work: &mut Work,
) -> Vec<f64> {
    let mut r = by_place(factor, &local.q);
    for ((r, &free), sign) in r.iter_mut().zip(free).zip(signs) {
        *r = if free { *r - problem.penalty * sign } else { 0.0 };
    }
    factor.forward(&mut r, work);
    r
}

/// F(x) - F(b) for x stationary on its face and zero outside: F(x) = y'y/2 - x'G x/2, and `image` is L'x.
fn gain(local: &Local, problem: Problem, start: &Start, image: &[f64]) -> f64 {
    let at_start = |(&i, &b): (&usize, &f64)| 0.5 * b * (local.q[i] + local.g[i]) - problem.penalty * b.abs();
    start.members.iter().zip(&start.b).map(at_start).sum::<f64>() - 0.5 * sum_squares(image)
}

fn by_place(factor: &Factor, values: &[f64]) -> Vec<f64> {
    factor.members().iter().map(|&i| values[i as usize]).collect()
}

fn move_to(local: &mut Local, at: &[usize], target: &[f64], work: &mut Work) {
    work.solve_flops += 2 * (at.len() * local.b.len()) as u64;
    local.move_to(at, target);
}
