//! [`Attempts`]: the generations of all attempts of a launched run, in its folder.

use std::path::{Path, PathBuf};

use raddle::cluster::PlacedGeneration;
use raddle::command_line_support::ATTEMPTS;
use raddle::files::write_atomic;

use crate::graph::placed_generations;

/// Generations of the attempts before this one, and the file that remembers them.
#[derive(Debug, Default)]
pub(super) struct Attempts {
    file: Option<PathBuf>,
    earlier: Vec<PlacedGeneration>,
}

impl Attempts {
    /// Attempts of a run in a folder, with those of an earlier launcher if the run resumes.
    pub(super) fn new(folder: Option<&Path>, resumes: bool) -> Self {
        let earlier = folder.filter(|_| resumes).map(placed_generations).unwrap_or_default();
        Self { file: folder.map(|folder| folder.join(ATTEMPTS)), earlier }
    }

    /// Writes the generations of this attempt, of which the last is about to begin.
    pub(super) fn placed(&mut self, now: &[PlacedGeneration]) {
        let first = now.first().map_or(u64::MAX, |first| first.number);
        self.earlier.retain(|before| before.number < first);
        self.earlier.extend_from_slice(now);
        if let Some(file) = &self.file {
            // Best effort: the run is worth more than its history.
            let _ = write_atomic(file, |out| Ok(serde_json::to_writer(out, &self.earlier)?));
        }
    }
}
