//! The inverse of a Gram matrix that columns enter and leave, one at a time.

use raddle::State;
use raddle::state::{Reader, StateError, Writer};

use super::symmetric::Symmetric;
use raddle_kernels::algebra::{LANES, add_outer, dot, sum_rows};

/// A column depends on the others if, once they are projected out, less than this share of its squared norm
/// is left.
const DEPENDENT: f64 = 1e-10;

/// M^-1 for the Gram M of k columns, both triangles stored.
///
/// Every change costs two or four k^2 operations, all on whole rows, where a factor would need triangular
/// solves whose steps wait for each other. The caller must remove rounding errors, by a step with the true
/// residual.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inverse {
    matrix: Symmetric,
    /// 0, 1, ...: all rows of the matrix.
    rows: Vec<usize>,
    /// Buffers: the vector that a change adds to the rows, and its factor for each row.
    image: Vec<f64>,
    scales: Vec<f64>,
}

/// Buffers are not written, and the number of rows follows from the matrix.
impl State for Inverse {
    fn save(&self, out: &mut Writer) {
        out.write(&self.matrix);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let matrix: Symmetric = from.read()?;
        Ok(Self { rows: (0..matrix.order()).collect(), matrix, ..Self::default() })
    }
}

impl Inverse {
    /// Removes all columns and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.matrix.clear();
        self.rows.clear();
    }

    /// Returns k.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Computes out = M^-1 a, followed by meaningless values up to a whole group of lanes.
    pub(crate) fn times(&self, a: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.len().next_multiple_of(LANES), 0.0);
        sum_rows(out, a, &self.rows, &self.matrix.values, self.matrix.stride);
    }

    /// Appends a column, given its products with the others and with itself. The inverse of the bordered
    /// matrix has (u u' / s) added to it, and (-u / s, 1 / s) as its last row, where u = M^-1 x, and s is the
    /// part of the norm that is left.
    ///
    /// # Errors
    /// If the column depends on the others: the inverse is unchanged, and u, the coefficients of the others
    /// in it, is returned.
    pub(crate) fn insert(&mut self, products: &[f64], norm: f64) -> Result<(), Vec<f64>> {
        let size = self.len();
        let mut image = std::mem::take(&mut self.image);
        self.times(products, &mut image);
        let pivot = norm - dot(products, &image[..size]);
        if pivot.is_nan() || pivot <= DEPENDENT * norm {
            image.truncate(size);
            return Err(image);
        }
        self.matrix.grow(size + 1);
        let stride = self.matrix.stride;
        // Padded to a whole group of lanes: the image of the new column itself is -1, which makes its column.
        image[size..].fill(0.0);
        image.resize((size + 1).next_multiple_of(LANES), 0.0);
        image[size] = -1.0;
        self.scales.clear();
        self.scales.extend(image[..=size].iter().map(|value| value / pivot));
        add_outer(&mut self.matrix.values, stride, &self.scales, &image);
        self.rows.push(size);
        self.image = image;
        Ok(())
    }

    /// Removes a column; the last one takes its place.
    pub(crate) fn remove(&mut self, at: usize) {
        let last = self.len() - 1;
        self.matrix.swap(at, last);
        let (stride, width) = (self.matrix.stride, self.len().next_multiple_of(LANES));
        self.image.clear();
        self.image.extend_from_slice(&self.matrix.values[last * stride..][..width]);
        let pivot = self.image[last];
        self.image[last..].fill(0.0);
        self.scales.clear();
        self.scales.extend(self.image[..last].iter().map(|value| -value / pivot));
        add_outer(&mut self.matrix.values, stride, &self.scales, &self.image);
        self.matrix.shrink(last);
        self.rows.pop();
    }
}
