//! Classes have the data's names in every file and on the screen.

use std::fs;
use std::path::Path;

use raddle_common::testing::{Program, json, not_empty, pairs};
use raddle_datasets::Field;
use serde_json::{Value, json};

use super::data;

const LASSO: &str = env!("CARGO_BIN_EXE_lasso");

/// Labels in order, their type, and their JSON values.
fn kinds() -> [([&'static str; 3], &'static str, Value); 7] {
    [
        (["0", "1", "2"], "int64", json!([0, 1, 2])),
        (["1", "2", "3"], "int64", json!([1, 2, 3])),
        (["-1", "0.5", "7"], "float64", json!([-1.0, 0.5, 7.0])),
        (["setosa", "versicolor", "virginica"], "str", json!(["setosa", "versicolor", "virginica"])),
        (
            ["9007199254740992", "9007199254740993", "9007199254740994"],
            "int64",
            json!([9007199254740992_i64, 9007199254740993_i64, 9007199254740994_i64]),
        ),
        (["a\tb", "c \"d\"", "e\nf"], "str", json!(["a\tb", "c \"d\"", "e\nf"])),
        (["#b", "a\u{2028}", "c"], "str", json!(["#b", "a\u{2028}", "c"])),
    ]
}

/// A table of three classes with these labels, as CSV.
fn table(folder: &Path, labels: &[&str]) {
    let (x, y) = data(3, 60, 4, 5);
    let mut text = "a,b,c,d,kind\n".to_owned();
    for (row, y) in y.iter().enumerate() {
        x.iter().for_each(|column| text += &format!("{},", column[row]));
        text += &format!("\"{}\"\n", labels[*y as usize - 10].replace('"', "\"\""));
    }
    fs::write(folder.join("data.csv"), text).unwrap();
}

/// Returns the first fields of the lines after a header; quotes may contain line ends.
fn first_fields<'t>(text: &'t str, labels: &'t [String]) -> Vec<&'t str> {
    let mut rest = text.split_once('\n').unwrap().1;
    let mut fields = Vec::new();
    while !rest.is_empty() {
        let label = labels.iter().find(|label| rest.starts_with(&format!("{label}\t")));
        let label = label.unwrap_or_else(|| panic!("{rest}"));
        fields.push(label.as_str());
        rest = rest[label.len()..].split_once('\n').unwrap().1;
    }
    fields
}

#[test]
fn labels_stand_for_themselves_whatever_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, lasso) = (folder.path(), Program::at(LASSO));
    for (labels, class_type, values) in kinds() {
        table(folder, &labels);
        let fields = labels.map(|label| Field(label).to_string());
        let report =
            lasso.report(folder, "fit data.csv --y kind --loss multinomial --ratio 20 --out run --force");
        let about = json(&folder.join("run/model.json"));
        assert_eq!(about["class_type"], class_type, "{labels:?}");
        let text = fs::read_to_string(folder.join("run/coef.tsv")).unwrap();
        let mut found = first_fields(&text, &fields);
        assert!(found.is_sorted_by_key(|field| fields.iter().position(|label| label == field)), "{text}");
        found.dedup();
        assert_eq!(found, fields, "{text}");
        for entry in not_empty(report["results"]["coefficients"].as_array().unwrap()) {
            assert!(values.as_array().unwrap().contains(&entry["class"]), "{entry}");
        }
        // The model that is read equals the fitted one.
        let plain = lasso.ends(folder, "predict run data.csv --out lines.txt", 0).out;
        assert!(plain.contains("60 predictions"), "{plain}");
        let lines = fs::read_to_string(folder.join("lines.txt")).unwrap();
        let said = lasso.report(folder, "predict run data.csv --y kind");
        assert!(said["accuracy"].as_f64().unwrap() > 0.4, "{said}");
        let classes = said["classes"].as_array().unwrap();
        let place =
            |class: &Value| values.as_array().unwrap().iter().position(|value| value == class).unwrap();
        let expected: Vec<&str> = classes.iter().map(|class| fields[place(class)].as_str()).collect();
        assert_eq!(first_fields(&format!("\n{lines}"), &fields), expected, "{lines}");
        let again = lasso.report(folder, "fit data.csv --y kind --loss multinomial --ratio 20 --init run");
        assert_eq!(again["epochs"], 0, "{again}");
    }
}

#[test]
fn a_path_and_a_cross_validation_name_their_classes() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, lasso) = (folder.path(), Program::at(LASSO));
    for (labels, class_type, _) in kinds() {
        table(folder, &labels);
        let fields = labels.map(|label| Field(label).to_string());
        let path = "path data.csv --y kind --loss multinomial --points 3 --out path --force --quiet";
        lasso.ends(folder, path, 0);
        let text = fs::read_to_string(folder.join("path/path.tsv")).unwrap();
        for label in &fields {
            let name = label
                .strip_prefix('"')
                .map_or(format!("\tintercept_{label}"), |inner| format!("\t\"intercept_{inner}"));
            assert!(text.contains(&name), "{text}");
        }
        let lines =
            |point: u64| lasso.ends(folder, &format!("predict path data.csv --point {point} --quiet"), 0).out;
        assert_ne!(lines(1), lines(3));
        let cv = "cv data.csv --y kind --loss multinomial --points 3 --folds 2 --out chosen --force";
        let screen = lasso.ends(folder, cv, 0).out;
        for label in labels.iter().filter(|label| !label.contains(['\t', '\n'])) {
            assert!(screen.contains(&format!("(intercept, class {label})")), "{screen}");
        }
        assert_eq!(json(&folder.join("chosen/model.json"))["class_type"], class_type);
        let text = fs::read_to_string(folder.join("chosen/coef.tsv")).unwrap();
        assert!(first_fields(&text, &fields).iter().all(|field| fields.contains(&(*field).to_owned())));
    }
}

/// Two classes whose labels doubles cannot distinguish are two classes, and so are such groups of folds.
#[test]
fn whole_numbers_beyond_doubles_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, lasso) = (folder.path(), Program::at(LASSO));
    let (low, high) = ("9007199254740992", "9007199254740993");
    let row = |at: usize| format!("{},{},{}\n", at % 7, at % 3, if at % 7 < 3 { low } else { high });
    fs::write(folder.join("two.csv"), format!("a,b,kind\n{}", (0..40).map(row).collect::<String>())).unwrap();
    lasso.ends(folder, "fit two.csv --y kind --loss logistic --ratio 20 --out run --quiet", 0);
    assert_eq!(json(&folder.join("run/model.json"))["class_names"], json!([low, high]));
    let told = lasso.report(folder, "predict run two.csv --y kind");
    let classes: Vec<i64> = serde_json::from_value(told["classes"].clone()).unwrap();
    assert!(classes.contains(&9007199254740993), "{classes:?}");
    let groups = |shift: u64| {
        let line = |at: u64| format!("{},{},{},{}\n", at % 7, at % 3, (at * at) % 11, shift + at / 10);
        let file = format!("groups{shift}.csv");
        fs::write(folder.join(&file), format!("a,b,y,user\n{}", (0..40).map(line).collect::<String>()))
            .unwrap();
        lasso.report(folder, &format!("cv {file} --y y --fold-by user --folds 4 --points 3"))["results"]["mean"].clone()
    };
    let means = [groups(1), groups((1 << 60) + 1)];
    assert!(pairs(&means[..1], &means[1..]).all(|(small, large)| small == large), "{means:?}");
}

/// Writes two rows of each of 150 classes to `rows.svm`; a run prints the note `MANY`.
fn many_classes(folder: &Path) {
    let row = |at: usize| {
        let class = at % 150;
        format!("{class} {}:1 {}:0.{}\n", 1 + class, 151 + at % 3, 1 + at % 5)
    };
    fs::write(folder.join("rows.svm"), (0..300).map(row).collect::<String>()).unwrap();
}

const MANY: &str = "150 classes, each with coefficients of its own: they take up to 2 MB beside the data";

/// Many classes are distinguished, and a note names the memory that their scores take.
#[test]
fn a_hundred_and_fifty_classes_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, lasso) = (folder.path(), Program::at(LASSO));
    many_classes(folder);
    let line = "fit rows.svm --loss multinomial --ratio 3 --tol 1e-2 --out run";
    let report = lasso.report(folder, line);
    let notes = report["notes"].as_array().unwrap();
    assert!(notes.iter().any(|note| note == MANY), "{notes:?}");
    let told = lasso.report(folder, "predict run rows.svm");
    assert_eq!((&told["accuracy"], &told["classes"][149]), (&json!(1.0), &json!(149)));
}

#[test]
fn a_cross_validation_says_what_many_classes_take_before_its_folds() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, lasso) = (folder.path(), Program::at(LASSO));
    many_classes(folder);
    let line = "cv rows.svm --loss multinomial --folds 2 --points 3 --epochs 1 --json";
    let ran = lasso.ends(folder, line, 3);
    let [said, fold] =
        [MANY, "fold 1 of 2"].map(|text| ran.err.find(text).unwrap_or_else(|| panic!("{}", ran.err)));
    assert!(said < fold, "{}", ran.err);
    // The report of a cross-validation that was cut short has the note, too.
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    let notes = report["notes"].as_array().unwrap();
    assert_eq!(notes.iter().filter(|note| **note == MANY).count(), 1, "{notes:?}");
}
