//! [`Manifest`]: the file that makes the parts of a folder a checkpoint.

use std::path::Path;
use std::sync::Arc;
use std::{fs, io};

use sha2::{Digest as _, Sha256};

use super::part::{Part, is_whole};
use crate::base::identity::Identity;
use crate::base::state::{Reader, Writer};
use crate::base::store::{Store, write_synced};

/// File name of the manifest, which exists once every part that it lists does.
pub(crate) const NAME: &str = "manifest";
/// File name of the manifest while it is written.
const PARTIAL: &str = "manifest.partial";

const MAGIC: &[u8; 8] = b"RADDLECK";
/// Versions up to 3 were one file.
const VERSION: u32 = 4;
const HASH: usize = 32;

/// The parts of a checkpoint, of the run with this identity.
#[derive(Debug)]
pub(crate) struct Manifest {
    pub(crate) identity: Identity,
    pub(crate) parts: Vec<Part>,
}

crate::state!(Manifest { identity, parts });

impl Manifest {
    /// Makes the folder a checkpoint, which survives a loss of power once this returns.
    pub(crate) fn commit(&self, store: &Arc<dyn Store>, folder: &Path) -> io::Result<()> {
        let mut out = Writer::default();
        out.put(MAGIC);
        out.write(&VERSION);
        out.write(self);
        let mut bytes = out.into_bytes();
        let hash = Sha256::digest(&bytes);
        bytes.extend_from_slice(&hash);
        let partial = folder.join(PARTIAL);
        write_synced(store, &partial, &bytes)?;
        // The names of the parts, then the folder's own, then the manifest's.
        store.sync_folder(folder)?;
        folder.parent().map_or(Ok(()), |parent| store.sync_folder(parent))?;
        store.rename(&partial, &folder.join(NAME))?;
        store.sync_folder(folder)
    }

    /// Reads the manifest of the run with this identity, and checks all parts.
    pub(crate) fn read(folder: &Path, identity: &Identity) -> Result<Self, String> {
        let bytes = fs::read(folder.join(NAME)).map_err(|why| format!("it cannot be read: {why}"))?;
        let manifest = Self::parse(&bytes)?;
        if let Some(why) = manifest.identity.difference(identity) {
            return Err(why);
        }
        let is_name = |part: &Part| Path::new(&part.name).file_name() == Some(part.name.as_ref());
        match manifest
            .parts
            .iter()
            .all(|part| is_name(part) && is_whole(folder, part).is_ok_and(|whole| whole))
        {
            true => Ok(manifest),
            false => Err(damaged()),
        }
    }

    fn parse(bytes: &[u8]) -> Result<Self, String> {
        check_version(bytes)?;
        let (signed, hash) = bytes.split_at_checked(bytes.len().saturating_sub(HASH)).ok_or_else(damaged)?;
        if Sha256::digest(signed)[..] != *hash {
            return Err(damaged());
        }
        let mut from = Reader::new(signed);
        from.take(MAGIC.len() + size_of_val(&VERSION), "magic and version").map_err(|_| damaged())?;
        let manifest = from.read().map_err(|_| damaged())?;
        from.end("a manifest").map_err(|_| damaged())?;
        Ok(manifest)
    }
}

/// Refuses bytes that do not start like a manifest of this version.
pub(crate) fn check_version(bytes: &[u8]) -> Result<(), String> {
    let mut from = Reader::new(bytes);
    if from.take(MAGIC.len(), "the magic bytes").map_err(|_| damaged())? != MAGIC {
        return Err(damaged());
    }
    match from.read::<u32>().map_err(|_| damaged())? {
        VERSION => Ok(()),
        version => Err(format!(
            "it has version {version}, and this program reads version {VERSION}: resume with the program \
             that wrote it, or start the run again"
        )),
    }
}

pub(crate) fn damaged() -> String {
    "it is damaged or not a checkpoint".into()
}
