//! Parts: files of records, written one record at a time and read the same way.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write as _};
use std::path::Path;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::base::store::{Store, Stored};

/// Kind of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// The learned state of the shard of this number.
    Shard(u32),
    /// The block of this number.
    Block(u32),
    Replica,
    Pinned,
    Schedule,
    Progress,
}

impl Kind {
    fn code(self) -> (u8, u32) {
        match self {
            Self::Shard(number) => (0, number),
            Self::Block(number) => (1, number),
            Self::Replica => (2, 0),
            Self::Pinned => (3, 0),
            Self::Schedule => (4, 0),
            Self::Progress => (5, 0),
        }
    }

    fn of(code: u8, number: u32) -> Option<Self> {
        match (code, number) {
            (0, _) => Some(Self::Shard(number)),
            (1, _) => Some(Self::Block(number)),
            (2, 0) => Some(Self::Replica),
            (3, 0) => Some(Self::Pinned),
            (4, 0) => Some(Self::Schedule),
            (5, 0) => Some(Self::Progress),
            _ => None,
        }
    }
}

/// Bytes before those of a record: its kind, a number, and the length.
const HEAD: usize = 1 + 4 + 8;

/// Entry of a part in the manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) length: u64,
    pub(crate) hash: Vec<u8>,
}

crate::state!(Part { name, length, hash });

/// A part that is being written.
#[derive(Debug)]
pub(crate) struct PartWriter {
    name: String,
    file: BufWriter<Stored>,
    hash: Sha256,
    length: u64,
}

impl PartWriter {
    pub(crate) fn create(store: &Arc<dyn Store>, folder: &Path, name: String) -> io::Result<Self> {
        let file = BufWriter::with_capacity(1 << 16, Stored::create(store, &folder.join(&name))?);
        Ok(Self { name, file, hash: Sha256::new(), length: 0 })
    }

    pub(crate) fn add(&mut self, kind: Kind, bytes: &[u8]) -> io::Result<()> {
        let (code, number) = kind.code();
        let mut head = [code; HEAD];
        head[1..5].copy_from_slice(&number.to_le_bytes());
        head[5..].copy_from_slice(&(bytes.len() as u64).to_le_bytes());
        for bytes in [&head, bytes] {
            self.hash.update(bytes);
            self.file.write_all(bytes)?;
        }
        self.length += (HEAD + bytes.len()) as u64;
        Ok(())
    }

    /// Closes the part; returns once it survives a loss of power.
    pub(crate) fn close(mut self) -> io::Result<Part> {
        self.file.flush()?;
        self.file.get_ref().sync()?;
        Ok(Part { name: self.name, length: self.length, hash: self.hash.finalize().to_vec() })
    }
}

/// `true` if the file of a part is undamaged.
pub(crate) fn is_whole(folder: &Path, part: &Part) -> io::Result<bool> {
    let mut file = File::open(folder.join(&part.name))?;
    if file.metadata()?.len() != part.length {
        return Ok(false);
    }
    let (mut hash, mut buffer) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hash.finalize()[..] == part.hash[..]),
            count => hash.update(&buffer[..count]),
        }
    }
}

/// Reads the records of a part, one at a time.
#[derive(Debug)]
pub(crate) struct Records {
    file: BufReader<File>,
    left: u64,
}

impl Records {
    pub(crate) fn open(folder: &Path, part: &Part) -> io::Result<Self> {
        Ok(Self { file: BufReader::new(File::open(folder.join(&part.name))?), left: part.length })
    }

    /// Returns the next record, if there is one. Its bytes are skipped, unless its kind is wanted.
    pub(crate) fn next_of(
        &mut self,
        wanted: impl FnOnce(Kind) -> bool,
    ) -> Option<io::Result<(Kind, Option<Vec<u8>>)>> {
        (self.left > 0).then(|| {
            let read = self.read_next(wanted);
            if read.is_err() {
                self.left = 0;
            }
            read
        })
    }

    fn read_next(&mut self, wanted: impl FnOnce(Kind) -> bool) -> io::Result<(Kind, Option<Vec<u8>>)> {
        let wrong = || io::Error::other("a record that cannot be");
        let mut head = [0; HEAD];
        if self.left < HEAD as u64 {
            return Err(wrong());
        }
        self.file.read_exact(&mut head)?;
        let [code, n0, n1, n2, n3, length @ ..] = head;
        let kind = Kind::of(code, u32::from_le_bytes([n0, n1, n2, n3])).ok_or_else(wrong)?;
        let length = u64::from_le_bytes(length);
        // Never more than the file has, whatever the record claims.
        self.left = self.left.checked_sub(length.saturating_add(HEAD as u64)).ok_or_else(wrong)?;
        if !wanted(kind) {
            self.file.seek_relative(i64::try_from(length).map_err(|_| wrong())?)?;
            return Ok((kind, None));
        }
        let mut bytes = vec![0; usize::try_from(length).map_err(|_| wrong())?];
        self.file.read_exact(&mut bytes)?;
        Ok((kind, Some(bytes)))
    }
}

#[cfg(test)]
impl Iterator for Records {
    type Item = io::Result<(Kind, Vec<u8>)>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_of(|_| true).map(|read| read.map(|(kind, bytes)| (kind, bytes.unwrap_or_default())))
    }
}
