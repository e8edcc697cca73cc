//! Paths: the data folder, the files in it, its lock, and digests pinned next to files.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use raddle_cli::{Error, write_atomic};
use raddle_datasets::registry::{PublicSet, SetFile, data_folder};

use crate::digest;

/// Returns the data folder: the given one, else `RADDLE_DATA`, else the cache folder. It may not exist yet.
pub(crate) fn folder(given: Option<&Path>) -> Result<PathBuf, Error> {
    let named = given.map(Path::to_path_buf).or_else(data_folder);
    let folder =
        named.ok_or_else(|| Error::usage("no folder for data: set RADDLE_DATA, or give --to DIR"))?;
    if folder.exists() && !folder.is_dir() {
        let of = if given.is_some() { "--to" } else { "RADDLE_DATA" };
        let why = "it is a file, not a folder: name the folder that holds the sets";
        return Err(Error::usage(format!("{of} {}: {why}", folder.display())));
    }
    Ok(folder)
}

/// Returns the path of a file in the folder and the SHA-256 that it should have, if known; `None` if it is
/// not there.
pub(crate) fn here(file: &SetFile, folder: &Path) -> Option<(PathBuf, Option<String>)> {
    let of = |file: &str, sha256: Option<&str>| {
        let path = folder.join(file);
        path.is_file().then(|| (path, sha256.map(str::to_owned)))
    };
    let or = file.or.and_then(|(other, sha256)| of(other, Some(sha256)));
    let first = of(file.file, file.sha256);
    let (path, sha256) = or.or(first)?;
    let sha256 = sha256.or_else(|| pinned(&path)?.first().map(|(digest, _)| digest.clone()));
    Some((path, sha256))
}

/// Returns `true` if the folder has every file of a set.
pub(crate) fn is_here(entry: &PublicSet, folder: &Path) -> bool {
    entry.files.iter().all(|file| here(file, folder).is_some())
}

/// The lock of the data folder, which lets one fetch run at a time; released when dropped.
#[derive(Debug)]
pub(crate) struct FolderLock(#[expect(dead_code, reason = "the lock goes with the file")] File);

/// Creates the folder and waits until no other fetch works in it.
pub(crate) fn hold(folder: &Path) -> Result<FolderLock, Error> {
    fs::create_dir_all(folder).map_err(|why| Error::write(folder, why))?;
    let path = folder.join(".raddle-data.lock");
    let open = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
    let file = open.map_err(|why| Error::write(&path, why))?;
    match file.try_lock() {
        Ok(()) => return Ok(FolderLock(file)),
        Err(TryLockError::WouldBlock) => {
            // No reader is left if stderr is closed.
            let _ =
                writeln!(std::io::stderr(), "another fetch is using {}: waiting for it", folder.display());
        }
        Err(TryLockError::Error(why)) => return Err(Error::write(&path, why)),
    }
    file.lock().map_err(|why| Error::write(&path, why))?;
    Ok(FolderLock(file))
}

/// Returns the path next to a file: its name with this ending added.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Reads the digests pinned next to a file, with the names of their files: its own first, then its
/// download's.
pub(crate) fn pinned(path: &Path) -> Option<Vec<(String, String)>> {
    let text = fs::read_to_string(beside(path, ".sha256")).ok()?;
    let pins = text.lines().map(|line| {
        let (digest, name) = line.split_once("  ")?;
        Some((digest.to_owned(), name.to_owned()))
    });
    pins.collect::<Option<Vec<_>>>().filter(|pins| !pins.is_empty())
}

/// Pins digests next to a file, in the format of `sha256sum`.
pub(crate) fn pin(path: &Path, digests: &[(&str, &str)]) -> Result<(), Error> {
    let text: String = digests.iter().map(|(digest, name)| format!("{digest}  {name}\n")).collect();
    write_atomic(&beside(path, ".sha256"), |out| out.write_all(text.as_bytes()))?;
    Ok(())
}

/// Makes the error for a file whose digest differs from the expected one.
pub(crate) fn other_bytes(path: &Path, found: &str, expected: &str) -> Error {
    let why =
        format!("a file with this name is there with other bytes: its SHA-256 is {found}, not {expected}");
    Error::input(format!("{}: {why}: move it away, or fetch --to another folder", path.display()))
}

/// Returns the SHA-256 of a file; the error names it.
pub(crate) fn digest(path: &Path) -> Result<String, Error> {
    digest::of_file(path).map_err(|why| Error::input(format!("{}: cannot read: {why}", path.display())))
}

/// Removes a file if it exists.
pub(crate) fn remove(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(why) if why.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::failed(format!("{}: cannot be removed: {why}", path.display())))
        }
        _ => Ok(()),
    }
}

/// Syncs a file to the disk and renames it.
pub(crate) fn rename(from: &Path, to: &Path) -> Result<(), Error> {
    let synced = File::open(from).and_then(|file| file.sync_all());
    synced.and_then(|()| fs::rename(from, to)).map_err(|why| Error::write(to, why))
}

/// Formats a number of bytes with a suitable unit.
pub(crate) fn bytes(count: u64) -> String {
    match count {
        0..1_000 => format!("{count} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", count as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", count as f64 / 1e6),
        _ => format!("{:.1} GB", count as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_kept_beside_a_file_and_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rcv1.svm");
        assert_eq!(pinned(&path), None);
        pin(&path, &[("ab", "rcv1.svm"), ("cd", "rcv1.bz2")]).unwrap();
        let text = fs::read_to_string(folder.path().join("rcv1.svm.sha256")).unwrap();
        assert_eq!(text, "ab  rcv1.svm\ncd  rcv1.bz2\n");
        let pins = pinned(&path).unwrap();
        assert_eq!(pins, [("ab".into(), "rcv1.svm".into()), ("cd".into(), "rcv1.bz2".into())]);
    }

    #[test]
    fn bytes_have_a_unit() {
        let said = [999, 5_917_549, 261_978_986, 2_000_000_000].map(bytes);
        assert_eq!(said, ["999 bytes", "5.9 MB", "262.0 MB", "2.0 GB"]);
    }
}
