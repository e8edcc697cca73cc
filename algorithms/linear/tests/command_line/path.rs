//! `linear path`: its points on the screen and in files, what predicts, what it refuses.

use std::fs;
use std::path::Path;

use raddle_common::testing::{Program, json, pairs};
use raddle_linear::files::Saved;

use super::{LINEAR, MAIL, flowers};

fn files(run: &Path) -> [Vec<u8>; 4] {
    ["path.tsv", "coef.tsv", "dual.npy", "model.json"].map(|file| fs::read(run.join(file)).unwrap())
}

#[test]
fn each_point_is_listed_in_files_and_predicts() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    fs::write(folder.join("flowers.csv"), flowers(60)).unwrap();
    fs::write(folder.join("mail.csv"), MAIL).unwrap();
    for (data, loss, header) in [
        (
            "flowers.csv --y kind",
            "multinomial --bias free",
            "\tintercept_setosa\tintercept_versicolor\tintercept_virginica",
        ),
        (
            "flowers.csv --y kind",
            "hinge --class-weights setosa=3",
            "\tintercept_setosa\tintercept_versicolor\tintercept_virginica",
        ),
        ("mail.csv --y spam", "logistic", ""),
    ] {
        let line = format!("path {data} --loss {loss} --Cs 10,0.1,1 --out run --force");
        let ran = linear.ends(folder, &line, 0);
        assert!(ran.out.contains("3 of 3 values of C certified"), "{}", ran.out);
        let report = json(&folder.join("run/report.json"));
        let points = report["results"]["path"].as_array().unwrap();
        let text = fs::read_to_string(folder.join("run/path.tsv")).unwrap();
        let mut lines = text.lines();
        assert_eq!(lines.next().unwrap(), format!("point\tC\tintercept\tgap\tnonzeros\tsupport{header}"));
        for (number, (point, line)) in pairs(points, lines).enumerate() {
            let cells: Vec<f64> = line.split('\t').map(|cell| cell.parse().unwrap()).collect();
            let of = ["point", "C", "gap", "nonzeros", "support"].map(|name| point[name].as_f64().unwrap());
            assert_eq!(of, [cells[0], cells[1], cells[3], cells[4], cells[5]], "{line}");
            assert_eq!(cells[1], [0.1, 1.0, 10.0][number]);
            assert!(cells[3] <= 1e-4, "{line}");
        }
        // A fit of this C is as near its own optimum: both have almost the same scores.
        let one = linear.report(folder, &format!("fit {data} --loss {loss} --C 1 --out one --force"));
        let apart = one["results"]["objective"].as_f64().unwrap() / points[1]["objective"].as_f64().unwrap();
        assert!((apart - 1.0).abs() < 1.1e-4, "{apart}");
        let rows = data.split(' ').next().unwrap();
        let of = |run: &str| linear.ends(folder, &format!("predict {run}"), 0).out;
        let (point, alone) = (of(&format!("run {rows} --point 2")), of(&format!("one {rows}")));
        for (point, alone) in pairs(point.lines(), alone.lines()) {
            assert_eq!(point.split('\t').next(), alone.split('\t').next());
        }
        assert_ne!(of(&format!("run {rows} --point 1")), of(&format!("run {rows} --point 3")));
        let saved = Saved::open(&folder.join("run")).unwrap();
        assert_eq!((saved.about.c, saved.about.points), (10.0, Some(3)));
        let dual: Vec<u8> = saved.dual.iter().flatten().flat_map(|a| a.to_le_bytes()).collect();
        assert!(!dual.is_empty() && fs::read(folder.join("run/dual.npy")).unwrap().ends_with(&dual));
        linear.ends(folder, &format!("fit {data} --loss {loss} --C 10 --init run --quiet"), 0);
    }
    for (options, why) in [
        ("run mail.csv", "a path of 3 points: choose one by --point 1 to 3"),
        ("run mail.csv --point 4", "--point is 4: run has the points 1 to 3"),
        ("one mail.csv --point 1", "--point has no effect: one is not a path"),
    ] {
        let ran = linear.ends(folder, &format!("predict {options}"), 2);
        assert!(ran.err.contains(why), "{options}: {}", ran.err);
    }
}

#[test]
fn any_number_of_workers_and_processes_has_the_bytes_of_one_and_goes_on_where_it_was_cut() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    fs::write(folder.join("flowers.csv"), flowers(60)).unwrap();
    for loss in ["hinge", "logistic", "multinomial --bias free"] {
        let line =
            format!("path flowers.csv --y kind --loss {loss} --C 0.1:10 --points 5 --tol 1e-9 --quiet");
        linear.ends(folder, &format!("{line} --workers 1 --out one --force"), 0);
        for workers in [2, 3, 4, 7] {
            linear.ends(folder, &format!("{line} --workers {workers} --out many --force"), 0);
            assert_eq!(files(&folder.join("many")), files(&folder.join("one")), "{loss} {workers}");
        }
        let cut =
            linear.ends(folder, &format!("{line} --checkpoint-every 1 --epochs 1 --out cut --force"), 3);
        assert!(cut.out.contains("of 5 values of C certified"), "{}", cut.out);
        linear.ends(folder, "path --resume cut --epochs 1000 --workers 3 --quiet", 0);
        let same = |file: &str| {
            fs::read(folder.join("cut").join(file)).unwrap()
                == fs::read(folder.join("one").join(file)).unwrap()
        };
        assert!(["path.tsv", "coef.tsv", "dual.npy"].into_iter().all(same), "{loss}");
    }
}

#[test]
fn a_path_that_does_not_certify_says_where() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    let ran = linear.ends(folder, "path diabetes --loss hinge --C 1,1000 --tol 1e-17 --out run", 3);
    assert!(
        ran.out.contains("C 1000: its gap is ") && ran.out.contains(", above the tolerance 1e-17"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("stopped: no further epoch comes closer"), "{}", ran.out);
    let report = json(&folder.join("run/report.json"));
    let gap = report["results"]["path"][1]["gap"].as_f64().unwrap();
    let note = format!("C 1000: its gap is {gap:e}, above the tolerance 1e-17");
    assert!(report["notes"].as_array().unwrap().contains(&note.into()), "{report}");
    assert_eq!(json(&folder.join("run/model.json"))["certified"], false);
}

#[test]
fn lines_that_cannot_be_are_refused_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    fs::write(folder.join("mail.csv"), MAIL).unwrap();
    fs::write(folder.join("one.csv"), MAIL.replace("yes", "no")).unwrap();
    for (line, why) in [
        ("path mail.csv --y spam --Cs 0,1", "--C 0,1: 0 is no number from 1e-100 to 1e100"),
        ("path mail.csv --y spam --Cs -1", "--C -1: -1 is no number from 1e-100 to 1e100"),
        ("path mail.csv --y spam --Cs=", "--C : `` is no number: give a range"),
        ("path mail.csv --y spam --Cs 1,,2", "--C 1,,2: `` is no number: give a range"),
        ("path mail.csv --y spam --Cs 1,2 --points 5", "--points has no effect with a list"),
        (
            "path mail.csv --y spam --loss hinge --bias free",
            "--bias: it is free, and the dual values of the hinge",
        ),
        (
            "path one.csv --y spam --loss multinomial",
            "all rows that count are of the class 0: give rows of two classes",
        ),
        ("path mail.csv --y spam --lambda 1", "C is 1 / (n lambda) for n rows"),
        ("path mail.csv --y spam --class-weights maybe=2", "the response has no class maybe"),
    ] {
        let ran = linear.run(folder, line);
        assert!(ran.code == Some(2) && ran.err.contains(why), "{line}: {:?} {}", ran.code, ran.err);
    }
}
