//! Checkpoints: a boundary as a file, readable with any number of workers.
//!
//! Layout, all numbers little-endian: the magic bytes `RADDLECK`, a version (`u32`), then the body, then the SHA-256
//! of everything before it. The body holds, as [`State`] writes them: the run's identity (a text), where the run
//! stands, the pinned block, the schedule (bytes), what each shard has learned (bytes, by
//! [`Program::remember`]; not the data it was made from), the blocks, and the replica. What these leave out
//! [`Program::rebuild`] makes anew. A file is written beside its
//! place and renamed into it, so it is there whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::error::EngineError;
use crate::generation::Held;
use crate::hub::{HubState, Progress};
use crate::program::Program;
use crate::state::{Reader, State, StateError, Writer, from_bytes, to_bytes};

const MAGIC: &[u8; 8] = b"RADDLECK";
const VERSION: u32 = 1;
const HASH: usize = 32;

/// A checkpoint that has been read and checked.
pub(crate) struct Checkpoint {
    progress: Progress,
    pinned: Vec<u8>,
    schedule: Vec<u8>,
    shards: Vec<Vec<u8>>,
    blocks: Vec<Vec<u8>>,
    replica: Vec<u8>,
}

crate::state!(Checkpoint { progress, pinned, schedule, shards, blocks, replica });

/// Writes a boundary.
pub(crate) fn write<P: Program>(
    path: &Path,
    identity: &str,
    program: &P,
    held: &Held<P>,
    hub: &HubState<P>,
) -> Result<(), EngineError> {
    let mut schedule = Writer::default();
    hub.schedule.save(&mut schedule);
    let remember = |shard: &P::Shard| {
        let mut out = Writer::default();
        program.remember(shard, &mut out);
        out.into_bytes()
    };
    let checkpoint = Checkpoint {
        progress: hub.progress.clone(),
        pinned: to_bytes(&hub.pinned),
        schedule: schedule.into_bytes(),
        shards: held.shards.iter().map(remember).collect(),
        blocks: held.blocks.iter().map(to_bytes).collect(),
        replica: to_bytes(&held.replica),
    };
    let mut out = Writer::default();
    out.put(MAGIC);
    out.write(&VERSION);
    out.write(&identity.to_owned());
    out.write(&checkpoint);
    let mut bytes = out.into_bytes();
    let hash = Sha256::digest(&bytes);
    bytes.extend_from_slice(&hash);
    replace_file(path, &bytes).map_err(|why| {
        let left = if path.exists() { "; the one before is still there" } else { "" };
        refuse(path, format!("it cannot be written: {why}{left}"))
    })
}

/// Writes beside the place, then renames into it. Nothing stays beside it.
fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".partial");
    let beside = Path::new(&beside);
    write_file(beside, bytes).and_then(|()| fs::rename(beside, path)).inspect_err(|_| {
        // Best effort: the error that matters is the one that is returned.
        let _ = fs::remove_file(beside);
    })?;
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => sync_folder(folder),
        _ => sync_folder(Path::new(".")),
    }
}

fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Returns once a folder's entries outlive a loss of power. Only some systems can open a folder; the others order its
/// entries themselves.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    match cfg!(unix) {
        true => File::open(path)?.sync_all(),
        false => Ok(()),
    }
}

impl Checkpoint {
    /// Reads a checkpoint of the run with this identity.
    pub(crate) fn read(path: &Path, identity: &str) -> Result<Self, EngineError> {
        let bytes = fs::read(path).map_err(|why| refuse(path, format!("it cannot be read: {why}")))?;
        let damaged = || refuse(path, "it is damaged or not a checkpoint; resume from another one".into());
        let (signed, hash) = bytes.split_at_checked(bytes.len().saturating_sub(HASH)).ok_or_else(damaged)?;
        let mut from = Reader::new(signed);
        if from.take(MAGIC.len(), "the magic bytes").map_err(|_| damaged())? != MAGIC {
            return Err(damaged());
        }
        let version: u32 = from.read().map_err(|_| damaged())?;
        if version != VERSION {
            let why = format!("it has version {version}, and this program reads version {VERSION}");
            return Err(refuse(path, why));
        }
        if Sha256::digest(signed)[..] != *hash {
            return Err(damaged());
        }
        let written: String = from.read().map_err(|_| damaged())?;
        if written != identity {
            let why = "it belongs to a run on other data or with other parameters: resume with the same";
            return Err(refuse(path, why.into()));
        }
        Self::load(&mut from).map_err(|_| damaged())
    }

    /// Brings a run back to the checkpoint.
    pub(crate) fn restore<P: Program>(
        self,
        path: &Path,
        program: &P,
        held: &mut Held<P>,
        hub: &mut HubState<P>,
    ) -> Result<(), EngineError> {
        let (shards, blocks) = (self.shards.len(), self.blocks.len());
        if shards != held.shards.len() || blocks != held.blocks.len() {
            let (now, with) = (held.shards.len(), held.blocks.len());
            let why = format!("it has {shards} shards and {blocks} blocks, the run has {now} and {with}");
            return Err(refuse(path, why));
        }
        let other = |error| {
            refuse(
                path,
                format!("it does not fit this program, schedule or data: {error}; resume with the same"),
            )
        };
        self.fill(program, held, hub).map_err(other)
    }

    fn fill<P: Program>(
        self,
        program: &P,
        held: &mut Held<P>,
        hub: &mut HubState<P>,
    ) -> Result<(), StateError> {
        for (shard, bytes) in held.shards.iter_mut().zip(&self.shards) {
            let mut from = Reader::new(bytes);
            program.recall(shard, &mut from)?;
            from.end("a shard")?;
        }
        for (block, bytes) in held.blocks.iter_mut().zip(&self.blocks) {
            *block = from_bytes(bytes)?;
        }
        held.replica = from_bytes(&self.replica)?;
        hub.pinned = from_bytes(&self.pinned)?;
        let mut from = Reader::new(&self.schedule);
        hub.schedule.load(&mut from)?;
        from.end("a schedule")?;
        hub.progress = self.progress;
        program.check_restored(&held.shards, &held.blocks, &hub.pinned, &held.replica)?;
        let weights = hub.progress.outlook.as_ref().map_or(&[][..], |outlook| &outlook.weights);
        program.rebuild(&mut hub.pinned, &mut held.replica, &mut held.shards, weights)
    }
}

fn refuse(path: &Path, why: String) -> EngineError {
    EngineError::Checkpoint { path: path.to_owned(), why }
}
