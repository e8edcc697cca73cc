//! A symmetric matrix that grows: both triangles stored, rows a stride apart.

use raddle::state::{Reader, StateError, Writer};
use raddle::{State, fork_join};

/// A symmetric matrix of `order` rows, both triangles stored: whole rows are what coordinate descent adds.
///
/// `values` begins with the rows that are there and has room for more; what stands behind the last column of
/// a row has no meaning.
#[derive(Debug, Default)]
pub(crate) struct Symmetric {
    pub(crate) order: usize,
    pub(crate) stride: usize,
    pub(crate) values: Vec<f64>,
}

/// Rows and columns of a mirrored tile: two tiles fit the first-level cache.
const TILE: usize = 32;

/// From this order on a matrix gets room for [`FAR`]: below, what the allocator has at hand will do.
const NEAR: usize = 256;

/// The order for which a larger matrix gets room at once, 32 MB.
const FAR: usize = 2048;

/// Then rows are at least so far apart: to move them again costs more than the pages between them. An odd
/// number of cache lines, so that columns do not fall on the same ones.
const APART: usize = 1032;

/// Rows that one hand fills.
pub(super) const STRIP: usize = 16;

/// Filling a value of a page that was never touched takes as long as this number of operations; moving one
/// takes half.
const FILLING: usize = 16;
pub(super) const MOVING: usize = 8;

impl Symmetric {
    /// Number of rows.
    pub(crate) fn order(&self) -> usize {
        self.order
    }

    /// Row `i`, all of it.
    #[inline(always)]
    pub(crate) fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.stride..][..self.order]
    }

    /// Row `i`, to be written; the other triangle is not touched.
    pub(crate) fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[i * self.stride..][..self.order]
    }

    /// No rows; memory is kept.
    pub(crate) fn clear(&mut self) {
        self.order = 0;
    }

    /// Makes room for `order` rows; new elements are zero.
    pub(crate) fn grow(&mut self, order: usize) {
        let before = self.order;
        self.stretch(order);
        let stride = self.stride.max(1);
        let fill = |(strip, rows): (usize, &mut [f64])| {
            for (i, row) in (strip * STRIP..order).zip(rows.chunks_exact_mut(stride)) {
                row[if i < before { before } else { 0 }..order].fill(0.0);
            }
        };
        let cost = FILLING * (order * order).saturating_sub(before * before);
        fork_join::each(
            cost as u64,
            self.values[..order * stride].chunks_mut(STRIP * stride).enumerate(),
            fill,
        );
    }

    /// Makes room for `order` rows; new elements have no meaning yet.
    ///
    /// Rows are set apart in place, a quarter further at least, so that the moving is linear in the final
    /// size. Memory is asked for long before it is needed: pages that are not touched cost nothing, and those
    /// that are cost more than what is done with them, so that copying a matrix to a larger place would be
    /// the dearest part of it.
    pub(crate) fn stretch(&mut self, order: usize) {
        let (before, kept) = (self.stride, self.order.min(order));
        if order > before {
            let wider = order.max(before + before / 4).next_multiple_of(8);
            self.stride = if wider < NEAR { wider } else { wider.max(APART) };
        }
        if self.values.len() < order * self.stride {
            let least = self.stride * self.stride;
            let ahead = if self.stride < NEAR { least } else { (4 * least).max(FAR * FAR) };
            // Where the system promises no more than it has, as much as is needed now must do.
            let values = bytemuck::try_zeroed_vec(ahead).unwrap_or_else(|()| vec![0.0; least]);
            let old = std::mem::replace(&mut self.values, values);
            let rows = self.values.chunks_exact_mut(self.stride).zip(old.chunks(before.max(1))).take(kept);
            fork_join::each((FILLING * kept * kept) as u64, rows, |(to, from)| {
                to[..kept].copy_from_slice(&from[..kept]);
            });
        } else if self.stride > before {
            for row in (1..kept).rev() {
                self.values.copy_within(row * before..row * before + kept, row * self.stride);
            }
        }
        self.order = order;
    }

    /// Keeps the first `order` rows and columns.
    pub(crate) fn shrink(&mut self, order: usize) {
        self.order = self.order.min(order);
    }

    /// Exchanges two rows, and the same two columns.
    pub(crate) fn swap(&mut self, i: usize, j: usize) {
        if i == j {
            return;
        }
        let (order, stride) = (self.order, self.stride);
        for k in 0..order {
            self.values.swap(i * stride + k, j * stride + k);
        }
        for k in 0..order {
            self.values.swap(k * stride + i, k * stride + j);
        }
    }

    /// Copies the rows from `first` on, left of and on the diagonal, to the other triangle.
    pub(crate) fn mirror(&mut self, first: usize) {
        let (count, stride) = (self.order - first, self.stride.max(1));
        let (before, new) = self.values.split_at_mut(first * stride);
        let cost = MOVING * count * self.order;
        fork_join::each(
            cost as u64,
            (0..).step_by(TILE).zip(before.chunks_mut(TILE * stride)),
            |(j0, rows)| {
                for i0 in (0..count).step_by(TILE) {
                    for (j, row) in (j0..).zip(rows.chunks_exact_mut(stride)) {
                        for i in i0..count.min(i0 + TILE) {
                            row[first + i] = new[i * stride + j];
                        }
                    }
                }
            },
        );
        for i0 in (0..count).step_by(TILE) {
            for j0 in (0..i0 + TILE).step_by(TILE) {
                for i in i0..count.min(i0 + TILE) {
                    for j in j0..i.min(j0 + TILE) {
                        new[j * stride + first + i] = new[i * stride + first + j];
                    }
                }
            }
        }
    }
}

// Room without rows in it neither travels nor is copied.
impl Symmetric {
    fn rows(&self) -> Vec<f64> {
        self.values[..self.order * self.stride].to_vec()
    }
}

impl Clone for Symmetric {
    fn clone(&self) -> Self {
        Self { order: self.order, stride: self.stride, values: self.rows() }
    }
}

/// Rows without the room between them.
impl State for Symmetric {
    fn save(&self, out: &mut Writer) {
        out.write(&self.order);
        (0..self.order).for_each(|i| f64::save_slice(self.row(i), out));
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let refused = StateError::new("a square matrix");
        let order: usize = from.read()?;
        let bytes = order.checked_mul(order).and_then(|values| values.checked_mul(size_of::<f64>()));
        if bytes.is_none_or(|bytes| bytes > from.remaining()) {
            return Err(refused);
        }
        let mut matrix = Self::default();
        matrix.grow(order);
        for i in 0..order {
            matrix.row_mut(i).copy_from_slice(&f64::load_vec(order, from)?);
        }
        Ok(matrix)
    }
}
