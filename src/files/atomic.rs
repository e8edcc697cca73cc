//! [`write_atomic`]: writes a file whole or not at all, and replaces nothing but files.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::FileError;
use super::out::Out;
use crate::base::store::{Disk, Store};

/// Limit of links that are followed, that of the system.
const MOST_LINKS: usize = 40;

/// Writes the file to which `path` leads.
///
/// A file, or nothing, at the end of links is replaced whole: the content is written to a file next to it,
/// which then takes its name, mode and, if that is allowed, owner. The file before stays until then, and
/// links stay links. Devices, pipes and descriptors (`/dev/stdout`, `/dev/fd/3`, `>(..)`) are opened and
/// written. A file that cannot be replaced, because its folder is not writable or the file is mounted, is
/// written in place.
///
/// # Errors
/// If the file cannot be written; the error names it. Nothing is left then of a file that would have been
/// new.
pub fn write_atomic(path: &Path, write: impl FnOnce(&mut Out) -> io::Result<()>) -> Result<(), FileError> {
    let disk: Arc<dyn Store> = Arc::new(Disk);
    let written = Place::of(path).and_then(|place| match place {
        Place::File(target, before) => replace(&disk, &target, before, write),
        Place::Descriptor(number, place) => through(&disk, descriptor(number, &place)?, write),
        Place::Node(place) => through(&disk, OpenOptions::new().write(true).open(place)?, write),
    });
    written.map_err(|why| match why.kind() {
        ErrorKind::IsADirectory => refuse(path, "it is a folder: name a file in it"),
        ErrorKind::NotFound | ErrorKind::NotADirectory => {
            refuse(path, "there is no folder to write it to: make it")
        }
        _ => FileError::write(path, why),
    })
}

/// `true` if [`write_atomic`] makes or replaces a file there, so that other files may lie next to it.
pub fn is_place_of_a_file(path: &Path) -> bool {
    matches!(Place::of(path), Ok(Place::File(..)))
}

/// Kind of place that a path leads to.
#[derive(Debug)]
enum Place {
    /// A file, with its metadata if it is there already.
    File(PathBuf, Option<Metadata>),
    /// An open descriptor of this process, by its number, and the path that names it.
    Descriptor(u32, PathBuf),
    /// A device, a pipe or a socket.
    Node(PathBuf),
}

impl Place {
    /// Follows links to their end.
    fn of(path: &Path) -> io::Result<Self> {
        let mut at = path.to_owned();
        // The device that takes everything is no entry of a folder there.
        if cfg!(windows) && path.file_name().is_some_and(|name| name.eq_ignore_ascii_case("nul")) {
            return Ok(Self::Node(at));
        }
        for _ in 0..MOST_LINKS {
            if let Some(number) = descriptor_number(&at) {
                return Ok(Self::Descriptor(number, at));
            }
            let found = match fs::symlink_metadata(&at) {
                Ok(found) => found,
                Err(why) if why.kind() == ErrorKind::NotFound => return Ok(Self::File(at, None)),
                Err(why) => return Err(why),
            };
            let kind = found.file_type();
            if kind.is_symlink() {
                // Relative to the folder of the link; an absolute one stands for itself.
                let to = fs::read_link(&at)?;
                at = at.parent().map_or_else(|| to.clone(), |folder| folder.join(&to));
            } else if kind.is_dir() {
                return Err(ErrorKind::IsADirectory.into());
            } else if kind.is_file() {
                return Ok(Self::File(at, Some(found)));
            } else {
                return Ok(Self::Node(at));
            }
        }
        Err(io::Error::other("too many links lead to each other"))
    }
}

/// Returns the number of an open descriptor that a path names, such as `/dev/fd/3`.
fn descriptor_number(path: &Path) -> Option<u32> {
    let number = path.file_name()?.to_str()?.parse().ok()?;
    let folder = fs::canonicalize(path.parent()?).ok()?;
    let is_own =
        folder == Path::new("/dev/fd") || fs::canonicalize("/proc/self/fd").is_ok_and(|own| own == folder);
    is_own.then_some(number)
}

/// Opens a descriptor: stdout and stderr at the position that they share with other writers, another
/// descriptor that is a file at its end.
#[cfg_attr(not(unix), allow(unused_variables, reason = "descriptors have no paths there"))]
fn descriptor(number: u32, place: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd as _;
        io::stdout().flush()?;
        match number {
            1 => return Ok(io::stdout().as_fd().try_clone_to_owned()?.into()),
            2 => return Ok(io::stderr().as_fd().try_clone_to_owned()?.into()),
            _ => {}
        }
    }
    let is_file = fs::metadata(place)?.is_file();
    OpenOptions::new().write(!is_file).append(is_file).open(place)
}

/// Writes to an open file, and ends quietly if its reader has closed it, as `head` does.
fn through(
    store: &Arc<dyn Store>,
    file: File,
    write: impl FnOnce(&mut Out) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = Out::of(store, file);
    match write(&mut out).and_then(|()| out.flush()) {
        Err(why) if why.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Writes a file next to `target`, and renames it to `target`.
fn replace(
    store: &Arc<dyn Store>,
    target: &Path,
    before: Option<Metadata>,
    write: impl FnOnce(&mut Out) -> io::Result<()>,
) -> io::Result<()> {
    let partial = beside(target);
    let file = match (File::create(&partial), &before) {
        (Ok(file), _) => file,
        // A user who may write the file, but not make files next to it, writes it in place.
        (Err(why), Some(_)) if why.kind() == ErrorKind::PermissionDenied => {
            return through(store, OpenOptions::new().write(true).truncate(true).open(target)?, write);
        }
        (Err(why), _) => return Err(why),
    };
    let written = before.as_ref().map_or(Ok(()), |before| like(&file, before)).and_then(|()| {
        let mut out = Out::of(store, file);
        write(&mut out)?;
        out.close()
    });
    let renamed = written.and_then(|()| match store.rename(&partial, target) {
        // Files that are mounted, as containers have them, cannot be renamed over.
        Err(why) if before.is_some() && why.kind() == ErrorKind::ResourceBusy => {
            fs::copy(&partial, target)?;
            store.remove(&partial)
        }
        renamed => renamed,
    });
    renamed.inspect_err(|_| {
        // Best effort: the error that matters is the one that is returned.
        let _ = store.remove(&partial);
    })
}

/// Gives an empty file the mode of another and, where that is allowed, its owner.
fn like(file: &File, other: &Metadata) -> io::Result<()> {
    let permissions: Permissions = other.permissions();
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let own = file.metadata()?;
        if (own.uid(), own.gid()) != (other.uid(), other.gid()) {
            // Best effort: only root gives files away.
            let _ = std::os::unix::fs::fchown(file, Some(other.uid()), Some(other.gid()));
        }
    }
    file.set_permissions(permissions)
}

/// Returns the error of a path at which no file can be.
fn refuse(path: &Path, why: &str) -> FileError {
    FileError::refused(path, format!("cannot write: {why}, or give another file"))
}

/// Writes a file, and returns once it survives a loss of power.
pub(crate) fn stream(
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
mod tests;
