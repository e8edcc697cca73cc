//! The inverse of a Gram matrix that columns enter and leave, one at a time.

use raddle::State;
use raddle::state::{Reader, StateError, Writer};

use super::symmetric::Symmetric;
use raddle_kernels::algebra::{LANES, add_outer, dot, sum_rows};

/// A column of which less than this share is left, squared, once the others are taken out depends on them.
const DEPENDENT: f64 = 1e-10;

/// M^-1 for the Gram M of k columns, both triangles stored.
///
/// Every change costs two or four k^2 operations, all of them multiples of rows, where a factor would need
/// triangular solves whose steps wait for each other. What rounding leaves behind is for the user to take
/// away, by a step with the true residual.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inverse {
    matrix: Symmetric,
    /// 0, 1, ..: all rows of the matrix.
    rows: Vec<usize>,
    /// Scratch: what a change adds to the rows, and by how much to each.
    image: Vec<f64>,
    scales: Vec<f64>,
}

/// Scratch is not written, and the rows are told from the matrix.
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
    /// No columns; memory is kept.
    pub(crate) fn clear(&mut self) {
        self.matrix.clear();
        self.rows.clear();
    }

    /// k.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// out = M^-1 a, followed by values without a meaning up to a whole group of lanes.
    pub(crate) fn times(&self, a: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.len().next_multiple_of(LANES), 0.0);
        sum_rows(out, a, &self.rows, &self.matrix.values, self.matrix.stride);
    }

    /// Takes a column in, behind the others: its products with them, and with itself. The inverse of the
    /// bordered matrix has (u u' / s) added to it, and (-u / s, 1 / s) as its last row, where u = M^-1 x, s
    /// what is left of the norm.
    ///
    /// # Errors
    /// The column depends on the others: the inverse is as it was, and what is returned is u, the share of
    /// each.
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
        // As a whole group of lanes: the image of the new column itself is -1, and makes its column.
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

    /// Takes a column out; the last one takes its place.
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
