//! Gram of sparse columns by row pieces: for every row, the outer product of its entries.
//!
//! A piece holds a range of rows of the working set, row by row. Members arrive in batches and each batch
//! keeps its own row index: nothing stored is moved when members are added, and within a row slots still
//! ascend.

use std::ops::Range;

use raddle_base::State;
use raddle_base::state::{Reader, StateError, Writer};

use super::form::{Kernel, run};
use super::lanes::Lanes;

/// A range of rows of the working set's columns, row by row.
#[derive(Clone, Debug)]
pub struct RowPiece {
    pub rows: Range<u32>,
    pub members: usize,
    pub batches: Vec<Batch>,
}

/// The columns that arrived together: row `rows.start + i` holds `slots[starts[i]..starts[i + 1]]`.
#[derive(Clone, Debug)]
pub struct Batch {
    pub first: usize,
    pub starts: Vec<u32>,
    pub slots: Vec<u32>,
    pub values: Vec<f64>,
}

raddle_base::state!(Batch { first, starts, slots, values });

impl State for RowPiece {
    fn save(&self, out: &mut Writer) {
        out.write(&(self.rows.start, self.rows.end));
        out.write(&self.members);
        out.write(&self.batches);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let (start, end): (u32, u32) = from.read()?;
        Ok(Self { rows: start..end, members: from.read()?, batches: from.read()? })
    }
}

impl RowPiece {
    /// An empty piece of the rows `rows`.
    pub fn new(rows: Range<u32>) -> Self {
        Self { rows, members: 0, batches: Vec::new() }
    }

    /// Returns the number of members, which is the slot of the next one.
    pub fn members(&self) -> usize {
        self.members
    }

    /// Appends columns (ascending row numbers, values), in slot order; entries in other rows are ignored.
    pub fn append(&mut self, columns: &[(&[u32], &[f64])]) {
        let inside: Vec<_> = columns.iter().map(|&(rows, values)| self.inside(rows, values)).collect();
        let mut starts = vec![0u32; self.rows.len() + 1];
        for &row in inside.iter().flat_map(|(rows, _)| rows.iter()) {
            starts[(row - self.rows.start) as usize + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let total = starts[self.rows.len()] as usize;
        let (mut slots, mut values) = (vec![0; total], vec![0.0; total]);
        let mut next = starts.clone();
        for (slot, (rows, column)) in (self.members as u32..).zip(&inside) {
            for (&row, &value) in rows.iter().zip(*column) {
                let at = &mut next[(row - self.rows.start) as usize];
                slots[*at as usize] = slot;
                values[*at as usize] = value;
                *at += 1;
            }
        }
        self.batches.push(Batch { first: self.members, starts, slots, values });
        self.members += columns.len();
    }

    fn inside<'a>(&self, rows: &'a [u32], values: &'a [f64]) -> (&'a [u32], &'a [f64]) {
        let from = rows.partition_point(|&row| row < self.rows.start);
        let to = rows.partition_point(|&row| row < self.rows.end).min(values.len());
        (&rows[from.min(to)..to], &values[from.min(to)..to])
    }

    /// Returns the number of stored entries, a measure of the memory held.
    pub fn entries(&self) -> usize {
        self.batches.iter().map(|batch| batch.slots.len()).sum()
    }
}

in_every_form! {
    /// Computes out\[(i - first) * stride + j\] += x_i'x_j over the piece's rows, for members i >= `first`
    /// and j <= i.
    ///
    /// Each element is a chain of fused multiply-adds over ascending rows; `first` is the first member of a
    /// batch. Returns the number of multiply-adds.
    pub fn gram_by_rows(piece: &RowPiece, first: usize, out: &mut [f64], stride: usize) -> u64 = gram_in;
}

#[inline(always)]
fn gram_in<L: Lanes>(piece: &RowPiece, first: usize, out: &mut [f64], stride: usize) -> u64 {
    let split = piece.batches.partition_point(|batch| batch.first < first);
    let (old, new) = piece.batches.split_at(split);
    let mut work = 0;
    for row in 0..piece.rows.len() {
        for (at, batch) in new.iter().enumerate() {
            let (slots, values) = batch.row(row);
            for (t, (&i, &value)) in slots.iter().zip(values).enumerate() {
                let out = &mut out[(i as usize - first) * stride..][..=i as usize];
                for earlier in old.iter().chain(&new[..at]) {
                    let (slots, values) = earlier.row(row);
                    scatter(out, value, slots, values);
                    work += slots.len() as u64;
                }
                scatter(out, value, &slots[..=t], &values[..=t]);
                work += t as u64 + 1;
            }
        }
    }
    work
}

impl Batch {
    #[inline(always)]
    fn row(&self, row: usize) -> (&[u32], &[f64]) {
        let range = self.starts[row] as usize..self.starts[row + 1] as usize;
        (&self.slots[range.clone()], &self.values[range])
    }
}

#[inline(always)]
fn scatter(out: &mut [f64], scale: f64, slots: &[u32], values: &[f64]) {
    for (&slot, &value) in slots.iter().zip(values) {
        if let Some(out) = out.get_mut(slot as usize) {
            *out = value.mul_add(scale, *out);
        }
    }
}
