//! `lasso path`.

use std::fs;

use raddle_lasso::Preparation;

use raddle_common::testing::pairs;

use super::program::{ends, json, keys, report, scratch};
use crate::common::{Oracle, predictions, same_gap};

#[test]
fn a_path_is_certified_point_by_point() {
    let folder = scratch();
    let data = "synth:groups:n=60,p=300,s=20";
    let report = report(folder.path(), &format!("path {data} --points 20 --ratio 50 --out run"));
    assert_eq!((&report["ending"], &report["results"]["points"]), (&"target".into(), &20.into()));
    let table = raddle_datasets::generate::table(data).unwrap();
    let oracle = Oracle::new(&table.x, &table.y, Preparation::default());
    let run = folder.path().join("run");
    let text = fs::read_to_string(run.join("coef.tsv")).unwrap();
    let mut points = vec![Vec::new(); 20];
    assert_eq!(text.lines().next(), Some("point\tcolumn number\tname\tcoefficient"));
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [point, column, "", value] = fields[..] else { panic!("{line}") };
        points[point.parse::<usize>().unwrap() - 1]
            .push((column.parse::<u32>().unwrap() - 1, value.parse().unwrap()));
    }
    let listed = fs::read_to_string(run.join("path.tsv")).unwrap();
    let mut lines = listed.lines();
    assert_eq!(lines.next(), Some("point\tlambda\tintercept\tgap\tnonzeros\tdual_scale"));
    for (number, (point, line)) in pairs(&points, lines).enumerate() {
        let fields: Vec<f64> = line.split('\t').map(|field| field.parse().unwrap()).collect();
        let lambda = oracle.lambda_max() * 50f64.powf(-(number as f64) / 19.0);
        assert!((fields[1] / lambda - 1.0).abs() < 1e-9, "{line}");
        assert_eq!((fields[0] as usize, fields[4] as usize), (number + 1, point.len()), "{line}");
        let gap = oracle.gap(&oracle.scaled(point), fields[1]);
        assert!(gap <= 1e-6 && same_gap(fields[3], gap), "point {}: {gap:e} {:e}", number + 1, fields[3]);
        let mean = predictions(&table.x, point, fields[2]).iter().sum::<f64>() / 60.0;
        assert!(
            (mean - table.y.iter().sum::<f64>() / 60.0).abs() < 1e-9,
            "point {}: the intercept",
            number + 1
        );
    }
    // A script finds the points in the report.
    let told = report["results"]["path"].as_array().unwrap();
    assert_eq!(told.len(), 20);
    for (number, (told, point)) in pairs(told, &points).enumerate() {
        assert_eq!(keys(told), ["dual_scale", "gap", "intercept", "lambda", "nonzeros", "point"]);
        assert_eq!((&told["point"], &told["nonzeros"]), (&(number + 1).into(), &point.len().into()));
    }
    // The digest is the same however the path is carried out.
    let digest = |options: &str| {
        let report = self::report(folder.path(), &format!("path {data} --points 20 --ratio 50 {options}"));
        report["model_digest"].clone()
    };
    for options in ["--workers 1", "--workers 3 --shards 16", "--rescale 2:3,5:1"] {
        assert_eq!(digest(options), report["model_digest"], "{options}");
    }
    let line = format!("path {data} --points 20 --ratio 50 --out part --checkpoint-every 1 --epochs 9");
    ends(folder.path(), &line, 3);
    ends(folder.path(), &format!("path {data} --points 20 --ratio 50 --resume part"), 0);
    assert_eq!(json(&folder.path().join("part"), "report.json")["model_digest"], report["model_digest"]);
}

#[test]
fn a_path_predicts_with_one_of_its_points() {
    let folder = scratch();
    ends(folder.path(), "path diabetes --points 8 --out path", 0);
    let table = raddle_datasets::embedded::diabetes();
    let text = fs::read_to_string(folder.path().join("path/coef.tsv")).unwrap();
    let listed = fs::read_to_string(folder.path().join("path/path.tsv")).unwrap();
    for point in [1, 5, 8] {
        let fields: Vec<&str> = listed.lines().nth(point).unwrap().split('\t').collect();
        let of_point = text.lines().skip(1).filter(|line| line.starts_with(&format!("{point}\t")));
        let coefficients: Vec<(u32, f64)> = of_point
            .map(|line| {
                let fields: Vec<&str> = line.split('\t').collect();
                (fields[1].parse::<u32>().unwrap() - 1, fields[3].parse().unwrap())
            })
            .collect();
        assert_eq!(coefficients.len(), fields[4].parse::<usize>().unwrap());
        let expected = predictions(&table.x, &coefficients, fields[2].parse().unwrap());
        let said = ends(folder.path(), &format!("predict path diabetes --point {point}"), 0).out;
        let said: Vec<f64> = said.lines().map(|line| line.parse().unwrap()).collect();
        assert!(said.len() == 442 && pairs(&said, &expected).all(|(a, b)| (a - b).abs() < 1e-9), "{point}");
    }
    for (options, why) in [
        ("", "a path of 8 points: choose one by --point 1 to 8"),
        ("--point 9", "--point is 9: path has the points 1 to 8"),
        ("--point 0", "--point is 0"),
    ] {
        let refused = ends(folder.path(), &format!("predict path diabetes {options}"), 2);
        assert!(refused.err.contains(why), "{options}: {}", refused.err);
    }
    ends(folder.path(), "--out run", 0);
    let refused = ends(folder.path(), "predict run diabetes --point 1", 2);
    assert!(refused.err.contains("--point has no effect: run is not a path"), "{}", refused.err);
    // A fit may start where a path ended.
    let warm = report(folder.path(), "diabetes --ratio 100 --tol 1.1e-6 --init path");
    assert_eq!(warm["epochs"], 0);
}

#[test]
fn tables_that_are_cut_say_so() {
    let folder = scratch();
    let ran = ends(folder.path(), "path diabetes --points 50", 0);
    assert!(ran.out.contains("18 of 50 points; --out DIR writes all to path.tsv"), "{}", ran.out);
    let ran = ends(folder.path(), "path diabetes --points 50 --out run", 0);
    assert!(ran.out.contains("18 of 50 points; all are in path.tsv"), "{}", ran.out);
    let ran = ends(folder.path(), "path diabetes --points 20", 0);
    assert!(!ran.out.contains("of 20 points;"), "{}", ran.out);
    let ran = ends(folder.path(), "cv diabetes --points 100", 0);
    assert!(ran.out.contains("of 100 lambdas; --out DIR writes all to cv.tsv"), "{}", ran.out);
    let ran = ends(folder.path(), "synth:groups:n=60,p=300,s=40 --ratio 200 --out wide", 0);
    assert!(ran.out.contains("more; all are in coef.tsv"), "{}", ran.out);
}

#[test]
fn progress_names_the_point_that_its_gap_is_of() {
    let folder = scratch();
    let data = "synth:groups:n=60,p=300,s=20";
    let ran = ends(folder.path(), &format!("path {data} --points 6 --tol 1e-3 --out run"), 0);
    let first = ran.err.lines().find(|line| line.starts_with("epoch 0")).unwrap();
    // At lambda_max zero is the solution: the first gap shown is that of the second point.
    assert!(first.contains("point 2 of 6  gap"), "{first}");
    let trace = fs::read_to_string(folder.path().join("run/trace.jsonl")).unwrap();
    let records: Vec<serde_json::Value> =
        trace.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (last, before) = records.split_last().unwrap();
    assert_eq!(last["position"], "point 6 of 6");
    // A path moves on from a point whose gap is within the tolerance.
    assert!(before.iter().all(|record| record["metric"]["value"].as_f64() > Some(1e-3)), "{before:?}");
    let ran = ends(folder.path(), "cv diabetes --folds 2 --points 5", 0);
    assert!(ran.err.contains("fold 2 of 2") && ran.err.contains("point 5 of 5"), "{}", ran.err);
    assert!(!ends(folder.path(), "diabetes", 0).err.contains("point"));
}

#[test]
fn lambdas_may_be_given_and_stand_in_every_file_as_they_were() {
    let folder = scratch();
    let report = report(folder.path(), "path diabetes --lambdas 0.1,10,0.3 --out path");
    let lambdas: Vec<f64> = report["results"]["path"]
        .as_array()
        .unwrap()
        .iter()
        .map(|point| point["lambda"].as_f64().unwrap())
        .collect();
    assert_eq!(lambdas, [10.0, 0.3, 0.1]);
    let text = fs::read_to_string(folder.path().join("path/path.tsv")).unwrap();
    let written: Vec<f64> =
        text.lines().skip(1).map(|line| line.split('\t').nth(1).unwrap().parse().unwrap()).collect();
    assert_eq!(written, lambdas);
    ends(folder.path(), "predict path diabetes --point 2", 0);
    for (options, why) in [
        ("--lambdas 1,-1", "--lambdas is -1: it must be a positive number"),
        ("--lambdas 1,x", "x"),
        ("--lambdas 1 --ratio 10", "--ratio"),
    ] {
        let refused = ends(folder.path(), &format!("path diabetes {options}"), 2);
        assert!(refused.err.contains(why), "{options}: {}", refused.err);
    }
}
