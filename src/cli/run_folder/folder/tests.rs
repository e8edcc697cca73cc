//! Ownership of folders, and the files in them that are replaced, or never.

use raddle::command_line_support::LOCK;

use super::*;
use std::collections::BTreeSet;
use std::io::Write as _;
use std::process;

use crate::ExitStatus;

#[test]
fn a_folder_belongs_to_one_run_at_a_time() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("a/run");
    let mut first = RunFolder::hold(&path, Earlier::Refused).unwrap();
    let error = RunFolder::hold(&path, Earlier::Refused).unwrap_err();
    assert_eq!(error.status(), ExitStatus::Usage);
    let holder = format!("its run is alive (process {})", process::id());
    assert!(error.to_string().contains(&holder), "{error}");
    first.write("factors", |out| out.write_all(b"1")).unwrap();
    first.commit("mf", "1.0").unwrap();
    drop(first);
    let mut second = RunFolder::hold(&path, Earlier::Replaced).unwrap();
    assert_eq!(fs::read(path.join("factors")).unwrap(), b"1");
    second.write("factors", |out| out.write_all(b"2")).unwrap();
    assert_eq!(fs::read(path.join("factors")).unwrap(), b"1");
    second.commit("mf", "1.0").unwrap();
    assert_eq!(fs::read(path.join("factors")).unwrap(), b"2");
}

#[test]
fn a_lock_left_by_a_killed_run_holds_nobody_up() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(LOCK), "process 1\n").unwrap();
    RunFolder::hold(folder.path(), Earlier::Refused).unwrap();
}

#[test]
fn a_file_is_no_folder() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let error = RunFolder::hold(&file, Earlier::Refused).unwrap_err();
    assert!(error.to_string().contains("this is a file"), "{error}");
}

#[test]
fn a_run_that_wrote_nothing_leaves_no_new_folder() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("run");
    drop(RunFolder::hold(&path, Earlier::Refused).unwrap());
    assert!(!path.exists());
    drop(RunFolder::hold(parent.path(), Earlier::Refused).unwrap());
    assert!(parent.path().exists());
}

#[test]
fn without_a_folder_nothing_is_written() {
    let mut none = RunFolder::none();
    none.write("model", |_| Err(io::Error::other("never called"))).unwrap();
    none.tracer()(&EpochRecord::default());
    none.check_trace().unwrap();
    none.commit("mf", "1.0").unwrap();
    assert_eq!(none.path(), None);
}

#[test]
fn the_trace_is_written_from_another_thread() {
    let folder = tempfile::tempdir().unwrap();
    let run = RunFolder::hold(folder.path(), Earlier::Refused).unwrap();
    let mut tracer = run.tracer();
    std::thread::spawn(move || tracer(&EpochRecord::default())).join().unwrap();
    run.check_trace().unwrap();
    assert_eq!(fs::read_to_string(folder.path().join("trace.jsonl")).unwrap().lines().count(), 1);
}

fn finished(path: &Path, files: &[&str]) {
    let mut run = RunFolder::hold(path, Earlier::Replaced).unwrap();
    files.iter().for_each(|name| run.write(name, |out| out.write_all(b"x")).unwrap());
    run.commit("lasso", "1.0").unwrap();
}

fn names(path: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(path).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn another_run_is_refused_and_named() {
    let folder = tempfile::tempdir().unwrap();
    finished(folder.path(), &["coef.tsv"]);
    let error = RunFolder::hold(folder.path(), Earlier::Refused).unwrap_err();
    assert_eq!(error.status(), ExitStatus::Usage);
    assert!(error.to_string().contains("it holds a run of lasso (model.json): add --force"), "{error}");
    RunFolder::hold(folder.path(), Earlier::Resumed).unwrap();
    // The files of a run that was killed early are a run, too.
    for name in ["checkpoint", "trace.jsonl", "run.json", "report.json", "summary.json"] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(name), "x").unwrap();
        let error = RunFolder::hold(folder.path(), Earlier::Refused).unwrap_err();
        assert!(error.to_string().contains(&format!("({name})")), "{error}");
        RunFolder::hold(folder.path(), Earlier::Replaced).unwrap();
    }
}

#[test]
fn a_model_that_no_run_wrote_is_never_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let mine = r#"{"program": "lasso", "version": "mine"}"#;
    fs::write(folder.path().join("model.json"), mine).unwrap();
    for earlier in [Earlier::Refused, Earlier::Replaced, Earlier::Resumed] {
        let error = RunFolder::hold(folder.path(), earlier).unwrap_err();
        assert!(error.to_string().contains("a model.json that no run"), "{error}");
    }
    assert_eq!(fs::read_to_string(folder.path().join("model.json")).unwrap(), mine);
}

#[test]
fn stale_files_go_and_foreign_ones_stay() {
    let folder = tempfile::tempdir().unwrap();
    finished(folder.path(), &["coef.tsv", "path.tsv", "report.json"]);
    for name in ["notes.txt", "item_bias.npy", "checkpoint.partial"] {
        fs::write(folder.path().join(name), "mine").unwrap();
    }
    finished(folder.path(), &["coef.tsv", "item_bias.npy"]);
    let expected = [".lock", "coef.tsv", "item_bias.npy", "item_bias.npy.1", "model.json", "notes.txt"];
    assert_eq!(names(folder.path()), expected.map(str::to_owned).into());
    let read = |name| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!((read("item_bias.npy.1"), read("item_bias.npy")), ("mine".into(), "x".into()));
}

#[test]
fn a_manifest_cannot_have_files_elsewhere_removed() {
    let parent = tempfile::tempdir().unwrap();
    let (path, mine) = (parent.path().join("run"), parent.path().join("mine"));
    fs::write(&mine, "mine").unwrap();
    finished(&path, &["coef.tsv"]);
    let text = fs::read_to_string(path.join("model.json")).unwrap();
    let text = text.replace("coef.tsv", "../mine").replace("lasso", &mine.display().to_string());
    fs::write(path.join("model.json"), text).unwrap();
    finished(&path, &[]);
    assert_eq!(fs::read_to_string(&mine).unwrap(), "mine");
}

#[test]
fn a_run_that_fails_leaves_the_earlier_one() {
    let folder = tempfile::tempdir().unwrap();
    finished(folder.path(), &["coef.tsv"]);
    let before = names(folder.path());
    let mut run = RunFolder::hold(folder.path(), Earlier::Replaced).unwrap();
    run.write("path.tsv", |out| out.write_all(b"y")).unwrap();
    assert!(run.write("coef.tsv", |_| Err(io::Error::other("disk full"))).is_err());
    drop(run);
    assert_eq!(names(folder.path()), before);
}

#[test]
fn a_folder_of_others_by_our_names_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".next")).unwrap();
    fs::write(folder.path().join(".next/page"), "mine").unwrap();
    let error = RunFolder::hold(folder.path(), Earlier::Refused).unwrap_err();
    assert!(error.to_string().contains("`.next` in it that no run wrote"), "{error}");
    assert_eq!(fs::read_to_string(folder.path().join(".next/page")).unwrap(), "mine");
}
