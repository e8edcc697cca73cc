//! Wrong command lines and folders: the message says what is wrong and what to do.

use std::fs;

use crate::run::{command, ends, sha256};

const URL: &str = "http://127.0.0.1:9/set.bin";

#[test]
fn a_line_that_cannot_be_followed_says_what_to_write() {
    let data = tempfile::tempdir().unwrap();
    let to = data.path().display();
    for (line, words) in [
        ("fetch ml1m --yes", "`ml1m`: no set has this name: the nearest is ml-1m"),
        ("path movielens-1m", "the nearest is ml-1m"),
        ("verify pubmet", "the nearest is pubmed"),
        ("list jestr", "the nearest is jester"),
        (&format!("fetch {URL} --yes"), "add --to DIR"),
        (&format!("fetch ftp://a.org/b --yes --to {to}"), "begins with https:// or http://"),
        (&format!("fetch kos --yes --from mirror --to {to}"), "mirror: an address begins with"),
        (&format!("fetch http://127.0.0.1:9/ --yes --to {to}"), "does not end with a file name"),
        (&format!("fetch {URL} --yes --to {to} --sha256 abc"), "64 hexadecimal digits"),
        ("fetch ml-1m --yes --sha256 abc", "the digest of a set is known"),
        ("fetch mice --yes", "it cannot be fetched: put lasso/mice.svm.gz there"),
        ("path ml-1m", "`raddle data fetch ml-1m` fetches it"),
        ("verify ml-1m", "`raddle data fetch ml-1m` fetches it"),
        ("generate groups.csv groups.csv", "give a specification"),
        ("generate synth:groups:n=9,p=5,s=2 groups.xlsx", "written as .csv, .tsv, .svm or .libsvm"),
        ("generate synth:ratings:users=9,items=9,n=20 r.svm", "written as .csv or .tsv"),
        ("generate synth:clouds:n=9 c.csv", "`clouds` is no kind"),
        ("generate synth:groups:n=9,p=5 g.csv", "`s` is missing"),
        ("generate synth:groups:n=9,p=5,s=2 nowhere/g.csv", "there is no folder to write it to"),
        ("fit diabetes", "`fit` is lasso's"),
    ] {
        let ran = ends(data.path(), line, 2);
        assert!(ran.err.contains(words), "{line}: {}", ran.err);
        assert!(ran.out.is_empty(), "{line}: {}", ran.out);
    }
}

#[test]
fn folders_that_are_none_or_take_no_files_are_named() {
    let data = tempfile::tempdir().unwrap();
    let file = data.path().join("file");
    fs::write(&file, "no folder").unwrap();
    for line in ["list", "path ml-1m", "verify", "fetch ml-1m --yes"] {
        let ran = ends(&file, line, 2);
        let words = format!("RADDLE_DATA {}: it is a file, not a folder", file.display());
        assert!(ran.err.contains(&words), "{line}: {}", ran.err);
    }
    let ran = ends(data.path(), &format!("fetch kos --yes --to {}", file.display()), 2);
    assert!(ran.err.contains(&format!("--to {}: it is a file", file.display())), "{}", ran.err);
    // With the archive in its place nothing is fetched, but something is written.
    let ran = command(data.path(), "fetch kos --yes --timeout 1 --to /proc/nowhere").output().unwrap();
    let said = String::from_utf8(ran.stderr).unwrap();
    let words = if cfg!(feature = "fetch") { "/proc/nowhere: cannot write" } else { "no http client" };
    assert!(ran.status.code() == Some(1) && said.contains(words), "{said}");
}

#[test]
fn a_file_by_the_name_of_a_set_with_other_bytes_is_never_touched() {
    let data = tempfile::tempdir().unwrap();
    fs::create_dir(data.path().join("mf")).unwrap();
    for name in ["ml-1m.tsv", "ml-1m.tsv.gz", "ml-1m.zip"] {
        let path = data.path().join("mf").join(name);
        fs::write(&path, "mine").unwrap();
        let ran = ends(data.path(), "fetch ml-1m --yes --timeout 1", 2);
        let words =
            format!("a file with this name is there with other bytes: its SHA-256 is {}", sha256(b"mine"));
        assert!(ran.err.contains(&path.display().to_string()) && ran.err.contains(&words), "{}", ran.err);
        assert_eq!(fs::read(&path).unwrap(), b"mine");
        fs::remove_file(path).unwrap();
    }
}

#[test]
#[cfg(feature = "fetch")]
fn nothing_is_asked_for_before_licence_and_size_are_taken() {
    let data = tempfile::tempdir().unwrap();
    let server = crate::server::Server::of(b"no");
    let ran = ends(data.path(), &format!("fetch ml-1m --from {}", server.address("ml-1m.zip")), 2);
    for words in
        ["MovieLens 1M", "licence: research use", "5.9 MB", "https://files.grouplens.org", "add --yes"]
    {
        assert!(ran.err.contains(words), "{words}: {}", ran.err);
    }
    assert_eq!(server.asked().len(), 0);
    assert!(raddle_common::testing::names(data.path()).is_empty());
}

#[test]
#[cfg(not(feature = "fetch"))]
fn without_a_client_it_says_how_to_get_one_and_what_to_put_where() {
    let data = tempfile::tempdir().unwrap();
    let ran = ends(data.path(), "fetch ml-1m --yes", 1);
    let place = data.path().join("mf/ml-1m.zip").display().to_string();
    for words in
        ["raddle-data/fetch", "https://files.grouplens.org/datasets/movielens/ml-1m.zip", &place, "licence"]
    {
        assert!(ran.err.contains(words), "{words}: {}", ran.err);
    }
    assert!(ends(data.path(), &format!("fetch {URL} --yes --to x"), 1).err.contains("raddle-data/fetch"));
}
