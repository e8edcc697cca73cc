//! Cholesky factor that Newton steps share: extended by members that enter, constrained for those that left.
//!
//! The factor L L' = M belongs to an ordered list of members that contains the support. A member that enters
//! is a row appended. A member that leaves stays in the factor, and its value is held by a constraint: with
//! W = L^-1 E for the unit vectors E of the held members, the solution of M x = r under x_held = 0 is
//!
//! x = L^-T (z + W m), z = L^-1 r, (W'W) m = -W'z,
//!
//! which costs k^2 operations per held member instead of the k^3/3 of a new factor. Held members cost
//! operations at every step: once these exceed the cost of a new factor, the factor is recomputed.

use raddle::state::{Reader, StateError, Writer};
use raddle::{State, fork_join};

use super::places::{NOWHERE, places};
use super::symmetric::Symmetric;
use raddle_kernels::algebra::{
    BLOCK, NotPositive, add_scaled_columns, cholesky_of, dot, gram, solve_lower, solve_lower_transposed,
    update_rows,
};

/// Added to the diagonal, relative to it: lets duplicate columns through, far below the accuracy of a face.
const RIDGE: f64 = 1e-12;

/// The ridge is multiplied by this when a factorisation fails.
const RIDGE_STEP: f64 = 100.0;

/// Beyond this ridge the Newton step is given up.
const RIDGE_MOST: f64 = 1e-5;

/// Number of rows of held members that are solved together.
const TOGETHER: usize = 16;

/// A factor, and the held members.
#[derive(Clone, Debug, Default)]
pub(crate) struct Factor {
    /// Members by row of the factor.
    members: Vec<u32>,
    /// Row of the factor by member, or `NOWHERE`.
    place: Vec<u32>,
    /// The lower triangle; elements right of it have no meaning.
    l: Symmetric,
    inverses: Vec<f64>,
    ridge: f64,
    /// The ridges of the rows, each with the first row that has it.
    ridges: Vec<(u32, f64)>,
    /// Operations spent on held members since the factor was last recomputed.
    spent: u64,
    held: HeldMembers,
}

/// Checkpoint of a factor: its rows follow from the matrix. Held members are released before every use.
#[derive(Clone, Debug, Default)]
pub(crate) struct FactorCheckpoint {
    members: Vec<u32>,
    ridges: Vec<(u32, f64)>,
    ridge: f64,
    spent: u64,
}

raddle::state!(FactorCheckpoint { members, ridges, ridge, spent });

/// The constraints: rows of W, their Gram, and its factor.
#[derive(Clone, Debug, Default)]
struct HeldMembers {
    places: Vec<usize>,
    w: Vec<f64>,
    gram: Symmetric,
    l: Symmetric,
    inverses: Vec<f64>,
}

/// Held members are released before every use, and are not written.
impl State for HeldMembers {
    fn save(&self, _: &mut Writer) {}

    fn load(_: &mut Reader<'_>) -> Result<Self, StateError> {
        Ok(Self::default())
    }
}

raddle::state!(Factor { members, place, l, inverses, ridge, ridges, spent, held });

impl Factor {
    /// Empties the factor, such as when members are renumbered, and keeps its memory.
    pub(crate) fn clear(&mut self) {
        self.members.clear();
        self.place.clear();
    }

    /// Returns the members by row of the factor.
    pub(crate) fn members(&self) -> &[u32] {
        &self.members
    }

    /// Returns the row of a member in the factor.
    pub(crate) fn place(&self, member: usize) -> Option<usize> {
        self.place.get(member).filter(|&&place| place != NOWHERE).map(|&place| place as usize)
    }

    /// Makes the factor contain `support`, with at most `limit` members; no member is held afterwards.
    ///
    /// # Errors
    /// No ridge makes the matrix positive definite.
    pub(crate) fn prepare(
        &mut self,
        matrix: &Symmetric,
        support: &[usize],
        limit: usize,
    ) -> Result<(), NotPositive> {
        self.held.clear();
        self.place.resize(matrix.order(), NOWHERE);
        let entering: Vec<usize> = support.iter().copied().filter(|&i| self.place[i] == NOWHERE).collect();
        let size = self.members.len() + entering.len();
        let leaving = size - support.len();
        if size > limit.max(support.len()) || self.is_dear(leaving) {
            return self.rebuild(matrix, support);
        }
        let done = self.members.len();
        self.append(&entering);
        self.factor(matrix, done).or_else(|_| {
            // Members that entered have no rows yet.
            self.members.truncate(done);
            self.rebuild(matrix, support)
        })
    }

    /// Makes a factor of `support` only: rows before the first that leaves are kept.
    ///
    /// # Errors
    /// No ridge makes the matrix positive definite.
    pub(crate) fn rebuild(&mut self, matrix: &Symmetric, support: &[usize]) -> Result<(), NotPositive> {
        self.held.clear();
        self.spent = 0;
        let mut stays = vec![false; matrix.order()];
        support.iter().for_each(|&i| stays[i] = true);
        let before = std::mem::take(&mut self.members);
        let mut done = before.iter().take_while(|&&i| stays[i as usize]).count();
        self.place.clear();
        self.place.resize(matrix.order(), NOWHERE);
        let kept: Vec<usize> = before.iter().map(|&i| i as usize).filter(|&i| stays[i]).collect();
        self.append(&kept);
        let entering: Vec<usize> = support.iter().copied().filter(|&i| self.place[i] == NOWHERE).collect();
        self.append(&entering);
        self.ridge = self.ridge.max(RIDGE);
        loop {
            match self.factor(matrix, done) {
                Ok(()) => return Ok(()),
                Err(error) if self.ridge * RIDGE_STEP > RIDGE_MOST => {
                    self.clear();
                    self.ridge = RIDGE;
                    return Err(error);
                }
                Err(_) => (self.ridge, done) = (self.ridge * RIDGE_STEP, 0),
            }
        }
    }

    /// `true` if holding `more` members costs more than a factor without the held ones.
    pub(crate) fn is_dear(&self, more: usize) -> bool {
        let (size, held) = (self.members.len() as u64, (self.held.places.len() + more) as u64);
        let left = size.saturating_sub(held);
        self.spent + more as u64 * size * size > left.pow(3) / 3
    }

    fn append(&mut self, entering: &[usize]) {
        for &i in entering {
            self.place[i] = self.members.len() as u32;
            self.members.push(i as u32);
        }
    }

    /// Factors the rows from `done` on.
    fn factor(&mut self, matrix: &Symmetric, done: usize) -> Result<(), NotPositive> {
        let size = self.members.len();
        if done == size {
            return Ok(());
        }
        self.l.shrink(done);
        self.l.stretch(size);
        let begin = (done / BLOCK * BLOCK) as u32;
        self.ridges.retain(|&(from, _)| from < begin);
        if self.ridges.last().is_none_or(|&(_, ridge)| ridge != self.ridge) {
            self.ridges.push((begin, self.ridge));
        }
        self.fill(matrix, done)
    }

    /// Factors the rows from `done` on, within the capacity.
    fn fill(&mut self, matrix: &Symmetric, done: usize) -> Result<(), NotPositive> {
        let (members, ridges, size) = (&self.members, &self.ridges, self.members.len());
        cholesky_of(&mut self.l.values, size, self.l.stride, done, &mut self.inverses, |place, row| {
            let from = matrix.row(members[place] as usize);
            for (value, &member) in row.iter_mut().zip(members) {
                *value = from[member as usize];
            }
            let behind = ridges.partition_point(|&(from, _)| from as usize <= place);
            row[place] += behind.checked_sub(1).map_or(0.0, |at| ridges[at].1) * row[place];
        })
    }

    /// Checkpoint of the factor.
    pub(crate) fn checkpoint(&self) -> FactorCheckpoint {
        let (members, ridges) = (self.members.clone(), self.ridges.clone());
        FactorCheckpoint { members, ridges, ridge: self.ridge, spent: self.spent }
    }

    /// Rebuilds the factor of the same matrix from its checkpoint: no element depends on when its row was
    /// added.
    pub(crate) fn rebuilt(checkpoint: FactorCheckpoint, matrix: &Symmetric) -> Result<Self, StateError> {
        let refused = || StateError::new("a factor of the working set");
        let FactorCheckpoint { members, ridges, ridge, spent } = checkpoint;
        let place = places(&members, matrix.order()).ok_or_else(refused)?;
        let mut factor = Self { members, place, ridge, ridges, spent, ..Self::default() };
        let size = factor.members.len();
        factor.l.stretch(size);
        factor.fill(matrix, 0).map_err(|_| refused())?;
        Ok(factor)
    }

    /// Computes z = L^-1 r in place, with r by row of the factor.
    pub(crate) fn forward(&self, r: &mut [f64]) {
        solve_lower(&self.l.values, self.l.stride, r);
    }

    /// Also holds the members in the rows `places`, which ascend.
    ///
    /// # Errors
    /// The constraints are dependent in floating point.
    pub(crate) fn hold(&mut self, places: &[usize]) -> Result<(), NotPositive> {
        let Some(&lowest) = places.first() else { return Ok(()) };
        let (size, stride, before) = (self.members.len(), self.l.stride, self.held.places.len());
        let held = &mut self.held;
        held.places.extend_from_slice(places);
        let count = held.places.len();
        held.w.resize(count * stride, 0.0);
        held.w[before * stride..count * stride].fill(0.0);
        for (row, &place) in held.w[before * stride..].chunks_exact_mut(stride).zip(places) {
            row[place] = 1.0;
        }
        // Left of the lowest place W is zero: its block is the first to be solved.
        let c0 = lowest / BLOCK * BLOCK;
        let (l, inverses) = (&self.l.values, &self.inverses);
        let solving = places.len() * (size - c0).pow(2) / 2;
        let rows = held.w[before * stride..].chunks_mut(TOGETHER * stride);
        fork_join::each(solving as u64, rows, |rows| {
            let count = rows.len() / stride;
            for j0 in (c0..size).step_by(BLOCK) {
                let (pivots, width) = (&l[j0 * stride + c0..], BLOCK.min(size - j0));
                let inverse = &inverses[j0 * BLOCK..(j0 + BLOCK) * BLOCK];
                update_rows(&mut rows[c0..], count, stride, pivots, j0 - c0, width, inverse);
            }
        });
        let rows: Vec<&[f64]> = held.w.chunks_exact(stride).map(|row| &row[..size]).collect();
        held.gram.grow(count);
        let gram_stride = held.gram.stride;
        gram(&rows[before..], &rows, before, &mut held.gram.values[before * gram_stride..], gram_stride);
        let cost = (places.len() * ((size - c0).pow(2) + 2 * count * size)) as u64;
        self.spent += cost;
        held.l.shrink(before);
        held.l.stretch(count);
        let from = &held.gram;
        cholesky_of(&mut held.l.values, count, held.l.stride, before, &mut held.inverses, |place, row| {
            row.copy_from_slice(&from.row(place)[..=place]);
        })
    }

    /// Returns how many members are held.
    pub(crate) fn held(&self) -> usize {
        self.held.places.len()
    }

    /// Keeps the first `count` held members, and releases the others.
    pub(crate) fn let_go(&mut self, count: usize) {
        self.held.places.truncate(count);
        self.held.gram.shrink(count);
    }

    /// Solves M x = r under x_held = 0, for z = L^-1 r: returns L'x, and writes x to `x`.
    pub(crate) fn solve(&self, z: &[f64], x: &mut Vec<f64>) -> Vec<f64> {
        let (size, held) = (z.len(), &self.held);
        let rows: Vec<&[f64]> = held
            .w
            .chunks_exact(self.l.stride.max(1))
            .take(held.places.len())
            .map(|row| &row[..size])
            .collect();
        let mut multipliers: Vec<f64> = rows.iter().map(|w| -dot(w, z)).collect();
        solve_lower(&held.l.values, held.l.stride, &mut multipliers);
        solve_lower_transposed(&held.l.values, held.l.stride, &mut multipliers);
        let mut image = z.to_vec();
        let columns: Vec<(f64, &[f64])> = multipliers.iter().copied().zip(rows).collect();
        add_scaled_columns(&mut image, &columns);
        x.clear();
        x.extend_from_slice(&image);
        solve_lower_transposed(&self.l.values, self.l.stride, x);
        // Rounding may have left a small value: set to exactly 0.
        held.places.iter().for_each(|&place| x[place] = 0.0);
        image
    }
}

impl HeldMembers {
    fn clear(&mut self) {
        self.places.clear();
        self.gram.clear();
    }
}
