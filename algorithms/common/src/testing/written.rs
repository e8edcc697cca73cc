//! Test of options that name a file: they replace files, and nothing else.

use std::fs::{self, File, Permissions};
use std::io::Read as _;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;
use std::thread;

use super::Program;

/// Runs a line with this option at its end, such as `--out`, on each kind of path, each time in a folder of
/// its own: a new file, a file that others may not read, links to a file and to nothing, a pipe with a
/// reader, stdout, and a device.
pub fn replaces_files_alone(program: Program<'_>, folder: &Path, line: &str, option: &str) {
    let at = |name: &str| folder.join(name);
    let run = |to: &str| program.ends(folder, &format!("{line} {option} {to}"), 0);
    let text = |name: &str| fs::read(at(name)).unwrap();
    for name in ["plain", "private", "relative", "chain", "dangling", "pipe", "target", "null"] {
        // A file may be left by an earlier line.
        let _ = fs::remove_file(at(name));
    }
    run("plain");
    let expected = text("plain");
    assert!(!expected.is_empty(), "{line}");
    fs::write(at("private"), "old").unwrap();
    fs::set_permissions(at("private"), Permissions::from_mode(0o600)).unwrap();
    symlink("private", at("relative")).unwrap();
    symlink(at("relative"), at("chain")).unwrap();
    symlink("target", at("dangling")).unwrap();
    for (to, written) in [("private", "private"), ("chain", "private"), ("dangling", "target")] {
        if to != "dangling" {
            fs::write(at(written), "old").unwrap();
        }
        run(to);
        assert_eq!(text(written), expected, "{line} {option} {to}");
    }
    assert_eq!(fs::metadata(at("private")).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(
        ["relative", "chain", "dangling"]
            .iter()
            .all(|link| fs::symlink_metadata(at(link)).unwrap().is_symlink())
    );

    assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
    let pipe = at("pipe");
    #[allow(clippy::disallowed_methods, reason = "a pipe has a reader and a writer")]
    let reader = thread::spawn(move || {
        let mut read = Vec::new();
        File::open(pipe).unwrap().read_to_end(&mut read).unwrap();
        read
    });
    run("pipe");
    assert_eq!(reader.join().unwrap(), expected, "{line} {option} pipe");
    assert!(fs::metadata(at("pipe")).unwrap().file_type().is_fifo());

    let said = run("/dev/stdout").out;
    assert!(said.contains(&*String::from_utf8_lossy(&expected)), "{line}: {said}");
    assert!(fs::symlink_metadata("/dev/stdout").unwrap().is_symlink());
    let mut mknod = Command::new("mknod");
    if mknod.arg(at("null")).args(["c", "1", "3"]).output().unwrap().status.success() {
        run("null");
        assert!(fs::metadata(at("null")).unwrap().file_type().is_char_device(), "{line}");
    } else {
        eprintln!("skipped: only root makes devices");
    }
    let left = fs::read_dir(folder)
        .unwrap()
        .filter(|file| file.as_ref().unwrap().file_name().to_string_lossy().ends_with(".partial"));
    assert_eq!(left.count(), 0, "{line}");
}
