//! [`Cell`]: sixteen counts of a dense row, in either width.

use super::lanes::{CountLine, FloatLine, LANES, Lanes};
use crate::topics::counts::packing::LineCounts;

/// Sixteen counts of a dense row.
pub(crate) trait Cell: LineCounts {
    /// Returns the counts in lanes.
    fn lanes<L: Lanes>(&self) -> L;
    /// Adds 1 or -1 in a lane. The cell is read and written as a whole, because it is read next: a count that
    /// was stored alone could not be loaded with the others.
    fn change<L: Lanes>(&mut self, lane: usize, by: i16);
}

impl Cell for CountLine {
    #[inline(always)]
    fn lanes<L: Lanes>(&self) -> L {
        L::widen(self)
    }

    #[inline(always)]
    fn change<L: Lanes>(&mut self, lane: usize, by: i16) {
        L::change(self, lane, by);
    }
}

impl Cell for FloatLine {
    #[inline(always)]
    fn lanes<L: Lanes>(&self) -> L {
        L::load(&self.0)
    }

    #[inline(always)]
    fn change<L: Lanes>(&mut self, lane: usize, by: i16) {
        let count = self.0[lane % LANES] + f32::from(by);
        L::put(self, lane, count);
    }
}
