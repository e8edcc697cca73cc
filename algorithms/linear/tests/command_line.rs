//! The program, as a user runs it.

use std::fs;

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
fn the_embedded_patients_need_no_options_and_a_resumed_run_has_the_bytes_of_a_whole_one() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    let whole = linear.report(folder, "fit --tol 1e-9 --C 1000 --out whole");
    assert!(whole["metric"]["value"].as_f64().unwrap() <= 1e-9);
    linear.ends(folder, "fit --tol 1e-9 --C 1000 --epochs 1 --checkpoint-every 1 --out part --quiet", 3);
    linear.ends(folder, "fit --resume part --epochs 1000 --quiet", 0);
    assert_eq!(whole["model_digest"], json(&folder.join("part/report.json"))["model_digest"]);
    let dual = |run: &str| fs::read(folder.join(run).join("dual.npy")).unwrap();
    assert_eq!(dual("whole"), dual("part"));
    assert_eq!(linear.ends(folder, "predict whole diabetes", 0).out.lines().count(), 442);
}

#[test]
fn bad_lines_are_refused_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    fs::write(folder.join("mail.csv"), MAIL).unwrap();
    fs::write(folder.join("one.csv"), MAIL.replace("yes", "no")).unwrap();
    fs::write(folder.join("three.csv"), format!("{MAIL}maybe,4,y\n")).unwrap();
    for (line, why) in [
        ("fit one.csv --y spam", "all rows that count are of the class"),
        ("fit three.csv --y spam", "3 classes"),
        ("fit mail.csv --y words", "no classes"),
        ("fit mail.csv --y spam --C 0", "--C: it is 0"),
        ("fit mail.csv --y spam --lambda -1", "--lambda: it is -1"),
        ("fit mail.csv --y spam --lambda nan", "--lambda: it is NaN"),
        ("fit mail.csv --y spam --C 1 --lambda 1", "cannot be used with"),
        ("fit mail.csv --y spam --tol 2", "--tol: it is 2"),
        ("fit mail.csv --y spam --rho 0.5", "--rho has no effect"),
        ("fit mail.csv --y spam --weights sender", "--weights"),
        ("fit mail.csv --y spam --loss squared", "squared-hinge"),
    ] {
        let ran = linear.run(folder, line);
        assert!(ran.code == Some(2) && ran.err.contains(why), "{line}: {:?} {}", ran.code, ran.err);
    }
}
