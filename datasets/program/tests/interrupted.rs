//! Fetches that end because of this machine: a full disk, and Ctrl-C.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{fs, thread};

use raddle_common::testing::names;

use crate::fetch::bytes;
use crate::run::{Ran, command, ends};
use crate::server::{Reply, Server};

#[test]
fn a_disk_that_is_full_is_said_and_the_fetch_goes_on_when_there_is_room() {
    let (folder, content) = (tempfile::tempdir().unwrap(), bytes(400_000));
    let server = Server::of(&content);
    let address = server.address("set.bin");
    let other = Server::of(&content);
    let line = format!("fetch {address} --to {} --yes", folder.path().display());
    // Files of at most 256 blocks of 512 bytes, without the signal that would end the process.
    let words = format!("{line} --from {}", other.address("set.bin"));
    let mut full = Command::new("sh");
    full.args(["-c", "trap '' XFSZ; ulimit -f 256; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_raddle-data")]);
    full.args(words.split(' ')).stdin(Stdio::null()).env("NO_PROXY", "127.0.0.1");
    let ran = Ran::new(full.output().unwrap());
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("cannot write") && ran.err.contains(&address), "{}", ran.err);
    assert!(!folder.path().join("set.bin").exists());
    // No other server has more room.
    assert_eq!((other.asked().len(), server.asked().len()), (1, 0));
    let part = fs::read(folder.path().join("set.bin.part")).unwrap();
    assert!(!part.is_empty() && content.starts_with(&part), "{}", part.len());
    let from = format!("fetch {} --to {} --yes", other.address("set.bin"), folder.path().display());
    ends(folder.path(), &from, 0);
    assert_eq!(fs::read(folder.path().join("set.bin")).unwrap(), content);
    assert_eq!(other.asked()[1].from, part.len() as u64);
}

#[test]
fn an_interrupted_fetch_leaves_no_file_and_is_gone_on_with() {
    for signal in ["-INT", "-TERM"] {
        let (folder, content) = (tempfile::tempdir().unwrap(), bytes(200_000));
        let of_server = content.clone();
        let server = Server::new(move |request, _| Reply {
            holds: request.from == 0,
            ..Reply::file(request, &of_server, "\"a\"", if request.from == 0 { 90_000 } else { 200_000 })
        });
        let address = server.address("set.bin");
        let line = format!("fetch {address} --to {} --yes --timeout 60", folder.path().display());
        let mut begun = command(folder.path(), &line);
        let begun = begun.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let part = folder.path().join("set.bin.part");
        while length(&part) < 90_000 {
            thread::sleep(Duration::from_millis(5));
        }
        assert!(Command::new("kill").args([signal, &begun.id().to_string()]).status().unwrap().success());
        let ran = Ran::new(begun.wait_with_output().unwrap());
        assert_eq!(ran.code, Some(130), "{}", ran.err);
        assert!(ran.err.contains("interrupted") && ran.err.contains(&address), "{}", ran.err);
        assert_eq!(names(folder.path()), [".raddle-data.lock", "set.bin.part", "set.bin.part.json"]);
        server.release();
        ends(folder.path(), &line, 0);
        assert_eq!(fs::read(folder.path().join("set.bin")).unwrap(), content);
        assert_eq!(server.sent(), content.len());
    }
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |about| about.len())
}
