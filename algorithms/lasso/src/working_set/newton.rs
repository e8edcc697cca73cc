//! A Newton step on the support: whole if it keeps all signs, else by line search or block pivoting.

use super::face::{Face, by_place};
use super::factor::Factor;
use super::line_search::line_search;
use super::local::{Local, LocalProblem};
use raddle_kernels::algebra::{NotPositive, sum_squares};

/// Largest number of rounds of block pivoting.
const PIVOT_ROUNDS: usize = 20;

/// A direction d is nearly one of dependence if d'Gd is below this share of its value for orthogonal columns:
/// along d the fit is constant, and only |b|_1 changes.
const STILL: f64 = 1e-10;

/// Largest number of directions followed with one factor before epochs run again.
const DIRECTIONS: usize = 64;

/// Returns the largest support on which a Newton step is tried directly, for n rows: beyond it the Gram is
/// singular or nearly so.
pub(crate) fn most_columns(rows: usize) -> usize {
    (rows * 98 / 100).max(1)
}

/// Moves b to the minimum of the face it lies on, or as far as the objective falls, and updates g.
///
/// On the face F is the quadratic with G_SS, S the support: d = G_SS^-1 (g_S - L s), s the signs. If b + d
/// keeps the signs it is the minimum, exactly. Otherwise b moves to the better of two points: the exact line
/// search along d, and block pivoting, which drops the members with the wrong sign and solves again until
/// there are none. If the line search is better, as near a singular G_SS, whose long directions say little
/// about the minimum, the coefficients that vanished are held at zero and the step continues from there with
/// the same factor.
///
/// # Errors
/// The Gram of the support has no factor; b is unchanged.
pub(crate) fn newton(
    local: &mut Local,
    problem: LocalProblem,
    factor: &mut Factor,
) -> Result<(), NotPositive> {
    let mut face = face_of(local, problem, factor)?;
    let mut without_progress = usize::MAX;
    for _ in 0..DIRECTIONS {
        raddle::cancellation_point((face.members.len() * face.members.len()) as u64);
        let curvature = face.direct(problem.penalty, factor);
        let wrong = face.wrong();
        if wrong.is_empty() {
            face.walk(1.0);
            break;
        }
        let step = line_search(&face.b, &face.d, curvature, problem.penalty);
        let mut same_factor = true;
        // A step that failed is tried again once the signs have improved.
        if curvature > STILL * face.apart(&local.gram)
            && wrong.len() < without_progress - without_progress / 4
        {
            without_progress = wrong.len();
            let held = factor.held();
            if let Some((target, gain)) = pivot(local, problem, factor, &face, wrong)
                && gain < step.gain
            {
                face.b = target;
                break;
            }
            // Pivoting recomputes the factor without some members if too many are held.
            same_factor = factor.members().len() == face.members.len();
            factor.let_go(held);
        }
        let vanished = face.walk(step.length);
        if !same_factor || factor.is_dear(vanished.len()) || factor.hold(&vanished).is_err() {
            settle(local, &face);
            match face_of(local, problem, factor) {
                Ok(next) => face = next,
                Err(_) => return Ok(()),
            }
        }
    }
    settle(local, &face);
    Ok(())
}

/// Moves b to the point that the face has reached, and updates g.
fn settle(local: &mut Local, face: &Face) {
    local.move_to(&face.members, &face.b);
}

/// Returns the face of b, with a factor of its support; members of the factor that left the support are held.
///
/// # Errors
/// The Gram of the support has no factor.
fn face_of(local: &Local, problem: LocalProblem, factor: &mut Factor) -> Result<Face, NotPositive> {
    let support: Vec<usize> = (0..local.b.len()).filter(|&i| local.b[i] != 0.0).collect();
    factor.prepare(&local.gram, &support, most_columns(problem.rows))?;
    let outside: Vec<usize> = (0..factor.members().len())
        .filter(|&place| local.b[factor.members()[place] as usize] == 0.0)
        .collect();
    if factor.hold(&outside).is_err() {
        // A member that left duplicates one that stayed.
        factor.rebuild(&local.gram, &support)?;
    }
    Ok(Face::new(local, factor))
}

/// Block pivoting from the signs of b, where `wrong` are those that one step changes. Returns its end point,
/// and F there less F at the start; `None` if it does not end or a factor fails.
fn pivot(
    local: &Local,
    problem: LocalProblem,
    factor: &mut Factor,
    face: &Face,
    mut wrong: Vec<usize>,
) -> Option<(Vec<f64>, f64)> {
    let Face { members, b, g, .. } = face;
    let mut free: Vec<bool> = b.iter().map(|&b| b != 0.0).collect();
    let mut signs: Vec<f64> = b.iter().map(|b| b.signum()).collect();
    let mut sign_of = vec![0.0; local.b.len()];
    members.iter().zip(&signs).for_each(|(&i, &sign)| sign_of[i] = sign);
    let mut z = right_side(local, problem, factor, &free, &signs);
    let mut x = Vec::new();
    for _ in 0..PIVOT_ROUNDS {
        raddle::cancellation_point((members.len() * members.len()) as u64);
        wrong.iter().for_each(|&place| free[place] = false);
        if factor.is_dear(wrong.len()) || factor.hold(&wrong).is_err() {
            let places = factor.members().iter().zip(&free);
            let kept: Vec<usize> = places.filter(|(_, free)| **free).map(|(&i, _)| i as usize).collect();
            if kept.is_empty() {
                return None;
            }
            factor.rebuild(&local.gram, &kept).ok()?;
            signs = by_place(factor, &sign_of);
            free = vec![true; kept.len()];
            z = right_side(local, problem, factor, &free, &signs);
        }
        let image = factor.solve(&z, &mut x);
        wrong = (0..x.len()).filter(|&place| free[place] && x[place] * signs[place] <= 0.0).collect();
        if wrong.is_empty() {
            let value = |&i: &usize| factor.place(i).map_or(0.0, |place| x[place]);
            let target = members.iter().map(value).collect();
            let at_start = |((&i, &b), g): ((&usize, &f64), &f64)| {
                0.5 * b * (local.q[i] + g) - problem.penalty * b.abs()
            };
            // F(x) = y'y/2 - x'G x/2 for x stationary on its face and zero outside, and the image is L'x.
            let before: f64 = members.iter().zip(b).zip(g).map(at_start).sum();
            return Some((target, before - 0.5 * sum_squares(&image)));
        }
    }
    None
}

/// Returns L^-1 (q - L s) by row of the factor, for the members that are free.
fn right_side(
    local: &Local,
    problem: LocalProblem,
    factor: &Factor,
    free: &[bool],
    signs: &[f64],
) -> Vec<f64> {
    let mut r = by_place(factor, &local.q);
    for ((r, &free), sign) in r.iter_mut().zip(free).zip(signs) {
        *r = if free { *r - problem.penalty * sign } else { 0.0 };
    }
    factor.forward(&mut r);
    r
}
