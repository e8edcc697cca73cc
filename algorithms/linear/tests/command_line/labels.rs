//! Files and the screen use the data's own class labels.

use std::fs;
use std::io::Write as _;

use raddle::files::{ModelFiles as _, NewModel};
use raddle_common::testing::{Program, json, not_empty};
use raddle_datasets::Field;
use serde_json::{Value, json};

use super::{LINEAR, flowers};

const KINDS: [&str; 3] = ["setosa", "versicolor", "virginica"];

#[test]
fn labels_stand_for_themselves_whatever_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    let large = ["9007199254740992", "9007199254740993", "9007199254740994"];
    let numbers = large.map(|label| label.parse::<i64>().unwrap());
    for (labels, class_type, values) in [
        (["0", "1", "2"], "int64", json!([0, 1, 2])),
        (["-1", "0.5", "7"], "float64", json!([-1.0, 0.5, 7.0])),
        (KINDS, "str", json!(KINDS)),
        (large, "int64", json!(numbers)),
        (["a\tb", "c \"d\"", "e\nf"], "str", json!(["a\tb", "c \"d\"", "e\nf"])),
        (["#b", "a\u{2028}", "c"], "str", json!(["#b", "a\u{2028}", "c"])),
    ] {
        let cell = |label: &str| format!("\"{}\"", label.replace('"', "\"\""));
        let mut text = flowers(60);
        KINDS.iter().zip(labels).for_each(|(kind, label)| text = text.replace(kind, &cell(label)));
        fs::write(folder.join("data.csv"), text).unwrap();
        let fields = labels.map(|label| Field(label).to_string());
        let report = linear.report(folder, "fit data.csv --y kind --out run --force");
        assert_eq!(json(&folder.join("run/model.json"))["class_type"], class_type, "{labels:?}");
        let text = fs::read_to_string(folder.join("run/coef.tsv")).unwrap();
        for field in &fields {
            assert!(text.contains(&format!("\n{field}\t1\tlength\t")), "{text}");
        }
        let is_label = |value: &Value| values.as_array().unwrap().contains(value);
        let listed = report["results"]["coefficients"].as_array().unwrap();
        assert!(not_empty(listed).all(|entry| is_label(&entry["class"])), "{listed:?}");
        // The model that is read is the one that was fitted.
        let told = linear.report(folder, "predict run data.csv --y kind");
        assert!(told["accuracy"].as_f64().unwrap() > 0.9, "{told}");
        assert!(not_empty(told["classes"].as_array().unwrap()).all(is_label), "{told}");
        let again = linear.report(folder, "fit data.csv --y kind --init run");
        assert!(again["epochs"].as_u64() <= report["epochs"].as_u64(), "{again}");
    }
}

/// A folder as older versions wrote it numbers its classes from 1, and has no type of them.
#[test]
fn older_folders_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    let mut text = flowers(60);
    KINDS.iter().zip(["0", "1", "2"]).for_each(|(kind, label)| text = text.replace(kind, label));
    fs::write(folder.join("data.csv"), text).unwrap();
    linear.ends(folder, "fit data.csv --y kind --out run --quiet", 0);
    let expected = linear.ends(folder, "predict run data.csv", 0).out;
    let new = fs::read_to_string(folder.join("run/coef.tsv")).unwrap();
    let (header, lines) = new.split_once('\n').unwrap();
    let renumbered = lines.lines().map(|line| {
        let (class, rest) = line.split_once('\t').unwrap();
        format!("{}\t{rest}\n", class.parse::<u32>().unwrap() + 1)
    });
    let coefficients = format!("{header}\n{}", renumbered.collect::<String>());
    let mut about = json(&folder.join("run/model.json"));
    let facts = about.as_object_mut().unwrap();
    for member in ["sha256", "program", "version", "format", "files"] {
        assert!(facts.remove(member).is_some(), "{member}");
    }
    assert_eq!(facts.remove("class_type"), Some("int64".into()));
    let mut old = NewModel::create(&folder.join("old")).unwrap();
    let dual = fs::read(folder.join("run/dual.npy")).unwrap();
    let files = [
        ("coef.tsv", coefficients.into_bytes()),
        ("dual.npy", dual),
        ("model.json", about.to_string().into()),
    ];
    for (name, bytes) in files {
        old.write(name, |out| out.write_all(&bytes)).unwrap();
    }
    old.commit("linear", "0.1.0").unwrap();
    drop(old);
    assert_eq!(linear.ends(folder, "predict old data.csv", 0).out, expected);
    let again = linear.report(folder, "fit data.csv --y kind --init old");
    assert!(again["epochs"].as_u64() <= Some(1), "{again}");
}
