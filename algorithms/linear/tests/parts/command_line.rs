//! Parts on the command line.

use std::fs;
use std::path::Path;

use raddle_common::testing::{Program, json};

const LINEAR: &str = env!("CARGO_BIN_EXE_linear");

/// Links of which the last is slow.
const LINKS: &str = "0 100 0\n1 100 0\n2 10 0.5 # far away\n";

/// Writes two clouds that overlap, and links.
fn write_clouds(folder: &Path) {
    let mut draw = raddle::random::Stream::new(&[4]);
    let row = |row: u32| {
        let mut value = || draw.unit() - 0.5 + f64::from(row % 2) * 0.5;
        format!("{},{:.6},{:.6},{:.6}\n", ["no", "yes"][row as usize % 2], value(), value(), value())
    };
    fs::write(folder.join("clouds.csv"), format!("y,a,b,c\n{}", (0..200).map(row).collect::<String>()))
        .unwrap();
    fs::write(folder.join("links.txt"), LINKS).unwrap();
}

#[test]
fn a_run_in_parts_is_certified_whatever_carries_it_out() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    write_clouds(folder);
    let fit = "fit clouds.csv --y y --loss hinge --C 0.1 --tol 1e-3 --seed 5";
    for parts in ["4", "0:16,8:4", "auto", "4 --shares 1,1,1,0.5 --sigma K"] {
        let one = linear.report(folder, &format!("{fit} --parts {parts} --out one --force"));
        assert!(one["metric"]["value"].as_f64().unwrap() <= 1e-3 && one["metric"]["certified"] == true);
        assert!(one["results"]["gaps"][0].as_f64().unwrap() <= 1.000_001e-3, "{one}");
        assert_eq!(one["parameters"]["parts"], parts.split(' ').next().unwrap());
        let two = linear.report(folder, &format!("{fit} --parts {parts} --workers 3"));
        assert_eq!(one["model_digest"], two["model_digest"]);
        let part =
            format!("{fit} --parts {parts} --epochs 2 --checkpoint-every 1 --out part --force --quiet");
        linear.ends(folder, &part, 3);
        linear.ends(folder, "fit --resume part --epochs 5000 --quiet", 0);
        assert_eq!(one["model_digest"], json(&folder.join("part/report.json"))["model_digest"], "{parts}");
        let trace = fs::read_to_string(folder.join("one/trace.jsonl")).unwrap();
        let lines: Vec<&str> = trace.lines().collect();
        let first: serde_json::Value = serde_json::from_str(lines[0]).unwrap();
        let second: serde_json::Value = serde_json::from_str(lines[1]).unwrap();
        assert_eq!(first["wanted"].as_f64(), second["shown"]["parts"].as_f64());
        assert!(!lines.last().unwrap().contains("wanted"));
    }
}

#[test]
fn delayed_parts_are_certified_whatever_carries_them_out() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    write_clouds(folder);
    let fit =
        "fit clouds.csv --y y --loss hinge --C 0.1 --tol 1e-6 --parts 4 --schedule delayed --links links.txt";
    let one = linear.report(folder, &format!("{fit} --out one"));
    assert!(one["metric"]["value"].as_f64().unwrap() <= 1e-6 && one["metric"]["certified"] == true);
    assert!(one["results"]["gaps"][0].as_f64().unwrap() <= 1.000_001e-6, "{one}");
    assert_eq!(one["parameters"]["links"], "links.txt");
    assert_eq!(
        one["model_digest"],
        linear.report(folder, &format!("{fit} --lag 32 --workers 3"))["model_digest"]
    );
    assert_ne!(one["model_digest"], linear.report(folder, &format!("{fit} --lag 3"))["model_digest"]);
    linear.ends(folder, &format!("{fit} --epochs 1 --checkpoint-every 1 --out part --quiet"), 3);
    fs::write(folder.join("links.txt"), "0 1 0").unwrap();
    let said = linear.ends(folder, "fit --resume part --epochs 5000 --quiet", 2).err;
    assert!(said.contains("links.txt"), "{said}");
    fs::write(folder.join("links.txt"), LINKS).unwrap();
    linear.ends(folder, "fit --resume part --epochs 5000 --quiet", 0);
    assert_eq!(one["model_digest"], json(&folder.join("part/report.json"))["model_digest"]);
}

#[test]
fn bad_lines_of_delayed_parts_are_refused_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    for (name, text) in [
        ("links", LINKS),
        ("unknown", "0 100 0\n2 100 0"),
        ("zero", "0 100 0\n1 0 0"),
        ("negative", "0 -5 0"),
        ("missing", "0 100 0\n\n1"),
    ] {
        fs::write(folder.join(name), text).unwrap();
    }
    for (line, why) in [
        ("--lag 4", "--lag has no effect without --schedule delayed: leave it out"),
        ("--parts 2 --links links", "--links has no effect without --schedule delayed: leave it out"),
        ("--parts 2 --links links --lag 4", "--links and --lag have no effect without --schedule delayed"),
        ("--schedule delayed --links links", "--schedule delayed: give --parts K and --links FILE"),
        ("--schedule delayed --parts 2", "--schedule delayed: give --parts K and --links FILE"),
        ("--schedule late --parts 2", "--schedule `late` does not exist: choose auto or delayed"),
        ("--schedule delayed --parts auto --links links", "--parts: they are auto: give one number of parts"),
        ("--schedule delayed --parts 2 --links links --lag 1025", "give a whole number from 0 to 1024"),
        (
            "--schedule delayed --parts 2 --links links --shards 8",
            "--shards has no effect with --schedule delayed",
        ),
        (
            "--schedule delayed --parts 2 --links unknown",
            "unknown: line 2: process 2 is unknown: there are 2",
        ),
        (
            "--schedule delayed --parts 2 --links zero",
            "zero: line 2: the speed is 0: it must be a number from",
        ),
        ("--schedule delayed --parts 2 --links negative", "negative: line 1: the speed is -5: it must be"),
        (
            "--schedule delayed --parts 2 --links missing",
            "missing: line 3: the speed of process 1 is missing",
        ),
        ("--schedule delayed --parts 2 --links nowhere", "nowhere: "),
    ] {
        let said = linear.ends(folder, &format!("fit diabetes {line}"), 2).err;
        assert!(said.contains(why), "{line}: {said}");
    }
}

#[test]
fn bad_lines_are_refused_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    for (line, why) in [
        ("--parts 0", "--parts: a number of parts is 0: give 1 or more"),
        ("--parts -3", "--parts: `-3`: give a number"),
        ("--parts 1000", "--parts: it is 1000, which takes 1000 pieces: there are 442 different rows"),
        ("--parts some", "--parts: `some`: give a number, EPOCH:PARTS"),
        ("--parts 2 --shares 1", "--shares: there are 1 for 2 parts"),
        ("--parts 2 --shares 1,0", "--shares: one is 0"),
        ("--parts 2 --shares 1,-1", "--shares: one is -1"),
        ("--parts 2 --shares 1,nan", "--shares: one is NaN"),
        ("--parts 2 --shares 1,x", "invalid value"),
        ("--parts auto --shares 1,1", "--shares: parts are auto"),
        ("--parts 2 --sigma 0", "--sigma: it is 0"),
        ("--shares 1,1", "--parts"),
        ("--sigma K", "--parts"),
        ("--shards 4", "--shards"),
    ] {
        let said = linear.ends(folder, &format!("fit diabetes {line}"), 2).err;
        assert!(said.contains(why), "{line}: {said}");
    }
    let stopped = "fit diabetes --parts 4 --tol 1e-9 --epochs 2 --checkpoint-every 1 --out run --quiet";
    linear.ends(folder, stopped, 3);
    let said = linear.ends(folder, "fit --resume run --parts 2 --quiet", 2).err;
    assert!(said.contains("parts"), "{said}");
}
