//! `lasso predict`.

use std::fs;

use raddle_datasets::embedded;

use raddle_common::testing::pairs;

use super::program::{diabetes_csv, ends, model, scratch};
use crate::common::predictions;

#[test]
fn predictions_are_x_b_plus_intercept() {
    let folder = scratch();
    diabetes_csv(folder.path(), "d.csv");
    ends(folder.path(), "d.csv --y progression --ratio 100 --out run", 0);
    let table = embedded::diabetes();
    let (coefficients, intercept) = model(&folder.path().join("run"));
    assert!(intercept != 0.0);
    let expected = predictions(&table.x, &coefficients, intercept);
    let close = |text: &str| {
        let said: Vec<f64> = text.lines().map(|line| line.parse().unwrap()).collect();
        assert_eq!(said.len(), expected.len());
        assert!(pairs(&said, &expected).all(|(said, expected)| (said - expected).abs() < 1e-9));
    };
    close(&ends(folder.path(), "predict run diabetes", 0).out);
    let ran = ends(folder.path(), "predict run d.csv --y progression --out said.txt", 0);
    close(&fs::read_to_string(folder.path().join("said.txt")).unwrap());
    let squares: f64 = expected.iter().zip(&table.y).map(|(p, y)| (p - y) * (p - y)).sum();
    let error = (squares / expected.len() as f64).sqrt();
    let error = raddle_cli::number(error);
    assert!(ran.out.contains(&format!("442 predictions, root mean squared error {error}")), "{}", ran.out);
}

#[test]
fn sparse_data_may_end_early_and_what_goes_beyond_the_model_is_counted() {
    let folder = scratch();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("train.svm", "1 1:1 3:2\n2 2:1\n5 1:3 2:1\n-1 3:1\n");
    write("short.svm", "0 1:2\n0 2:1\n");
    write("long.svm", "0 1:2\n0 2:1 4:1 9:2\n");
    ends(folder.path(), "train.svm --ratio 1000 --out run", 0);
    let (coefficients, intercept) = model(&folder.path().join("run"));
    let value = |column| coefficients.iter().find(|(j, _)| *j == column).map_or(0.0, |(_, value)| *value);
    let expected = [intercept + 2.0 * value(0), intercept + value(1)];
    let said = ends(folder.path(), "predict run short.svm", 0).out;
    let said: Vec<f64> = said.lines().map(|line| line.parse().unwrap()).collect();
    assert!(pairs(&said, expected).all(|(said, expected)| (said - expected).abs() < 1e-12), "{said:?}");
    let long = ends(folder.path(), "predict run long.svm", 0);
    assert_eq!(long.out.lines().map(|line| line.parse().unwrap()).collect::<Vec<f64>>(), said);
    assert!(long.err.contains("left out: 2 values at indices above 3, the model's columns"), "{}", long.err);
}

#[test]
fn data_with_names_are_matched_by_name() {
    let folder = scratch();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("train.csv", "a,b,y\n1,2,3\n2,1,5\n4,4,9\n0,3,1\n");
    ends(folder.path(), "train.csv --ratio 100 --out run", 0);
    write("new.csv", "a,b\n1,2\n2,1\n");
    let plain = ends(folder.path(), "predict run new.csv", 0);
    assert!(plain.err.is_empty(), "without a response there is no error measure: {}", plain.err);
    // In any order, with or without a response, under its usual name or another, among unused columns.
    for (data, measured, left_out) in [
        ("b,a\n2,1\n1,2\n", false, ""),
        ("a,b,y\n1,2,3\n2,1,5\n", true, ""),
        ("y,b,a\n3,2,1\n5,1,2\n", true, ""),
        ("label,b,a\n3,2,1\n5,1,2\n", true, ""),
        ("a,id,b,size\n1,7,2,8\n2,7,1,8\n", false, "left out, as the model does not use them: id, size"),
    ] {
        write("data.csv", data);
        let ran = ends(folder.path(), "predict run data.csv", 0);
        assert_eq!(ran.out, plain.out, "{data}");
        assert_eq!(ran.err.contains("root mean squared error"), measured, "{data}: {}", ran.err);
        assert!(ran.err.contains(left_out), "{data}: {}", ran.err);
    }
    write("data.csv", "a,b,size\n1,2,3\n2,1,5\n");
    let named = ends(folder.path(), "predict run data.csv --y size", 0);
    assert!(named.out == plain.out && named.err.contains("R2"), "{}", named.err);
    for (data, why) in [
        ("a,y\n1,3\n2,5\n", "it has no column `b`, which the model uses; it has 2 columns, the model 2"),
        ("x,y,z\n1,3,5\n", "it has no column `a`, `b`, which the model uses; it has 3 columns, the model 2"),
        ("a,b,b\n1,3,5\n", "there are two columns `b`"),
    ] {
        write("data.csv", data);
        let refused = ends(folder.path(), "predict run data.csv", 2);
        assert!(refused.err.contains("data.csv") && refused.err.contains(why), "{}", refused.err);
    }
}

#[test]
fn data_without_names_are_matched_by_position() {
    let folder = scratch();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("train.csv", "1,2,3\n2,1,5\n4,4,9\n0,3,1\n");
    ends(folder.path(), "train.csv --y 3 --ratio 100 --out run", 0);
    write("new.csv", "1,2\n2,1\n");
    let plain = ends(folder.path(), "predict run new.csv --out said.txt", 0);
    assert_eq!(plain.out, "2 predictions\n");
    let expected = fs::read_to_string(folder.path().join("said.txt")).unwrap();
    let mtx = "%%MatrixMarket matrix coordinate real general\n";
    write("new.mtx", &format!("{mtx}2 2 4\n1 1 1\n1 2 2\n2 1 2\n2 2 1\n"));
    write("y.csv", "3\n5\n");
    let npy = |name: &str, shape: [usize; 2], values: &[f64]| {
        let header =
            format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}", shape[0], shape[1]);
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16 + 1).to_le_bytes());
        bytes.extend(header.bytes().chain([b'\n']));
        bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        fs::write(folder.path().join(name), bytes).unwrap();
    };
    npy("new.npy", [2, 2], &[1.0, 2.0, 2.0, 1.0]);
    npy("with.npy", [2, 3], &[1.0, 2.0, 3.0, 2.0, 1.0, 5.0]);
    write("with.csv", "1,2,3\n2,1,5\n");
    // Names that the model does not know matter only if there is a column too many.
    write("named.csv", "y,z\n1,2\n2,1\n");
    write("usual.csv", "u,target,v\n1,3,2\n2,5,1\n");
    for (line, measured) in [
        ("new.csv", false),
        ("new.npy", false),
        ("new.mtx", false),
        ("named.csv", false),
        ("new.csv --y y.csv", true),
        ("new.npy --y y.csv", true),
        ("new.mtx --y y.csv", true),
        ("with.csv --y 3", true),
        ("with.npy --y -1", true),
        ("usual.csv", true),
    ] {
        let ran = ends(folder.path(), &format!("predict run {line}"), 0);
        assert_eq!(ran.out, expected, "{line}");
        assert_eq!(ran.err.contains("root mean squared error"), measured, "{line}: {}", ran.err);
    }
    write("wide.mtx", &format!("{mtx}2 4 1\n1 1 1\n"));
    write("narrow.mtx", &format!("{mtx}2 1 1\n1 1 1\n"));
    write("one.csv", "1\n2\n");
    for (line, why) in [
        ("with.csv", "it has 3 columns, the model 2: if one of them is the response, name it by --y"),
        ("with.npy", "it has 3 columns, the model 2: if one of them is the response, name it by --y"),
        ("wide.mtx", "it has 4 columns, the model 2"),
        ("narrow.mtx", "it has 1 column, the model 2"),
        ("one.csv --format csv", "it has 1 column, the model 2"),
        ("new.csv --y 2", "it has 1 column, the model 2"),
        ("new.csv --y size", "`size` is neither a column nor a file"),
    ] {
        let refused = ends(folder.path(), &format!("predict run {line}"), 2);
        assert!(refused.err.contains(why), "{line}: {}", refused.err);
    }
}

#[test]
fn a_response_that_does_not_vary_has_no_r2() {
    let folder = scratch();
    fs::write(folder.path().join("train.csv"), "a,y\n1,3\n2,5\n4,9\n").unwrap();
    fs::write(folder.path().join("flat.csv"), "a,y\n1,3\n2,3\n").unwrap();
    ends(folder.path(), "train.csv --out run", 0);
    let ran = ends(folder.path(), "predict run flat.csv --out said.txt", 0);
    assert!(ran.out.contains("R2 undefined") && !ran.out.contains("NaN"), "{}", ran.out);
}

#[test]
fn a_damaged_model_is_refused_by_the_name_of_its_file() {
    let folder = scratch();
    ends(folder.path(), "--out run", 0);
    let run = folder.path().join("run");
    for file in ["coef.tsv", "model.json"] {
        let whole = fs::read(run.join(file)).unwrap();
        for bytes in [&b""[..], &whole[..whole.len() / 2], &[&whole[..], b"\n"].concat()] {
            fs::write(run.join(file), bytes).unwrap();
            for line in ["predict run diabetes", "diabetes --init run"] {
                let refused = ends(folder.path(), line, 2);
                assert!(refused.err.contains(file) && refused.out.is_empty(), "{file}: {}", refused.err);
            }
        }
        fs::write(run.join(file), &whole).unwrap();
        ends(folder.path(), "predict run diabetes", 0);
    }
}

#[test]
fn zero_based_indices_are_read_as_the_model_was() {
    let folder = scratch();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("one.svm", "1 1:1 3:2\n2 2:1\n5 1:3 2:1\n-1 3:1\n");
    write("zero.svm", "1 0:1 2:2\n2 1:1\n5 0:3 1:1\n-1 2:1\n");
    ends(folder.path(), "one.svm --ratio 1000 --out one", 0);
    let refused = ends(folder.path(), "zero.svm --ratio 1000", 2);
    assert!(refused.err.contains("--zero-based"), "{}", refused.err);
    ends(folder.path(), "zero.svm --zero-based --ratio 1000 --out zero", 0);
    assert_eq!(model(&folder.path().join("one")), model(&folder.path().join("zero")));
    let expected = ends(folder.path(), "predict one one.svm", 0).out;
    assert_eq!(ends(folder.path(), "predict one zero.svm --zero-based", 0).out, expected);
    // The model knows how indices count in its own data: no index 0 is needed to see it.
    write("later.svm", "1 2:2\n2 1:1\n");
    let own = ends(folder.path(), "predict zero later.svm", 0).out;
    assert_eq!(own, ends(folder.path(), "predict one later.svm --zero-based", 0).out);
    assert_ne!(own, ends(folder.path(), "predict one later.svm", 0).out);
}

#[test]
fn scripts_read_predictions_as_json() {
    let folder = scratch();
    ends(folder.path(), "--ratio 100 --out run", 0);
    let plain = ends(folder.path(), "predict run diabetes", 0);
    let ran = ends(folder.path(), "predict run diabetes --json --quiet", 0);
    assert!(ran.err.is_empty() && ran.out.matches('\n').count() == 1, "{}", ran.err);
    let said: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let lines: Vec<f64> = plain.out.lines().map(|line| line.parse().unwrap()).collect();
    let values: Vec<f64> =
        said["predictions"].as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect();
    assert_eq!(values, lines);
    assert_eq!(said["rows"], 442);
    assert!(said["root_mean_squared_error"].as_f64() > Some(0.0) && said["r2"].as_f64() < Some(1.0));
    let ran = ends(folder.path(), "predict run diabetes --json --out said.txt", 0);
    let said: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert!(said["predictions"].is_null() && said["rows"] == 442, "{said}");
    assert!(ends(folder.path(), "predict run diabetes --quiet", 0).err.is_empty());
}

#[test]
fn columns_that_the_model_does_not_use_may_hold_anything() {
    let folder = scratch();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("train.csv", "a,b,y\n1,2,3\n2,1,5\n4,4,9\n0,3,1\n");
    ends(folder.path(), "train.csv --ratio 100 --out run", 0);
    write("new.csv", "a,b\n1,2\n2,1\n");
    let plain = ends(folder.path(), "predict run new.csv", 0).out;
    write("more.csv", "id,a,note,b,y\nA1,1,\"good, or not\",2,\nA2,2,,1,\n");
    let ran = ends(folder.path(), "predict run more.csv", 0);
    assert_eq!(ran.out, plain);
    assert!(ran.err.contains("left out, as the model does not use them: id, note"), "{}", ran.err);
    assert!(!ran.err.contains("root mean squared error"), "an empty response measures nothing: {}", ran.err);
    assert!(ends(folder.path(), "predict run more.csv --quiet", 0).err.is_empty());
}

/// Every row has a line, whatever the model was fitted with, the format, and the empty cell.
#[test]
fn every_row_has_a_line_whatever_cells_are_empty() {
    let folder = scratch();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let rows = |header: &str, cells: [&str; 3]| {
        let row = |at: usize| format!("{},{},{},{}\n", at % 5, at % 3, 1 + at % 2, 1 + at % 5 + 2 * (at % 3));
        let more: String = (0..20).map(row).collect();
        format!("{header}{more}{},{},{},3\n", cells[0], cells[1], cells[2])
    };
    for header in ["a,b,w,y\n", ""] {
        let name = |at: usize| {
            if header.is_empty() { at.to_string() } else { header[2 * at - 2..2 * at - 1].to_owned() }
        };
        write("whole.csv", &rows(header, ["1", "2", "2"]));
        for (loss, missing) in [
            ("squared", "refuse"),
            ("squared", "drop"),
            ("poisson", "refuse"),
            ("multinomial", "refuse"),
            ("squared", "mean"),
        ] {
            let y = name(4);
            ends(
                folder.path(),
                &format!(
                    "whole.csv --y {y} --loss {loss} --missing {missing} --ratio 50 --out run --force --quiet"
                ),
                0,
            );
            let whole = ends(folder.path(), &format!("predict run whole.csv --y {y}"), 0).out;
            for (cells, lacks) in [(["", "2", "2"], true), (["1", "NA", "2"], true), (["", "", ""], true)] {
                write("gap.csv", &rows(header, cells));
                // Without names, data have as many columns as the model, or the response is named.
                let lines = [format!("predict run gap.csv --y {y}"), "predict run gap.csv".to_owned()];
                for line in lines.into_iter().take(if header.is_empty() { 1 } else { 2 }) {
                    let ran = ends(folder.path(), &line, 0);
                    let lines: Vec<&str> = ran.out.lines().collect();
                    assert_eq!(lines.len(), 21, "{loss} {missing} {line}: {}", ran.err);
                    assert_eq!(lines[..20], whole.lines().take(20).collect::<Vec<_>>(), "{line}");
                    let is_told = missing != "mean" && lacks;
                    assert_eq!(
                        lines[20].split('\t').all(|of| of == "nan"),
                        is_told,
                        "{missing}: {}",
                        lines[20]
                    );
                    assert_eq!(ran.err.contains("1 row not predicted (nan)"), is_told, "{}", ran.err);
                }
            }
        }
    }
}

#[test]
fn a_row_without_its_offset_has_no_prediction_and_one_without_a_weight_counts_nothing() {
    let folder = scratch();
    let row = |at: usize| format!("{},{},{},{}\n", at % 5, 1 + at % 2, 0.5 + (at % 3) as f64, at % 4);
    let rows: String = (0..20).map(row).collect();
    fs::write(folder.path().join("fit.csv"), format!("a,w,o,y\n{rows}")).unwrap();
    fs::write(folder.path().join("gap.csv"), format!("a,w,o,y\n{rows}1,,1,2\n1,1,,2\n")).unwrap();
    ends(folder.path(), "fit.csv --loss poisson --offset o --weights w --ratio 10 --out run", 0);
    let ran = ends(folder.path(), "predict run gap.csv --weights w", 0);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert!(lines.len() == 22 && lines[20] != "nan" && lines[21] == "nan", "{lines:?}");
    assert!(
        ran.err.contains("1 row without a weight") && ran.err.contains("1 row not predicted"),
        "{}",
        ran.err
    );
    let [with, without] =
        ["predict run gap.csv --weights w --json", "predict run fit.csv --weights w --json"].map(|line| {
            serde_json::from_str::<serde_json::Value>(&ends(folder.path(), line, 0).out).unwrap()
        });
    assert_eq!(with["mean_poisson_deviance"], without["mean_poisson_deviance"]);
}

#[test]
fn predictions_say_which_rows_they_are_of() {
    let folder = scratch();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("train.csv", "a,b,y\n1,2,3\n2,1,5\n4,4,9\n0,3,1\n");
    ends(folder.path(), "train.csv --ratio 100 --out run", 0);
    write("new.csv", "who,a,b\n007,1,2\n\"x\ty\",2,1\n,0,1\n9007199254740993,,1\n");
    write("names.txt", "name\np\nq\nr\ns\n");
    write("new.svm", "0 1:1 2:2\n0 1:2 2:1\n0 2:1\n0 2:1\n");
    let plain = ends(folder.path(), "predict run new.csv", 0).out;
    for (line, ids) in [
        ("new.csv --id who", ["007", "\"x\ty\"", "\"\"", "9007199254740993"]),
        ("new.csv --id 1", ["007", "\"x\ty\"", "\"\"", "9007199254740993"]),
        ("new.csv --id names.txt", ["p", "q", "r", "s"]),
        // A feature may be the name, too.
        ("new.csv --id b", ["2", "1", "1", "1"]),
    ] {
        let ran = ends(folder.path(), &format!("predict run {line}"), 0);
        let expected: String =
            pairs(ids, plain.lines()).map(|(id, line)| format!("{id}\t{line}\n")).collect();
        assert_eq!(ran.out, expected, "{line}");
        ends(folder.path(), &format!("predict run {line} --out said.txt"), 0);
        assert_eq!(fs::read_to_string(folder.path().join("said.txt")).unwrap(), expected, "{line}");
    }
    let said = |line: &str| -> serde_json::Value {
        serde_json::from_str(&ends(folder.path(), &format!("predict run {line} --json"), 0).out).unwrap()
    };
    assert_eq!(said("new.csv --id who")["ids"], serde_json::json!(["007", "x\ty", "", "9007199254740993"]));
    assert_eq!(said("new.csv")["ids"], serde_json::json!([1, 2, 3, 4]));
    assert_eq!(said("new.svm --id names.txt")["ids"], serde_json::json!(["p", "q", "r", "s"]));
    write("few.txt", "name\np\nq\n");
    for (line, why) in [
        ("new.csv --id nobody", "--id: `nobody` is neither a column nor a file"),
        ("new.csv --id few.txt", "--id: 2 values for 4 rows"),
        ("new.svm --id who", "--id who: libsvm has no columns with names"),
    ] {
        let refused = ends(folder.path(), &format!("predict run {line}"), 2);
        assert!(refused.err.contains(why), "{line}: {}", refused.err);
    }
}
