//! [`write_atomic`]: a file is there whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::exit::Error;

/// Where a file's bytes go: streamed, never held whole.
pub type Out = BufWriter<File>;

/// Streams into `PATH.partial`, then renames it to `path`; what was there before stays until then.
///
/// # Errors
/// If the file cannot be written. Nothing is left of it then.
pub fn write_atomic(path: &Path, write: impl FnOnce(&mut Out) -> io::Result<()>) -> Result<(), Error> {
    let partial = beside(path);
    let written = stream(&partial, write).and_then(|()| fs::rename(&partial, path));
    written.map_err(|why| {
        // Best effort: the error that matters is the one that is returned.
        let _ = fs::remove_file(&partial);
        Error::write(path, why)
    })
}

fn stream(partial: &Path, write: impl FnOnce(&mut Out) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 18, File::create(partial)?);
    write(&mut out)?;
    out.flush()?;
    out.get_ref().sync_all()
}

fn beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".partial");
    name.into()
}

#[cfg(test)]
mod tests {
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
