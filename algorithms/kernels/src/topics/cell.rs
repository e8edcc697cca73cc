//! [`Cell`]: sixteen counts of a dense row, in either width.

use super::lanes::{CountLine, FloatLine, LANES, Lanes};
use crate::topics::counts::packing::LineCounts;

/// Sixteen counts of a dense row.
pub(crate) trait Cell: LineCounts {
    /// Returns the counts in lanes.
    fn lanes<L: Lanes>(&self) -> L;
    /// Adds one in a lane. The cell is read and written as a whole, because it is read next: a count that was
    /// stored alone could not be loaded with the others.
    fn one_more<L: Lanes>(&mut self, lane: usize);
    /// Subtracts one in a lane.
    fn one_less<L: Lanes>(&mut self, lane: usize);
}

impl Cell for CountLine {
    #[inline(always)]
    fn lanes<L: Lanes>(&self) -> L {
        L::widen(self)
    }

    #[inline(always)]
    fn one_more<L: Lanes>(&mut self, lane: usize) {
        L::raise(self, lane);
    }

    #[inline(always)]
    fn one_less<L: Lanes>(&mut self, lane: usize) {
        L::lower(self, lane);
    }
}

impl Cell for FloatLine {
    #[inline(always)]
    fn lanes<L: Lanes>(&self) -> L {
        L::load(&self.0)
    }

    #[inline(always)]
    fn one_more<L: Lanes>(&mut self, lane: usize) {
        let more = self.0[lane % LANES] + 1.0;
        L::put(self, lane, more);
    }

    #[inline(always)]
    fn one_less<L: Lanes>(&mut self, lane: usize) {
        let less = self.0[lane % LANES] - 1.0;
        L::put(self, lane, less);
    }
}
