//! Sets in the data folder: their paths and their digests.

use std::fs;
use std::path::Path;

use raddle_datasets::registry::real_folder;

use crate::run::{ends, not_empty, sha256};

fn put(data: &Path, name: &str, text: &str) {
    let path = data.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn paths_are_those_of_files_that_are_here_in_either_form() {
    let data = tempfile::tempdir().unwrap();
    for name in ["mf/ml-1m.tsv", "mf/ml-1m.tsv.gz"] {
        put(data.path(), name, "");
        let said = ends(data.path(), "path ml-1m", 0).out;
        assert_eq!(said.trim_end(), data.path().join(name).display().to_string());
    }
}

#[test]
fn digests_are_compared_with_what_is_known_and_what_is_pinned() {
    let data = tempfile::tempdir().unwrap();
    assert!(ends(data.path(), "verify", 0).out.contains("no set is here"));
    put(data.path(), "lasso/real-sim.svm", "1 1:1\n");
    let said = ends(data.path(), "verify", 0).out;
    assert!(said.contains("nothing to compare with") && said.contains(&sha256(b"1 1:1\n")), "{said}");
    put(data.path(), "lasso/real-sim.svm.sha256", &format!("{}  real-sim.svm\n", sha256(b"1 1:1\n")));
    assert!(ends(data.path(), "verify real-sim", 0).out.contains("as it should be"));
    put(data.path(), "lasso/real-sim.svm", "1 1:2\n");
    put(data.path(), "lasso/mice.svm.gz", "no mice");
    let ran = ends(data.path(), "verify", 1);
    assert_eq!(ran.out.matches("WRONG: its SHA-256 is ").count(), 2, "{}", ran.out);
    assert!(ran.err.contains("mice.svm.gz") && ran.err.contains("real-sim.svm"), "{}", ran.err);
}

#[test]
fn public_sets_that_are_at_hand_are_those_that_are_listed() {
    let Some(data) = real_folder() else { return };
    let said = ends(&data, "verify colon ml-100k ap gowalla", 0).out;
    assert_eq!(not_empty(said.lines()).filter(|line| line.ends_with("as it should be")).count(), 5, "{said}");
}
