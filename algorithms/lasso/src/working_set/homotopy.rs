//! The exact solution on a small working set, found by following a path from a known solution.
//!
//! b is the exact minimum of F with q replaced by q + d, for a d with a simple form: on the support d_j = L
//! s_j - g_j, elsewhere 0, or for a violator the change that brings its gradient below L. As d shrinks by a
//! common factor from 1 to 0 the minimum moves along straight lines, and at each corner one member enters or
//! leaves the support: a homotopy (Osborne, Presnell and Turlach, "A new approach to variable selection in
//! least squares problems", 2000) as a parametric active-set method (Best, "An algorithm for the solution of
//! the parametric quadratic programming problem", 1996), which starts from any b. With the inverse of the
//! support's Gram a corner costs k^2 + k m operations for k of m members, whereas a Newton step costs a
//! factorisation and may have to stop at the first coefficient that vanishes. Epochs and Newton steps solve
//! sets that are too large, and those where rounding loses the path.

use raddle::cancellation_point;

use super::inverse::Inverse;
use super::local::{Local, LocalProblem};
use super::symmetric::Symmetric;
use raddle_kernels::algebra::{LANES, add_scaled, add_scaled_columns, sum_rows};

/// Largest number of members for which the path is followed: Gram and inverse then fit into a second-level
/// cache.
pub(crate) const MOST_MEMBERS: usize = 256;

/// A gradient that moves by less than this share of the largest d counts as constant: a duplicate of a member
/// of the support stays at L.
const STILL: f64 = 1e-10;

/// The inverse is recomputed when the gradient on the support is off by more than this share of L at the end
/// of a path.
const ACCURATE: f64 = 1e-9;

/// Largest number of corners for each member; then the path is given up.
const CORNERS: usize = 6;

/// The support, its signs, and the inverse of its Gram, which are kept from one solve to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Homotopy {
    support: Vec<usize>,
    signs: Vec<f64>,
    inverse: Inverse,
}

raddle::state!(Homotopy { support, signs, inverse });

/// The path was lost: columns depend on each other in a way that no exchange resolves, or there are too many
/// corners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lost;

/// The next corner of the path.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Corner {
    End,
    /// The coefficient at this place of the support vanishes.
    Leaves(usize),
    /// The gradient of this member reaches L, times the sign.
    Enters(usize, f64),
}

/// The current point of the path, and its direction.
struct Path {
    /// d; the next field is the share of it that is left.
    shift: Vec<f64>,
    left: f64,
    /// Gradients that change by less than this count as constant.
    still: f64,
    is_support: Vec<bool>,
    /// The change of b on the support, and of g at all members, for each unit of `left` used up.
    step: Vec<f64>,
    drift: Vec<f64>,
}

impl Homotopy {
    /// Empties the support, such as when members are renumbered, and keeps its memory.
    pub(crate) fn clear(&mut self) {
        self.support.clear();
        self.signs.clear();
        self.inverse.clear();
    }

    /// Checks that the support fits this number of members.
    pub(crate) fn fits(&self, members: usize) -> bool {
        let size = self.support.len();
        let is_sign = |sign: &f64| sign.abs() == 1.0;
        let mut named = vec![false; members];
        let mut is_new = |&i: &usize| named.get_mut(i).is_some_and(|named| !std::mem::replace(named, true));
        self.signs.len() == size
            && self.inverse.len() == size
            && self.signs.iter().all(is_sign)
            && self.support.iter().all(&mut is_new)
    }

    /// Moves b to the minimum of F, and updates g.
    ///
    /// # Errors
    /// The path is lost; b and g are unchanged.
    pub(crate) fn solve(&mut self, local: &mut Local, problem: LocalProblem) -> Result<(), Lost> {
        let before = (local.b.clone(), local.g.clone());
        let mut done = self.follow(local, problem.penalty);
        if done.is_err() {
            // The inverse may have become inaccurate by the rounding of many changes: try again with a new
            // one.
            (local.b, local.g) = before.clone();
            self.clear();
            done = self.follow(local, problem.penalty);
        }
        if done.is_err() {
            (local.b, local.g) = before;
            self.clear();
        }
        done
    }

    fn follow(&mut self, local: &mut Local, penalty: f64) -> Result<(), Lost> {
        self.start(local)?;
        let mut path = self.path(local, penalty);
        for _ in 0..CORNERS * (local.b.len() + 1) {
            self.direct(&mut path, local);
            let (length, corner) = self.next_corner(&path, local, penalty);
            for (&i, step) in self.support.iter().zip(&path.step) {
                local.b[i] += length * step;
            }
            add_scaled(&mut local.g, length, &path.drift);
            path.left -= length;
            match corner {
                Corner::End => {
                    self.refine(local, penalty, &mut path);
                    return Ok(());
                }
                Corner::Leaves(at) => self.remove(at, local, &mut path),
                Corner::Enters(member, sign) => {
                    if let Err(shares) = self.insert(&local.gram, member, sign) {
                        let at = self.exchange(local, member, sign, &shares).ok_or(Lost)?;
                        self.remove(at, local, &mut path);
                        self.insert(&local.gram, member, sign).map_err(|_| Lost)?;
                    }
                    path.is_support[member] = true;
                }
            }
        }
        Err(Lost)
    }

    /// Updates the inverse to the support of b.
    fn start(&mut self, local: &Local) -> Result<(), Lost> {
        let kept = self.support.iter().zip(&self.signs).all(|(&i, sign)| local.b[i] * sign > 0.0);
        if kept && local.b.iter().filter(|&&b| b != 0.0).count() == self.support.len() {
            return Ok(());
        }
        self.clear();
        for (i, b) in local.b.iter().enumerate().filter(|(_, b)| **b != 0.0) {
            self.insert(&local.gram, i, b.signum()).map_err(|_| Lost)?;
        }
        Ok(())
    }

    /// Returns the start of the path: the d for which b is the minimum.
    fn path(&self, local: &Local, penalty: f64) -> Path {
        // The worse a violator, the farther inside it starts and the sooner it enters: at L / (|g| + L) of
        // the path.
        let inside = |&g: &f64| if g.abs() > penalty { penalty * penalty / g - g } else { 0.0 };
        let mut shift: Vec<f64> = local.g.iter().map(inside).collect();
        let mut is_support = vec![false; shift.len()];
        for (&i, sign) in self.support.iter().zip(&self.signs) {
            shift[i] = penalty * sign - local.g[i];
            is_support[i] = true;
        }
        let still = STILL * shift.iter().fold(0.0, |most: f64, shift| most.max(shift.abs()));
        Path { shift, left: 1.0, still, is_support, step: Vec::new(), drift: Vec::new() }
    }

    /// Computes the direction of the path: g + left d stays L s on the support, so G_SS db = -d_S as `left`
    /// falls.
    fn direct(&self, path: &mut Path, local: &Local) {
        let Path { shift, step, drift, .. } = path;
        let wanted: Vec<f64> = self.support.iter().map(|&i| -shift[i]).collect();
        self.inverse.times(&wanted, step);
        let (size, members) = (self.support.len(), shift.len());
        step.truncate(size);
        let back: Vec<f64> = step.iter().map(|step| -step).collect();
        drift.clear();
        drift.resize(members.next_multiple_of(LANES), 0.0);
        sum_rows(drift, &back, &self.support, &local.gram.values, local.gram.stride);
        drift.truncate(members);
        let flops = 2 * (size * (size + members)) as u64;
        cancellation_point(flops);
    }

    /// Returns the distance to the next corner, and the corner; the first of equals.
    fn next_corner(&self, path: &Path, local: &Local, penalty: f64) -> (f64, Corner) {
        let (mut length, mut corner) = (path.left, Corner::End);
        for (at, (&i, step)) in self.support.iter().zip(&path.step).enumerate() {
            let way = local.b[i] * self.signs[at];
            if way < -length * step * self.signs[at] {
                (length, corner) = ((way / step.abs()).max(0.0), Corner::Leaves(at));
            }
        }
        for (j, ((g, shift), drift)) in local.g.iter().zip(&path.shift).zip(&path.drift).enumerate() {
            let speed = drift - shift;
            let way = penalty - (g + path.left * shift) * speed.signum();
            if way < length * speed.abs() && speed.abs() > path.still && !path.is_support[j] {
                (length, corner) = ((way / speed.abs()).max(0.0), Corner::Enters(j, speed.signum()));
            }
        }
        (length, corner)
    }

    /// Adds a member to the support. If its column depends on the support, nothing changes, and the
    /// coefficients of the support's columns in it are returned.
    fn insert(&mut self, gram: &Symmetric, member: usize, sign: f64) -> Result<(), Vec<f64>> {
        let row = gram.row(member);
        let products: Vec<f64> = self.support.iter().map(|&i| row[i]).collect();
        self.inverse.insert(&products, row[member])?;
        self.support.push(member);
        self.signs.push(sign);
        Ok(())
    }

    /// Removes the member at a place from the support; the last one takes its place.
    fn remove(&mut self, at: usize, local: &mut Local, path: &mut Path) {
        self.inverse.remove(at);
        self.signs.swap_remove(at);
        let member = self.support.swap_remove(at);
        local.b[member] = 0.0;
        path.is_support[member] = false;
    }

    /// Moves weight to a member that is the sum of the support's columns times `shares`, which changes
    /// neither the fit nor |b|_1, until a coefficient vanishes; returns the place of that one.
    fn exchange(&self, local: &mut Local, member: usize, sign: f64, shares: &[f64]) -> Option<usize> {
        let (mut length, mut gone) = (f64::INFINITY, None);
        for (at, (&i, share)) in self.support.iter().zip(shares).enumerate() {
            let reach = (local.b[i] / share).abs();
            if sign * share * self.signs[at] > 0.0 && reach < length {
                (length, gone) = (reach, Some(at));
            }
        }
        gone?;
        for (&i, share) in self.support.iter().zip(shares) {
            local.b[i] -= sign * length * share;
        }
        local.b[member] = sign * length;
        gone
    }

    /// Recomputes g at the end of the path, and takes one Newton step to remove rounding errors.
    fn refine(&mut self, local: &mut Local, penalty: f64, path: &mut Path) {
        let nonzero: Vec<(f64, &[f64])> =
            self.support.iter().map(|&i| (-local.b[i], local.gram.row(i))).collect();
        local.g.clone_from(&local.q);
        add_scaled_columns(&mut local.g, &nonzero);
        let excess: Vec<f64> =
            self.support.iter().zip(&self.signs).map(|(&i, sign)| local.g[i] - penalty * sign).collect();
        self.inverse.times(&excess, &mut path.step);
        let target: Vec<f64> =
            self.support.iter().zip(&path.step).map(|(&i, step)| local.b[i] + step).collect();
        if target.iter().zip(&self.signs).all(|(value, sign)| value * sign > 0.0) {
            local.move_to(&self.support, &target);
        }
        // The error at the end of the path shows how inaccurate the inverse is: the next path starts with a
        // new one.
        if excess.iter().any(|excess| excess.abs() > ACCURATE * penalty) {
            self.clear();
        }
    }
}
