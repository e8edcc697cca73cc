//! The ids of users and items as arrays of a file.

use super::layout::{ARRAYS, IDS, NAMES, StoredIds};
use crate::arrays::pieces::{Pieces, PiecesWriter};
use crate::error::ReadError;
use crate::ratings::Ids;

/// Writes the ids of users (0) or items (1).
pub(super) fn write(out: &mut PiecesWriter, ids: &Ids, side: usize) -> Result<StoredIds, ReadError> {
    match ids {
        Ids::Dense(count) => Ok(StoredIds::Dense(*count)),
        Ids::Integers(ids) => {
            out.push(IDS[side], ids)?;
            Ok(StoredIds::Integers)
        }
        Ids::Names(names) => {
            for name in names {
                out.push(IDS[side], &[name.len() as u32])?;
                out.push(NAMES[side], name.as_bytes())?;
            }
            Ok(StoredIds::Names)
        }
    }
}

pub(super) fn read(pieces: &Pieces, stored: &StoredIds, side: usize) -> Result<Ids, ReadError> {
    Ok(match stored {
        StoredIds::Dense(count) => Ids::Dense(*count),
        StoredIds::Integers => Ids::Integers(pieces.all(ARRAYS[IDS[side]].0)?),
        StoredIds::Names => {
            let lengths: Vec<u32> = pieces.all(ARRAYS[IDS[side]].0)?;
            let bytes: Vec<u8> = pieces.all(ARRAYS[NAMES[side]].0)?;
            let mut rest = &*bytes;
            let names = lengths.iter().map(|&length| {
                let (name, after) = rest.split_at((length as usize).min(rest.len()));
                rest = after;
                String::from_utf8_lossy(name).into_owned()
            });
            Ids::Names(names.collect())
        }
    })
}
