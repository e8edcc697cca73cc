//! Generated tables, given by a line of text: `synth:KIND:name=value,name=value,...`.
//!
//! With U(stream, a, b) uniform and N(stream, a, b) nearly normal numbers of the seed:
//!
//! | kind | columns | parameters |
//! |---|---|---|
//! | `strads` | sparse, in chains of neighbours that share rows: column j is new if j = 0 or U(1,j,0) >= c; a new one has rows floor(n U(2,j,t)) with values U(3,j,t), t < k, of a repeated row the first; any other keeps the rows of the one before it and has 0.9 times its values plus 0.1 U(3,j,t) | `k=25`, `c=0.1` |
//! | `ar1` | dense, each correlated with the one before: x\[i,0\] = N(3,0,i), x\[i,j\] = rho x\[i,j-1\] + sqrt(1-rho^2) N(3,j,i) | `rho` |
//! | `groups` | dense, in groups of g that are correlated at r: x\[i,j\] = sqrt(r) N(6,j/g,i) + sqrt(1-r) N(3,j,i) | `g=20`, `r=0.9` |
//!
//! All kinds take `n` rows, `p` columns, `s` true features, `snr=5` and `seed=1`. For i < s, feature
//! floor(p U(4,i,0)) gets the coefficient 1 + U(4,i,2), negative unless U(4,i,1) < 0.5 (repeats add up), and
//! y = Xb + sd(Xb)/snr N(5,0,i). Everything is a function of the text: X bit for bit in any language, y up to
//! the order in which Xb is added up.

use ndarray::{Array2, ShapeBuilder};

use super::spec::{Kind, Spec};
use super::{Csc, Matrix, Table};
use crate::counter::Counter;
use crate::source;

pub use super::spec::SpecError;

/// Generates the table that `spec` describes; its name is the text itself, its digest that of the text.
///
/// # Errors
/// A kind or parameter that does not exist, a parameter that is missing, given twice or out of its range.
///
/// ```
/// let table = raddle_datasets::generate::table("synth:groups:n=50,p=200,g=10,s=5")?;
/// assert_eq!((table.x.rows(), table.x.cols(), table.y.len()), (50, 200, 50));
/// # Ok::<(), raddle_datasets::generate::SpecError>(())
/// ```
pub fn table(spec: &str) -> Result<Table, SpecError> {
    let parsed = Spec::parse(spec)?;
    let counter = Counter::new(parsed.seed);
    let x = match parsed.kind {
        Kind::Strads { entries, new } => chains(&parsed, counter, entries, new),
        Kind::Ar1 { rho } => autoregressive(&parsed, counter, rho),
        Kind::Groups { size, share } => groups(&parsed, counter, size, share),
    };
    let y = response(&parsed, counter, &x);
    let digest = source::digest(spec.as_bytes());
    Ok(Table {
        name: spec.into(),
        x,
        y,
        feature_names: None,
        digest,
        path: None,
        format: "generated".into(),
        encoding: None,
        filled: Vec::new(),
        classes: None,
        beside: Vec::new(),
        notes: Vec::new(),
    })
}

fn chains(spec: &Spec, counter: Counter, entries: usize, new: f64) -> Matrix {
    let mut starts = vec![0];
    let (mut indices, mut values) = (Vec::new(), Vec::new());
    let mut rows: Vec<(u32, usize)> = Vec::new();
    let mut chain = vec![0.0; entries];
    for j in 0..spec.cols {
        let (place, fresh) = (counter.line(2, j as u64), counter.line(3, j as u64));
        if j == 0 || counter.line(1, j as u64).uniform(0) >= new {
            rows = (0..entries).map(|t| ((spec.rows as f64 * place.uniform(t as u64)) as u32, t)).collect();
            rows.sort_unstable();
            rows.dedup_by_key(|&mut (row, _)| row);
            (0..entries).for_each(|t| chain[t] = fresh.uniform(t as u64));
        } else {
            (0..entries).for_each(|t| chain[t] = 0.9 * chain[t] + 0.1 * fresh.uniform(t as u64));
        }
        indices.extend(rows.iter().map(|&(row, _)| row));
        values.extend(rows.iter().map(|&(_, t)| chain[t]));
        starts.push(indices.len());
    }
    Matrix::Sparse(Csc::new_csc((spec.rows, spec.cols), starts, indices, values))
}

fn autoregressive(spec: &Spec, counter: Counter, rho: f64) -> Matrix {
    let fresh = (1.0 - rho * rho).sqrt();
    let mut previous: Vec<f64> = Vec::new();
    by_columns(spec, |j, column| {
        let line = counter.line(3, j as u64);
        for (i, x) in column.iter_mut().enumerate() {
            *x = match previous.get(i) {
                Some(previous) => rho * previous + fresh * line.normal(i as u64),
                None => line.normal(i as u64),
            };
        }
        previous.clear();
        previous.extend_from_slice(column);
    })
}

fn groups(spec: &Spec, counter: Counter, size: usize, share: f64) -> Matrix {
    let (of_group, own) = (share.sqrt(), (1.0 - share).sqrt());
    let mut common: Vec<f64> = Vec::new();
    by_columns(spec, |j, column| {
        if j % size == 0 {
            let line = counter.line(6, (j / size) as u64);
            common = (0..column.len() as u64).map(|i| of_group * line.normal(i)).collect();
        }
        let line = counter.line(3, j as u64);
        for (i, (x, common)) in column.iter_mut().zip(&common).enumerate() {
            *x = common + own * line.normal(i as u64);
        }
    })
}

/// A dense matrix that `fill` writes column by column.
fn by_columns(spec: &Spec, mut fill: impl FnMut(usize, &mut [f64])) -> Matrix {
    let mut x = Array2::zeros((spec.rows, spec.cols).f());
    if let Some(values) = x.as_slice_memory_order_mut() {
        values.chunks_exact_mut(spec.rows).enumerate().for_each(|(j, column)| fill(j, column));
    }
    Matrix::Dense(x)
}

fn response(spec: &Spec, counter: Counter, x: &Matrix) -> Vec<f64> {
    let mut coefficients = vec![0.0; spec.cols];
    for i in 0..spec.truth as u64 {
        let line = counter.line(4, i);
        let sign = if line.uniform(1) < 0.5 { 1.0 } else { -1.0 };
        coefficients[(spec.cols as f64 * line.uniform(0)) as usize] += (1.0 + line.uniform(2)) * sign;
    }
    let signal = times(x, &coefficients);
    let n = signal.len() as f64;
    let mean = signal.iter().sum::<f64>() / n;
    let variance = signal.iter().map(|z| (z - mean) * (z - mean)).sum::<f64>() / n;
    let (noise, line) = (variance.sqrt() / spec.snr, counter.line(5, 0));
    signal.iter().enumerate().map(|(i, z)| z + noise * line.normal(i as u64)).collect()
}

/// X b, over the columns with a coefficient only.
fn times(x: &Matrix, coefficients: &[f64]) -> Vec<f64> {
    let mut product = vec![0.0; x.rows()];
    for (j, &b) in coefficients.iter().enumerate().filter(|&(_, &b)| b != 0.0) {
        match x {
            Matrix::Dense(x) => product.iter_mut().zip(x.column(j)).for_each(|(sum, x)| *sum += b * x),
            Matrix::Sparse(x) => {
                let column = x.outer_view(j);
                column.iter().flat_map(|column| column.iter()).for_each(|(i, x)| product[i] += b * x);
            }
        }
    }
    product
}
