//! [`CheckpointEvery`]: the boundaries that are worth a checkpoint. The clock decides when state is saved,
//! never what is saved.

use std::str::FromStr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::base::sync::lock;
use serde::{Serialize, Serializer};

/// Interval between the checkpoints of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckpointEvery {
    /// After every N epochs.
    Epochs(u64),
    /// At the first boundary after 5 seconds, then whenever 30 times the cost of the last checkpoint has
    /// passed: checkpoints take about a thirtieth of the time.
    Auto,
}

impl From<u64> for CheckpointEvery {
    fn from(epochs: u64) -> Self {
        Self::Epochs(epochs)
    }
}

impl FromStr for CheckpointEvery {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            _ => text
                .parse()
                .ok()
                .filter(|&epochs| epochs > 0)
                .map(Self::Epochs)
                .ok_or_else(|| "give a whole number of 1 or more, or auto".into()),
        }
    }
}

/// A number, or `auto`.
impl Serialize for CheckpointEvery {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Epochs(epochs) => serializer.serialize_u64(*epochs),
            Self::Auto => serializer.serialize_str("auto"),
        }
    }
}

/// Time of the first checkpoint of [`CheckpointEvery::Auto`].
const FIRST: Duration = Duration::from_secs(5);
/// Time between two of them, in units of the cost of the last one.
const COSTS: u32 = 30;

/// The boundaries of a run that are due.
#[derive(Debug, Clone)]
pub(crate) struct Due {
    every: CheckpointEvery,
    clock: Arc<Mutex<Clock>>,
}

#[derive(Debug)]
struct Clock {
    next: Instant,
    /// The answer for the boundary that was last asked about, so that all workers get the same one.
    answered: Option<(u64, bool)>,
}

impl Due {
    pub(crate) fn new(every: CheckpointEvery) -> Self {
        Self { every, clock: Arc::new(Mutex::new(Clock { next: Instant::now() + FIRST, answered: None })) }
    }

    /// `true` if the boundary after this number of epochs is due.
    pub(crate) fn at(&self, epoch: u64) -> bool {
        match self.every {
            CheckpointEvery::Epochs(every) => epoch > 0 && epoch.is_multiple_of(every),
            CheckpointEvery::Auto => lock(&self.clock).is_due(epoch, Instant::now()),
        }
    }

    /// Notes that a checkpoint was written, at this cost.
    pub(crate) fn note(&self, cost: Duration) {
        lock(&self.clock).note(cost, Instant::now());
    }
}

impl Clock {
    fn is_due(&mut self, epoch: u64, now: Instant) -> bool {
        match self.answered {
            Some((asked, due)) if asked == epoch => due,
            _ => {
                let due = epoch > 0 && now >= self.next;
                self.answered = Some((epoch, due));
                due
            }
        }
    }

    fn note(&mut self, cost: Duration, now: Instant) {
        self.next = now + cost * COSTS;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn automatic_ones_come_after_5_seconds_and_then_take_a_thirtieth_of_the_time() {
        let start = Instant::now();
        let mut clock = Clock { next: start + FIRST, answered: None };
        let (mut written, mut spent) = (Vec::new(), Duration::ZERO);
        // Epochs of a second; a checkpoint costs as much as its number in tenths.
        for epoch in 0..1000 {
            let now = start + Duration::from_secs(epoch) + spent;
            if clock.is_due(epoch, now) {
                // A second call returns the same answer.
                assert!(clock.is_due(epoch, now + Duration::from_secs(100)));
                let cost = Duration::from_millis(100 * (written.len() as u64 + 1));
                spent += cost;
                clock.note(cost, now + cost);
                written.push(epoch);
            }
        }
        assert_eq!(written[..4], [5, 8, 14, 23]);
        assert!(spent <= Duration::from_secs(1000) / 25, "{spent:?}");
        assert_eq!("auto".parse(), Ok(CheckpointEvery::Auto));
        assert!("0".parse::<CheckpointEvery>().is_err() && "often".parse::<CheckpointEvery>().is_err());
    }

    #[test]
    fn all_who_ask_about_a_boundary_are_told_the_same_however_late() {
        let start = Instant::now();
        let mut clock = Clock { next: start + FIRST, answered: None };
        assert!(!clock.is_due(3, start + FIRST / 2));
        assert!(!clock.is_due(3, start + 100 * FIRST), "the first was told no");
        assert!(!clock.is_due(0, start + 100 * FIRST), "nothing has been learned before the first epoch");
        assert!(clock.is_due(4, start + 100 * FIRST));
        clock.note(Duration::from_secs(1), start + 100 * FIRST);
        assert!(clock.is_due(4, start + 100 * FIRST), "the first was told yes");
    }
}
