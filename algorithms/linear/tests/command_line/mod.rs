//! The program, as a user runs it.

mod cv;
mod labels;
#[cfg(target_os = "linux")]
mod limits;
mod path;
mod predict;
mod start;

use std::fs;
use std::path::Path;

use raddle_common::testing::{Program, json};

const LINEAR: &str = env!("CARGO_BIN_EXE_linear");
const MAIL: &str = "spam,words,sender\nyes,30,x\nno,3,y\nyes,22,x\nno,5,z\nno,9,x\nyes,40,y\n";

#[test]
fn a_new_user_fits_texts_and_predicts_them() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    fs::write(folder.join("mail.csv"), MAIL).unwrap();
    let ran = linear.ends(folder, "fit mail.csv --y spam --loss logistic --out run --quiet", 0);
    assert!(ran.out.contains("scores above 0 speak for yes") && ran.out.contains("words"), "{}", ran.out);
    let about = json(&folder.join("run/model.json"));
    assert_eq!((&about["loss"], &about["certified"]), (&"logistic".into(), &true.into()));
    let ran = linear.ends(folder, "predict run mail.csv --y spam", 0);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines.len(), 6);
    let (class, probability) = lines[5].split_once('\t').unwrap();
    assert!(class == "yes" && (0.5..1.0).contains(&probability.parse::<f64>().unwrap()), "{lines:?}");
    assert!(ran.err.contains("accuracy"), "{}", ran.err);
    // The columns are found by name, in any order.
    fs::write(folder.join("new.csv"), "sender,words\nx,30\n").unwrap();
    assert_eq!(linear.ends(folder, "predict run new.csv", 0).out.lines().next(), Some(lines[0]));
    fs::write(folder.join("other.csv"), "sender,letters\nx,30\n").unwrap();
    assert!(linear.ends(folder, "predict run other.csv", 2).err.contains("words"));
}

#[test]
fn the_embedded_patients_need_no_options_and_a_run_goes_on_to_a_smaller_gap() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    // So loose that a few passes come to it.
    let whole = linear.report(folder, "fit --loss hinge --tol 1e-6 --out whole");
    let gap = |report: &serde_json::Value| report["metric"]["value"].as_f64().unwrap();
    assert!(gap(&whole) <= 1e-6);
    let first = linear.report(folder, "fit --loss hinge --tol 0.9 --checkpoint-every 1 --out part");
    assert!(gap(&first) > 1e-3, "{first}");
    linear.ends(folder, "fit --resume part --tol 1e-6 --quiet", 0);
    let (on, objective) = (json(&folder.join("part/report.json")), |report: &serde_json::Value| {
        report["results"]["objective"].as_f64().unwrap()
    });
    assert!(gap(&on) <= 1e-6 && on["epochs"].as_u64() > first["epochs"].as_u64(), "{on}");
    assert!((objective(&on) - objective(&whole)).abs() <= 1.1e-6 * objective(&whole));
    assert_eq!(linear.ends(folder, "predict whole diabetes", 0).out.lines().count(), 442);
}

#[test]
fn bad_lines_are_refused_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    fs::write(folder.join("mail.csv"), MAIL).unwrap();
    fs::write(folder.join("one.csv"), MAIL.replace("yes", "no")).unwrap();
    for (line, why) in [
        (
            "fit one.csv --y spam",
            "one.csv: all rows that count are of the class 0: give rows of two classes; the class 0 is `no`",
        ),
        ("fit mail.csv --y words", "no classes"),
        ("fit mail.csv --y spam --C 0", "--C: it is 0"),
        ("fit mail.csv --y spam --lambda -1", "--lambda: it is -1"),
        ("fit mail.csv --y spam --lambda nan", "--lambda: it is NaN"),
        ("fit mail.csv --y spam --C 1 --lambda 1", "cannot be used with"),
        ("fit mail.csv --y spam --tol 2", "--tol: it is 2"),
        ("fit mail.csv --y spam --C -1", "--C: it is -1"),
        ("fit mail.csv --y spam --C nan", "--C: it is NaN"),
        ("fit mail.csv --y spam --lambda 0", "--lambda: it is 0"),
        ("fit mail.csv --y spam --bias inf", "--bias: it is inf"),
        ("fit mail.csv --y spam --rho 0.5", "--rho has no effect"),
        ("fit mail.csv --y spam --shards 2", "--shards has no effect"),
        ("fit mail.csv --y spam --parallelism 2", "--parallelism has no effect"),
        ("fit mail.csv --y spam --staleness 1", "--staleness has no effect"),
        ("fit mail.csv --y spam --guard off", "--guard has no effect"),
        ("fit mail.csv --y spam --explain", "--explain has no effect"),
        ("fit mail.csv --y spam --schedule shuffled", "--schedule"),
        ("fit mail.csv --y spam --weights sender", "--weights"),
        ("fit mail.csv --y spam --loss squared", "squared-hinge"),
        ("fit one.csv --y spam --loss multinomial", "one.csv: all rows that count are of the class 0"),
        (
            "fit mail.csv --y spam --loss hinge --bias free",
            "--bias: it is free, and the dual values of the hinge",
        ),
        ("fit mail.csv --y spam --bias free --parts 2", "--parts: "),
        ("fit mail.csv --y spam --bias loose", "give a number, or free"),
        ("fit mail.csv --y spam --class-weights even", "give balanced, or a number"),
        ("fit mail.csv --y spam --class-weights yes=0", "give balanced, or a number"),
        (
            "fit mail.csv --y spam --class-weights ham=2",
            "--class-weights ham=2: the response has no class ham",
        ),
    ] {
        let ran = linear.run(folder, line);
        assert!(ran.code == Some(2) && ran.err.contains(why), "{line}: {:?} {}", ran.code, ran.err);
    }
}

/// Cells of a table whose class is said by its columns, mostly.
fn flowers(rows: usize) -> String {
    let kinds = ["setosa", "versicolor", "virginica"];
    let row = |at: usize| {
        let kind = at * 7 % 3;
        let (length, width) = (10 + 10 * kind + at % 7, 5 + at % 4 + 2 * kind);
        format!(
            "{length},{width},{},{}\n",
            ["red", "blue", "white"][(kind + usize::from(at.is_multiple_of(5))) % 3],
            kinds[kind]
        )
    };
    format!("length,width,colour,kind\n{}", (0..rows).map(row).collect::<String>())
}

#[test]
fn all_classes_together_have_one_gap_and_probabilities_that_sum_to_1() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    fs::write(folder.join("flowers.csv"), flowers(60)).unwrap();
    let line = "fit flowers.csv --y kind --loss multinomial --bias free --tol 1e-8 --out run";
    let report = linear.report(folder, line);
    let gaps = report["results"]["gaps"].as_array().unwrap();
    assert!(gaps.len() == 3 && gaps.iter().all(|gap| gap == &gaps[0]), "{gaps:?}");
    let about = json(&folder.join("run/model.json"));
    assert_eq!((&about["loss"], &about["free_intercept"]), (&"multinomial".into(), &true.into()));
    let ran = linear.ends(folder, "predict run flowers.csv", 0);
    for line in ran.out.lines() {
        let sum: f64 = line.split('\t').skip(1).map(|cell| cell.parse::<f64>().unwrap()).sum();
        assert!((sum - 1.0).abs() < 1e-12, "{line}");
    }
    // From the model itself nothing is left to do; a class of twice the weight is another model.
    let again = linear.report(folder, &format!("{} --init run", line.replace("1e-8 --out run", "1e-6")));
    assert!(again["epochs"].as_u64() <= Some(1), "{again}");
    let heavy = linear.report(folder, &format!("{} --class-weights setosa=2", line.replace("--out run", "")));
    assert_ne!(heavy["model_digest"], report["model_digest"]);
}

/// Widths tell the kinds apart.
#[test]
fn separable_classes_are_said_to_be() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    let rows: String = (0..30).map(|row| format!("{},{}\n", row, ["a", "b", "c"][row / 10])).collect();
    fs::write(folder.join("apart.csv"), format!("x,kind\n{rows}")).unwrap();
    fs::write(folder.join("flowers.csv"), flowers(60)).unwrap();
    for (line, is_said) in [
        ("fit apart.csv --y kind --loss multinomial --bias free --C 100", true),
        ("fit apart.csv --y kind --loss multinomial --bias free --C 1e-6", false),
        ("fit flowers.csv --y kind --loss logistic", false),
    ] {
        let ran = linear.ends(folder, line, 0);
        assert_eq!(ran.out.contains("the classes are separable"), is_said, "{line}: {}", ran.out);
    }
}

#[test]
fn several_classes_have_a_scorer_each_and_the_bytes_of_any_number_of_workers() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    fs::write(folder.join("flowers.csv"), flowers(60)).unwrap();
    let mut digests = Vec::new();
    for workers in [1, 2, 3, 7] {
        let line = format!("fit flowers.csv --y kind --tol 1e-8 --workers {workers} --out run --force");
        let report = linear.report(folder, &line);
        digests.push(report["model_digest"].as_str().unwrap().to_owned());
        let gaps = report["results"]["gaps"].as_array().unwrap();
        assert!(gaps.len() == 3 && gaps.iter().all(|gap| gap.as_f64().unwrap() <= 1e-8), "{gaps:?}");
    }
    digests.dedup();
    assert_eq!(digests.len(), 1, "{digests:?}");
    let about = json(&folder.join("run/model.json"));
    assert_eq!(about["class_names"], serde_json::json!(["setosa", "versicolor", "virginica"]));
    assert_eq!(about["classes"], serde_json::json!([0.0, 1.0, 2.0]));
    let ran = linear.ends(folder, "predict run flowers.csv --y kind", 0);
    let lines: Vec<Vec<&str>> = ran.out.lines().map(|line| line.split('\t').collect()).collect();
    assert!(lines.len() == 60 && lines.iter().all(|line| line.len() == 4), "{:?}", lines[0]);
    for line in &lines {
        let scores: Vec<f64> = line[1..].iter().map(|of| of.parse().unwrap()).collect();
        let best = (0..3).max_by(|a, b| scores[*a].total_cmp(&scores[*b])).unwrap();
        assert_eq!(about["class_names"][best], line[0]);
    }
    let right =
        lines.iter().zip(flowers(60).lines().skip(1)).filter(|(of, row)| row.ends_with(of[0])).count();
    let accuracy = right as f64 / 60.0;
    assert!(ran.err.contains("accuracy") && accuracy > 0.9, "{accuracy} {}", ran.err);
    // Of the logistic loss, the shares of the classes add up to 1.
    linear.ends(folder, "fit flowers.csv --y kind --loss logistic --out shares --quiet", 0);
    let out = linear.ends(folder, "predict shares flowers.csv", 0).out;
    let shares =
        out.lines().map(|line| line.split('\t').skip(1).map(|of| of.parse::<f64>().unwrap()).sum::<f64>());
    for sum in raddle_common::testing::not_empty(shares) {
        assert!((sum - 1.0).abs() < 1e-12, "{sum}");
    }
}

#[test]
fn a_column_of_numbers_or_of_a_text_a_row_is_named_with_the_program_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    let rows = |of: fn(usize) -> usize, count: usize| {
        (0..count).map(|at| format!("{},{},r{at}\n", of(at), at % 9)).collect::<String>()
    };
    let write =
        |name: &str, text: String| fs::write(folder.join(name), format!("price,size,name\n{text}")).unwrap();
    write("many.csv", rows(|at| at / 2 * 2, 2004));
    write("one.csv", rows(|at| at % 101, 150));
    write("own.csv", rows(|at| at, 12));
    let numbers = (0..12).map(|at| format!("{},{at}\n", at % 9)).collect::<String>();
    fs::write(folder.join("usual.csv"), format!("size,y\n{numbers}")).unwrap();
    write("hundred.csv", rows(|at| at % 100, 300));
    for (line, why) in [
        (
            "fit many.csv --y price",
            "many.csv: --y price: the response has 1002 values in 2004 rows: these are no classes",
        ),
        (
            "fit one.csv --y price",
            "one.csv: --y price: the response has 101 values in 150 rows: these are no classes",
        ),
        ("fit own.csv --y price", "own.csv: --y price: the response has 12 values in 12 rows"),
        ("fit own.csv --y 1", "--y 1: the response has 12 values in 12 rows"),
        ("fit own.csv --y name", "--y name: the response has 12 values in 12 rows"),
        ("fit usual.csv", "usual.csv: the response has 12 values in 12 rows"),
    ] {
        let ran = linear.run(folder, line);
        let is_right =
            ran.code == Some(2) && ran.err.contains(why) && ran.err.contains("`lasso` for a regression");
        assert!(is_right, "{line}: {:?} {}", ran.code, ran.err);
    }
    linear.ends(folder, "fit hundred.csv --y price --tol 0.5 --drop name --quiet", 0);
}

/// 900 rows of so many classes, in `rows.svm`; a run says of those of 150 that it has `MANY`.
fn many_classes(folder: &Path, classes: usize) {
    let row = |at: usize| {
        let class = at % classes;
        format!("{class} {}:1 {}:1 {}:0.5\n", 1 + class, 201 + class / 10, 301 + at % 7)
    };
    fs::write(folder.join("rows.svm"), (0..900).map(row).collect::<String>()).unwrap();
}

const MANY: &str = "150 classes, each with coefficients of its own: they take up to 6 MB beside the data";

/// Each of many classes has a scorer; the run says what memory they take, and takes no more.
#[test]
fn a_hundred_and_fifty_classes_are_told_apart_within_the_memory_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    let fit = |classes: usize| {
        many_classes(folder, classes);
        linear.report(folder, "fit rows.svm --tol 0.2 --workers 1 --out run --force")
    };
    let few = fit(3)["peak_memory_bytes"].as_u64().unwrap();
    let report = fit(150);
    assert_eq!(report["results"]["training_error"], 0.0);
    let notes = report["notes"].as_array().unwrap();
    assert!(notes.iter().any(|note| note == MANY), "{notes:?}");
    let more = report["peak_memory_bytes"].as_u64().unwrap().saturating_sub(few);
    // What the allocator keeps of pieces that were given back comes on top.
    assert!(more < 2 * 6_000_000, "{more} bytes more than 3 classes");
    let told = linear.report(folder, "predict run rows.svm");
    assert_eq!((&told["accuracy"], &told["classes"][149]), (&1.0.into(), &149.into()));
}
