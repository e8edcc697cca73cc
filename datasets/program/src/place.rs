//! Places of files: the data folder, what is in it, its lock, and the digests pinned beside files.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use raddle::cli::{Error, write_atomic};
use raddle_datasets::registry::data_folder;

use crate::digest;
use crate::entry::{DataFile, Entry};

/// The folder of public sets: the one that is given, else `RADDLE_DATA` or the cache folder. It need not be
/// there.
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

/// A file of a set that is here: its path, and the SHA-256 that it should have, if that is known.
pub(crate) fn here(file: &DataFile, folder: &Path) -> Option<(PathBuf, Option<String>)> {
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

/// `true` if every file of a set is here.
pub(crate) fn is_here(entry: &Entry, folder: &Path) -> bool {
    entry.files.iter().all(|file| here(file, folder).is_some())
}

/// Holds the data folder for one fetch at a time, until it is dropped.
#[derive(Debug)]
pub(crate) struct Held(#[expect(dead_code, reason = "the lock goes with the file")] File);

/// Makes the folder and waits until no other fetch is at work in it.
pub(crate) fn hold(folder: &Path) -> Result<Held, Error> {
    fs::create_dir_all(folder).map_err(|why| Error::write(folder, why))?;
    let path = folder.join(".raddle-data.lock");
    let open = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
    let file = open.map_err(|why| Error::write(&path, why))?;
    match file.try_lock() {
        Ok(()) => return Ok(Held(file)),
        Err(TryLockError::WouldBlock) => {
            // No reader is left if stderr is closed.
            let _ = writeln!(
                std::io::stderr(),
                "another fetch is at work in {}: waiting for it",
                folder.display()
            );
        }
        Err(TryLockError::Error(why)) => return Err(Error::write(&path, why)),
    }
    file.lock().map_err(|why| Error::write(&path, why))?;
    Ok(Held(file))
}

/// The place of what is kept beside a file: its name with this ending.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Digests kept beside a file, with the names that they are of: the file's own first, then its download's.
pub(crate) fn pinned(path: &Path) -> Option<Vec<(String, String)>> {
    let text = fs::read_to_string(beside(path, ".sha256")).ok()?;
    let pins = text.lines().map(|line| {
        let (digest, name) = line.split_once("  ")?;
        Some((digest.to_owned(), name.to_owned()))
    });
    pins.collect::<Option<Vec<_>>>().filter(|pins| !pins.is_empty())
}

/// Keeps digests beside a file, in the form of `sha256sum`.
pub(crate) fn pin(path: &Path, digests: &[(&str, &str)]) -> Result<(), Error> {
    let text: String = digests.iter().map(|(digest, name)| format!("{digest}  {name}\n")).collect();
    write_atomic(&beside(path, ".sha256"), |out| out.write_all(text.as_bytes()))?;
    Ok(())
}

/// Error: a file that is in the place of another.
pub(crate) fn other_bytes(path: &Path, found: &str, expected: &str) -> Error {
    let why =
        format!("a file by that name is there with other bytes: its SHA-256 is {found}, not {expected}");
    Error::input(format!("{}: {why}: move it away, or fetch --to another folder", path.display()))
}

/// SHA-256 of a file that is here.
pub(crate) fn digest(path: &Path) -> Result<String, Error> {
    digest::of_file(path).map_err(|why| Error::input(format!("{}: cannot read: {why}", path.display())))
}

/// Removes a file that may not be there.
pub(crate) fn remove(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(why) if why.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::failed(format!("{}: cannot be removed: {why}", path.display())))
        }
        _ => Ok(()),
    }
}

/// Gives a file its name, with its bytes on the disk.
pub(crate) fn rename(from: &Path, to: &Path) -> Result<(), Error> {
    let synced = File::open(from).and_then(|file| file.sync_all());
    synced.and_then(|()| fs::rename(from, to)).map_err(|why| Error::write(to, why))
}

/// Bytes in the unit that suits them.
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
