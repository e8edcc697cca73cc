//! Large ids and large sizes: memory is in proportion to the ratings, and what does not fit is refused.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::json;

use super::program::{json as read, scratch};

/// Runs `mf LINE` under a limit in kilobytes that `ulimit` sets.
fn limited(folder: &Path, limit: &str, line: &str) -> Output {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("ulimit {limit} && exec \"$0\" {line}")).arg(env!("CARGO_BIN_EXE_mf"));
    shell.current_dir(folder).output().unwrap()
}

/// However large its number, an id is one row, within 64 MB, in every format and by parts.
#[test]
fn a_large_id_is_one_row() {
    let folder = scratch();
    let folder = folder.path();
    let users = ["0", "4000000000", "1", "4294967295"];
    let far = ["9223372036854775808", "18446744073709551615", "18446744073709551616", "-5"];
    for (number, (users, items)) in [(users, users), (users, far), (far, far)].iter().enumerate() {
        let pairs = (0..16).map(|at| (users[at % 4], items[at / 4], at % 5 + 1));
        let rows =
            |by: &str| pairs.clone().map(|(u, i, r)| format!("{u}{by}{i}{by}{r}\n")).collect::<String>();
        fs::write(folder.join("r.csv"), format!("user,item,rating\n{}", rows(","))).unwrap();
        fs::write(folder.join("r.txt"), rows(" ")).unwrap();
        fs::write(folder.join("r.dat"), rows("::")).unwrap();
        for line in ["r.csv", "r.txt", "r.dat", "r.csv --cache kept", "r.txt --cache kept"] {
            let fit = format!("fit {line} --rank 3 --epochs 3 --validation none --quiet --out m --force");
            let run = limited(folder, "-d 64000", &fit);
            assert_eq!(
                run.status.code(),
                Some(0),
                "{number} {line}: {}",
                String::from_utf8_lossy(&run.stderr)
            );
            let sizes = read(&folder.join("m"), "report.json")["data"]["sizes"].clone();
            assert_eq!((&sizes["users"], &sizes["items"]), (&json!(4), &json!(4)), "{number} {line}");
            let said = limited(folder, "-d 64000", &format!("recommend m --with-seen --users={}", users[1]));
            let said = String::from_utf8(said.stdout).unwrap();
            assert!(items.iter().all(|item| said.contains(item)), "{number} {line}: {said}");
        }
    }
}

/// A header that claims more rows than fit into memory is refused with the size they would take.
#[test]
fn factors_that_do_not_fit_are_refused() {
    let folder = scratch();
    let head = "%%MatrixMarket matrix coordinate real general";
    fs::write(folder.path().join("r.mtx"), format!("{head}\n4000000 4000000 2\n4000000 1 5\n1 2 3\n"))
        .unwrap();
    fs::write(folder.path().join("far.mtx"), format!("{head}\n4000000000 3 2\n4000000000 1 5\n1 2 3\n"))
        .unwrap();
    for (line, why) in [
        ("fit r.mtx --rank 4096", "no memory for the factors of all users and items, 131.1 GB"),
        ("fit r.mtx --rank 4096 --solver als", "no memory for the factors of all users and items, 131.1 GB"),
        ("fit far.mtx", "4000000000 users are claimed, but there are only 2 values in the file"),
        (
            "fit synth:ratings:users=100000,items=100000,n=4000000000",
            "no memory for so many ratings, 112.0 GB",
        ),
    ] {
        let run = limited(folder.path(), "-v 2000000", line);
        let err = String::from_utf8(run.stderr).unwrap();
        assert!(run.status.code() == Some(2) && err.contains(why), "{line}: {:?} {err}", run.status);
    }
}
