//! [`CheckpointStore`]: the folder of a run as the coordinator uses it. The coordinator alone chooses the
//! checkpoint that a run resumes from, and commits the parts that the processes have written.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use std::{fs, io};

use super::coordinator::Event;
use super::invitation::write_private;
use super::protocol::CheckpointResult;
use crate::base::error::EngineError;
use crate::base::identity::Identity;
use crate::base::store::{Disk, Store, write_synced};
use crate::checkpoint::{
    Checkpoint, SubmittedParts, commit_parts, has_checkpoint, last_generation, unwritten,
};
use crate::parties::bytes::random;

/// Name of the file with the number of the last generation; it is durable before the generation begins.
const GENERATION: &str = "generation.json";
/// Name of the file that every process reads to prove that it reaches the run's folder.
pub const PROOF: &str = "proof";
/// Name of the folder of checkpoints inside the run's folder.
const CHECKPOINTS: &str = "checkpoint";

/// The folder of a run, if it has one, and its checkpoints.
#[derive(Debug)]
pub(crate) struct CheckpointStore {
    folder: Option<PathBuf>,
    /// The folder that checkpoints are written to.
    checkpoints: Option<PathBuf>,
    /// The folder of checkpoints of an earlier run, from which this one resumes.
    resume: Option<PathBuf>,
    store: Arc<dyn Store>,
    /// `true` if this run has committed a checkpoint of its own.
    committed: bool,
}

impl CheckpointStore {
    pub(super) fn new(folder: Option<PathBuf>, resume: Option<PathBuf>) -> Self {
        let checkpoints = folder.as_ref().map(|folder| folder.join(CHECKPOINTS));
        Self { folder, checkpoints, resume, store: Arc::new(Disk), committed: false }
    }

    /// Store of a run on one process, which has checkpoints but no run folder.
    pub(crate) fn of_checkpoints(checkpoints: Option<PathBuf>, store: Arc<dyn Store>) -> Self {
        Self { checkpoints, store, ..Self::new(None, None) }
    }

    /// Store whose files are written through another [`Store`], such as a simulated disk.
    #[cfg(test)]
    pub(crate) fn in_store(folder: PathBuf, store: Arc<dyn Store>) -> Self {
        Self { store, ..Self::new(Some(folder), None) }
    }

    /// `true` if there may be a checkpoint to resume from.
    pub(super) fn may_have_checkpoint(&self) -> bool {
        self.folder.is_some() || self.resume.is_some()
    }

    /// Number of the last generation that may have written something here; 0 if none has.
    pub(crate) fn last_generation(&self) -> u64 {
        let text = self.folder.as_ref().and_then(|folder| fs::read(folder.join(GENERATION)).ok());
        let value: Option<serde_json::Value> = text.and_then(|text| serde_json::from_slice(&text).ok());
        let noted = value.and_then(|value| value["generation"].as_u64()).unwrap_or(0);
        noted.max(self.checkpoints.as_deref().map_or(0, last_generation))
    }

    /// Writes the number of a generation before it begins, so that it survives a loss of power.
    pub(crate) fn note_generation(&self, number: u64) -> io::Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let (path, partial) = (folder.join(GENERATION), folder.join("generation.json.partial"));
        write_synced(&self.store, &partial, format!("{{\"generation\": {number}}}\n").as_bytes())?;
        self.store.rename(&partial, &path)?;
        self.store.sync_folder(folder)
    }

    /// Writes a random number, at least 1, to the proof file and returns it; `None` without a folder.
    pub(super) fn write_proof(&self) -> io::Result<Option<u64>> {
        let Some(folder) = &self.folder else { return Ok(None) };
        let number = u64::from_le_bytes(random()?).max(1);
        write_private(&folder.join(PROOF), &number.to_string())?;
        Ok(Some(number))
    }

    /// Event with the checkpoint to resume from: an earlier run's until this run has committed one.
    pub(crate) fn find(&self, identity: &Identity) -> Event {
        let own = self.checkpoints.clone().filter(|folder| has_checkpoint(folder));
        let resume = self.resume.as_ref().filter(|_| !self.committed);
        let Some(folder) = resume.cloned().filter(|folder| has_checkpoint(folder)).or(own) else {
            return Event::none_found();
        };
        match Checkpoint::read(&folder, identity) {
            Ok(found) => Event::found(&found),
            Err(why) => Event::Unusable { why: why.to_string() },
        }
    }

    /// Commits a checkpoint of the parts that the processes have submitted; returns its bytes.
    ///
    /// # Errors
    /// If it cannot be written; nothing is left of it then.
    pub(crate) fn write(
        &mut self,
        epoch: u64,
        generation: u64,
        identity: &Identity,
        SubmittedParts { parts, failed, .. }: SubmittedParts,
    ) -> Result<u64, EngineError> {
        let no_folder = || EngineError::Setting("the coordinator has no folder for it".into());
        let all = self.checkpoints.as_ref().ok_or_else(no_folder)?;
        let parts = failed.map_or(Ok(parts), |why| Err(io::Error::other(why)));
        let committed =
            commit_parts(&self.store, &all.join(format!("{epoch}.{generation}")), identity, parts);
        let bytes = committed.map_err(|why| unwritten(all, &why))?;
        self.committed = true;
        Ok(bytes)
    }

    /// Result of [writing](Self::write) a checkpoint.
    pub(crate) fn commit(
        &mut self,
        epoch: u64,
        generation: u64,
        identity: &Identity,
        submitted: SubmittedParts,
    ) -> CheckpointResult {
        let (began, cost) = (Instant::now(), submitted.cost);
        let written = self.write(epoch, generation, identity, submitted);
        let (bytes, failed) = (*written.as_ref().unwrap_or(&0), written.err().map(|why| why.to_string()));
        CheckpointResult { cost: cost + began.elapsed().as_secs_f64(), bytes, failed }
    }
}

/// Number in the proof file beside this folder of checkpoints; 0 where it cannot be read.
pub(crate) fn read_proof(checkpoints: &Path) -> u64 {
    let text = checkpoints.parent().map(|folder| fs::read_to_string(folder.join(PROOF)).unwrap_or_default());
    text.and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}
