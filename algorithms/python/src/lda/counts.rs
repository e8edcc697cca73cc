//! Converts counts of words in documents to a corpus.

use ndarray::ArrayView1;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use raddle_datasets::Corpus;

use crate::arrays::Indices;
use crate::error::bad_value;

/// A matrix or array of scipy in compressed rows; indices may be unsorted and repeated.
#[derive(FromPyObject)]
pub(crate) struct GivenCounts<'py> {
    shape: (usize, usize),
    indptr: Indices<'py>,
    indices: Indices<'py>,
    data: Values<'py>,
}

#[derive(FromPyObject)]
enum Values<'py> {
    Wide(PyReadonlyArray1<'py, i64>),
    Narrow(PyReadonlyArray1<'py, i32>),
    WideFloat(PyReadonlyArray1<'py, f64>),
    NarrowFloat(PyReadonlyArray1<'py, f32>),
}

/// A type of numbers that may be counts.
trait Count: Copy + Into<Number> + Sync {}
impl<T: Copy + Into<Number> + Sync> Count for T {}

/// A number of any type.
#[derive(Clone, Copy)]
enum Number {
    Whole(i64),
    Real(f64),
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self::Whole(value)
    }
}

impl From<i32> for Number {
    fn from(value: i32) -> Self {
        Self::Whole(value.into())
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Self::Real(value)
    }
}

impl From<f32> for Number {
    fn from(value: f32) -> Self {
        Self::Real(value.into())
    }
}

impl Number {
    /// Returns the count, if the number is one.
    fn count(self) -> Option<u64> {
        match self {
            Self::Whole(value) => u32::try_from(value).ok().map(u64::from),
            Self::Real(value) => {
                let is_count = value.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&value);
                is_count.then_some(value as u64)
            }
        }
    }

    fn refused(self) -> String {
        let (value, is_negative) = match self {
            Self::Whole(value) => (value.to_string(), value < 0),
            Self::Real(value) => (value.to_string(), value < 0.0),
        };
        match is_negative {
            true => format!("Negative values in data passed to LatentDirichletAllocation: {value}"),
            false => format!("X must hold counts, whole numbers below 2^32, and has {value}"),
        }
    }
}

impl GivenCounts<'_> {
    /// Makes the corpus, which takes six bytes per entry.
    ///
    /// # Errors
    /// If an entry is not a count, or the matrix is not valid.
    pub(crate) fn corpus(&self, py: Python<'_>) -> PyResult<Corpus> {
        match (&self.indices, &self.data) {
            (Indices::Narrow(at), Values::Wide(data)) => self.of(py, at.as_array(), data.as_array()),
            (Indices::Narrow(at), Values::Narrow(data)) => self.of(py, at.as_array(), data.as_array()),
            (Indices::Narrow(at), Values::WideFloat(data)) => self.of(py, at.as_array(), data.as_array()),
            (Indices::Narrow(at), Values::NarrowFloat(data)) => self.of(py, at.as_array(), data.as_array()),
            (Indices::Wide(at), Values::Wide(data)) => self.of(py, at.as_array(), data.as_array()),
            (Indices::Wide(at), Values::Narrow(data)) => self.of(py, at.as_array(), data.as_array()),
            (Indices::Wide(at), Values::WideFloat(data)) => self.of(py, at.as_array(), data.as_array()),
            (Indices::Wide(at), Values::NarrowFloat(data)) => self.of(py, at.as_array(), data.as_array()),
        }
    }

    fn of<I: Copy + Into<i64> + Sync, T: Count>(
        &self,
        py: Python<'_>,
        indices: ArrayView1<'_, I>,
        data: ArrayView1<'_, T>,
    ) -> PyResult<Corpus> {
        let (documents, words) = self.shape;
        let starts = self.indptr.starts(documents, indices.len().min(data.len()))?;
        let entries = starts.last().copied().unwrap_or(0);
        py.detach(|| {
            let mut pairs = 0;
            for &value in data.iter().take(entries) {
                let value: Number = value.into();
                let count = value.count().ok_or_else(|| bad_value(value.refused()))?;
                // A count beyond 16 bits takes several entries.
                pairs += count.div_ceil(u64::from(u16::MAX)) as usize;
            }
            let word = |&index: &I| usize::try_from(index.into()).is_ok_and(|index| index < words);
            if !indices.iter().take(entries).all(word) || u32::try_from(words.max(documents)).is_err() {
                return Err(bad_value("an index of the sparse X is out of its range"));
            }
            let count = |at: usize| data[at].into().count().unwrap_or(0);
            let row = |ends: &[usize]| (ends[0]..ends[1]).map(|at| (indices[at].into() as u32, count(at)));
            Corpus::from_rows(words, pairs, starts.windows(2).map(row)).map_err(bad_value)
        })
    }
}
