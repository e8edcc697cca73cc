//! Scripts that make tables of the documentation: they run as they stand, and none of them hides a failure.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use raddle_common::testing::not_empty;

use crate::commands::{binary, root};

/// Runs a script of `benches` with the programs of a folder.
fn script(line: &str, programs: &Path) -> Output {
    let mut words = line.split(' ');
    let path = root().join("benches").join(words.next().unwrap());
    Command::new("bash").arg(path).args(words).env("RADDLE_BIN", programs).output().unwrap()
}

/// Cells of the rows of a table, its head left out.
fn cells(table: &str) -> Vec<Vec<String>> {
    let rows = table.lines().skip(2).map(|row| row.trim_matches('|').split('|'));
    rows.map(|row| row.map(|cell| cell.trim().to_owned()).collect()).collect()
}

const SCHEDULING: &str = "scheduling.sh 1 1 n=100,p=400,g=20,r=0.9,s=10,snr=5";
const GUARD: &str = "guard.sh synth:groups:n=60,p=200,s=5 dense-std 10 32";

#[test]
#[cfg(unix)]
fn the_table_of_schedules_has_a_row_for_each_and_priority_reaches_its_gap_first() {
    let made = script(SCHEDULING, binary("lasso").parent().unwrap());
    let said = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success(), "{said}");
    let rows = cells(&String::from_utf8(made.stdout).unwrap());
    let schedules: Vec<[&str; 2]> = rows.iter().map(|row| [row[1].as_str(), row[2].as_str()]).collect();
    assert_eq!(schedules, [["priority", "0.1"], ["shuffled", "-"], ["priority", "off"], ["cyclic", "-"]]);
    // The others diverge on so few columns, or need more updates.
    let updates = |row: &[String]| row[6].parse::<f64>().unwrap();
    assert!(rows[0][3] == "target" && updates(&rows[0]) > 0.0, "{rows:?}");
    for row in &rows[1..] {
        let is_behind = row[3] == "diverged" || row[3] == "limit" || updates(row) > updates(&rows[0]);
        assert!(is_behind, "{rows:?}");
    }
}

#[test]
#[cfg(unix)]
fn the_table_of_the_guard_has_each_schedule_with_it_and_without() {
    let made = script(GUARD, binary("lasso").parent().unwrap());
    let said = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success(), "{said}");
    let rows = cells(&String::from_utf8(made.stdout).unwrap());
    let runs: Vec<String> = rows.iter().map(|row| row[3..5].join(" ")).collect();
    let expected = ["priority off", "priority on", "cyclic off", "cyclic on", "shuffled off", "shuffled on"];
    assert_eq!(runs, expected);
    assert!(rows.iter().filter(|row| row[4] == "on").all(|row| row[5] != "diverged"), "{rows:?}");
}

#[test]
#[cfg(unix)]
fn a_script_of_a_table_ends_with_the_failure_of_its_program() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let lasso = folder.path().join("lasso");
    fs::write(&lasso, "#!/bin/sh\necho 'lasso: error: no such option' >&2\nexit 2\n").unwrap();
    fs::set_permissions(&lasso, fs::Permissions::from_mode(0o755)).unwrap();
    for line in [SCHEDULING, GUARD] {
        let made = script(line, folder.path());
        let said = String::from_utf8_lossy(&made.stderr);
        assert!(!made.status.success() && said.contains("no such option"), "{line}: {said}");
    }
}

/// Words by which a shell goes on after a failure.
const HIDES: [&str; 4] = ["|| true", "|| :", "set +e", "; true"];

#[test]
fn no_script_of_a_table_hides_a_failure() {
    let here = |path: &Path| path.extension().is_some_and(|ending| ending == "sh");
    let scripts = fs::read_dir(root().join("benches")).unwrap().map(|entry| entry.unwrap().path());
    for path in not_empty(scripts.filter(|path| here(path))) {
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains("\nset -euo pipefail\n"), "{}", path.display());
        for (number, line) in text.lines().enumerate() {
            let is_open = HIDES.iter().all(|words| !line.contains(words));
            assert!(is_open, "{}:{}: {line}", path.display(), number + 1);
        }
    }
}
