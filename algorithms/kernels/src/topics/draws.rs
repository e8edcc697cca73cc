//! [`Draws`]: the random numbers of one task.

use raddle_base::random::splitmix64;

/// SplitMix64 from a start given by the task's random stream: 64 bits at a time, without a dependency from
/// one to the next.
#[derive(Clone, Copy, Debug)]
pub struct Draws {
    state: u64,
}

impl Draws {
    pub fn new(start: u64) -> Self {
        Self { state: start }
    }

    /// Returns two starts for random numbers that are independent of these and of each other.
    pub(super) fn apart(self) -> (u64, Self) {
        (splitmix64(self.state), Self { state: splitmix64(!self.state) })
    }

    /// Returns two uniform numbers in `[0, 1)`, multiples of 2^-24.
    #[inline(always)]
    pub fn pair(&mut self) -> (f32, f32) {
        const UNIT: f32 = 1.0 / (1u32 << 24) as f32;
        let bits = splitmix64(self.state);
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        (((bits >> 40) as f32) * UNIT, ((bits >> 8) as u32 >> 8) as f32 * UNIT)
    }

    /// Returns a number uniform in `0..bound`, for a bound of at most 2^32; the bias is below bound / 2^32.
    #[inline(always)]
    pub fn below(&mut self, bound: u32) -> u32 {
        let bits = splitmix64(self.state);
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        (((bits >> 32) * u64::from(bound)) >> 32) as u32
    }
}
