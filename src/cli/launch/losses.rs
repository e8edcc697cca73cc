//! [`Losses`]: the losses of processes that a launcher has seen, and the decision to try again.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use raddle::cluster::CoordinatorSettings;
use raddle::command_line_support::CHANGES_LOG;
use raddle::has_checkpoint;

/// Pause after an attempt that reached no generation: the obstacle may pass.
const PAUSE: Duration = Duration::from_secs(1);
/// Number of losses without a new epoch between them at which the run ends: they are no accident.
const MOST: usize = 3;

/// The losses of a run.
#[derive(Debug, Default)]
pub(super) struct Losses {
    /// Messages of the losses since the last new epoch.
    seen: Vec<String>,
    /// The furthest epoch that the run has reached.
    furthest: u64,
    /// Moment of the last loss, until a generation has started.
    at: Option<Instant>,
    /// `true` if the last loss came before a generation had started.
    was_early: bool,
}

impl Losses {
    /// Counts one more loss, of a run that had reached this epoch. Returns the number of losses without a new
    /// epoch; `None` if they are too many.
    pub(super) fn count(&mut self, why: &str, epoch: u64, at: Instant) -> Option<usize> {
        if epoch > self.furthest {
            self.furthest = epoch;
            self.seen.clear();
        }
        self.seen.push(why.to_owned());
        self.was_early = self.at.replace(at).is_some();
        (self.seen.len() < MOST).then_some(self.seen.len())
    }

    /// Returns the time to wait before the next attempt: zero, as a rule.
    pub(super) fn pause(&self) -> Duration {
        if self.was_early { PAUSE } else { Duration::ZERO }
    }

    /// Returns the point from which the run continues, in words.
    pub(super) fn what_next(&self, settings: &CoordinatorSettings) -> &'static str {
        let own = settings.folder.as_ref().map(|folder| folder.join("checkpoint"));
        let is_there = own.iter().chain(&settings.resume).any(has_checkpoint);
        let has_versions = |folder: &PathBuf| folder.join(CHANGES_LOG).exists();
        match (is_there, &settings.folder) {
            (false, Some(folder)) if has_versions(folder) => {
                "the unfinished version of the data starts again, from the model before it"
            }
            (true, _) => "the run continues from its last checkpoint",
            (false, Some(_)) => "the run starts again, as it has no checkpoint yet",
            (false, None) => "the run starts again, as it keeps nothing without --out",
        }
    }

    /// Notes that a generation has started; returns the message about it, if there is one.
    pub(super) fn begun(&mut self, generation: u64) -> Option<String> {
        let since = self.at.take()?.elapsed().as_secs_f64();
        Some(format!("generation {generation} has begun, {since:.2} s after the loss"))
    }

    /// Returns the reason that the run ends, in words.
    pub(super) fn too_many(&self, folder: Option<&Path>) -> String {
        let seen = self.seen.join("; ");
        let resume = folder.map_or(String::new(), |folder| {
            format!("; when the cause is gone, continue with raddle launch --resume {}", folder.display())
        });
        format!("{MOST} losses without a new epoch between them: {seen}{resume}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_losses_without_a_new_epoch_are_too_many() {
        let mut losses = Losses::default();
        let mut count = |epoch| losses.count("gone", epoch, Instant::now());
        assert_eq!([0, 0].map(&mut count), [Some(1), Some(2)]);
        // A new epoch, then the same one over and over.
        assert_eq!([7, 5, 7].map(&mut count), [Some(1), Some(2), None]);
        let mut losses = Losses::default();
        losses.count("gone", 0, Instant::now());
        assert_eq!(losses.pause(), Duration::ZERO);
        losses.begun(2);
        losses.count("gone", 0, Instant::now());
        assert_eq!(losses.pause(), Duration::ZERO, "a generation had begun");
        losses.count("gone", 0, Instant::now());
        assert_eq!(losses.pause(), PAUSE);
        assert!(losses.too_many(Some(Path::new("run"))).ends_with("raddle launch --resume run"));
    }
}
