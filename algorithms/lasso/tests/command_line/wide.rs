//! Tables much wider than their content: one large index takes no memory, and changes no coefficient. The
//! oracle is the same table with its columns numbered from 1 on.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use raddle_common::testing::pairs;
use serde_json::json;

use super::program::{ends, json, report, scratch};

/// The columns that occur, from 1.
const NUMBERS: [u32; 5] = [3, 70_000, 134_217_728, 2_000_000_000, u32::MAX];

/// Rows of the table in libsvm text with these numbers of columns, those of a row in no order.
fn text(numbers: &[u32; 5], y: impl Fn(u32) -> u32) -> String {
    let value = |row: u32, column: u32| (row * row * 7 + column * (row + 3) * 5) % 11;
    let line = |row: u32| {
        let pairs = (0..5).map(|at| (at + row) % 5).filter(|&at| value(row, at) > 4);
        let pairs = pairs.map(|at| format!(" {}:{}", numbers[at as usize], value(row, at)));
        format!("{}{}\n", y(row), pairs.collect::<String>())
    };
    (0..40).map(line).collect()
}

/// The lines of `coef.tsv` with the numbers of the wide table for those of the narrow one.
fn renumbered(narrow: &Path, column: usize) -> String {
    let text = fs::read_to_string(narrow.join("coef.tsv")).unwrap();
    let line = |line: &str| {
        let mut cells: Vec<String> = line.split('\t').map(str::to_owned).collect();
        if let Ok(number) = cells[column].parse::<usize>() {
            cells[column] = NUMBERS[number - 1].to_string();
        }
        cells.join("\t") + "\n"
    };
    text.lines().map(line).collect()
}

/// Every verb, loss, schedule and term of columns gives the bytes of the narrow table, within 64 MB.
#[test]
fn a_wide_table_is_fitted_as_the_narrow_one() {
    let folder = scratch();
    let folder = folder.path();
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    let narrow = [1, 2, 3, 4, 5];
    for (name, of) in [("wide", &NUMBERS), ("narrow", &narrow)] {
        write(&format!("{name}.svm"), &text(of, |row| row * row % 17));
        write(&format!("{name}-classes.svm"), &text(of, |row| (row * row % 17) / 6));
        write(&format!("{name}-two.svm"), &text(of, |row| row * row % 17 / 9));
        write(&format!("{name}.bounds"), &format!("{} 0 inf\n{} -0.1 0.1\n", of[1], of[4]));
        write(&format!("{name}.factors"), &format!("{} 2\n{} 0.5\n", of[3], of[0]));
        write(&format!("{name}.groups"), &format!("{} a\n{} a\n{} b\n", of[0], of[4], of[2]));
    }
    // Terms of columns that do not occur have no effect.
    let more = fs::read_to_string(folder.join("wide.bounds")).unwrap() + "77 0 1\n4000000000 0 1\n";
    write("wide.bounds", &more);
    let options = [
        ("fit DATA.svm --ratio 50", 0),
        ("fit DATA.svm --ratio 50 --schedule priority --epochs 2000 --seed 3", 0),
        ("fit DATA.svm --ratio 50 --schedule shuffled --epochs 2000", 0),
        ("fit DATA.svm --ratio 50 --schedule cyclic --epochs 2000 --shards 3", 0),
        ("fit DATA.svm --ratio 20 --no-standardize --no-intercept --cache kept", 0),
        ("fit DATA.svm --ratio 20 --no-standardize --no-intercept --cache kept", 0),
        ("fit DATA.svm --ratio 20 --mode dense-std", 0),
        ("fit DATA.svm --ratio 20 --mode sparse-raw", 0),
        ("fit DATA.svm --ratio 20 --loss poisson", 0),
        ("fit DATA-two.svm --ratio 20 --loss logistic", 0),
        ("fit DATA-classes.svm --ratio 20 --loss multinomial", 1),
        ("fit DATA.svm --ratio 20 --bounds DATA.bounds --factors DATA.factors", 0),
        ("fit DATA.svm --ratio 20 --unpenalized COLUMN3", 0),
        ("fit DATA.svm --ratio 20 --groups DATA.groups", 0),
        ("path DATA.svm --points 5 --ratio 20", 1),
        ("cv DATA.svm --points 5 --ratio 20 --folds 4", 0),
    ];
    for (line, column) in options {
        let of = |data: &str, number: u32| line.replace("DATA", data).replace("COLUMN3", &number.to_string());
        ends(folder, &format!("{} --quiet --out n --force", of("narrow", 3)), 0);
        let wide = format!("{} --quiet --out w --force", of("wide", NUMBERS[2]));
        assert_eq!(limited(folder, 64, &wide), Some(0), "{wide}");
        let coefficients = fs::read_to_string(folder.join("w/coef.tsv")).unwrap();
        assert!(coefficients.lines().count() > 2, "{line}: {coefficients}");
        assert_eq!(coefficients, renumbered(&folder.join("n"), column), "{line}");
        assert_eq!(json(folder, "w/model.json")["columns"], json!(u32::MAX), "{line}");
        assert_ne!(
            json(folder, "w/report.json")["model_digest"],
            json(folder, "n/report.json")["model_digest"],
            "other columns are another model: {line}"
        );
        let predict = |model: &str, data: &str| {
            let point = if line.starts_with("path") { " --point 4" } else { "" };
            let of = line.split_whitespace().nth(1).unwrap().replace("DATA", data);
            ends(folder, &format!("predict {model} {of}{point}"), 0).out
        };
        assert_eq!(predict("w", "wide"), predict("n", "narrow"), "{line}");
        // Coefficients to start from are found by the numbers of columns, even in a table that has fewer of
        // them.
        if line.starts_with("fit DATA.svm --ratio 20 --loss") {
            let again = report(folder, &format!("{} --init w", of("wide", 0)));
            assert!(again["epochs"].as_u64() <= json(folder, "w/report.json")["epochs"].as_u64(), "{line}");
            write("less.svm", "1 3:1\n0 3:2 4294967295:1\n3 2000000000:1\n");
            ends(folder, "fit less.svm --loss poisson --init w --quiet", 0);
        }
    }
}

/// Groups count columns of zeros in their sizes, whether the table has them or not.
#[test]
fn a_group_has_the_size_that_it_was_given() {
    let folder = scratch();
    let folder = folder.path();
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    let y = |row: u32| row * row % 17;
    // Columns 6 and 7 are there, and of zeros.
    write("narrow.svm", &text(&[1, 2, 3, 4, 5], y).replacen('\n', " 6:0 7:0\n", 1));
    write("narrow.groups", "1 a\n5 a\n6 a\n7 a\n3 b\n4 b\n");
    write("wide.svm", &text(&NUMBERS, y));
    write("wide.groups", &format!("3 a\n{} a\n6 a\n7000000 a\n134217728 b\n2000000000 b\n", u32::MAX));
    let value = |name: &str| {
        ends(folder, &format!("fit {name}.svm --groups {name}.groups --ratio 3 --tol 1e-12 --out {name}"), 0);
        let text = fs::read_to_string(folder.join(name).join("coef.tsv")).unwrap();
        let value = |line: &str| line.rsplit('\t').next().unwrap().parse::<f64>().unwrap();
        text.lines().skip(1).map(value).collect::<Vec<_>>()
    };
    let (wide, narrow) = (value("wide"), value("narrow"));
    assert!(pairs(&wide, &narrow).all(|(a, b)| (a - b).abs() < 1e-6), "{wide:?} {narrow:?}");
    write("twice.groups", "3 a\n77 a\n77 b\n");
    let twice = ends(folder, "fit wide.svm --groups twice.groups", 2).err;
    assert!(twice.contains("twice.groups:3: `77` is named twice, first in line 2"), "{twice}");
    let beyond = ends(folder, "fit wide.svm --unpenalized 4294967296", 2).err;
    assert!(beyond.contains("give their numbers, 1 to 4294967295"), "{beyond}");
}

/// Inserted rows may have columns of any number; saving and reading again gives the same table.
#[test]
fn rows_that_come_bring_columns_of_any_number() {
    let folder = scratch();
    let folder = folder.path();
    fs::write(folder.join("base.svm"), text(&[1, 2, 3, 4, 5], |row| row * row % 17)).unwrap();
    fs::write(
        folder.join("more.txt"),
        "+ a 9 2:1 4000000000:3\n+ b 40 4000000000:9 1:1\n=\n- 7\n+ c 2 90000:1\n",
    )
    .unwrap();
    let line = "fit base.svm --ratio 50 --tol 1e-12 --quiet --changes more.txt --save-data saved.svm --out m";
    assert_eq!(limited(folder, 64, line), Some(0));
    ends(folder, "fit saved.svm --ratio 50 --tol 1e-12 --quiet --out again", 0);
    let coefficients = |name: &str| {
        let text = fs::read_to_string(folder.join(name).join("coef.tsv")).unwrap();
        let cells = |line: &str| {
            let cells: Vec<&str> = line.split('\t').collect();
            (cells[0].parse::<u32>().unwrap(), cells[2].parse::<f64>().unwrap())
        };
        text.lines().skip(1).map(cells).collect::<Vec<_>>()
    };
    let (changed, again) = (coefficients("m"), coefficients("again"));
    assert!(changed.iter().any(|&(column, _)| column == 4_000_000_000), "{changed:?}");
    assert!(
        pairs(&changed, &again).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-6),
        "{changed:?} {again:?}"
    );
    // A dense table has a value a row for each column.
    fs::write(folder.join("d.csv"), "a,b,y\n1,2,3\n4,5,7\n2,9,1\n").unwrap();
    fs::write(folder.join("far.txt"), "+ a 9 2:1 4000000000:3\n").unwrap();
    let err = ends(folder, "fit d.csv --y y --changes far.txt --out d", 2).err;
    assert!(
        err.contains("far.txt:1: column 4000000000 is beyond 65538, the most that this table can have"),
        "{err}"
    );
}

/// A fit that does not fit into memory is refused with the size that it would take, and never crashes the
/// program.
#[test]
fn what_does_not_fit_is_refused() {
    let folder = scratch();
    let rows = (0..20_000).map(|row| format!("{} {}:1 {}:2\n", row % 7, row % 900 + 1, row % 60_000 + 1000));
    fs::write(folder.path().join("d.svm"), rows.collect::<String>()).unwrap();
    for (line, why) in [
        ("d.svm --mode dense-std", "no memory for all values of its columns, 3.4 GB"),
        ("synth:ar1:n=100000,p=100000,s=5,rho=0.5", "no memory for so many values, 80.0 GB"),
        ("synth:strads:n=4000000000,p=40,k=5,s=5", "no memory for so many rows, 128.0 GB"),
    ] {
        let run = shell(folder.path(), "-v 2000000", &format!("fit {line} --workers 2")).output().unwrap();
        let err = String::from_utf8(run.stderr).unwrap();
        assert!(run.status.code() == Some(2) && err.contains(why), "{line}: {:?} {err}", run.status);
    }
}

/// Returns the exit status of `lasso LINE` with at most this many million bytes of data memory.
fn limited(folder: &Path, megabytes: u32, line: &str) -> Option<i32> {
    let limit = format!("-d {}", megabytes * 1000);
    shell(folder, &limit, line).stdout(Stdio::null()).status().unwrap().code()
}

/// `lasso LINE` under a limit in kilobytes that `ulimit` sets.
fn shell(folder: &Path, limit: &str, line: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("ulimit {limit} && exec \"$0\" {line}")).arg(env!("CARGO_BIN_EXE_lasso"));
    shell.current_dir(folder);
    shell
}
