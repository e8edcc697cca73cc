//! Checkpoints: a boundary as a file, readable with any number of workers.
//!
//! Layout, all numbers little-endian: the magic bytes `RADDLECK`, a version (`u32`), then the body, then the SHA-256
//! of everything before it. The body holds, as [`State`] writes them: the run's identity, where the run
//! stands, the pinned block, the schedule (bytes), what each shard has learned (bytes, by
//! [`Program::remember`]; not the data it was made from), the blocks, and the replica. What these leave out
//! [`Program::restored`] makes anew. A file is written beside its
//! place and renamed into it, so it is there whole or not at all.
//!
//! Where nothing has gone back to an earlier boundary, the file holds the boundary as it was before it was concluded: the
//! run that is resumed certifies and concludes it anew, under its own target.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::doing::{self, Doing};
use crate::error::EngineError;
use crate::hub::{HubState, Progress};
use crate::identity::Identity;
use crate::place::learned;
use crate::program::{Boundary, Program, Restored};
use crate::share::Held;
use crate::state::{Reader, State, StateError, Writer, from_bytes, to_bytes};

const MAGIC: &[u8; 8] = b"RADDLECK";
const VERSION: u32 = 3;
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
    identity: &Identity,
    program: &P,
    held: &Held<P>,
    hub: &HubState<P>,
    kept: Vec<(u32, Vec<u8>)>,
) -> Result<(), EngineError> {
    let checkpoint = doing::guarded(|| Ok(Checkpoint::new(program, held, hub, kept)));
    let checkpoint = checkpoint.map_err(EngineError::Worker)?;
    let mut out = Writer::default();
    out.put(MAGIC);
    out.write(&VERSION);
    out.write(identity);
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
    fn new<P: Program>(program: &P, held: &Held<P>, hub: &HubState<P>, kept: Vec<(u32, Vec<u8>)>) -> Self {
        let mut schedule = Writer::default();
        Doing::verb("save of the schedule").note();
        hub.schedule.save(&mut schedule);
        let save = |(number, block): (u32, &P::Block)| {
            Doing::verb("save").of("block", number).note();
            to_bytes(block)
        };
        let shards = match &hub.unconcluded {
            Some(_) => kept.into_iter().map(|(_, bytes)| bytes).collect(),
            None => (0..).zip(&held.shards).map(|(number, shard)| learned(program, number, shard)).collect(),
        };
        let blocks = (0..).zip(&held.blocks).map(save).collect();
        Doing::verb("save of the replica").note();
        let replica = to_bytes(&held.replica);
        Doing::verb("save of the pinned block").note();
        let (progress, pinned) = match &hub.unconcluded {
            Some(before) => {
                (Progress { outlook: None, last: before.last, ..hub.progress.clone() }, before.pinned.clone())
            }
            None => (hub.progress.clone(), to_bytes(&hub.pinned)),
        };
        Self { progress, pinned, schedule: schedule.into_bytes(), shards, blocks, replica }
    }

    /// Reads a checkpoint of the run with this identity.
    pub(crate) fn read(path: &Path, identity: &Identity) -> Result<Self, EngineError> {
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
        let written: Identity = from.read().map_err(|_| damaged())?;
        if let Some(why) = written.difference(identity) {
            return Err(refuse(path, why));
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
        let filled = doing::guarded(|| self.fill(program, held, hub).map_err(|error| error.to_string()));
        filled.map_err(other)
    }

    fn fill<P: Program>(
        self,
        program: &P,
        held: &mut Held<P>,
        hub: &mut HubState<P>,
    ) -> Result<(), StateError> {
        for ((number, shard), bytes) in (0..).zip(&mut held.shards).zip(&self.shards) {
            Doing::verb("recall").of("shard", number).note();
            let mut from = Reader::new(bytes);
            program.recall(shard, &mut from)?;
            from.end("a shard")?;
        }
        for ((number, block), bytes) in (0..).zip(&mut held.blocks).zip(&self.blocks) {
            Doing::verb("load").of("block", number).note();
            *block = from_bytes(bytes)?;
        }
        Doing::verb("load of the replica").note();
        held.replica = from_bytes(&self.replica)?;
        Doing::verb("load of the pinned block").note();
        hub.pinned = from_bytes(&self.pinned)?;
        Doing::verb("load of the schedule").note();
        let mut from = Reader::new(&self.schedule);
        hub.schedule.load(&mut from)?;
        from.end("a schedule")?;
        if !self.progress.is_possible() {
            return Err(StateError::new("how far the run has come"));
        }
        hub.progress = self.progress;
        let outlook = hub.progress.outlook.as_ref();
        Doing::verb("restored").note();
        program.restored(Restored {
            boundary: Boundary { epoch: hub.progress.epoch, shards: held.shards.len() as u32 },
            is_concluded: outlook.is_some(),
            shards: &mut held.shards,
            blocks: &mut held.blocks,
            pinned: &mut hub.pinned,
            replica: &mut held.replica,
            weights: outlook.map_or(&[][..], |outlook| &outlook.weights),
        })
    }
}

fn refuse(path: &Path, why: String) -> EngineError {
    EngineError::Checkpoint { path: path.to_owned(), why }
}
