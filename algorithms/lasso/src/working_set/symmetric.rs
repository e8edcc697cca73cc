//! A symmetric matrix that grows: both triangles are stored, rows a stride apart.

use raddle::state::{Reader, StateError, Writer};
use raddle::{State, fork_join};

/// A symmetric matrix of `order` rows with both triangles stored, as coordinate descent adds whole rows.
///
/// `values` starts with the rows and has capacity for more; values after the last column of a row have no
/// meaning.
#[derive(Debug, Default)]
pub(crate) struct Symmetric {
    pub(crate) order: usize,
    pub(crate) stride: usize,
    pub(crate) values: Vec<f64>,
}

/// Rows and columns of a mirrored tile: two tiles fit the first-level cache.
const TILE: usize = 32;

/// From this order on a matrix gets capacity for [`FAR`]; below, the allocator's spare memory suffices.
const NEAR: usize = 256;

/// The order for which a larger matrix gets capacity at once, 32 MB.
const FAR: usize = 2048;

/// Stride between the rows of a larger matrix, at least: moving them again costs more than the pages between
/// them. An odd number of cache lines, so that the elements of a column do not fall on the same cache sets.
const APART: usize = 1032;

/// Number of rows that one task fills.
pub(super) const STRIP: usize = 16;

/// Filling a value on a page that was never touched takes as long as this number of operations; moving a
/// value takes half as long.
const FILLING: usize = 16;
pub(super) const MOVING: usize = 8;

impl Symmetric {
    /// Number of rows.
    pub(crate) fn order(&self) -> usize {
        self.order
    }

    /// Returns row `i`, all of it.
    #[inline(always)]
    pub(crate) fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.stride..][..self.order]
    }

    /// Returns row `i` for writing; the other triangle is not changed.
    pub(crate) fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[i * self.stride..][..self.order]
    }

    /// Removes all rows and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.order = 0;
    }

    /// Grows the matrix to `order` rows; new elements are zero.
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

    /// Grows the matrix to `order` rows; new elements have no meaning yet.
    ///
    /// Rows are spread in place, with a stride at least a quarter larger, so that all moves together are
    /// linear in the final size. Memory is allocated long before it is needed: untouched pages cost nothing,
    /// and touching a page costs more than the work on it, so that copying a matrix to a larger allocation
    /// would be the most expensive part.
    pub(crate) fn stretch(&mut self, order: usize) {
        let (before, kept) = (self.stride, self.order.min(order));
        if order > before {
            let wider = order.max(before + before / 4).next_multiple_of(8);
            self.stride = if wider < NEAR { wider } else { wider.max(APART) };
        }
        if self.values.len() < order * self.stride {
            let least = self.stride * self.stride;
            let ahead = if self.stride < NEAR { least } else { (4 * least).max(FAR * FAR) };
            // If the system does not promise more memory than it has, allocate only as much as is needed now.
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

    /// Swaps two rows, and the same two columns.
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

// Capacity without rows is neither sent nor copied.
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

/// Writes rows without the gaps between them.
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
