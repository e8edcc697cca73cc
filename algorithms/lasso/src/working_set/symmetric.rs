//! A symmetric matrix that grows: both triangles stored, rows a stride apart.

/// A symmetric matrix of `order` rows, both triangles stored: whole rows are what coordinate descent adds.
///
/// Growing by half again at a time keeps the copying linear in the final size.
#[derive(Clone, Debug, Default)]
pub(crate) struct Symmetric {
    pub(crate) order: usize,
    pub(crate) stride: usize,
    pub(crate) values: Vec<f64>,
}

raddle::state!(Symmetric { order, stride, values });

/// Rows and columns of a mirrored tile: two tiles fit the first-level cache.
const TILE: usize = 32;

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
        if order > self.stride {
            let stride = order.max(self.stride + self.stride / 2).next_multiple_of(8);
            // Zeros from the system: rows that are not there yet take no memory.
            let mut values = vec![0.0; stride * stride];
            for (i, row) in values.chunks_exact_mut(stride).take(self.order).enumerate() {
                row[..self.order].copy_from_slice(self.row(i));
            }
            (self.stride, self.values, self.order) = (stride, values, order);
            return;
        }
        for i in 0..order {
            let from = if i < self.order { self.order } else { 0 };
            self.values[i * self.stride + from..i * self.stride + order].fill(0.0);
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
        let (order, stride) = (self.order, self.stride);
        for i0 in (first..order).step_by(TILE) {
            for j0 in (0..i0 + TILE).step_by(TILE) {
                for i in i0..order.min(i0 + TILE) {
                    for j in j0..i.min(j0 + TILE) {
                        self.values[j * stride + i] = self.values[i * stride + j];
                    }
                }
            }
        }
    }
}
