//! [`Cell`]: sixteen counts of a dense row, in either width.

use raddle::State;
use raddle::state::{Reader, StateError, Writer};

use super::lanes::{Counts, LANES, Lanes, Line, Sixteen};

/// Sixteen counts of a dense row.
pub(crate) trait Cell: Copy + Default + State {
    /// The counts.
    fn counts(&self) -> [u32; LANES];
    /// The counts in lanes.
    fn lanes<L: Lanes>(&self) -> L;
    /// One more in a lane. The cell is read and written whole, as it is read next: what was stored alone could not be
    /// loaded by sixteen at once.
    fn one_more<L: Lanes>(&mut self, lane: usize);
    /// One less in a lane.
    fn one_less<L: Lanes>(&mut self, lane: usize);
}

impl Cell for Counts {
    fn counts(&self) -> [u32; LANES] {
        self.0.map(u32::from)
    }

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

impl Cell for Sixteen {
    fn counts(&self) -> [u32; LANES] {
        self.0.map(|count| count as u32)
    }

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

/// Sixteen numbers as bytes.
macro_rules! sixteen_as_state {
    ($($name:ident: $number:ty),*) => {$(
        impl State for $name {
            fn save(&self, out: &mut Writer) {
                <$number>::save_slice(&self.0, out);
            }

            fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
                let mut sixteen = Self::default();
                for number in &mut sixteen.0 {
                    *number = from.read()?;
                }
                Ok(sixteen)
            }
        }
    )*};
}

sixteen_as_state!(Counts: u16, Sixteen: f32, Line: u32);
