//! [`LineRate`]: limits progress as text to ten lines a second, and the last one.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use raddle::command_line_support::lock;

/// Limit of lines in a second.
const LINES: usize = 10;
const SECOND: Duration = Duration::from_secs(1);

/// Choice of the lines that are shown.
#[derive(Debug, Default)]
pub(super) struct LineRate {
    /// Moments of the last lines shown, by all that share this rate.
    shown: Arc<Mutex<VecDeque<Instant>>>,
    /// The last line, if it was not shown.
    held: Option<String>,
}

impl LineRate {
    /// Returns a rate for a separate sequence of lines, such as those of another part that runs at the same
    /// time: the two share the ten lines, and each shows its last line.
    pub(super) fn apart(&self) -> Self {
        Self { shown: Arc::clone(&self.shown), held: None }
    }

    /// Offers a line to be shown now. Returns the line if it may be shown, else keeps it, in place of the one
    /// kept before.
    pub(super) fn offer(&mut self, now: Instant, line: String) -> Option<String> {
        let mut shown = lock(&self.shown);
        if shown.len() == LINES {
            if shown[0] + SECOND > now {
                self.held = Some(line);
                return None;
            }
            shown.pop_front();
        }
        shown.push_back(now);
        self.held = None;
        Some(line)
    }

    /// Takes the last line, if it has not been shown.
    pub(super) fn last(&mut self) -> Option<String> {
        self.held.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_second_has_more_than_ten_lines_and_the_last_is_shown() {
        let (mut rate, start) = (LineRate::default(), Instant::now());
        let at = |millis: u64| start + Duration::from_millis(millis);
        // A line a millisecond, for three seconds.
        let shown: Vec<u64> =
            (0..3000).filter(|&millis| rate.offer(at(millis), millis.to_string()).is_some()).collect();
        assert_eq!(shown[..10], (0..10).collect::<Vec<_>>());
        assert!(shown.windows(11).all(|some| some[10] - some[0] >= 1000), "{shown:?}");
        assert_eq!(shown.len(), 30);
        assert_eq!((rate.last().as_deref(), rate.last()), (Some("2999"), None));
        // A slow run shows every line.
        assert!((0..50).all(|number| rate.offer(at(10_000 + 200 * number), String::new()).is_some()));
        assert_eq!(rate.last(), None);
    }

    #[test]
    fn what_goes_on_side_by_side_shares_the_ten_and_each_last_line_is_shown() {
        let (mut one, now) = (LineRate::default(), Instant::now());
        let mut other = one.apart();
        let shown = (0..20).filter(|line| one.offer(now, format!("one {line}")).is_some()).count();
        let more = (0..20).filter(|line| other.offer(now, format!("other {line}")).is_some()).count();
        assert_eq!((shown, more), (10, 0));
        assert_eq!((one.last().as_deref(), other.last().as_deref()), (Some("one 19"), Some("other 19")));
    }
}
