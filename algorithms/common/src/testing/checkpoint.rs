//! [`Checkpoint`]: the last checkpoint of a run, for tests that corrupt it.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

/// Bytes in a digest.
const HASH: usize = 32;

/// The last checkpoint of a run.
#[derive(Debug)]
pub struct Checkpoint {
    folder: PathBuf,
    manifest: Vec<u8>,
    parts: Vec<(PathBuf, Vec<u8>)>,
}

impl Checkpoint {
    /// Finds the last checkpoint in the folder of a run's checkpoints.
    pub fn last(folder: &Path) -> Self {
        let mut names: Vec<(u64, u64)> = super::names(folder)
            .iter()
            .map(|name| {
                let (epoch, generation) = name.split_once('.').unwrap();
                (generation.parse().unwrap(), epoch.parse().unwrap())
            })
            .collect();
        names.sort_unstable();
        let (generation, epoch) = names.pop().unwrap();
        let folder = folder.join(format!("{epoch}.{generation}"));
        let parts = super::names(&folder).into_iter().filter(|name| name.starts_with("part."));
        let parts = parts.map(|name| folder.join(name)).map(|path| (path.clone(), fs::read(path).unwrap()));
        Self { manifest: fs::read(folder.join("manifest")).unwrap(), parts: parts.collect(), folder }
    }

    /// Returns the folder of this checkpoint.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the number of bytes in all parts.
    pub fn length(&self) -> usize {
        self.parts.iter().map(|(_, bytes)| bytes.len()).sum()
    }

    /// Rewrites the part that holds byte `at`, counted over all parts; `change` gets the part and the
    /// position of the byte in it. Lengths and digests are recomputed, so that only the content is wrong.
    pub fn forge(&self, mut at: usize, change: impl FnOnce(&mut Vec<u8>, usize)) {
        let (mut manifest, mut change) = (self.manifest.clone(), Some(change));
        for (path, whole) in &self.parts {
            let mut bytes = whole.clone();
            if at < whole.len()
                && let Some(change) = change.take()
            {
                change(&mut bytes, at);
                replace(&mut manifest, &whole_line(whole), &whole_line(&bytes));
            }
            at = at.wrapping_sub(whole.len());
            fs::write(path, bytes).unwrap();
        }
        self.sign(manifest);
    }

    /// Writes a changed manifest, and recomputes its digest.
    pub fn forge_manifest(&self, change: impl FnOnce(&mut Vec<u8>)) {
        let mut manifest = self.manifest.clone();
        manifest.truncate(manifest.len() - HASH);
        change(&mut manifest);
        manifest.extend([0; HASH]);
        self.sign(manifest);
    }

    fn sign(&self, mut manifest: Vec<u8>) {
        manifest.truncate(manifest.len() - HASH);
        let hash = Sha256::digest(&manifest);
        manifest.extend_from_slice(&hash);
        fs::write(self.folder.join("manifest"), manifest).unwrap();
    }
}

/// The rest of a manifest's line after the name of a part: its length, and its digest as a list of bytes.
fn whole_line(part: &[u8]) -> Vec<u8> {
    let length = (part.len() as u64).to_le_bytes();
    [&length[..], &(HASH as u64).to_le_bytes(), &Sha256::digest(part)].concat()
}

fn replace(text: &mut [u8], old: &[u8], new: &[u8]) {
    let at = text.windows(old.len()).position(|window| window == old).unwrap();
    text[at..at + old.len()].copy_from_slice(new);
}
