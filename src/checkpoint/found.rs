//! [`Checkpoint`]: a checkpoint that has been found in a folder and checked.

use std::fs;
use std::path::{Path, PathBuf};

use super::folder::{epoch_of, list, refuse};
use super::manifest::{self, Manifest};
use crate::base::error::EngineError;
use crate::base::identity::Identity;

/// A checkpoint that has been found and checked.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    pub(crate) folder: PathBuf,
    pub(crate) manifest: Manifest,
    /// Later checkpoints that do not fit, each with the reason.
    pub(crate) unfit: Vec<String>,
}

impl Checkpoint {
    /// Returns the epochs completed at the checkpoint, by its name; 0 if it has been renamed.
    pub(crate) fn epoch(&self) -> u64 {
        epoch_of(&self.folder).unwrap_or(0)
    }

    /// Reads the last checkpoint in the folder that is whole and belongs to the run with this identity.
    ///
    /// # Errors
    /// [`EngineError::Checkpoint`], of the last one of all, if there is none.
    pub(crate) fn read(folder: &Path, identity: &Identity) -> Result<Self, EngineError> {
        if folder.is_file() {
            let bytes = fs::read(folder).map_err(|why| refuse(folder, why.to_string()))?;
            let version = manifest::check_version(&bytes);
            return Err(refuse(folder, version.err().unwrap_or_else(manifest::damaged)));
        }
        if let Err(why) = fs::read_dir(folder) {
            return Err(refuse(folder, format!("it cannot be read: {why}")));
        }
        // A checkpoint itself, or the folder of several.
        let candidates = if folder.join(manifest::NAME).exists() {
            vec![folder.to_owned()]
        } else {
            list(folder).iter().map(|name| folder.join(name.to_string())).collect()
        };
        let mut unfit = Vec::new();
        for folder in candidates.into_iter().filter(|folder| folder.join(manifest::NAME).exists()) {
            match Manifest::read(&folder, identity) {
                Ok(manifest) => {
                    let passed_by = |(path, why): (PathBuf, String)| {
                        format!("{}; {} is used instead", refuse(&path, why), folder.display())
                    };
                    let unfit = unfit.into_iter().map(passed_by).collect();
                    return Ok(Self { unfit, folder, manifest });
                }
                Err(why) => unfit.push((folder, why)),
            }
        }
        let others = unfit.len().saturating_sub(1);
        Err(match unfit.into_iter().next() {
            // The remedy: no other checkpoint here can be used either.
            Some((path, why)) if why == manifest::damaged() => {
                refuse(&path, format!("{why}; {}", instead(others)))
            }
            Some((path, why)) => refuse(&path, why),
            None => refuse(folder, "there is no whole checkpoint in it: start the run again".into()),
        })
    }
}

/// Returns the remedy for a damaged checkpoint, if none of `others` earlier ones can be used either.
fn instead(others: usize) -> String {
    let earlier = match others {
        0 => "there is no other one",
        _ => "the one before cannot be used either",
    };
    format!("{earlier}: start the run again, with the line that started it and --force")
}
