//! Faults of published tables are reported with their file and line.

use std::fs;

use raddle_pool_sim::published::Tables;

use super::tables::{WORKLOADS, folder};

fn refused(rows: &[&str]) -> String {
    let folder = folder(rows);
    let error = Tables::read(folder.path()).and_then(|tables| tables.jobs(1, 1.0)).unwrap_err().to_string();
    assert!(error.contains(WORKLOADS), "{error}");
    error
}

const GOOD: &str = "1,1,a,0,bert,1,8";

#[test]
fn a_workload_with_an_unknown_application_is_refused_by_line() {
    let error = refused(&[GOOD, "1,1,b,5,gpt,1,8"]);
    assert!(error.contains(".gz:3: unknown application `gpt`: the tables have bert, cifar10"), "{error}");
}

#[test]
fn a_batch_outside_the_validated_range_is_refused_by_line() {
    for batch in [7, 65] {
        let error = refused(&[GOOD, GOOD, &format!("1,1,b,5,ncf,1,{batch}")]);
        assert!(error.contains(&format!(".gz:4: batch size {batch} of ncf: choose 8 to 64")), "{error}");
    }
}

#[test]
fn rows_that_make_no_sense_are_refused_by_line() {
    for (row, words) in [
        ("1,1,b,0,bert,0,8", ":2: 0 replicas of bert: choose one or more"),
        ("1,1,b,-3,bert,1,8", ":2: arrival at -3: choose seconds"),
        ("1,1,b,0,bert,1", ":2: "),
        ("1,1,b,0,bert,many,8", ":2: "),
    ] {
        let error = refused(&[row]);
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn a_table_that_is_not_there_or_has_no_row_of_an_application_is_named() {
    let folder = folder(&[GOOD]);
    let placements = folder.path().join("cluster/placements.csv.gz");
    let text = fs::read_to_string(&placements).unwrap();
    fs::write(
        &placements,
        text.lines().filter(|line| !line.starts_with("ncf")).collect::<Vec<_>>().join("\n"),
    )
    .unwrap();
    let error = Tables::read(folder.path()).unwrap_err().to_string();
    assert!(error.contains("no row of ncf"), "{error}");
    fs::write(&placements, text.replacen(",1,0", ",nan,0", 1)).unwrap();
    let error = Tables::read(folder.path()).unwrap_err().to_string();
    assert!(error.contains("placements.csv.gz:2: a number that is not finite"), "{error}");
    fs::remove_file(&placements).unwrap();
    let error = Tables::read(folder.path()).unwrap_err().to_string();
    assert!(
        error.contains("placements.csv.gz: no such file: set RADDLE_DATA to the folder that holds cluster/"),
        "{error}"
    );
}
