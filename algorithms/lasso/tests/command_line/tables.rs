//! Tables of many kinds: six files that are fitted by one command each, encodings that `predict` repeats, and
//! input formats.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use super::program::{ends, json, program, ran, report, scratch};

/// Options by which each file of `tests/tables` is fitted.
const FILES: [(&str, &str); 6] = [
    ("quotes", "--y price"),
    ("missing", "--missing mean"),
    ("text", "--y rent"),
    ("dates", "--y sales"),
    ("id", "--y response --drop 1"),
    ("classes", "--y bought --loss logistic"),
];

/// The screen and the model of a run, digit by digit except for the seconds.
fn told(screen: &str, model: &Value) -> String {
    let masked = |line: &str| match line.rsplit_once(", ") {
        Some((front, seconds)) if line.starts_with("done") && seconds.ends_with(" s") => {
            format!("{front}, # s")
        }
        _ => line.trim_end().to_owned(),
    };
    let screen: Vec<String> = screen.lines().map(masked).collect();
    let keys =
        ["columns", "intercept", "lambda", "classes", "class_names", "feature_names", "encoding", "ending"];
    let kept: Vec<String> = keys.iter().map(|key| format!("{key}: {}", model[key])).collect();
    format!("{}\n{}\n", screen.join("\n").trim_end(), kept.join("\n"))
}

/// Run with RADDLE_KEEP=1 to rewrite the expected texts, and read the changes.
#[test]
fn six_files_fit_by_one_command_each() {
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables");
    for (name, options) in FILES {
        let folder = scratch();
        fs::copy(tables.join(format!("{name}.csv")), folder.path().join(format!("{name}.csv"))).unwrap();
        let run = ends(folder.path(), &format!("{name}.csv {options} --ratio 1000 --quiet --out run"), 0);
        let told = told(&run.out, &json(folder.path(), "run/model.json"));
        let kept = tables.join(format!("{name}.txt"));
        if std::env::var_os("RADDLE_KEEP").is_some() {
            fs::write(&kept, &told).unwrap();
        }
        assert_eq!(told, fs::read_to_string(&kept).unwrap(), "{name}");
        // The model predicts from the file that it was fitted to, and measures itself.
        let said = ends(folder.path(), &format!("predict run {name}.csv --out said"), 0).out;
        assert!(said.contains("prediction"), "{said}");
    }
}

/// Reads one table as text, gzip, zstd, from standard input, and as Parquet if that is built in.
#[test]
fn any_way_in_gives_one_model() {
    let folder = scratch();
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets/tests/tables");
    let digest = |line: &str| report(folder.path(), line)["model_digest"].as_str().unwrap().to_owned();
    let path = |name: &str| tables.join(name).display().to_string();
    let plain = path("houses.csv");
    let expected = digest(&format!("{plain} --y price"));
    let mut ways = vec!["houses.csv.gz", "houses.csv.zst"];
    if cfg!(feature = "parquet") {
        ways.extend(["houses.parquet", "houses.zstd.parquet"]);
    }
    for name in ways {
        assert_eq!(digest(&format!("{} --y price", path(name))), expected, "{name}");
    }
    for name in ["houses.csv", "houses.csv.gz", "houses.csv.zst"] {
        let mut command = program(folder.path(), "- --y price --json --quiet");
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(&fs::read(path(name)).unwrap()).unwrap();
        let run = ran(child.wait_with_output().unwrap());
        let report: Value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{}", run.err));
        assert_eq!(report["model_digest"], expected.as_str(), "{name} by a pipe");
        assert_eq!(report["data"]["path"], "standard input");
        assert_eq!(report["data"]["format"], "csv");
    }
    let cached = format!("{plain} --y price --cache kept");
    assert_eq!([digest(&cached), digest(&cached)], [expected.clone(), expected]);
}

#[test]
fn predict_repeats_the_encoding_and_says_what_it_has_not_seen() {
    let folder = scratch();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("train.csv", "id,city,x,y\na,Oslo,1,3\nb,Rome,2,9\nc,Oslo,,5\nd,Rome,4,13\ne,Oslo,5,11\n");
    let run = ends(folder.path(), "train.csv --missing mean --ratio 1e6 --out run", 0);
    for said in [
        "one-hot encoded: city (2 levels)",
        "missing values filled with means: x (1 with 3.000000)",
        "columns left out: id (a text of its own in every row)",
    ] {
        assert!(run.out.contains(said), "{}", run.out);
    }
    assert!(run.err.contains("the first line is taken for the names of the columns"), "{}", run.err);
    let encoding = &json(folder.path(), "run/report.json")["results"]["encoding"];
    assert_eq!(
        (&encoding["columns"][0]["levels"], &encoding["columns"][1]["mean"]),
        (&2.into(), &3.0.into())
    );
    assert_eq!(encoding["left_out"][0]["name"], "id");
    // Rome and Paris, 3 (the mean) and 4; a column of notes that the model has never seen.
    write("new.csv", "note,x,city\n\"a, b\",,Rome\nc,4,Paris\n");
    let run = ends(folder.path(), "predict run new.csv", 0);
    let said: Vec<f64> = run.out.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(said.len(), 2);
    assert!(run.err.contains("levels that the model has never seen"), "{}", run.err);
    assert!(run.err.contains("left out, as the model does not use them: note"), "{}", run.err);
    write("same.csv", "city,x\nRome,3\nOslo,4\n");
    let same = ends(folder.path(), "predict run same.csv", 0).out;
    assert_eq!(same, run.out, "an unknown level of two is the first");
    write("bad.csv", "city,x\nRome,three\n");
    let run = ends(folder.path(), "predict run bad.csv", 2);
    assert!(run.err.contains("bad.csv:2: column `x`: `three` is not a number"), "{}", run.err);
}

#[test]
fn cross_validation_fills_with_the_means_of_training_rows() {
    let folder = scratch();
    let mut text = String::from("a,b,y\n");
    for row in 0..30 {
        let b = if row % 4 == 0 { "NA".to_owned() } else { (row * row % 11).to_string() };
        text += &format!("{row},{b},{}\n", 2 * row + row * row % 11);
    }
    fs::write(folder.path().join("m.csv"), &text).unwrap();
    let filled = report(folder.path(), "cv m.csv --missing mean --folds 3 --points 5");
    // If it is filled beforehand with the mean of all rows, held-out values have been seen.
    let known: Vec<f64> = (0..30).filter(|row| row % 4 != 0).map(|row| f64::from(row * row % 11)).collect();
    let mean = known.iter().sum::<f64>() / known.len() as f64;
    fs::write(folder.path().join("f.csv"), text.replace("NA", &mean.to_string())).unwrap();
    let beforehand = report(folder.path(), "cv f.csv --folds 3 --points 5");
    let curve = |report: &Value| report["results"]["curve"][3]["mean"].as_f64().unwrap();
    let lambda_max = |report: &Value| report["results"]["lambda_max"].as_f64().unwrap();
    assert!((lambda_max(&filled) - lambda_max(&beforehand)).abs() < 1e-9, "all rows are filled alike");
    assert!((curve(&filled) - curve(&beforehand)).abs() > 1e-9, "the folds are not");
}

#[test]
fn what_cannot_be_read_says_what_to_do() {
    let folder = scratch();
    let write = |name: &str, text: &[u8]| fs::write(folder.path().join(name), text).unwrap();
    write("m.csv", b"a,b,y\n1,2,3\n,4,5\n2,NA,1\n");
    write("l.csv", b"x,name,y\n1,caf\xe9,3\n2,bar,5\n4,bar,6\n");
    write("z.svm", b"1 0:2\n2 1:3\n3 0:1\n");
    for (line, said) in [
        (
            "m.csv",
            "m.csv:3: column 1 (a) has no value; 2 are missing (a 1, b 1): fill them with means by \
             --missing mean",
        ),
        ("m.csv --drop q", "--drop: there is no column `q`"),
        ("m.csv --missing guess", "`guess` is no rule for missing values: choose refuse, mean or drop"),
        ("l.csv", "l.csv:2: column 2 (name): `caf"),
        ("l.csv --encoding klingon", "`klingon` is no encoding: choose utf-8"),
        ("z.svm", "say so by --zero-based"),
        ("z.svm --columns 1", "libsvm has no columns with names"),
    ] {
        let run = ends(folder.path(), line, 2);
        assert!(run.err.contains(said), "{line}: {}", run.err);
        assert_eq!(run.err.lines().filter(|line| line.contains(said)).count(), 1);
    }
    ends(folder.path(), "m.csv --missing drop --no-intercept", 0);
    ends(folder.path(), "l.csv --encoding latin1 --out l", 0);
    ends(folder.path(), "z.svm --zero-based --out z", 0);
    write("wide.svm", b"0 0:1 1:1 7:3 9:1\n");
    let run = ends(folder.path(), "predict z wide.svm --zero-based", 0);
    assert!(run.err.contains("left out: 2 values at indices above 2"), "{}", run.err);
    write("table.npz", b"PK\x03\x04");
    let mut command = program(folder.path(), "- --quiet");
    let command = command.stdin(fs::File::open(folder.path().join("table.npz")).unwrap());
    let run = ran(command.output().unwrap());
    assert!(
        run.code == Some(2) && run.err.contains("npz cannot come by a pipe: give it as a file"),
        "{}",
        run.err
    );
}

/// 40,000 rows and a text of 1,000 levels: dense, the levels alone would take 320 MB.
#[test]
fn encoded_tables_stay_sparse() {
    let folder = scratch();
    let mut text = String::from("x,level,y\n");
    for row in 0..40_000_u64 {
        let level = row.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        text += &format!("{},level {},{}\n", row % 97, level % 1000, row % 97 + level % 1000 % 7);
    }
    fs::write(folder.path().join("l.csv"), text).unwrap();
    let report = report(folder.path(), "l.csv --workers 2");
    assert_eq!(report["data"]["sizes"]["columns"], 1001);
    let peak = report["peak_memory_bytes"].as_u64().unwrap();
    assert!(peak < 120_000_000, "{peak} bytes");
}
