//! The options of the terms on the command line.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use raddle_common::testing::{Program, Ran, pairs};
use raddle_lasso::Loss;
use serde_json::Value;

use super::{data, offsets, whole_weights};

/// Runs `lasso LINE` in a folder, and expects an exit status; returns its stdout and stderr.
fn lasso(folder: &Path, line: &str, code: i32) -> (String, String) {
    let Ran { out, err, .. } = Program::at(env!("CARGO_BIN_EXE_lasso")).ends(folder, line, code);
    (out, err)
}

fn report(folder: &Path, line: &str) -> Value {
    Program::at(env!("CARGO_BIN_EXE_lasso")).report(folder, line)
}

/// A table with the columns x1, x2, ..., those of `beside`, and y.
fn table(x: &[Vec<f64>], beside: &[(&str, &[f64])], y: &[f64]) -> String {
    let mut text: String = (1..=x.len()).fold(String::new(), |text, j| text + &format!("x{j},"));
    beside.iter().for_each(|(name, _)| text += &format!("{name},"));
    text += "y\n";
    for (i, y) in y.iter().enumerate() {
        x.iter().for_each(|column| write!(text, "{},", column[i]).unwrap());
        beside.iter().for_each(|(_, values)| write!(text, "{},", values[i]).unwrap());
        writeln!(text, "{y}").unwrap();
    }
    text
}

fn lines(values: &[f64]) -> String {
    values.iter().fold(String::new(), |text, value| text + &format!("{value}\n"))
}

fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).unwrap();
}

fn bytes(folder: &Path, run: &str) -> Vec<u8> {
    fs::read(folder.join(run).join("coef.tsv")).unwrap()
}

#[test]
fn weights_and_offsets_are_a_column_or_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (x, y) = data(Loss::Poisson, 40, 5, 61);
    let (weights, offset) = (whole_weights(40), offsets(40, 62));
    write(folder, "plain.csv", &table(&x, &[], &y));
    write(folder, "all.csv", &table(&x, &[("w", &weights), ("log.days", &offset)], &y));
    write(folder, "w.txt", &lines(&weights));
    write(folder, "o.txt", &lines(&offset));
    let cities: Vec<String> = (0..40).map(|i| format!("c{}", i % 3)).collect();
    for verb in ["fit", "path --points 5 --ratio 20", "cv --folds 3 --points 5 --ratio 10"] {
        let (verb, more) = verb.split_once(' ').unwrap_or((verb, ""));
        let more = format!("--loss poisson --tol 1e-9 {more}");
        let named = format!("{verb} all.csv {more} --weights w --offset log.days");
        let filed = format!("{verb} plain.csv {more} --weights w.txt --offset o.txt");
        let (a, b) = (report(folder, &named), report(folder, &filed));
        assert_eq!(a["model_digest"], b["model_digest"], "{verb}");
        for without in ["--weights w", "--offset log.days"] {
            let other = named.replace(without, "--drop w");
            let other = report(folder, &other);
            assert_ne!(a["model_digest"], other["model_digest"], "{verb} without {without}");
        }
    }
    // A table that is read column by column, because it has texts, and stored in a cache.
    let mut encoded = table(&x, &[("w", &weights), ("log.days", &offset)], &y);
    encoded = encoded
        .lines()
        .enumerate()
        .map(|(i, line)| format!("{},{line}\n", if i == 0 { "city" } else { &cities[i - 1] }))
        .collect();
    write(folder, "encoded.csv", &encoded);
    let named = "fit encoded.csv --loss poisson --weights w --offset log.days";
    let filed =
        named.replace("--weights w --offset log.days", "--weights w.txt --offset o.txt --drop w,log.days");
    let plain = report(folder, named);
    assert_eq!(plain["data"]["sizes"]["columns"], 8, "{plain}");
    assert_eq!(plain["model_digest"], report(folder, &filed)["model_digest"]);
    for _ in 0..2 {
        assert_eq!(plain["model_digest"], report(folder, &format!("{named} --cache kept"))["model_digest"]);
    }
    // Columns may be chosen as features without naming the weights and offsets.
    report(folder, "fit encoded.csv --loss poisson --columns city,x1 --weights w");
}

#[test]
fn predictions_of_a_model_with_an_offset_need_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (x, y) = data(Loss::Poisson, 40, 4, 71);
    let offset = offsets(40, 72);
    write(folder, "all.csv", &table(&x, &[("days", &offset)], &y));
    write(folder, "plain.csv", &table(&x, &[], &y));
    write(folder, "o.txt", &lines(&offset));
    lasso(folder, "fit all.csv --loss poisson --offset days --out named", 0);
    lasso(folder, "fit plain.csv --loss poisson --offset o.txt --out filed", 0);
    lasso(folder, "fit plain.csv --loss poisson --out without", 0);
    let (means, _) = lasso(folder, "predict named all.csv", 0);
    for line in [
        "predict named plain.csv --offset o.txt",
        "predict filed plain.csv --offset o.txt",
        "predict filed all.csv --offset days",
    ] {
        assert_eq!(lasso(folder, line, 0).0, means, "{line}");
    }
    let model: Value = serde_json::from_slice(&fs::read(folder.join("named/model.json")).unwrap()).unwrap();
    assert_eq!(model["offset"]["column"], "days");
    let mut scores = vec![model["intercept"].as_f64().unwrap(); 40];
    for line in fs::read_to_string(folder.join("named/coef.tsv")).unwrap().lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let (column, value): (usize, f64) = (fields[0].parse().unwrap(), fields[2].parse().unwrap());
        scores.iter_mut().zip(&x[column - 1]).for_each(|(score, x)| *score += value * x);
    }
    for ((line, score), offset) in pairs(pairs(means.lines(), &scores), &offset) {
        let expected = (score + offset).exp();
        assert!((line.parse::<f64>().unwrap() - expected).abs() < 1e-12 * expected, "{line} {expected}");
    }
    for (line, why) in [
        ("predict named plain.csv", "--offset: `days` is neither a column nor a file"),
        ("predict filed plain.csv", "by --offset NAME|FILE"),
        ("predict without plain.csv --offset o.txt", "--offset has no effect"),
    ] {
        let (_, err) = lasso(folder, line, 2);
        assert!(err.contains(why), "{line}: {err}");
    }
}

#[test]
fn a_resumed_run_has_its_weights() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for loss in ["squared", "poisson"] {
        let (x, y) = data(Loss::Poisson, 60, 90, 81);
        write(folder, "data.csv", &table(&x, &[], &y));
        write(folder, "w.txt", &lines(&whole_weights(60)));
        write(folder, "o.txt", &lines(&offsets(60, 82)));
        let stopped = format!(
            "fit data.csv --loss {loss} --ratio 50 --tol 1e-9 --checkpoint-every 1 --weights w.txt --offset \
             o.txt"
        );
        let run = |name: &str| format!("{loss}.{name}");
        lasso(folder, &format!("{stopped} --epochs 1 --out {}", run("b")), 3);
        lasso(folder, &format!("--resume {}", run("b")), 0);
        lasso(folder, &format!("{stopped} --out {}", run("c")), 0);
        assert_eq!(bytes(folder, &run("b")), bytes(folder, &run("c")), "{loss}");
        lasso(folder, &format!("{stopped} --epochs 1 --out {}", run("d")), 3);
        write(folder, "w.txt", &lines(&vec![2.0; 60]));
        let (_, err) = lasso(folder, &format!("--resume {}", run("d")), 2);
        assert!(err.contains("it belongs to a run"), "{err}");
    }
}

#[test]
fn what_is_no_weight_is_refused_by_file_and_place() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (x, y) = data(Loss::Squared, 6, 2, 91);
    let column = |values: &[f64]| table(&x, &[("w", values)], &y);
    write(folder, "ok.csv", &column(&[1.0; 6]));
    write(folder, "negative.csv", &column(&[1.0, 2.0, -1.0, 0.0, 1.0, 1.0]));
    write(folder, "zero.csv", &column(&[0.0; 6]));
    write(folder, "text.csv", &column(&[1.0; 6]).replacen(",1,", ",one,", 1));
    write(folder, "missing.csv", &column(&[1.0, 2.0, 1.0, 0.0, 1.0, 1.0]).replacen(",2,", ",,", 1));
    write(folder, "infinite.txt", "1\n1\ninf\n1\n1\n1\n");
    write(folder, "nan.txt", "1\n1\nnan\n1\n1\n1\n");
    write(folder, "short.txt", "1\n1\n1\n");
    write(folder, "words.txt", "1\ntwo\n1\n1\n1\n1\n");
    for (line, why) in [
        ("negative.csv --weights w", "negative.csv: the weight is -1 in row 3"),
        ("zero.csv --weights w", "zero.csv: all weights are 0"),
        ("text.csv --weights w", "text.csv: --weights: `one` is not a number"),
        ("missing.csv --weights w", "missing.csv:3: column 3 (w) has no value"),
        ("ok.csv --weights v", "--weights: `v` is neither a column nor a file: the columns are x1, x2, w"),
        ("ok.csv --offset v", "--offset: `v` is neither a column nor a file"),
        ("ok.csv --weights infinite.txt", "infinite.txt"),
        ("ok.csv --weights nan.txt", "nan.txt:3: --weights: there is no value"),
        ("ok.csv --weights short.txt", "short.txt: --weights: 3 values for 6 rows"),
        ("ok.csv --offset words.txt", "ok.csv: --offset: `two` is not a number"),
        ("diabetes --weights short.txt", "short.txt: --weights: 3 values for 442 rows"),
    ] {
        for verb in ["fit", "path", "cv"] {
            let (out, err) = lasso(folder, &format!("{verb} {line}"), 2);
            assert!(err.contains(why) && out.is_empty(), "{verb} {line}: {err}");
        }
    }
}

#[test]
fn factors_and_bounds_come_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (x, y) = data(Loss::Squared, 50, 6, 101);
    write(folder, "data.csv", &table(&x, &[], &y));
    write(folder, "factors.txt", "x1 2\n\nx3\t0.5\n 6  4 \n");
    write(folder, "bounds.txt", "x1 -inf 0.5\nx2 0 inf\nx3\t-0.25\t0.25\n");
    let options = "--factors factors.txt --bounds bounds.txt --nonnegative=x4,x5";
    for verb in ["fit", "path --points 5", "cv --folds 3 --points 5"] {
        let (verb, more) = verb.split_once(' ').unwrap_or((verb, ""));
        lasso(folder, &format!("{verb} data.csv {more} --ratio 50 {options} --out {verb}"), 0);
        let plain = report(folder, &format!("{verb} data.csv {more} --ratio 50"));
        let with = report(folder, &format!("{verb} data.csv {more} --ratio 50 {options}"));
        assert_ne!(plain["model_digest"], with["model_digest"], "{verb}");
        let text = fs::read_to_string(folder.join(verb).join("coef.tsv")).unwrap();
        let mut met = 0;
        for line in text.lines().skip(1) {
            let fields: Vec<&str> = line.rsplit('\t').collect();
            let value: f64 = fields[0].parse().unwrap();
            let (lower, upper) = match fields[1] {
                "x1" => (f64::NEG_INFINITY, 0.5),
                "x3" => (-0.25, 0.25),
                "x6" => (f64::NEG_INFINITY, f64::INFINITY),
                _ => (0.0, f64::INFINITY),
            };
            assert!(lower <= value && value <= upper, "{verb}: {line}");
            met += usize::from(value == upper || value == lower);
        }
        assert!(met > 0, "{verb}: no bound is met");
    }
    let model = lasso(folder, "fit data.csv --ratio 50 --nonnegative --out all", 0);
    assert!(!model.0.is_empty());
    let text = fs::read_to_string(folder.join("all/coef.tsv")).unwrap();
    assert!(text.lines().count() > 1 && !text.contains("\t-"), "{text}");
    lasso(folder, "predict all data.csv", 0);
}

#[test]
fn a_resumed_run_has_its_factors_and_bounds() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for loss in ["squared", "poisson"] {
        let (x, y) = data(Loss::Poisson, 60, 90, 111);
        write(folder, "data.csv", &table(&x, &[], &y));
        let factors = (1..=90).fold(String::new(), |text, j| text + &format!("x{j} {}\n", 1 + j % 3));
        write(folder, "factors.txt", &factors);
        write(folder, "bounds.txt", "x1 0 0.01\nx6 0 0.01\n");
        for options in
            ["--factors factors.txt --unpenalized x1,x2", "--bounds bounds.txt --nonnegative=x2,x3"]
        {
            let stopped =
                format!("fit data.csv --loss {loss} --ratio 50 --tol 1e-9 --checkpoint-every 1 {options}");
            let run = |name: &str| format!("{loss}.{}.{name}", options.len());
            lasso(folder, &format!("{stopped} --epochs 1 --out {}", run("b")), 3);
            lasso(folder, &format!("--resume {}", run("b")), 0);
            lasso(folder, &format!("{stopped} --out {}", run("c")), 0);
            assert_eq!(bytes(folder, &run("b")), bytes(folder, &run("c")), "{loss} {options}");
            lasso(folder, &format!("{stopped} --epochs 1 --out {}", run("d")), 3);
            let file = if options.contains("factors") { "factors.txt" } else { "bounds.txt" };
            let text = fs::read_to_string(folder.join(file)).unwrap();
            // The last line once more, with another value.
            write(folder, file, &format!("{}5\n", text.trim_end()));
            let (_, err) = lasso(folder, &format!("--resume {}", run("d")), 2);
            assert!(err.contains("it belongs to a run"), "{err}");
            write(folder, file, &text);
        }
    }
}

#[test]
fn what_is_no_factor_or_bound_is_refused_by_file_and_line() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (x, y) = data(Loss::Squared, 10, 3, 121);
    write(folder, "data.csv", &table(&x, &[], &y));
    for (option, text, why) in [
        ("--factors", "x1 1\nx2 -1\n", "file.txt:2: the factor is -1"),
        ("--factors", "x1 nan\n", "file.txt:1: the factor is NaN"),
        ("--factors", "x1 inf\n", "file.txt:1: the factor is inf"),
        ("--factors", "x9 1\n", "file.txt:1: there is no column `x9`: the columns are x1, x2, x3"),
        ("--factors", "x1 1\nx2 1\nx1 2\n", "file.txt:3: `x1` is named twice, first in line 1"),
        ("--factors", "x1 one\n", "file.txt:1: expected a name and a number"),
        ("--factors", "x1\n", "file.txt:1: expected a name and a number"),
        ("--bounds", "x1 2 1\n", "file.txt:1: the lower bound 2 is above the upper one, 1"),
        ("--bounds", "x1 -1 1\nx2 1 2\n", "file.txt:2: the bounds 1 and 2 exclude 0"),
        ("--bounds", "x1 -2 -1\n", "file.txt:1: the bounds -2 and -1 exclude 0"),
        ("--bounds", "x1 nan 1\n", "file.txt:1: the bounds NaN and 1: NaN bounds nothing"),
        ("--bounds", "x1 1\n", "file.txt:1: expected a name and two numbers"),
        ("--bounds", "z 0 1\n", "file.txt:1: there is no column `z`"),
        ("--bounds", "x* 0 1\nx2 0 1\n", "file.txt:2: `x2` is named twice"),
    ] {
        write(folder, "file.txt", text);
        for verb in ["fit", "path", "cv"] {
            let (out, err) = lasso(folder, &format!("{verb} data.csv {option} file.txt"), 2);
            assert!(err.contains(why) && out.is_empty(), "{option} {text}: {err}");
        }
    }
    let (_, err) = lasso(folder, "fit data.csv --unpenalized x1,z", 2);
    assert!(err.contains("--unpenalized: there is no column `z`"), "{err}");
    let (_, err) = lasso(folder, "fit data.csv --unpenalized x1 --nonnegative", 2);
    assert!(err.contains("data.csv: column `x1`: column 1 has bounds and no penalty"), "{err}");
    let (_, err) = lasso(folder, "fit data.csv --nonnegative=x1,z", 2);
    assert!(err.contains("--nonnegative: there is no column `z`"), "{err}");
    let (_, err) = lasso(folder, "fit data.csv --bounds nowhere.txt", 2);
    assert!(err.contains("nowhere.txt"), "{err}");
}

#[test]
fn groups_are_those_of_a_file_or_of_encoded_columns() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (x, mut y) = data(Loss::Squared, 60, 4, 131);
    for (i, y) in (1..).zip(&mut y) {
        *y += f64::from(u8::from(i % 4 == 1)) * 6.0 + f64::from(u8::from(i % 3 == 2)) * 4.0;
    }
    let plain = table(&x, &[], &y);
    let lines = plain.lines().enumerate().map(|(i, line)| match i {
        0 => format!("city,size,{line}\n"),
        _ => format!("c{},s{},{line}\n", i % 4, i % 3),
    });
    write(folder, "data.csv", &lines.collect::<String>());
    write(folder, "groups.txt", "city place\nsize\tsize\nx1 pair\nx2 pair\n");
    write(folder, "cities.txt", "city=c0 a\ncity=c1 a\ncity=c2 a\ncity=c3 a\nsize 2\n");
    for verb in ["fit", "path --points 5", "cv --folds 3 --points 4"] {
        let (verb, more) = verb.split_once(' ').unwrap_or((verb, ""));
        let digest = |groups: &str| {
            report(folder, &format!("{verb} data.csv {more} {groups}"))["model_digest"].clone()
        };
        let (plain, levels) = (digest(""), digest("--groups columns"));
        assert_eq!(levels, digest("--groups cities.txt"), "{verb}");
        assert!(plain != levels && levels != digest("--groups groups.txt"), "{verb}");
    }
    let (out, _) = lasso(folder, "fit data.csv --groups columns --ratio 20 --out run", 0);
    assert!(out.contains("Group lasso on data.csv"), "{out}");
    let text = fs::read_to_string(folder.join("run/coef.tsv")).unwrap();
    let levels = text.lines().filter(|line| line.contains("city=")).count();
    assert!(levels == 0 || levels == 4, "{text}");
    lasso(folder, "predict run data.csv", 0);
    let stopped = "fit data.csv --groups columns --ratio 50 --tol 1e-10 --checkpoint-every 1";
    lasso(folder, &format!("{stopped} --epochs 1 --out b"), 3);
    lasso(folder, "--resume b", 0);
    lasso(folder, &format!("{stopped} --out c"), 0);
    assert_eq!(bytes(folder, "b"), bytes(folder, "c"));
    write(folder, "plain.csv", &plain);
    for (line, groups, why) in [
        ("fit data.csv --groups file.txt", "x1 a\nx9 a\n", "file.txt:2: there is no column `x9`"),
        (
            "path data.csv --groups file.txt",
            "x1 a\nx1 b\n",
            "file.txt:2: `x1` is named twice, first in line 1",
        ),
        ("cv data.csv --groups file.txt", "x1\n", "file.txt:1: expected a name and a group"),
        (
            "fit data.csv --groups file.txt --nonnegative",
            "x1 a\nx2 a\n",
            "groups cannot have bounds: leave out --groups",
        ),
        ("fit data.csv --groups file.txt --schedule cyclic", "x1 a\nx2 a\n", "--schedule is of rounds"),
        ("fit plain.csv --groups columns", "", "--groups columns: no column is encoded"),
        ("fit data.csv --groups nowhere.txt", "", "nowhere.txt"),
    ] {
        write(folder, "file.txt", groups);
        let (out, err) = lasso(folder, line, 2);
        assert!(err.contains(why) && out.is_empty(), "{line}: {err}");
    }
}
