//! Failures of a server: the right file or none, a message with the address, and the second address is taken.

use std::fs;
use std::net::TcpListener;

use raddle_common::testing::names;

use crate::fetch::bytes;
use crate::run::{Ran, command, ends, sha256};
use crate::server::{Reply, Request, Server};

const EXPIRED: &[u8] = include_bytes!("certificates/expired.der");
const VALID: &[u8] = include_bytes!("certificates/valid.der");
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/certificates/root.pem");

/// The fetch fails with these words from this address alone, and succeeds if a second address follows.
fn fails(address: &str, words: &str) {
    let content = bytes(70_000);
    let good = Server::of(&content);
    let line = |first: &str, rest: &str, to: &std::path::Path| {
        let digest = sha256(&content);
        let to = to.display();
        format!("fetch {first} {rest} --to {to} --yes --timeout 1 --sha256 {digest}")
    };
    let run = |folder: &std::path::Path, line: &str| {
        Ran::new(command(folder, line).env("SSL_CERT_FILE", ROOT).output().unwrap())
    };
    let folder = tempfile::tempdir().unwrap();
    let ran = run(folder.path(), &line(address, "", folder.path()));
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let message = ran.err.lines().last().unwrap();
    assert!(message.starts_with("raddle-data: error: "), "{message}");
    assert!(message.contains(address) && message.contains(words), "{message}");
    let name = address.rsplit('/').next().unwrap();
    assert!(!folder.path().join(name).exists());
    let second = good.address(name);
    let ran = run(folder.path(), &line(&second, &format!("--from {address}"), folder.path()));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(fs::read(folder.path().join(name)).unwrap(), content);
    assert_eq!(names(folder.path()), [".raddle-data.lock", name]);
    // Both fail: both are named.
    fs::remove_file(folder.path().join(name)).unwrap();
    good.now(|_, _| Reply::status("404 Not Found"));
    let ran = run(folder.path(), &line(&second, &format!("--from {address}"), folder.path()));
    assert!(
        ran.code == Some(1) && ran.err.contains(words) && ran.err.contains("404 (not found)"),
        "{}",
        ran.err
    );
}

fn server_fails(words: &str, answer: impl Fn(&Request, usize) -> Reply + Send + Sync + 'static) {
    let server = Server::new(answer);
    fails(&server.address("set.bin"), words);
}

#[test]
fn a_file_that_is_not_there() {
    server_fails("the server answers 404 (not found)", |_, _| Reply::status("404 Not Found"));
    server_fails("the server answers 503", |_, _| Reply::status("503 Service Unavailable"));
}

#[test]
fn a_server_that_is_not_there() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    fails(&format!("http://127.0.0.1:{port}/set.bin"), "refused");
}

#[test]
fn another_file_than_the_digest_says() {
    server_fails(", not ", |request, _| Reply::file(request, &bytes(70_001), "\"a\"", 70_001));
}

#[test]
fn a_connection_that_always_ends_too_early() {
    server_fails("of 70000 bytes", |request, _| Reply::file(request, &bytes(70_000), "\"a\"", 1_000));
    server_fails("", |_, _| Reply::default());
}

#[test]
fn silence_before_an_answer_and_in_the_middle_of_a_file() {
    server_fails("says nothing for 1 s", |_, _| Reply { holds: true, ..Reply::default() });
    server_fails("sends nothing more after 1000 bytes", |request, _| Reply {
        holds: true,
        ..Reply::file(request, &bytes(70_000), "\"a\"", 1_000)
    });
}

#[test]
fn a_certificate_that_has_expired_or_that_nobody_vouches_for() {
    let content = bytes(70_000);
    let whole = move |request: &Request, _: usize| Reply::file(request, &content, "\"a\"", content.len());
    let expired = Server::secure(EXPIRED, whole.clone());
    fails(&expired.address("set.bin"), "xpired");
    let valid = Server::secure(VALID, whole);
    let folder = tempfile::tempdir().unwrap();
    let line =
        format!("fetch {} --to {} --yes --timeout 5", valid.address("set.bin"), folder.path().display());
    let ran = Ran::new(command(folder.path(), &line).env("SSL_CERT_FILE", ROOT).output().unwrap());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let ran = ends(folder.path(), &line.replace("set.bin", "other.bin"), 1);
    assert!(ran.err.contains("certificate"), "{}", ran.err);
    // A redirection to an address with an untrusted certificate.
    let plain = Server::of(b"plain");
    let there = plain.address("set.bin");
    let leads = Server::secure(VALID, move |_, _| Reply::moved(&there));
    let line = format!("fetch {} --to {} --yes", leads.address("third.bin"), folder.path().display());
    let ran = Ran::new(command(folder.path(), &line).env("SSL_CERT_FILE", ROOT).output().unwrap());
    assert!(ran.code == Some(1) && plain.asked().is_empty(), "{}", ran.err);
}

#[test]
fn a_known_set_of_another_length_is_refused_before_its_first_byte() {
    let data = tempfile::tempdir().unwrap();
    let server =
        Server::new(|request, _| Reply { holds: false, ..Reply::file(request, &bytes(1_000), "\"a\"", 0) });
    let ran = ends(data.path(), &format!("fetch ml-100k --yes --timeout 1 --from {}", server.address("")), 1);
    assert!(ran.err.contains("it has 1000 bytes, not 4924029"), "{}", ran.err);
    assert!(ran.err.contains("https://files.grouplens.org"), "{}", ran.err);
    assert!(!data.path().join("mf/ml-100k.zip").exists() && !data.path().join("mf/ml-100k.tsv").exists());
}
