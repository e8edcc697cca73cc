//! Model digests that must not change: every row of `tests/digests.tsv` that belongs to one program.
//!
//! A refactoring keeps them all. A change of the mathematics changes the rows that it touches, on purpose.

use std::process::Command;

/// `true` if a row's data need no folder: they are embedded, or generated.
fn is_here(data: &str) -> bool {
    ["diabetes", "pydoc"].contains(&data) || data.starts_with("synth:")
}

/// Fits every row of `program` with workers that come and go and compares `model_digest`; the first row, or
/// every one where `RADDLE_DIGESTS` is `all`, with one worker and with three, too. Rows of public sets are
/// skipped where `RADDLE_DATA` is not set.
pub(crate) fn check(program: &str, binary: &str) {
    let rows = include_str!("../digests.tsv").lines().filter(|line| !line.starts_with('#'));
    let rows: Vec<Vec<&str>> = rows.map(|line| line.split('\t').collect()).collect();
    let have_data = raddle_datasets::registry::real_folder().is_some();
    let all = std::env::var("RADDLE_DIGESTS").is_ok_and(|which| which == "all");
    let (mut differ, mut compared) = (Vec::new(), 0);
    assert!(
        rows.iter().any(|row| row[0] == program && is_here(row[1].split(' ').nth(1).unwrap())),
        "rows for everyone"
    );
    for row in rows.iter().filter(|row| row[0] == program) {
        let data = row[1].split(' ').nth(1).unwrap();
        if !have_data && !is_here(data) {
            eprintln!("skipped: {program} {} (RADDLE_DATA is not set)", row[1]);
            continue;
        }
        let workers: [&[&str]; 3] =
            [&["--workers", "1", "--rescale", "1:3,2:2"], &["--workers", "1"], &["--workers", "3"]];
        let many = if all || compared == 0 { workers.len() } else { 1 };
        for &workers in &workers[..many] {
            let run = Command::new(binary)
                .args(row[1].split(' '))
                .args(workers)
                .args(["--json", "--quiet"])
                .output();
            let run = run.unwrap();
            let report: serde_json::Value = serde_json::from_slice(&run.stdout)
                .unwrap_or_else(|_| panic!("{program} {}: {}", row[1], String::from_utf8_lossy(&run.stderr)));
            compared += 1;
            if report["model_digest"] != row[2] {
                differ.push(format!(
                    "{program} {} {}: {}",
                    row[1],
                    workers.join(" "),
                    report["model_digest"]
                ));
            }
        }
    }
    assert!(compared > 0, "nothing was compared");
    assert!(differ.is_empty(), "{} of {compared} digests differ:\n{}", differ.len(), differ.join("\n"));
}
