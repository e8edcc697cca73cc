//! A symmetric matrix that grows: both triangles stored, rows a stride apart.

/// A symmetric matrix of `order` rows, both triangles stored: whole rows are what coordinate descent adds.
///
/// `values` holds the rows that are there; what stands behind the last column of a row has no meaning.
#[derive(Clone, Debug, Default)]
pub(crate) struct Symmetric {
    pub(crate) order: usize,
    pub(crate) stride: usize,
    pub(crate) values: Vec<f64>,
}

raddle::state!(Symmetric { order, stride, values });

/// Rows and columns of a mirrored tile: two tiles fit the first-level cache.
const TILE: usize = 32;

/// From this order on a matrix gets room for [`FAR`]: below, what the allocator has at hand will do.
const NEAR: usize = 256;

/// The order for which a larger matrix gets room at once, 32 MB.
const FAR: usize = 2048;

/// Makes room for rows of `order` values in a row-major matrix of which `kept` rows are to be kept, `stride` apart before
/// and after.
///
/// Rows are set apart in place, a quarter further at least, so that the moving is linear in the final size. Memory is
/// asked for long before it is needed: pages that are not touched cost nothing, and those that are cost more than what is
/// done with them, so that copying a matrix to a larger place would be the dearest part of it.
pub(crate) fn make_room(values: &mut Vec<f64>, stride: &mut usize, kept: usize, order: usize) {
    if order > *stride {
        let wider = order.max(*stride + *stride / 4).next_multiple_of(8);
        values.truncate(kept * *stride);
        if values.capacity() < wider * wider {
            let ahead = if wider < NEAR { 4 * wider * wider } else { (4 * wider * wider).max(FAR * FAR) };
            // Where the system promises no more than it has, as much as is needed now must do.
            if values.try_reserve_exact(ahead - values.len()).is_err() {
                values.reserve_exact(wider * wider - values.len());
            }
        }
        values.resize(order * wider, 0.0);
        for row in (1..kept).rev() {
            values.copy_within(row * *stride..(row + 1) * *stride, row * wider);
        }
        *stride = wider;
    }
    if values.len() < order * *stride {
        values.resize(order * *stride, 0.0);
    }
}

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
        make_room(&mut self.values, &mut self.stride, self.order, order);
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
