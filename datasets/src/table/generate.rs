//! Generated tables, specified as `synth:KIND:name=value,name=value,...`.
//!
//! Three kinds, where U(stream, a, b) are uniform and N(stream, a, b) nearly normal numbers of the seed:
//!
//! | kind | columns | parameters |
//! |---|---|---|
//! | `strads` | sparse, in chains of neighbours that share rows | `k=25`, `c=0.1` |
//! | `ar1` | dense, each column correlated with the one before | `rho` |
//! | `groups` | dense, in groups of g columns with correlation r | `g=20`, `r=0.9` |
//!
//! - `strads`: column j is new if j = 0 or U(1,j,0) >= c. A new column has the rows floor(n U(2,j,t)) with
//!   the values U(3,j,t), t < k; of a repeated row the first value counts. Any other column keeps the rows of
//!   the one before it and has 0.9 times its values plus 0.1 U(3,j,t).
//! - `ar1`: x\[i,0\] = N(3,0,i), x\[i,j\] = rho x\[i,j-1\] + sqrt(1-rho^2) N(3,j,i).
//! - `groups`: x\[i,j\] = sqrt(r) N(6,j/g,i) + sqrt(1-r) N(3,j,i).
//!
//! All kinds take `n` rows, `p` columns, `s` true features, `snr=5` and `seed=1`. For i < s, feature floor(p
//! U(4,i,0)) gets the coefficient 1 + U(4,i,2), negative unless U(4,i,1) < 0.5 (repeats add up), and y = Xb +
//! sd(Xb)/snr N(5,0,i). Everything is a function of the specification: X bit for bit in any language, y up to
//! the order in which Xb is added up.

use ndarray::{Array2, ShapeBuilder};

use super::data::Table;
use super::matrix::{Csc, Matrix};
use super::spec::{Kind, Spec};
use crate::bytes::memory::room;
use crate::bytes::source;
use crate::counter::Counter;
use crate::records::RecordCounts;

pub use crate::error::SpecError;

/// Generates the table that `spec` describes. Its name is the text of `spec`, its digest that of the text.
///
/// # Errors
/// If a kind or parameter does not exist, or a parameter is missing, given twice or out of range.
///
/// ```
/// let table = raddle_datasets::generate::table("synth:groups:n=50,p=200,g=10,s=5")?;
/// assert_eq!((table.x.rows(), table.x.cols(), table.y.len()), (50, 200, 50));
/// # Ok::<(), raddle_datasets::generate::SpecError>(())
/// ```
pub fn table(spec: &str) -> Result<Table, SpecError> {
    let drawing = Drawing::of(spec)?;
    let Spec { rows, cols, .. } = drawing.spec;
    room::<u8>(drawing.spec.bytes(), "so many values")
        .map_err(|message| SpecError { spec: spec.into(), message })?;
    let mut signal = Signal::new(&drawing);
    let x = match drawing.columns() {
        Columns::Dense(mut fill) => {
            let mut x = Array2::zeros((rows, cols).f());
            if let Some(values) = x.as_slice_memory_order_mut() {
                for (j, column) in values.chunks_exact_mut(rows).enumerate() {
                    fill(j, column);
                    signal.add(j, column.iter().copied().enumerate());
                }
            }
            Matrix::Dense(x)
        }
        Columns::Sparse(mut chains) => {
            let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
            for j in 0..cols {
                let (rows, of_rows) = chains.column(j);
                signal.add(j, rows.iter().map(|&row| row as usize).zip(of_rows.iter().copied()));
                indices.extend_from_slice(rows);
                values.extend_from_slice(of_rows);
                starts.push(indices.len());
            }
            Matrix::Sparse(Csc::new_csc((rows, cols), starts, indices, values))
        }
    };
    let records = RecordCounts::of(x.rows());
    Ok(Table { x, y: signal.response(&drawing), records, ..described(spec) })
}

/// Returns the metadata of a table, without drawing it.
pub(crate) fn described(spec: &str) -> Table {
    Table {
        name: spec.into(),
        digest: source::digest(spec.as_bytes()),
        format: "generated".into(),
        ..Table::default()
    }
}

/// A specification that is drawn column by column.
pub(super) struct Drawing {
    pub(super) spec: Spec,
    counter: Counter,
}

/// Fills the column with this number.
type Fill = Box<dyn FnMut(usize, &mut [f64])>;

/// Draws the columns of a table in order, from the first on.
pub(super) enum Columns {
    Dense(Fill),
    Sparse(Chains),
}

impl Drawing {
    pub(super) fn of(spec: &str) -> Result<Self, SpecError> {
        let spec = Spec::parse(spec)?;
        Ok(Self { counter: Counter::new(spec.seed), spec })
    }

    pub(super) fn columns(&self) -> Columns {
        match self.spec.kind {
            Kind::Strads { entries, new } => Columns::Sparse(Chains {
                counter: self.counter,
                new,
                height: self.spec.rows,
                places: Vec::new(),
                chain: vec![0.0; entries],
                rows: Vec::new(),
                values: Vec::new(),
            }),
            Kind::Ar1 { rho } => Columns::Dense(Box::new(autoregressive(self.counter, rho))),
            Kind::Groups { size, share } => Columns::Dense(Box::new(groups(self.counter, size, share))),
        }
    }
}

/// Sparse columns in chains.
pub(super) struct Chains {
    counter: Counter,
    new: f64,
    height: usize,
    /// Rows of the chain, each with the index of its value.
    places: Vec<(u32, usize)>,
    chain: Vec<f64>,
    rows: Vec<u32>,
    values: Vec<f64>,
}

impl Chains {
    /// Returns rows and values of column j; columns must be requested in order.
    pub(super) fn column(&mut self, j: usize) -> (&[u32], &[f64]) {
        let Self { counter, new, height, places, chain, rows, values } = self;
        let (place, fresh) = (counter.line(2, j as u64), counter.line(3, j as u64));
        let each = chain.iter_mut().enumerate();
        if j == 0 || counter.line(1, j as u64).uniform(0) >= *new {
            *places = each.map(|(t, _)| ((*height as f64 * place.uniform(t as u64)) as u32, t)).collect();
            places.sort_unstable();
            places.dedup_by_key(|&mut (row, _)| row);
            (0..).zip(chain.iter_mut()).for_each(|(t, value)| *value = fresh.uniform(t));
        } else {
            each.for_each(|(t, value)| *value = 0.9 * *value + 0.1 * fresh.uniform(t as u64));
        }
        *rows = places.iter().map(|&(row, _)| row).collect();
        *values = places.iter().map(|&(_, t)| chain[t]).collect();
        (rows, values)
    }
}

fn autoregressive(counter: Counter, rho: f64) -> impl FnMut(usize, &mut [f64]) {
    let fresh = (1.0 - rho * rho).sqrt();
    let mut previous: Vec<f64> = Vec::new();
    move |j, column| {
        let line = counter.line(3, j as u64);
        for (i, x) in column.iter_mut().enumerate() {
            *x = match previous.get(i) {
                Some(previous) => rho * previous + fresh * line.normal(i as u64),
                None => line.normal(i as u64),
            };
        }
        previous.clear();
        previous.extend_from_slice(column);
    }
}

fn groups(counter: Counter, size: usize, share: f64) -> impl FnMut(usize, &mut [f64]) {
    let (of_group, own) = (share.sqrt(), (1.0 - share).sqrt());
    let mut common: Vec<f64> = Vec::new();
    move |j, column| {
        if j % size == 0 {
            let line = counter.line(6, (j / size) as u64);
            common = (0..column.len() as u64).map(|i| of_group * line.normal(i)).collect();
        }
        let line = counter.line(3, j as u64);
        for (i, (x, common)) in column.iter_mut().zip(&common).enumerate() {
            *x = common + own * line.normal(i as u64);
        }
    }
}

/// X b, added up column by column.
pub(super) struct Signal {
    coefficients: Vec<f64>,
    sum: Vec<f64>,
}

impl Signal {
    pub(super) fn new(drawing: &Drawing) -> Self {
        let Drawing { spec, counter } = drawing;
        let mut coefficients = vec![0.0; spec.cols];
        for i in 0..spec.truth as u64 {
            let line = counter.line(4, i);
            let sign = if line.uniform(1) < 0.5 { 1.0 } else { -1.0 };
            coefficients[(spec.cols as f64 * line.uniform(0)) as usize] += (1.0 + line.uniform(2)) * sign;
        }
        Self { coefficients, sum: vec![0.0; spec.rows] }
    }

    /// Adds column j, given by its rows and values.
    pub(super) fn add(&mut self, j: usize, column: impl Iterator<Item = (usize, f64)>) {
        let b = self.coefficients[j];
        if b != 0.0 {
            column.for_each(|(i, x)| self.sum[i] += b * x);
        }
    }

    /// Returns the response, once all columns are added.
    pub(super) fn response(self, drawing: &Drawing) -> Vec<f64> {
        let Drawing { spec, counter } = drawing;
        let signal = self.sum;
        let n = signal.len() as f64;
        let mean = signal.iter().sum::<f64>() / n;
        let variance = signal.iter().map(|z| (z - mean) * (z - mean)).sum::<f64>() / n;
        let (noise, line) = (variance.sqrt() / spec.snr, counter.line(5, 0));
        signal.iter().enumerate().map(|(i, z)| z + noise * line.normal(i as u64)).collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn noise_has_the_deviation_of_the_signal_over_the_ratio_asked_for() {
        let drawing = Drawing::of("synth:groups:n=4,p=3,s=1,snr=2,seed=7").unwrap();
        // A signal far from zero: mean 103, variance (9 + 1 + 0 + 16) / 4.
        let sum = vec![100.0, 102.0, 103.0, 107.0];
        let response = Signal { coefficients: vec![0.0; 3], sum: sum.clone() }.response(&drawing);
        let noise = 6.5f64.sqrt() / 2.0;
        for (i, (y, z)) in response.iter().zip(&sum).enumerate() {
            assert!((y - z - noise * drawing.counter.line(5, 0).normal(i as u64)).abs() < 1e-9, "row {i}");
        }
        assert_eq!(response.len(), 4);
    }
}
