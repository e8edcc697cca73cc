//! Tests of the places that writing replaces, and of those that it writes to.

#![cfg(unix)]

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};
use std::process::Command;

use super::*;

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

fn put(path: &Path, text: &str) {
    write_atomic(path, |out| out.write_all(text.as_bytes())).unwrap();
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn a_file_is_replaced_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.tsv");
    put(&path, "one");
    put(&path, "two");
    assert_eq!((text(&path).as_str(), names(folder.path())), ("two", vec!["model.tsv".to_owned()]));
}

#[test]
fn a_failure_leaves_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.tsv");
    put(&path, "one");
    let error = write_atomic(&path, |out| {
        out.write_all(b"half")?;
        Err(io::Error::other("disk full"))
    });
    assert!(error.unwrap_err().to_string().ends_with("model.tsv: cannot write: disk full"));
    assert_eq!((text(&path).as_str(), names(folder.path())), ("one", vec!["model.tsv".to_owned()]));
}

#[test]
fn a_file_keeps_its_mode() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    for mode in [0o600, 0o640, 0o755, 0o444] {
        put(&path, "old");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        put(&path, "new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, mode);
        assert_eq!(text(&path), "new");
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn links_stay_and_their_ends_are_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("deep")).unwrap();
    fs::write(at("deep/target"), "old").unwrap();
    symlink("deep/target", at("relative")).unwrap();
    symlink(at("deep/target"), at("absolute")).unwrap();
    symlink("../relative", at("deep/chain")).unwrap();
    symlink("deep/new", at("dangling")).unwrap();
    for link in ["relative", "absolute", "deep/chain"] {
        put(&at(link), link);
        assert_eq!(text(&at("deep/target")), link);
        assert!(fs::symlink_metadata(at(link)).unwrap().is_symlink(), "{link}");
    }
    put(&at("dangling"), "made");
    assert_eq!(text(&at("deep/new")), "made");
    assert!(fs::symlink_metadata(at("dangling")).unwrap().is_symlink());
    assert_eq!(names(&at("deep")), ["chain", "new", "target"]);
    symlink("round", at("around")).unwrap();
    symlink("around", at("round")).unwrap();
    let error = write_atomic(&at("round"), |_| Ok(())).unwrap_err().to_string();
    assert!(error.contains("too many links"), "{error}");
    symlink("deep", at("folder")).unwrap();
    let error = write_atomic(&at("folder"), |_| Ok(())).unwrap_err().to_string();
    assert!(error.contains("it is a folder"), "{error}");
}

#[test]
fn a_pipe_is_written_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    let link = folder.path().join("link");
    symlink("pipe", &link).unwrap();
    for to in [&path, &link] {
        let from = path.clone();
        let reader = std::thread::spawn(move || {
            let mut read = String::new();
            File::open(from).unwrap().read_to_string(&mut read).unwrap();
            read
        });
        put(to, "to the reader");
        assert_eq!(reader.join().unwrap(), "to the reader");
        assert!(fs::metadata(&path).unwrap().file_type().is_fifo());
    }
    assert_eq!(names(folder.path()), ["link", "pipe"]);
}

#[test]
fn descriptors_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("open");
    let file = File::create(&path).unwrap();
    let number = std::os::fd::AsRawFd::as_raw_fd(&file);
    put(Path::new(&format!("/dev/fd/{number}")), "by its number");
    assert_eq!(text(&path), "by its number");
    assert_eq!(descriptor_number(Path::new("/dev/fd/63")), Some(63));
    assert_eq!(descriptor_number(&folder.path().join("63")), None);
    let place = Place::of(Path::new("/dev/stdout")).unwrap();
    assert!(matches!(place, Place::Descriptor(1, _)), "{place:?}");
}

#[test]
fn a_device_stays_one() {
    put(Path::new("/dev/null"), "gone");
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("null");
    let mut mknod = Command::new("mknod");
    let made = mknod.arg(&own).args(["c", "1", "3"]).stderr(std::process::Stdio::null()).status();
    if !made.is_ok_and(|status| status.success()) {
        eprintln!("skipped: only root makes devices");
        return;
    }
    put(&own, "gone");
    assert!(fs::metadata(&own).unwrap().file_type().is_char_device());
    assert_eq!(names(folder.path()), ["null"]);
}
