//! [`Pace`]: progress for whoever reads it as text: at most ten lines a second, and the last one.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Lines in a second, at most.
const LINES: usize = 10;
const SECOND: Duration = Duration::from_secs(1);

/// Decides which lines are shown.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// When the last lines were shown.
    shown: VecDeque<Instant>,
    /// The last line, if it was not.
    held: Option<String>,
}

impl Pace {
    /// A line that could be shown now. It is given back if it may be, else kept in the place of the one before.
    pub(super) fn offer(&mut self, now: Instant, line: String) -> Option<String> {
        if self.shown.len() < LINES || self.shown[0] + SECOND <= now {
            self.shown.truncate(LINES);
            if self.shown.len() == LINES {
                self.shown.pop_front();
            }
            self.shown.push_back(now);
            self.held = None;
            return Some(line);
        }
        self.held = Some(line);
        None
    }

    /// The last line, if it has not been shown.
    pub(super) fn last(&mut self) -> Option<String> {
        self.held.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_second_has_more_than_ten_lines_and_the_last_is_shown() {
        let (mut pace, start) = (Pace::default(), Instant::now());
        let at = |millis: u64| start + Duration::from_millis(millis);
        // A line a millisecond, for three seconds.
        let shown: Vec<u64> =
            (0..3000).filter(|&millis| pace.offer(at(millis), millis.to_string()).is_some()).collect();
        assert_eq!(shown[..10], (0..10).collect::<Vec<_>>());
        assert!(shown.windows(11).all(|some| some[10] - some[0] >= 1000), "{shown:?}");
        assert_eq!(shown.len(), 30);
        assert_eq!((pace.last().as_deref(), pace.last()), (Some("2999"), None));
        // Whoever is slow sees everything.
        assert!((0..50).all(|number| pace.offer(at(10_000 + 200 * number), String::new()).is_some()));
        assert_eq!(pace.last(), None);
    }
}
