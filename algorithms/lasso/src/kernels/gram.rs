//! Gram matrices of dense columns: every element a dot product, many at once from registers.
//!
//! [`tile`] keeps one eight-lane sum per pair of columns, and each loaded group of eight values meets several
//! columns of the other side. Around it, panels of rows are copied side by side, aligned, so that one side stays
//! in the first-level cache and the other in the second.

use std::ops::Range;

use super::form::{Kernel, run};
use super::lanes::{LANES, Lanes};

/// Rows of the columns that are summed at once; sums of panels are added in order. Part of the definition of
/// every element. 256 rows of twelve left and six right columns fill three quarters of a first-level cache.
pub const PANEL: usize = 256;

/// Left columns that stay in the first-level cache.
const NEAR: usize = 12;

/// Right columns that stay in the second-level cache while the left ones pass by.
const RESIDENT: usize = 240;

/// out\[i * stride + j\] = a_i'b_j for j <= first + i: the Gram rows of new members `a` against all members `b`,
/// of which the new ones are number `first` and on. With `first >= b.len()` the whole rectangle is written.
///
/// All columns are as long as `a[0]`. An element is the sum over panels of [`PANEL`] rows, in order, of the
/// lane sum of [`dot`](super::dot); its bits depend on the two columns only, and not on their order.
pub fn gram(a: &[&[f64]], b: &[&[f64]], first: usize, out: &mut [f64], stride: usize) {
    run(Gram { a: Side::Columns(a), b: Side::Columns(b), first, out, stride });
}

/// out\[i * stride + j\] = a_i'a_j for j <= i.
pub fn gram_lower(a: &[&[f64]], out: &mut [f64], stride: usize) {
    gram(a, a, 0, out, stride);
}

/// [`gram`] of columns `a` of `packed` against others as long, with the same bits.
pub(crate) fn gram_with(packed: &Packed, a: Range<usize>, b: &[&[f64]], out: &mut [f64], stride: usize) {
    let first = b.len();
    run(Gram { a: Side::Packed(packed, a), b: Side::Columns(b), first, out, stride });
}

/// [`gram`] of columns `a` of `packed` against all its columns up to the last of them.
pub(crate) fn gram_within(packed: &Packed, a: Range<usize>, out: &mut [f64], stride: usize) {
    let (first, b) = (a.start, 0..a.end);
    run(Gram { a: Side::Packed(packed, a), b: Side::Packed(packed, b), first, out, stride });
}

/// Columns of one side: as they are, to be packed on the way, or packed before.
enum Side<'a> {
    Columns(&'a [&'a [f64]]),
    Packed(&'a Packed, Range<usize>),
}

impl Side<'_> {
    fn len(&self) -> usize {
        match self {
            Side::Columns(columns) => columns.len(),
            Side::Packed(_, columns) => columns.len(),
        }
    }

    /// The length of a column.
    fn rows(&self) -> usize {
        match self {
            Side::Columns(columns) => columns.first().map_or(0, |column| column.len()),
            Side::Packed(packed, _) => packed.rows,
        }
    }

    /// The rows from `from` on of some columns, packed; `scratch` holds them if they were not.
    fn panel<'p>(&'p self, from: usize, columns: Range<usize>, scratch: &'p mut Packed) -> Panel<'p> {
        match self {
            Side::Columns(all) => {
                let rows = from..self.rows().min(from + PANEL);
                scratch.pack(&all[columns], rows);
                scratch.panel(0, 0..scratch.count)
            }
            Side::Packed(packed, all) => {
                packed.panel(from, all.start + columns.start..all.start + columns.end)
            }
        }
    }
}

struct Gram<'a> {
    a: Side<'a>,
    b: Side<'a>,
    first: usize,
    out: &'a mut [f64],
    stride: usize,
}

impl Kernel for Gram<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        if L::WIDE { blocks::<L, 4, 6>(self) } else { blocks::<L, 2, 3>(self) }
    }
}

#[inline(always)]
fn blocks<L: Lanes, const M: usize, const N: usize>(g: Gram<'_>) {
    let (mut left, mut right) = (Packed::default(), Packed::default());
    let (a, b) = (g.a.len(), g.b.len());
    for from in (0..g.a.rows().max(1)).step_by(PANEL) {
        for j0 in (0..b).step_by(RESIDENT) {
            let resident = RESIDENT.min(b - j0);
            let right = g.b.panel(from, j0..j0 + resident, &mut right);
            for i0 in (0..a).step_by(NEAR) {
                let near = NEAR.min(a - i0);
                if j0 >= g.first + i0 + near {
                    continue;
                }
                let left = g.a.panel(from, i0..i0 + near, &mut left);
                for j in (0..resident).step_by(N) {
                    for i in (0..near).step_by(M) {
                        let rows = M.min(near - i);
                        if j0 + j >= g.first + i0 + i + rows {
                            continue;
                        }
                        let sums = tile::<L, M, N>(left.columns(i), right.columns(j));
                        for (i, sums) in (i0 + i..).zip(&sums[..rows]) {
                            let kept = N.min(resident - j).min((g.first + i + 1).saturating_sub(j0 + j));
                            let out = &mut g.out[i * g.stride + j0 + j..][..kept];
                            for (out, &sum) in out.iter_mut().zip(sums) {
                                *out = if from == 0 { sum } else { *out + sum };
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Columns of equal length cut into panels of [`PANEL`] rows: panel by panel the columns' parts, one behind the other,
/// each filled up with zeros to whole groups, on cache lines.
#[derive(Debug, Default)]
pub(crate) struct Packed {
    values: Vec<f64>,
    start: usize,
    rows: usize,
    count: usize,
}

/// One panel of neighbouring columns.
struct Panel<'a> {
    values: &'a [[f64; LANES]],
    groups: usize,
    count: usize,
}

impl Packed {
    /// All rows of some columns.
    pub(crate) fn new(columns: &[&[f64]]) -> Self {
        let mut packed = Self::default();
        let rows = columns.first().map_or(0, |column| column.len());
        packed.pack(columns, 0..rows);
        packed
    }

    /// Replaces what is packed by these rows of some columns; memory is kept.
    fn pack(&mut self, columns: &[&[f64]], rows: Range<usize>) {
        (self.rows, self.count) = (rows.len(), columns.len());
        let size = rows.len().next_multiple_of(LANES);
        if self.values.len() < size * columns.len() + LANES {
            self.values = vec![0.0; size * columns.len() + LANES];
            // Where the address is not known everything is right, only slower.
            self.start = self.values.as_ptr().align_offset(LANES * size_of::<f64>()).min(LANES);
        }
        let mut rest = &mut self.values[self.start..];
        for from in rows.clone().step_by(PANEL) {
            let panel = from..rows.end.min(from + PANEL);
            let size = panel.len().next_multiple_of(LANES);
            let (packed, behind) = rest.split_at_mut(size * columns.len());
            for (packed, column) in packed.chunks_exact_mut(size).zip(columns) {
                packed[..panel.len()].copy_from_slice(&column[panel.clone()]);
                packed[panel.len()..].fill(0.0);
            }
            rest = behind;
        }
    }

    /// The panel of some columns that begins at row `from`, counted from the first that is packed.
    fn panel(&self, from: usize, columns: Range<usize>) -> Panel<'_> {
        let groups = PANEL.min(self.rows - from).div_ceil(LANES);
        // All panels before this one are whole.
        let values = &self.values[self.start + from * self.count..].as_chunks().0[columns.start * groups..];
        Panel { values: &values[..columns.len() * groups], groups, count: columns.len() }
    }
}

impl<'a> Panel<'a> {
    /// `M` columns from `first` on; the last one stands for those behind it.
    #[inline(always)]
    fn columns<const M: usize>(&self, first: usize) -> [&'a [[f64; LANES]]; M] {
        std::array::from_fn(|m| &self.values[(first + m).min(self.count - 1) * self.groups..][..self.groups])
    }
}

/// The dot products of `M` columns with `N` columns of the same number of groups.
#[inline(always)]
pub(crate) fn tile<L: Lanes, const M: usize, const N: usize>(
    a: [&[[f64; LANES]]; M],
    b: [&[[f64; LANES]]; N],
) -> [[f64; N]; M] {
    let groups = a[0].len();
    let left = a.map(|column| &column[..groups]);
    let right = b.map(|column| &column[..groups]);
    let mut sums = [[L::zero(); N]; M];
    for t in 0..groups {
        let left: [L; M] = std::array::from_fn(|i| L::load(&left[i][t]));
        for j in 0..N {
            let right = L::load(&right[j][t]);
            for i in 0..M {
                sums[i][j] = left[i].mul_add(right, sums[i][j]);
            }
        }
    }
    totals(sums)
}

/// The lane sums of a tile, eight at a time.
#[inline(always)]
fn totals<L: Lanes, const M: usize, const N: usize>(sums: [[L; N]; M]) -> [[f64; N]; M] {
    let mut totals = [[0.0; N]; M];
    let mut at = 0;
    while at < M * N {
        let eight = std::array::from_fn(|l| {
            let place = (at + l).min(M * N - 1);
            sums[place / N][place % N]
        });
        for (l, total) in L::sums(eight).into_iter().enumerate() {
            if at + l < M * N {
                totals[(at + l) / N][(at + l) % N] = total;
            }
        }
        at += LANES;
    }
    totals
}
