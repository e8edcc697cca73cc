//! [`write_atomic`]: a file is there whole or not at all.

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::exit::Error;
use super::store::{Disk, Out, Store};

/// Streams into `PATH.partial`, then renames it to `path`; what was there before stays until then.
///
/// # Errors
/// If the file cannot be written; the error names it. Nothing is left of it then.
pub fn write_atomic(path: &Path, write: impl FnOnce(&mut Out) -> io::Result<()>) -> Result<(), Error> {
    let disk: Arc<dyn Store> = Arc::new(Disk);
    let partial = beside(path);
    let written = stream(&disk, &partial, write).and_then(|()| disk.rename(&partial, path));
    written.map_err(|why| {
        // Best effort: the error that matters is the one that is returned.
        let _ = disk.remove(&partial);
        match why.kind() {
            ErrorKind::IsADirectory => refuse(path, "it is a folder: name a file in it"),
            ErrorKind::NotFound | ErrorKind::NotADirectory => {
                refuse(path, "there is no folder to write it to: make it")
            }
            _ => Error::write(path, why),
        }
    })
}

/// A place where no file can be is the command line's fault.
fn refuse(path: &Path, why: &str) -> Error {
    Error::usage(format!("{}: cannot write: {why}, or give another file", path.display()))
}

/// Writes a file, and returns once it outlives a loss of power.
pub(super) fn stream(
    store: &Arc<dyn Store>,
    path: &Path,
    write: impl FnOnce(&mut Out) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = Out::create(store, path)?;
    write(&mut out)?;
    out.close()
}

fn beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".partial");
    name.into()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_file_is_replaced_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.tsv");
        write_atomic(&path, |out| out.write_all(b"one")).unwrap();
        write_atomic(&path, |out| out.write_all(b"two")).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(names(folder.path()), ["model.tsv"]);
    }

    #[test]
    fn a_failure_leaves_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.tsv");
        write_atomic(&path, |out| out.write_all(b"one")).unwrap();
        let error = write_atomic(&path, |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("disk full"))
        });
        assert!(error.unwrap_err().to_string().ends_with("model.tsv: cannot write: disk full"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        assert_eq!(names(folder.path()), ["model.tsv"]);
    }
}
