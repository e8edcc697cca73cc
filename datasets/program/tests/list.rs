//! The list of sets, for people and for scripts.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::run::{ends, not_empty};

fn listed(data: &std::path::Path) -> Vec<Value> {
    let text = ends(data, "list --json", 0).out;
    assert_eq!(text.lines().count(), 1);
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_script_reads_every_set_with_its_licence_and_kind() {
    let data = tempfile::tempdir().unwrap();
    let sets = listed(data.path());
    assert!(sets.len() >= 25, "{}", sets.len());
    let all = ends(data.path(), "list", 0).out;
    for set in not_empty(&sets) {
        let text = |field: &str| set[field].as_str().unwrap_or_else(|| panic!("{field} of {set}"));
        for field in ["name", "title", "task", "sizes", "licence"] {
            assert!(!text(field).is_empty(), "{set}");
        }
        assert!(text("licence_address").starts_with("https://"), "{set}");
        assert!(["table", "ratings", "corpus", "texts"].contains(&text("kind")), "{set}");
        assert!(["known", "pinned", "file"].contains(&text("provenance")), "{set}");
        assert_eq!(set["made"].is_string(), text("provenance") == "file", "{set}");
        assert_eq!(set["here"], false);
        for file in not_empty(set["files"].as_array().unwrap()) {
            assert_eq!(file["download"].is_null(), text("provenance") == "file", "{set}");
            let one = ends(data.path(), &format!("list {}", text("name")), 0).out;
            assert!(one.contains(file["file"].as_str().unwrap()) && one.contains(text("licence")), "{one}");
        }
        let line =
            all.lines().find(|line| line.trim_start().starts_with(&format!("{} ", text("name")))).unwrap();
        for field in ["title", "kind", "sizes", "licence"] {
            assert!(line.contains(text(field)), "{line}");
        }
    }
    let known = sets.iter().find(|set| set["name"] == "ml-1m").unwrap();
    assert_eq!((known["bytes"].as_u64(), known["provenance"].as_str()), (Some(5_917_549), Some("known")));
    assert_eq!(known["files"][0]["download"]["addresses"].as_array().unwrap().len(), 2);
    let kinds: BTreeSet<&str> = sets.iter().map(|set| set["provenance"].as_str().unwrap()).collect();
    assert_eq!(kinds.len(), 3);
}

#[test]
fn a_set_is_here_with_all_of_its_files() {
    let data = tempfile::tempdir().unwrap();
    let is_here = || listed(data.path()).iter().find(|set| set["name"] == "kos").unwrap()["here"].clone();
    fs::create_dir(data.path().join("lda")).unwrap();
    fs::write(data.path().join("lda/docword.kos.txt.gz"), "").unwrap();
    assert_eq!(is_here(), false);
    fs::write(data.path().join("lda/vocab.kos.txt"), "").unwrap();
    assert_eq!(is_here(), true);
}
