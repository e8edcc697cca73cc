//! Files that arrive whole, in parts, after redirections, and only once.

use std::fs;
use std::process::Stdio;

use raddle_common::testing::{names, pairs};

use crate::run::{command, ends, not_empty, sha256};
use crate::server::{Reply, Server};

/// Bytes that do not repeat.
pub(crate) fn bytes(count: usize) -> Vec<u8> {
    (0..count as u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

#[test]
fn a_file_comes_whole_and_nothing_is_left_beside_it() {
    let (folder, content) = (tempfile::tempdir().unwrap(), bytes(300_000));
    let server = Server::of(&content);
    let line = format!("fetch {} --to {} --yes", server.address("set.bin"), folder.path().display());
    let ran = ends(folder.path(), &line, 0);
    assert!(
        ran.out.contains(&sha256(&content)) && ran.err.contains("licence and size: not known"),
        "{}",
        ran.out
    );
    assert_eq!(fs::read(folder.path().join("set.bin")).unwrap(), content);
    assert_eq!(names(folder.path()), [".raddle-data.lock", "set.bin"]);
    // The file is compared, not fetched again.
    let digest = sha256(&content);
    assert!(ends(folder.path(), &format!("{line} --sha256 {digest}"), 0).out.contains("it is here"));
    assert_eq!(server.asked().len(), 1);
    let other = ends(folder.path(), &format!("{line} --sha256 {}", sha256(b"")), 2).err;
    assert!(other.contains("a file with this name is there with other bytes"), "{other}");
}

#[test]
fn a_connection_that_ends_at_any_quarter_is_gone_on_with_and_no_byte_comes_twice() {
    let content = bytes(100_000);
    let digest = sha256(&content);
    for quarter in 1..4 {
        let folder = tempfile::tempdir().unwrap();
        let end = quarter * content.len() / 4;
        let of_server = content.clone();
        let server = Server::new(move |request, _| Reply::file(request, &of_server, "\"a\"", end));
        let address = server.address("set.bin");
        let line = format!("fetch {address} --to {} --yes --sha256 {digest}", folder.path().display());
        let ran = ends(folder.path(), &line, 1);
        assert!(ran.err.contains(&address) && ran.err.contains("continues from there"), "{}", ran.err);
        assert_eq!(names(folder.path()), [".raddle-data.lock", "set.bin.part", "set.bin.part.json"]);
        assert_eq!(fs::read(folder.path().join("set.bin.part")).unwrap(), content[..end]);
        let (before, of_server) = (server.asked().len(), content.clone());
        server.now(move |request, _| Reply::file(request, &of_server, "\"a\"", of_server.len()));
        ends(folder.path(), &line, 0);
        assert_eq!(fs::read(folder.path().join("set.bin")).unwrap(), content);
        assert_eq!(server.sent(), content.len(), "bytes that came twice");
        let asked = server.asked();
        assert_eq!((asked.len() - before, asked[before].from), (1, end as u64));
    }
}

#[test]
fn one_fetch_goes_on_by_itself_while_bytes_come() {
    let (folder, content) = (tempfile::tempdir().unwrap(), bytes(80_000));
    let of_server = content.clone();
    let server = Server::new(move |request, count| {
        Reply::file(request, &of_server, "\"a\"", (count + 1) * of_server.len() / 4)
    });
    let line = format!("fetch {} --to {} --yes", server.address("set.bin"), folder.path().display());
    ends(folder.path(), &line, 0);
    assert_eq!(fs::read(folder.path().join("set.bin")).unwrap(), content);
    let from: Vec<u64> = server.asked().iter().map(|request| request.from).collect();
    assert_eq!((from, server.sent()), (vec![0, 20_000, 40_000, 60_000], content.len()));
}

#[test]
fn all_that_had_come_when_a_process_ended_is_not_asked_for_again() {
    let (folder, content) = (tempfile::tempdir().unwrap(), bytes(10_000));
    let server = Server::of(&content);
    let address = server.address("set.bin");
    let about = format!(r#"{{"address":"{address}","tag":"\"a\"","bytes":10000}}"#);
    fs::write(folder.path().join("set.bin.part.json"), about).unwrap();
    fs::write(folder.path().join("set.bin.part"), &content).unwrap();
    ends(folder.path(), &format!("fetch {address} --to {} --yes", folder.path().display()), 0);
    assert_eq!(fs::read(folder.path().join("set.bin")).unwrap(), content);
    assert_eq!(server.asked().len(), 0);
}

#[test]
fn redirections_are_followed_and_a_circle_of_them_is_not() {
    let (folder, content) = (tempfile::tempdir().unwrap(), bytes(50_000));
    let second = Server::of(&content);
    let there = second.address("elsewhere");
    let first = Server::new(move |request, _| match request.path.as_str() {
        "set.bin" => Reply::moved("/again"),
        "again" => Reply::moved(&there),
        _ => Reply::moved("/circle"),
    });
    let to = folder.path().display();
    ends(folder.path(), &format!("fetch {} --to {to} --yes", first.address("set.bin")), 0);
    assert_eq!(fs::read(folder.path().join("set.bin")).unwrap(), content);
    let address = first.address("circle");
    let ran = ends(folder.path(), &format!("fetch {address} --to {to} --yes"), 1);
    assert!(ran.err.contains(&address) && ran.err.contains("redirect"), "{}", ran.err);
    assert!(!folder.path().join("circle").exists());
}

#[test]
fn a_file_that_has_changed_is_fetched_from_its_beginning() {
    let (old, new) = (bytes(60_000), bytes(90_000).split_off(20_000));
    // A server that looks at the tag, and one that sends a part of the other file whatever the tag.
    for looks in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let of_server = old.clone();
        let server = Server::new(move |request, _| Reply::file(request, &of_server, "\"old\"", 30_000));
        let line = format!("fetch {} --to {} --yes", server.address("set.bin"), folder.path().display());
        ends(folder.path(), &line, 1);
        let of_server = new.clone();
        server.now(move |request, _| {
            let mut request = request.clone();
            if !looks && request.from > 0 {
                request.tag = Some("\"new\"".into());
            }
            Reply::file(&request, &of_server, "\"new\"", of_server.len())
        });
        ends(folder.path(), &line, 0);
        assert_eq!(fs::read(folder.path().join("set.bin")).unwrap(), new, "{looks}");
    }
}

#[test]
fn a_set_whose_digest_nobody_publishes_is_pinned_at_the_first_fetch() {
    let data = tempfile::tempdir().unwrap();
    let texts: [(&str, &[u8]); 2] =
        [("docword.kos.txt.gz", b"no matter what"), ("vocab.kos.txt", b"sea\nship\n")];
    let serves = |texts: [(&'static str, Vec<u8>); 2]| {
        Server::new(move |request, _| {
            let found = texts.iter().find(|(name, _)| request.path == format!("mirror/{name}"));
            found.map_or(Reply::status("404 Not Found"), |(_, text)| {
                Reply::file(request, text, "\"a\"", text.len())
            })
        })
    };
    let server = serves(texts.map(|(name, text)| (name, text.to_vec())));
    let line = format!("fetch kos --yes --from {}", server.address("mirror/"));
    let ran = ends(data.path(), &line, 0);
    assert!(ran.err.contains("licence: CC BY 4.0") && ran.err.contains("is pinned"), "{}", ran.err);
    assert!(ran.out.contains("pinned"), "{}", ran.out);
    for (name, text) in not_empty(texts) {
        let path = data.path().join("lda").join(name);
        assert_eq!(fs::read(&path).unwrap(), text);
        let pins = fs::read_to_string(path.with_file_name(format!("{name}.sha256"))).unwrap();
        assert_eq!(pins.lines().next().unwrap(), format!("{}  {name}", sha256(text)));
    }
    assert!(ends(data.path(), &line, 0).out.contains("it is here"));
    assert_eq!(ends(data.path(), "verify kos", 0).out.matches("as it should be").count(), 2);
    // Fetched again, the file must have the same bytes.
    fs::remove_file(data.path().join("lda/vocab.kos.txt")).unwrap();
    let other = serves([("docword.kos.txt.gz", Vec::new()), ("vocab.kos.txt", b"sea\nsand\n".to_vec())]);
    let ran = ends(data.path(), &format!("fetch kos --yes --from {}", other.address("mirror/")), 1);
    assert!(ran.err.contains(&format!("not {}", sha256(texts[1].1))), "{}", ran.err);
    assert!(!data.path().join("lda/vocab.kos.txt").exists());
    let again = ends(data.path(), &line, 0);
    assert!(again.out.contains("as at the first fetch"), "{}", again.out);
}

#[test]
fn a_compressed_set_is_kept_as_the_programs_read_it() {
    use std::io::Write as _;
    let data = tempfile::tempdir().unwrap();
    let mut archive = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
    archive.write_all(b"1 1:0.5\n-1 2:1\n").unwrap();
    let server = Server::of(&archive.finish().unwrap());
    ends(data.path(), &format!("fetch rcv1 --yes --from {}", server.address("")), 0);
    assert_eq!(server.asked()[0].path, "rcv1_train.binary.bz2");
    let name = "rcv1_train.binary.svm";
    assert_eq!(fs::read(data.path().join("lasso").join(name)).unwrap(), b"1 1:0.5\n-1 2:1\n");
    assert_eq!(names(&data.path().join("lasso")), [name.to_owned(), format!("{name}.sha256")]);
    // A download that is no such file leaves nothing that could be read.
    fs::remove_dir_all(data.path().join("lasso")).unwrap();
    let page = Server::of(b"<html>sorry</html>");
    let ran = ends(data.path(), &format!("fetch rcv1 --yes --from {}", page.address("")), 1);
    assert!(ran.err.contains("cannot be converted"), "{}", ran.err);
    assert!(!data.path().join("lasso").join(name).exists());
}

#[test]
fn two_fetches_at_once_fetch_once() {
    use std::io::{BufRead as _, BufReader};
    let (data, content) = (tempfile::tempdir().unwrap(), bytes(5_000));
    let of_server = content.clone();
    let server = Server::new(move |request, _| {
        // The second half comes when the test has seen that the other fetch waits.
        let half = Reply::file(request, &of_server, "\"a\"", of_server.len() / 2);
        Reply {
            holds: request.from == 0,
            ..if request.from == 0 {
                half
            } else {
                Reply::file(request, &of_server, "\"a\"", of_server.len())
            }
        }
    });
    let line = format!("fetch libsvm-w8a --yes --timeout 60 --from {}", server.address("w8a"));
    let start = || {
        let mut command = command(data.path(), &line);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let first = start();
    server.wait_for(1);
    let mut second = start();
    let mut said = BufReader::new(second.stderr.take().unwrap()).lines();
    assert!(said.any(|line| line.unwrap().contains("waiting for it")));
    server.release();
    assert!(first.wait_with_output().unwrap().status.success());
    assert!(second.wait().unwrap().success() && said.count() == 0);
    assert_eq!(fs::read(data.path().join("lasso/w8a")).unwrap(), content);
    let from: Vec<u64> = server.asked().iter().map(|request| request.from).collect();
    for (from, expected) in pairs(from, [0, 2_500]) {
        assert_eq!(from, expected);
    }
}
