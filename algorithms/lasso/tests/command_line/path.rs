//! `lasso path`.

use std::fs;

use raddle_lasso::Preparation;

use crate::common::{Oracle, predictions, same_gap};
use crate::program::{ends, json, report, scratch};

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
    for line in text.lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let [point, column, value] = fields[..] else { panic!("{line}") };
        points[point.parse::<usize>().unwrap() - 1]
            .push((column.parse::<u32>().unwrap() - 1, value.parse().unwrap()));
    }
    let listed = fs::read_to_string(run.join("path.tsv")).unwrap();
    let mut lines = listed.lines();
    assert_eq!(lines.next(), Some("point\tlambda\tintercept\tgap\tnonzeros"));
    for (number, (point, line)) in points.iter().zip(lines).enumerate() {
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
    // However it is carried out.
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
