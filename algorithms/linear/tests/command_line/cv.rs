//! `linear cv`: the curve on the screen, in files and pictures; what it chooses; what it refuses.

use std::fs;

use raddle_cli::{Picture, PictureKind, Scale, Summary};
use raddle_common::testing::{Program, json, not_empty, pairs};

use super::{LINEAR, MAIL, MANY, flowers, many_classes};

fn pictures(run: &std::path::Path) -> Vec<Picture> {
    let summary: Summary = serde_json::from_slice(&fs::read(run.join("summary.json")).unwrap()).unwrap();
    summary.pictures
}

/// Lines of a table as numbers.
fn table(file: &std::path::Path) -> Vec<Vec<f64>> {
    let text = fs::read_to_string(file).unwrap();
    text.lines().skip(1).map(|line| line.split('\t').map(|cell| cell.parse().unwrap()).collect()).collect()
}

#[test]
fn the_curve_is_on_the_screen_in_a_file_and_in_a_picture_and_the_model_that_of_a_fit() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    fs::write(folder.join("flowers.csv"), flowers(75)).unwrap();
    for (line, rule) in [("", "min"), ("--measure f1 --rule 1se --scale --folds 3", "1se")] {
        let of_cv = format!("cv flowers.csv --y kind --points 5 {line} --out run --force");
        let ran = linear.ends(folder, &of_cv, 0);
        let report = json(&folder.join("run/report.json"));
        let results = &report["results"];
        let curve = table(&folder.join("run/cv.tsv"));
        assert_eq!(curve.iter().map(|line| line[0]).collect::<Vec<_>>(), [0.01, 0.1, 1.0, 10.0, 100.0]);
        for (line, point) in pairs(&curve, results["curve"].as_array().unwrap()) {
            let of = ["C", "mean", "se", "support"].map(|name| point[name].as_f64().unwrap());
            assert!(pairs(line, of).all(|(a, b)| (a - b).abs() <= 1e-15 * b.abs()), "{line:?} {of:?}");
        }
        // The smallest C with the largest mean; the smallest within a standard error of it.
        let best = curve.iter().map(|line| line[1]).fold(f64::MIN, f64::max);
        let min = curve.iter().find(|line| line[1] == best).unwrap();
        let one_se = curve.iter().find(|line| line[1] >= best - min[2]).unwrap();
        assert_eq!((results["C_min"].as_f64(), results["C_1se"].as_f64()), (Some(min[0]), Some(one_se[0])));
        let chosen = if rule == "min" { min } else { one_se };
        assert_eq!((results["C"].as_f64(), results["rule"].as_str()), (Some(chosen[0]), Some(rule)));
        assert!(results["worst_gap"].as_f64().unwrap() <= 1e-4);
        assert!(ran.out.contains(&format!("<- C_{rule}, chosen")), "{}", ran.out);
        assert!(
            ran.out.contains("coefficient  of") && ran.out.contains("relative-duality-gap"),
            "{}",
            ran.out
        );
        let [first, ..] = &pictures(&folder.join("run"))[..] else { panic!("no picture") };
        assert_eq!((&first.kind, first.x.scale, first.series.len()), (&PictureKind::Lines, Scale::Log, 1));
        for (line, (x, y)) in pairs(&curve, pairs(&first.series[0].x, &first.series[0].y)) {
            assert_eq!((line[0], line[1]), (*x, *y));
        }
        assert!(!first.marks.is_empty());
        let scale = if line.contains("--scale") { "--scale" } else { "" };
        let alone = linear.report(folder, &format!("fit flowers.csv --y kind --C {} {scale}", chosen[0]));
        assert_eq!(report["model_digest"], alone["model_digest"]);
        assert_eq!(linear.ends(folder, "predict run flowers.csv", 0).out.lines().count(), 75);
    }
}

#[test]
fn any_number_of_workers_has_the_bytes_of_one_and_goes_on_where_it_was_cut() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    fs::write(folder.join("flowers.csv"), flowers(60)).unwrap();
    let line = "cv flowers.csv --y kind --loss logistic --C 0.1,1,10 --measure log-loss --quiet";
    let files = |run: &str| {
        ["cv.tsv", "coef.tsv", "dual.npy", "model.json"]
            .map(|file| fs::read(folder.join(run).join(file)).unwrap())
    };
    linear.ends(folder, &format!("{line} --workers 1 --out one"), 0);
    for workers in [2, 3, 7] {
        linear.ends(folder, &format!("{line} --workers {workers} --out many --force"), 0);
        assert_eq!(files("many"), files("one"), "{workers} workers");
    }
    // Without any time no fold comes to its end; what is done is not done again.
    let cut = linear.ends(folder, &format!("{line} --checkpoint-every 1 --time-limit 0 --out cut"), 3);
    assert!(
        cut.out.contains("no C is chosen and no model is written; --resume cut goes on with it"),
        "{}",
        cut.out
    );
    linear.ends(folder, "cv --resume cut --time-limit 1000 --workers 3 --quiet", 0);
    assert_eq!(files("cut"), files("one"));
}

#[test]
fn rows_of_a_group_and_weights_are_columns_that_are_no_features() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    let row = |(at, row): (usize, &str)| match at {
        0 => format!("{row},plot,count\n"),
        at => format!("{row},p{},{}\n", at / 4, 1 + at % 4),
    };
    fs::write(folder.join("plots.csv"), flowers(60).lines().enumerate().map(row).collect::<String>())
        .unwrap();
    linear.ends(folder, "cv plots.csv --y kind --groups plot --weights count --C 0.1,1 --out run --quiet", 0);
    let about = json(&folder.join("run/model.json"));
    let names: Vec<String> = serde_json::from_value(about["feature_names"].clone()).unwrap();
    assert!(not_empty(&names).all(|name| !name.starts_with("plot") && name != "count"), "{names:?}");
}

#[test]
fn the_largest_coefficients_are_in_pictures_of_their_classes() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    fs::write(folder.join("flowers.csv"), flowers(60)).unwrap();
    linear.ends(folder, "fit flowers.csv --y kind --out run --quiet", 0);
    let text = fs::read_to_string(folder.join("run/coef.tsv")).unwrap();
    let of_class = |class: &str| -> Vec<(String, f64)> {
        let lines = text.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
        let mut of: Vec<(String, f64)> = lines
            .filter(|cells| cells[0] == class)
            .map(|cells| (cells[2].to_owned(), cells[3].parse().unwrap()))
            .collect();
        of.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        of
    };
    let kinds = ["setosa", "versicolor", "virginica"];
    for (kind, picture) in pairs(kinds, pictures(&folder.join("run"))) {
        assert_eq!(picture.title, format!("Largest coefficients, class {kind}"));
        let names: Vec<String> = picture.x.ticks.iter().map(|tick| tick.label.clone()).collect();
        let (wanted, values): (Vec<String>, Vec<f64>) = of_class(kind).into_iter().unzip();
        assert_eq!((names, &picture.series[0].y), (wanted, &values));
    }
}

#[test]
fn lines_that_cannot_be_are_refused_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    fs::write(folder.join("mail.csv"), MAIL).unwrap();
    fs::write(folder.join("flowers.csv"), flowers(30)).unwrap();
    let lonely = flowers(30).replacen("setosa", "sativa", 1);
    fs::write(folder.join("lonely.csv"), lonely).unwrap();
    for (line, why) in [
        ("cv mail.csv --y spam --folds 1", "--folds: it is 1: it must be from 2 to 6"),
        ("cv mail.csv --y spam --folds 7", "--folds: it is 7: it must be from 2 to 6"),
        ("cv mail.csv --y spam --C 0:1", "--C 0:1: 0 is no number from 1e-100 to 1e100"),
        ("cv mail.csv --y spam --C 1:0.1", "--C 1:0.1: a range rises"),
        ("cv mail.csv --y spam --C -1,1", "--C -1,1: -1 is no number"),
        ("cv mail.csv --y spam --C nan", "--C nan: NaN is no number"),
        ("cv mail.csv --y spam --C 1,x", "--C 1,x: `x` is no number: give a range"),
        ("cv mail.csv --y spam --C 1,2 --points 5", "--points has no effect with a list"),
        ("cv mail.csv --y spam --points 1", "--points: it is 1: it must be from 2 to 300"),
        ("cv mail.csv --y spam --measure rmse", "--measure"),
        (
            "cv mail.csv --y spam --measure log-loss",
            "--measure: log-loss needs probabilities: choose the logistic loss",
        ),
        ("cv flowers.csv --y kind --measure auc", "--measure: auc is for two classes, and there are 3"),
        ("cv mail.csv --y spam --rule best", "--rule"),
        ("cv lonely.csv --y kind", "is fitted on no row of the class 0: choose fewer folds"),
        ("cv lonely.csv --y kind", "the class 0 is `sativa`"),
        (
            "cv mail.csv --y spam --groups sender --folds 5",
            "--groups: a column with 3 different values for 5 folds",
        ),
        ("cv mail.csv --y spam --lambda 1", "C is 1 / (n lambda) for n rows: --C takes a range of values"),
        ("cv mail.csv --y words", "`lasso` for a regression"),
    ] {
        let ran = linear.run(folder, line);
        assert!(ran.code == Some(2) && ran.err.contains(why), "{line}: {:?} {}", ran.code, ran.err);
    }
}

/// Folds whose fits end by rounding before the tolerance are still measured, and their gap is reported.
#[test]
fn fits_that_can_come_no_closer_are_measured_and_said() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    let ran = linear.ends(folder, "fit diabetes --loss hinge --C 1000 --tol 1e-17 --quiet", 3);
    assert!(ran.out.contains("stopped: no further epoch comes closer"), "{}", ran.out);
    let ran = linear.ends(
        folder,
        "cv diabetes --loss hinge --C 100,1000 --folds 3 --tol 1e-17 --out run --quiet",
        3,
    );
    assert!(ran.out.contains("chosen"), "{}", ran.out);
    let report = json(&folder.join("run/report.json"));
    assert!(report["results"]["worst_gap"].as_f64().unwrap() > 1e-17, "{report}");
    assert_eq!(json(&folder.join("run/model.json"))["certified"], false);
}

#[test]
fn what_many_classes_take_is_said_before_the_folds() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    many_classes(folder, 150);
    let ran = linear.ends(folder, "cv rows.svm --folds 2 --points 2 --tol 1e-9 --epochs 1 --json", 3);
    let [said, fold] =
        [MANY, "fold 1 of 2"].map(|text| ran.err.find(text).unwrap_or_else(|| panic!("{}", ran.err)));
    assert!(said < fold, "{}", ran.err);
    // So does the report of one that was cut in a fold.
    let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let notes = report["notes"].as_array().unwrap();
    assert_eq!(notes.iter().filter(|note| **note == MANY).count(), 1, "{notes:?}");
}
