//! The exact solution on a small working set, by following it from where it is known.
//!
//! b is the exact minimum of F with q replaced by q + d, for a d that is easily written down: on the support
//! d_j = L s_j - g_j, elsewhere 0, or what takes a violator's gradient below L. As d shrinks by a common
//! factor from 1 to 0 the minimum moves along straight lines, and at each corner one member enters or leaves
//! the support: a homotopy (Osborne, Presnell and Turlach, "A new approach to variable selection in least
//! squares problems", 2000) as a parametric active-set method (Best, "An algorithm for the solution of the
//! parametric quadratic programming problem", 1996), which starts from any b. With the inverse of the
//! support's Gram at hand a corner costs k^2 + k m operations for k of m members, where a Newton step costs a
//! factorisation and may have to stop at the first coefficient that vanishes. Epochs and Newton steps remain
//! for what is too large, and for where rounding leaves the path.

use raddle::cancellation_point;

use super::inverse::Inverse;
use super::local::{Local, LocalProblem};
use super::stats::Work;
use super::symmetric::Symmetric;
use raddle_kernels::algebra::{LANES, add_scaled, add_scaled_columns, sum_rows};

/// Members up to which the path is followed: Gram and inverse then lie in a second-level cache.
pub(crate) const MOST_MEMBERS: usize = 256;

/// A gradient that moves by less than this share of the largest d stands still: a duplicate of a member of
/// the support follows it along L.
const STILL: f64 = 1e-10;

/// The inverse is made anew when the gradient on the support is off by more than this share of L at a path's
/// end.
const ACCURATE: f64 = 1e-9;

/// Corners for each member, after which the path is given up.
const CORNERS: usize = 6;

/// The support, its signs, and the inverse of its Gram; they are kept from one solve to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Homotopy {
    support: Vec<usize>,
    signs: Vec<f64>,
    inverse: Inverse,
}

raddle::state!(Homotopy { support, signs, inverse });

/// The path has been lost: columns depend on each other in a way that no exchange mends, or corners do not
/// end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lost;

/// Where the path bends next.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Corner {
    End,
    /// The coefficient at this place of the support vanishes.
    Leaves(usize),
    /// The gradient of this member reaches L, times the sign.
    Enters(usize, f64),
}

/// Where the path stands, and where it leads.
struct Path {
    /// d, and the share of it that is left.
    shift: Vec<f64>,
    left: f64,
    /// Below this a gradient stands still.
    still: f64,
    is_support: Vec<bool>,
    /// How b moves on the support, and g at all members, for each unit of `left` used up.
    step: Vec<f64>,
    drift: Vec<f64>,
}

impl Homotopy {
    /// Forgets the support, as when members are renumbered; memory is kept.
    pub(crate) fn clear(&mut self) {
        self.support.clear();
        self.signs.clear();
        self.inverse.clear();
    }

    /// Check that the support fits this number of members.
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

    /// Moves b to the minimum of F; g follows.
    ///
    /// # Errors
    /// The path is lost; b and g are unchanged.
    pub(crate) fn solve(
        &mut self,
        local: &mut Local,
        problem: LocalProblem,
        work: &mut Work,
    ) -> Result<(), Lost> {
        let before = (local.b.clone(), local.g.clone());
        let mut done = self.follow(local, problem.penalty, work);
        if done.is_err() {
            // It may have been the inverse that was lost, in the rounding of many changes.
            (local.b, local.g) = before.clone();
            self.clear();
            done = self.follow(local, problem.penalty, work);
        }
        if done.is_err() {
            (local.b, local.g) = before;
            self.clear();
        }
        done
    }

    fn follow(&mut self, local: &mut Local, penalty: f64, work: &mut Work) -> Result<(), Lost> {
        self.start(local, work)?;
        let mut path = self.path(local, penalty);
        for _ in 0..CORNERS * (local.b.len() + 1) {
            self.direct(&mut path, local, work);
            let (length, corner) = self.next_corner(&path, local, penalty);
            for (&i, step) in self.support.iter().zip(&path.step) {
                local.b[i] += length * step;
            }
            add_scaled(&mut local.g, length, &path.drift);
            path.left -= length;
            work.corners += 1;
            match corner {
                Corner::End => {
                    self.refine(local, penalty, &mut path);
                    return Ok(());
                }
                Corner::Leaves(at) => self.remove(at, local, &mut path, work),
                Corner::Enters(member, sign) => {
                    if let Err(shares) = self.insert(&local.gram, member, sign, work) {
                        let at = self.exchange(local, member, sign, &shares).ok_or(Lost)?;
                        self.remove(at, local, &mut path, work);
                        self.insert(&local.gram, member, sign, work).map_err(|_| Lost)?;
                    }
                    path.is_support[member] = true;
                }
            }
        }
        Err(Lost)
    }

    /// Brings the inverse to the support of b.
    fn start(&mut self, local: &Local, work: &mut Work) -> Result<(), Lost> {
        let kept = self.support.iter().zip(&self.signs).all(|(&i, sign)| local.b[i] * sign > 0.0);
        if kept && local.b.iter().filter(|&&b| b != 0.0).count() == self.support.len() {
            return Ok(());
        }
        self.clear();
        for (i, b) in local.b.iter().enumerate().filter(|(_, b)| **b != 0.0) {
            self.insert(&local.gram, i, b.signum(), work).map_err(|_| Lost)?;
        }
        Ok(())
    }

    /// The path's beginning: d such that b is the minimum.
    fn path(&self, local: &Local, penalty: f64) -> Path {
        // The worse a violator, the farther inside, and the sooner it enters: at L / (|g| + L) of the way.
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

    /// Where the path leads: g + left d stays L s on the support, so G_SS db = -d_S as `left` falls.
    fn direct(&self, path: &mut Path, local: &Local, work: &mut Work) {
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
        work.homotopy_flops += flops;
        cancellation_point(flops);
    }

    /// How far the path is straight, and what happens there; the first of equals.
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

    /// Takes a member into the support. Where its column depends on the support, nothing is changed, and what
    /// is returned are the shares of the support in it.
    fn insert(
        &mut self,
        gram: &Symmetric,
        member: usize,
        sign: f64,
        work: &mut Work,
    ) -> Result<(), Vec<f64>> {
        let row = gram.row(member);
        let products: Vec<f64> = self.support.iter().map(|&i| row[i]).collect();
        work.homotopy_flops += 4 * (products.len() * products.len()) as u64;
        self.inverse.insert(&products, row[member])?;
        self.support.push(member);
        self.signs.push(sign);
        Ok(())
    }

    /// Takes the member at a place out of the support; the last one takes its place.
    fn remove(&mut self, at: usize, local: &mut Local, path: &mut Path, work: &mut Work) {
        work.homotopy_flops += 2 * (self.support.len() * self.support.len()) as u64;
        self.inverse.remove(at);
        self.signs.swap_remove(at);
        let member = self.support.swap_remove(at);
        local.b[member] = 0.0;
        path.is_support[member] = false;
    }

    /// Lets a member that the support makes up by `shares` take over from it, which moves neither the fit nor
    /// |b|_1, until a coefficient vanishes; returns the place of that one.
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

    /// At the end of the path: g computed anew, and one Newton step for what rounding has left.
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
        // The error gathered along the path tells how far the inverse is off: the next path begins with a new
        // one.
        if excess.iter().any(|excess| excess.abs() > ACCURATE * penalty) {
            self.clear();
        }
    }
}
