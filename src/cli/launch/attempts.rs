//! [`Attempts`]: the generations of all attempts of a launched run, in its folder.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use raddle::cluster::PlacedGeneration;
use raddle::command_line_support::ATTEMPTS;

use crate::run_folder::folder::Earlier;

/// File with a line for each generation as it begins, and again as it ends.
#[derive(Debug)]
pub(super) struct Attempts(Option<PathBuf>);

impl Attempts {
    /// The file in the folder of a run; lines of an earlier launcher stay if the run resumes.
    pub(super) fn new(folder: Option<&Path>, earlier: Earlier) -> Self {
        let file = folder.map(|folder| folder.join(ATTEMPTS));
        if let Some(file) = file.as_ref().filter(|_| earlier != Earlier::Resumed) {
            // Best effort, as below: the run is worth more than its history.
            let _ = fs::remove_file(file);
        }
        Self(file)
    }

    /// Adds the last of these generations, which is about to begin, and the one before, which has ended.
    pub(super) fn placed(&self, generations: &[PlacedGeneration]) {
        let Some(file) = &self.0 else { return };
        let last = &generations[generations.len().saturating_sub(2)..];
        let lines: String =
            last.iter().flat_map(|placed| serde_json::to_string(placed).map(|line| line + "\n")).collect();
        let opened = OpenOptions::new().create(true).append(true).open(file);
        let _ = opened.and_then(|mut file| file.write_all(lines.as_bytes()));
    }
}
