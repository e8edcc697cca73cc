//! `lasso fit`: its messages and its files.

use std::fs;

use raddle_datasets::{Matrix, embedded};
use raddle_lasso::{Lasso, Loss, Preparation, Problem};
use serde_json::Value;

use raddle_common::testing::pairs;

use super::program::{ends, epochs, json, keys, model, names, report, scratch};
use crate::common::{Oracle, same_gap};

#[test]
fn no_arguments_fit_the_embedded_default_and_show_a_certificate() {
    let folder = scratch();
    let ran = ends(folder.path(), "", 0);
    assert!(ran.out.contains("Lasso on diabetes") && ran.out.contains("bmi"), "{}", ran.out);
    assert!(ran.out.contains("done: relative-duality-gap") && ran.out.contains("target 1e-6"), "{}", ran.out);
    assert_eq!(ran.out, ran.out.trim_end().to_owned() + "\n");
    assert!(ran.err.contains("epoch 0"), "{}", ran.err);
    assert!(names(folder.path()).is_empty(), "without --out no file is left");
}

#[test]
fn quiet_says_nothing_but_the_result() {
    let folder = scratch();
    let ran = ends(folder.path(), "fit --quiet", 0);
    assert!(ran.err.is_empty() && !ran.out.is_empty(), "{}", ran.err);
}

#[test]
fn json_is_one_line_with_the_documented_keys() {
    let folder = scratch();
    let ran = ends(folder.path(), "--json --workers 2 --seed 7", 0);
    assert_eq!(ran.out.matches('\n').count(), 1);
    assert!(ran.out.ends_with('\n'));
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    let mut expected = [
        "program",
        "version",
        "parameters",
        "data",
        "records",
        "notes",
        "workers",
        "processes",
        "shards",
        "seed",
        "seconds",
        "epochs",
        "rounds",
        "candidates",
        "rejected",
        "updates",
        "bytes_on_wire",
        "block_bytes_on_wire",
        "metric",
        "ending",
        "objective",
        "rollbacks",
        "model_digest",
        "peak_memory_bytes",
        "cpu_seconds",
        "wall_seconds",
        "warnings",
        "checkpoints",
        "cpu_over_wall",
        "threads",
        "idle_workers",
        "shards_moved",
        "tasks",
        "generations",
        "profile",
        "results",
    ];
    expected.sort_unstable();
    assert_eq!(keys(&report), expected);
    assert_eq!(keys(&report["metric"]), ["certified", "name", "on", "target", "value"]);
    assert_eq!(keys(&report["seconds"]), ["certify", "fit", "prepare", "read", "write"]);
    assert_eq!(keys(&report["data"]), ["digest", "format", "nonzeros", "path", "sizes"]);
    assert_eq!(
        keys(&report["results"]),
        ["coefficients", "intercept", "lambda", "lambda_max", "nonzeros", "r2"]
    );
    let listed = report["results"]["coefficients"].as_array().unwrap();
    assert_eq!(listed.len() as u64, report["results"]["nonzeros"].as_u64().unwrap());
    assert_eq!(keys(&listed[0]), ["coefficient", "column", "name"]);
    assert_eq!((&listed[0]["column"], &listed[0]["name"]), (&9.into(), &"s5".into()));
    assert_eq!(report["data"]["sizes"], serde_json::json!({"rows": 442, "columns": 10}));
    assert_eq!(
        (&report["program"], &report["workers"], &report["seed"]),
        (&"lasso".into(), &2.into(), &7.into())
    );
    assert_eq!((&report["ending"], &report["metric"]["certified"]), (&"target".into(), &true.into()));
    assert_eq!(report["model_digest"].as_str().unwrap().len(), 64);
    assert_eq!(report["parameters"]["ratio"], 10.0);
}

#[test]
fn a_run_is_its_folder() {
    let folder = scratch();
    let said = ends(folder.path(), "diabetes --ratio 100 --out run --json", 0).out;
    let run = folder.path().join("run");
    let files =
        ["coef.tsv", "dual.npy", "model.json", "report.json", "run.json", "summary.json", "trace.jsonl"];
    assert_eq!(names(&run).into_iter().filter(|name| name != ".lock").collect::<Vec<_>>(), files);
    // The report is the one that was printed; the trace has its epochs; model and summary agree with it.
    let report = json(&run, "report.json");
    assert_eq!(serde_json::from_str::<Value>(&said).unwrap(), report);
    let count = report["epochs"].as_u64().unwrap();
    assert_eq!(epochs(&run), (0..=count).collect::<Vec<u64>>());
    let trace = fs::read_to_string(run.join("trace.jsonl")).unwrap();
    let last: Value = serde_json::from_str(trace.lines().last().unwrap()).unwrap();
    assert_eq!((&last["metric"], &last["ending"]), (&report["metric"], &"target".into()));
    assert_eq!(last["objective"], report["objective"]);
    let about = json(&run, "model.json");
    assert_eq!((&about["program"], &about["columns"]), (&"lasso".into(), &10.into()));
    assert_eq!((&about["ending"], &about["certified"]), (&"target".into(), &true.into()));
    assert_eq!(about["feature_names"].as_array().unwrap().len(), 10);
    let (coefficients, _) = model(&run);
    let tables = json(&run, "summary.json");
    let listed =
        tables["tables"].as_array().unwrap().iter().find(|table| table["title"] == "coefficients").unwrap();
    assert_eq!(listed["rows"].as_array().unwrap().len(), coefficients.len());
}

#[test]
fn written_coefficients_carry_the_certificate() {
    let folder = scratch();
    for (options, preparation) in [
        ("--ratio 50", Preparation::default()),
        ("--ratio 50 --no-intercept", Preparation::Standard { intercept: false, standardize: true }),
        ("--ratio 50 --no-standardize", Preparation::Standard { intercept: true, standardize: false }),
        (
            "--ratio 50 --no-intercept --no-standardize",
            Preparation::Standard { intercept: false, standardize: false },
        ),
        ("--ratio 50 --mode dense-std", Preparation::DenseStd),
        ("--ratio 50 --mode sparse-raw", Preparation::SparseRaw),
        ("--lambda 0.7 --tol 1e-9", Preparation::default()),
    ] {
        let report = report(folder.path(), &format!("{options} --out run --force"));
        let run = folder.path().join("run");
        let table = embedded::diabetes();
        let oracle = Oracle::new(&table.x, &table.y, preparation);
        let (coefficients, _) = model(&run);
        let lambda = json(&run, "model.json")["lambda"].as_f64().unwrap();
        let gap = oracle.gap(&oracle.scaled(&coefficients), lambda);
        let printed = report["metric"]["value"].as_f64().unwrap();
        assert!(same_gap(printed, gap) && gap <= report["metric"]["target"].as_f64().unwrap(), "{options}");
        let expected = if options.contains("lambda") { 0.7 } else { oracle.lambda_max() / 50.0 };
        assert!((lambda / expected - 1.0).abs() < 1e-9, "{options}: {lambda} {expected}");
    }
}

#[test]
fn written_coefficients_are_read_back_to_the_same_bits() {
    let folder = scratch();
    ends(folder.path(), "synth:groups:n=60,p=300,s=20 --ratio 100 --out run", 0);
    let text = fs::read_to_string(folder.path().join("run/coef.tsv")).unwrap();
    let (coefficients, _) = model(&folder.path().join("run"));
    assert!(coefficients.len() > 20 && coefficients.is_sorted_by_key(|(column, _)| *column));
    assert_eq!(text.lines().next(), Some("column number\tname\tcoefficient"));
    for (line, (column, value)) in pairs(text.lines().skip(1), &coefficients) {
        // Data without names leave the second field empty.
        assert_eq!(line, format!("{}\t\t{value:.16e}", column + 1));
        let digits = line.split('\t').nth(2).unwrap().split('e').next().unwrap();
        assert_eq!(digits.chars().filter(char::is_ascii_digit).count(), 17, "{line}");
    }
    // Bits are those of a library fit.
    let table = raddle_datasets::generate::table("synth:groups:n=60,p=300,s=20").unwrap();
    let problem = raddle_lasso::Problem::new(table.x, table.y, Preparation::default()).unwrap();
    let fit = raddle_lasso::Lasso::params().ratio(100.0).fit(&problem).unwrap();
    assert_eq!(fit.coefficients, coefficients);
}

#[test]
fn a_finished_run_is_replaced_only_by_force() {
    let folder = scratch();
    ends(folder.path(), "--ratio 100 --out run", 0);
    let before = model(&folder.path().join("run"));
    let refused = ends(folder.path(), "--ratio 2 --out run", 2);
    assert!(
        refused.err.contains("it holds a run of lasso") && refused.err.contains("--force"),
        "{}",
        refused.err
    );
    assert_eq!(model(&folder.path().join("run")), before);
    ends(folder.path(), "--ratio 2 --out run --force", 0);
    let after = model(&folder.path().join("run"));
    assert!(after.0.len() < before.0.len());
    ends(folder.path(), "--ratio 100 --out run --force", 0);
    assert_eq!(model(&folder.path().join("run")), before);
}

#[test]
fn lambda_max_and_above_is_done_at_once() {
    let folder = scratch();
    for options in ["--ratio 1", "--lambda 1e6"] {
        let report = report(folder.path(), &format!("{options} --out run --force"));
        assert_eq!((&report["epochs"], &report["results"]["nonzeros"]), (&0.into(), &0.into()));
        assert!(report["metric"]["value"].as_f64().unwrap() < 1e-15);
        let text = fs::read_to_string(folder.path().join("run/coef.tsv")).unwrap();
        assert_eq!(text, "column number\tname\tcoefficient\n");
    }
}

#[test]
fn public_names_and_matrix_kinds_are_told_in_the_report() {
    let folder = scratch();
    let report = report(folder.path(), "synth:strads:n=50,p=80,k=5,s=5");
    let table = raddle_datasets::generate::table("synth:strads:n=50,p=80,k=5,s=5").unwrap();
    assert!(matches!(table.x, Matrix::Sparse(_)));
    assert_eq!(report["data"]["nonzeros"], table.x.nonzeros());
    assert_eq!(report["data"]["digest"], table.digest.as_str());
}

#[test]
fn a_response_that_no_column_varies_with_is_described_without_a_ratio() {
    let folder = scratch();
    // x'y is 0.
    fs::write(folder.path().join("d.csv"), "x,y\n1,1\n-1,1\n1,-1\n-1,-1\n").unwrap();
    for line in ["d.csv", "d.csv --lambda 0.5", "path d.csv --points 3"] {
        let ran = ends(folder.path(), line, 0);
        assert!(ran.out.contains("lambda_max is 0: no column varies with the response"), "{}", ran.out);
        assert!(!ran.out.contains("NaN") && !ran.out.contains("inf"), "{}", ran.out);
    }
    let report = report(folder.path(), "d.csv");
    assert_eq!((&report["results"]["lambda_max"], &report["results"]["nonzeros"]), (&0.0.into(), &0.into()));
}

#[test]
fn the_folder_has_the_dual_point_and_the_digest_of_the_library() {
    let folder = scratch();
    let table = embedded::diabetes();
    let problem = Problem::new(table.x, table.y, Preparation::default()).unwrap();
    for (loss, kind) in [("squared", Loss::Squared), ("poisson", Loss::Poisson)] {
        let said = report(folder.path(), &format!("diabetes --loss {loss} --ratio 30 --out run --force"));
        let fit = Lasso::params().loss(kind).ratio(30.0).fit(&problem).unwrap();
        assert_eq!(said["model_digest"], fit.digest().as_str(), "{loss}");
        let bytes = fs::read(folder.path().join("run/dual.npy")).unwrap();
        let (head, values) = bytes.split_at(bytes.len() - 8 * 442);
        assert!(
            String::from_utf8_lossy(head).contains("'descr': '<f8', 'fortran_order': False, 'shape': (442,)")
        );
        let values = values.as_chunks::<8>().0.iter().map(|&bytes| f64::from_le_bytes(bytes));
        assert_eq!(values.collect::<Vec<f64>>(), fit.dual, "{loss}");
        assert!(fit.dual.iter().any(|value| *value != 0.0));
        assert!(json(&folder.path().join("run"), "model.json")["files"]["dual.npy"].is_string());
    }
    for points in [1, 7] {
        let said = report(folder.path(), &format!("path diabetes --points {points} --out path --force"));
        let path = Lasso::params().path(points, 100.0).fit(&problem).unwrap();
        assert_eq!(said["model_digest"], path.digest().as_str());
        assert!(!folder.path().join("path/dual.npy").exists(), "n values a point: path.tsv has their scale");
        assert_eq!(said["results"]["path"][points - 1]["dual_scale"], path.points[points - 1].dual_scale);
    }
    // Ended before it came to a point: a path without points.
    let cut = Lasso::params().path(9, 100.0).tolerance(1e-15);
    let cut = cut.init(vec![(0, 1.0)]).fit_with(&problem, |engine| engine.epochs(0)).unwrap();
    assert!(cut.points.is_empty() && cut.digest() != Lasso::params().fit(&problem).unwrap().digest());
}
