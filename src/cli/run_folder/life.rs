//! [`Life`]: tells if the process of a run is alive.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use raddle::command_line_support::LOCK;

/// Life of the process that a folder belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    /// A process has the folder: the one with this number, if the number is known.
    Alive(Option<u32>),
    /// No process here has the folder.
    Gone,
    /// The system does not say who has locked which file, as on file systems of other machines.
    Unknown,
}

impl Life {
    /// Returns the life of the run in a folder, from the system's list of locks: even a try to take the lock
    /// could make a run fail that starts at that moment.
    pub fn of(folder: &Path) -> Self {
        let path = folder.join(LOCK);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            // Where locks are of bytes, a file that is locked cannot be read; one that can be read is free.
            Err(why) if cfg!(windows) && why.kind() != ErrorKind::NotFound => return Self::Alive(None),
            Err(_) => return Self::Gone,
        };
        if cfg!(windows) {
            return Self::Gone;
        }
        let holder = text.trim().strip_prefix("process ").and_then(|number| number.parse().ok());
        let Some(((device, inode), locks)) = place(&path).zip(fs::read_to_string("/proc/locks").ok()) else {
            return Self::Unknown;
        };
        if locks.lines().any(|line| is_of(line, device, inode, holder)) {
            return Self::Alive(holder);
        }
        // Locks held by other machines are not in the list.
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        match path.canonicalize() {
            Ok(path) if is_shared(&mounts, &path) => Self::Unknown,
            _ => Self::Gone,
        }
    }
}

/// Returns the device and inode of a file.
#[cfg(target_os = "linux")]
fn place(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    let about = fs::metadata(path).ok()?;
    Some((about.dev(), about.ino()))
}

#[cfg(not(target_os = "linux"))]
fn place(_: &Path) -> Option<(u64, u64)> {
    None
}

/// `true` if a line of `/proc/locks`, such as `1: FLOCK ADVISORY WRITE 712 fe:00:4711 0 EOF`, is about this
/// file. Layered file systems list another device than the file's own: there the process must be the one
/// whose id is in the file.
fn is_of(line: &str, device: u64, inode: u64, holder: Option<u32>) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    // A process that waits for a lock does not have it.
    if words.get(1) == Some(&"->") {
        return false;
    }
    let Some(place) = words.iter().find(|word| word.matches(':').count() == 2) else { return false };
    let parts: Vec<&str> = place.split(':').collect();
    let number = |text: &str| u64::from_str_radix(text, 16).ok();
    let [major, minor] = [parts[0], parts[1]].map(number);
    if parts[2].parse() != Ok(inode) {
        return false;
    }
    // As Linux numbers devices.
    let of_device = ((device >> 8) & 0xfff | (device >> 32) & !0xfff, device & 0xff | (device >> 12) & !0xff);
    let is_holder = words.get(4).and_then(|word| word.parse().ok()) == holder && holder.is_some();
    major.zip(minor) == Some(of_device) || is_holder
}

/// `true` if a path is on a file system that other machines may write to, by the lines of
/// `/proc/self/mountinfo`: the mount point is their fifth word, the type follows a dash.
fn is_shared(mounts: &str, path: &Path) -> bool {
    let of_line = |line: &str| {
        let (mount, about) = line.split_once(" - ")?;
        let point = mount.split(' ').nth(4)?.replace("\\040", " ");
        path.starts_with(&point)
            .then(|| (point.len(), about.split(' ').next().unwrap_or_default().to_owned()))
    };
    // Of equal mount points the last lies above the others.
    let kind = mounts.lines().filter_map(of_line).max_by_key(|(length, _)| *length).map(|(_, kind)| kind);
    let shared = [
        "nfs", "cifs", "smb", "9p", "afs", "ceph", "lustre", "gpfs", "beegfs", "gluster", "ocfs2", "gfs2",
        "fuse.", "virtiofs",
    ];
    kind.is_some_and(|kind| shared.iter().any(|name| kind.starts_with(name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle::command_line_support::hold_lock;

    #[test]
    fn lines_of_the_system_are_understood() {
        let line = "1: FLOCK  ADVISORY  WRITE 712 fe:01:4711 0 EOF";
        let device = (0xfe << 8) | 1;
        assert!(is_of(line, device, 4711, None));
        assert!(!is_of(line, device, 4712, None) && !is_of(line, device + 1, 4711, Some(713)));
        assert!(is_of(line, device + 1, 4711, Some(712)));
        assert!(!is_of("1: -> FLOCK  ADVISORY  WRITE 712 fe:01:4711 0 EOF", device, 4711, None));
        assert!(!is_of("", 0, 0, None) && !is_of("1: FLOCK", 0, 0, Some(1)));
    }

    #[test]
    fn file_systems_of_other_machines_are_told_apart() {
        let mounts = "22 1 254:0 / / rw - ext4 /dev/vda rw\n\
                      30 22 0:40 / /data rw,relatime shared:1 - nfs4 host:/data rw\n\
                      31 30 254:1 / /data/here\\040too rw - xfs /dev/vdb rw\n";
        let shared = |path: &str| is_shared(mounts, Path::new(path));
        assert!(shared("/data/run") && shared("/data") && !shared("/home/run") && !shared("/data2"));
        assert!(!shared("/data/here too/run") && !is_shared("", Path::new("/data")));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_is_alive_as_long_as_its_lock_is_held() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Life::of(folder.path()), Life::Gone);
        let lock = hold_lock(folder.path()).unwrap();
        assert_eq!(Life::of(folder.path()), Life::Alive(Some(std::process::id())));
        drop(lock);
        assert_eq!(Life::of(folder.path()), Life::Gone);
    }
}
