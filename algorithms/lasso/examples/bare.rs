//! The working-set Lasso without an engine: one thread, kernels and working set alone.
//!
//! ```text
//! bare DATA.svm.gz --mode dense-std|sparse-raw --ratio 100 [--repeats 5] [--engine] [--out coef.tsv]
//! ```
//! With `--engine` every repeat is followed by the same fit on the engine, with one worker.
//! Prints fit milliseconds (median; from the parsed matrix to the certified solution), passes over X, members
//! of the working set, nonzeros and the relative duality gap. Writes `column value` lines, columns from 1.

#![allow(clippy::disallowed_types, reason = "it times what it runs")]

use std::error::Error;
use std::fmt::Write as _;
use std::time::Instant;

use raddle_datasets::{Matrix, libsvm};
use raddle_kernels::algebra::{
    RowPiece, SparseColumns, add_scaled_columns, dot, gram, gram_by_rows, pass, sparse_add_scaled,
    sparse_pass, sum_squares,
};
use raddle_lasso::working_set::{ObjectiveGap, WorkingSet, columns_to_add, top_violators};
use raddle_lasso::{CORRELATION_LIMIT, Correlator, Lasso, Preparation, Problem, View, ahead};

const GAP: f64 = 1e-6;

/// Number of row pieces of a sparse working set: the rows of each stay in the second-level cache while they
/// are sorted.
const PIECES: usize = 8;

enum Design {
    Dense { n: usize, x: Vec<f64> },
    Sparse { n: usize, starts: Vec<usize>, rows: Vec<u32>, values: Vec<f64> },
}

impl Design {
    fn shape(&self) -> (usize, usize) {
        match self {
            Design::Dense { n, x } => (*n, x.len() / n),
            Design::Sparse { n, starts, .. } => (*n, starts.len() - 1),
        }
    }

    fn columns(&self) -> SparseColumns<'_> {
        match self {
            Design::Dense { .. } => SparseColumns { starts: &[], rows: &[], values: &[] },
            Design::Sparse { starts, rows, values, .. } => SparseColumns { starts, rows, values },
        }
    }

    fn pass(&self, r: &[f64], c: &mut [f64]) {
        match self {
            Design::Dense { x, .. } => pass(x, r, c),
            Design::Sparse { .. } => sparse_pass(self.columns(), r, c),
        }
    }

    /// r = y - X_W b.
    fn residual(&self, y: &[f64], set: &WorkingSet, r: &mut [f64]) {
        r.copy_from_slice(y);
        let nonzero = set.members().iter().zip(set.coefficients()).filter(|(_, b)| **b != 0.0);
        match self {
            Design::Dense { n, x } => {
                let columns: Vec<_> = nonzero.map(|(&j, &b)| (-b, &x[j as usize * n..][..*n])).collect();
                add_scaled_columns(r, &columns);
            }
            Design::Sparse { .. } => {
                for (&j, &b) in nonzero {
                    let (rows, values) = self.columns().column(j as usize);
                    sparse_add_scaled(r, -b, rows, values);
                }
            }
        }
    }

    fn view(&self, j: u32) -> View<'_> {
        match self {
            Design::Dense { n, x } => View::dense(&x[j as usize * n..][..*n]),
            Design::Sparse { .. } => {
                let (indices, values) = self.columns().column(j as usize);
                View::sparse(indices, values, 0.0)
            }
        }
    }

    /// Returns the candidates that are not correlated with a better one: accepted ones and as many more as
    /// will likely suffice are related at once.
    fn choose(&self, candidates: &[(u32, f64)], wanted: usize) -> Vec<u32> {
        let mut waiting: Vec<u32> = candidates.iter().map(|&(j, _)| j).collect();
        if waiting.len() <= wanted {
            return waiting;
        }
        let (mut accepted, mut looked_at): (Vec<u32>, _) = (Vec::new(), 0);
        while accepted.len() < wanted && !waiting.is_empty() {
            let before = accepted.len();
            let next = ahead(wanted, before, looked_at).min(waiting.len());
            looked_at += next;
            accepted.extend(waiting.drain(..next));
            let views: Vec<Option<View<'_>>> = accepted.iter().map(|&j| Some(self.view(j))).collect();
            let ties = Correlator { rows: self.shape().0, sample: true }.correlations(&views);
            let mut taken: Vec<usize> = (0..before).collect();
            for at in before..accepted.len() {
                if taken.len() < wanted
                    && taken.iter().all(|&other| ties.between(at, other) <= CORRELATION_LIMIT)
                {
                    taken.push(at);
                }
            }
            accepted = taken.into_iter().map(|at| accepted[at]).collect();
        }
        accepted
    }
}

/// Buffers of a fit, which start empty, as on the engine.
#[derive(Default)]
struct Buffers {
    set: WorkingSet,
    c: Vec<f64>,
    q: Vec<f64>,
    r: Vec<f64>,
    slot: Vec<u32>,
}

#[derive(Default)]
struct Fit {
    gap: f64,
    passes: usize,
    members: usize,
    nonzeros: usize,
    /// Seconds of passes, candidates, Gram, solve and residual.
    seconds: [f64; 5],
}

const NONE: u32 = u32::MAX;

fn fit(design: &Design, y: &[f64], ratio: f64, buffers: &mut Buffers, verbose: bool) -> Fit {
    let (n, p) = design.shape();
    let Buffers { set, c, q, r, slot } = buffers;
    let mut fit = Fit { passes: 1, ..Fit::default() };
    let piece = |i: usize| RowPiece::new((n * i / PIECES) as u32..(n * (i + 1) / PIECES) as u32);
    let mut pieces: Vec<RowPiece> = (0..PIECES).map(piece).collect();
    slot.resize(p, NONE);
    c.resize(p, 0.0);
    r.extend_from_slice(y);
    let yy = sum_squares(y);
    let largest = |c: &[f64]| c.iter().fold(0.0f64, |most, c| most.max(c.abs()));
    let mut lap = Instant::now();
    let mut took = |fit: &mut Fit, at: usize| {
        fit.seconds[at] += lap.elapsed().as_secs_f64();
        lap = Instant::now();
    };
    design.pass(r, c);
    q.clone_from(c);
    let penalty = largest(c) / ratio;
    took(&mut fit, 0);
    loop {
        let l1: f64 = set.coefficients().iter().map(|b| b.abs()).sum();
        let (yr, rr) = (dot(y, r), sum_squares(r));
        let most = largest(c);
        let certificate = ObjectiveGap::new(yr, rr, l1, most, penalty);
        fit.gap = if certificate.primal > 0.0 { certificate.gap / certificate.primal } else { 0.0 };
        if fit.gap <= GAP || fit.passes > 500 {
            break;
        }
        let support = set.support();
        let g: Vec<f64> = set.members().iter().map(|&j| c[j as usize]).collect();
        set.set_gradient(&g);
        let wanted = columns_to_add(n, support);
        let candidates = top_violators(0, c, penalty, 4 * wanted, |j| slot[j as usize] != NONE);
        let chosen = design.choose(&candidates, wanted);
        took(&mut fit, 1);
        let first = set.enter(chosen.iter().map(|&j| (j, q[j as usize], 0.0)));
        for (at, &j) in chosen.iter().enumerate() {
            slot[j as usize] = (first + at) as u32;
        }
        grow_gram(design, set, first, &mut pieces);
        let g: Vec<f64> = set.members().iter().map(|&j| c[j as usize]).collect();
        set.set_gradient(&g);
        took(&mut fit, 2);
        let target = (0.1 * certificate.gap).max(0.3 * GAP * certificate.primal);
        let report = set.solve(penalty, yy, n, target);
        took(&mut fit, 3);
        design.residual(y, set, r);
        took(&mut fit, 4);
        design.pass(r, c);
        fit.passes += 1;
        took(&mut fit, 0);
        if verbose {
            println!(
                "  pass {} W {} (+{} of {}) support {} gap {:.1e} inner {:.1e}",
                fit.passes,
                set.len(),
                chosen.len(),
                candidates.len(),
                report.support,
                fit.gap,
                report.measure.gap / report.measure.primal
            );
        }
    }
    (fit.members, fit.nonzeros) = (set.len(), set.support());
    fit
}

fn grow_gram(design: &Design, set: &mut WorkingSet, first: usize, pieces: &mut [RowPiece]) {
    let members = set.members().to_vec();
    let (rows, stride) = set.gram_rows_mut(first);
    match design {
        Design::Dense { n, x } => {
            let all: Vec<&[f64]> = members.iter().map(|&j| &x[j as usize * n..][..*n]).collect();
            gram(&all[first..], &all, first, rows, stride);
        }
        Design::Sparse { .. } => {
            let new: Vec<_> = members[first..].iter().map(|&j| design.columns().column(j as usize)).collect();
            for piece in pieces {
                piece.append(&new);
                gram_by_rows(piece, first, rows, stride);
            }
        }
    }
    set.finish_gram();
}

fn read(path: &str, mode: &str) -> Result<(Design, Vec<f64>), Box<dyn Error>> {
    let table = libsvm::read(path, 1)?;
    let mut y = table.y;
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    y.iter_mut().for_each(|value| *value -= mean);
    let n = table.x.rows();
    if mode == "dense-std" {
        let mut x = table.x.to_dense().into_raw_vec_and_offset().0;
        for column in x.chunks_exact_mut(n) {
            let mean = column.iter().sum::<f64>() / n as f64;
            column.iter_mut().for_each(|value| *value -= mean);
            let sd = (column.iter().map(|value| value * value).sum::<f64>() / n as f64).sqrt();
            let scale = if sd < 1e-12 { 0.0 } else { sd };
            column.iter_mut().for_each(|value| *value = if scale > 0.0 { *value / scale } else { 0.0 });
        }
        return Ok((Design::Dense { n, x }, y));
    }
    let Matrix::Sparse(x) = table.x else { return Err("expected a sparse matrix".into()) };
    let (starts, rows, values) = x.into_raw_storage();
    Ok((Design::Sparse { n, starts, rows, values }, y))
}

fn problem(path: &str, mode: &str) -> Result<Problem, Box<dyn Error>> {
    let table = libsvm::read(path, 1)?;
    let preparation = if mode == "dense-std" { Preparation::DenseStd } else { Preparation::SparseRaw };
    Ok(Problem::new(table.x, table.y, preparation)?)
}

/// Returns the seconds that this process has run, without waiting for a processor; 0 if the system does not
/// tell.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|nanoseconds| nanoseconds.parse::<f64>().ok()).unwrap_or(0.0) * 1e-9
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str, default: &str| {
        let at = arguments.iter().position(|argument| argument == name);
        at.and_then(|at| arguments.get(at + 1)).map_or(default.to_owned(), Clone::clone)
    };
    let path = arguments.first().ok_or("usage: bare DATA.svm.gz --mode dense-std|sparse-raw --ratio R")?;
    let (design, y) = read(path, &option("--mode", "dense-std"))?;
    let ratio: f64 = option("--ratio", "10").parse()?;
    let repeats: usize = option("--repeats", "5").parse()?;
    let verbose = arguments.iter().any(|argument| argument == "--verbose");
    let mut buffers = Buffers::default();
    let problem = match arguments.iter().any(|argument| argument == "--engine") {
        true => Some(problem(path, &option("--mode", "dense-std"))?),
        false => None,
    };
    let (mut times, mut processor, mut result) = (Vec::new(), Vec::new(), Fit::default());
    let (mut engine, mut epochs) = (Vec::new(), 0);
    for repeat in 0..repeats.max(1) {
        let (start, cpu) = (Instant::now(), processor_seconds());
        buffers = Buffers::default();
        result = fit(&design, &y, ratio, &mut buffers, verbose && repeat == 0);
        times.push(start.elapsed().as_secs_f64() * 1e3);
        processor.push((processor_seconds() - cpu) * 1e3);
        if let Some(problem) = &problem {
            let start = Instant::now();
            let fit = Lasso::params().ratio(ratio).fit(problem)?;
            engine.push(start.elapsed().as_secs_f64() * 1e3);
            assert!(fit.report.metric.is_reached());
            epochs = fit.report.epochs;
        }
    }
    let out = option("--out", "");
    if !out.is_empty() {
        let mut text = String::new();
        for (j, b) in buffers.set.members().iter().zip(buffers.set.coefficients()).filter(|(_, b)| **b != 0.0)
        {
            writeln!(text, "{} {b:.17e}", j + 1)?;
        }
        std::fs::write(out, text)?;
    }
    times.sort_by(f64::total_cmp);
    processor.sort_by(f64::total_cmp);
    println!(
        "{path} {ratio}: {:.3} ms (min {:.3}, max {:.3}; on the processor {:.3}), passes {}, W {}, nnz {}, \
         gap {:.2e}",
        times[times.len() / 2],
        times[0],
        times[times.len() - 1],
        processor[processor.len() / 2],
        result.passes,
        result.members,
        result.nonzeros,
        result.gap
    );
    if !engine.is_empty() {
        engine.sort_by(f64::total_cmp);
        let (median, last) = (engine[engine.len() / 2], engine.len() - 1);
        let (least, most, passes) = (engine[0], engine[last], epochs + 1);
        println!("  on the engine: {median:.3} ms (min {least:.3}, max {most:.3}), passes {passes}");
    }
    let [passes, candidates, gram, solve, residual] = result.seconds.map(|seconds| seconds * 1e3);
    println!(
        "  ms: pass {passes:.2} candidates {candidates:.2} gram {gram:.2} solve {solve:.2} residual \
         {residual:.2}"
    );
    Ok(())
}
