//! `lasso predict`.

use std::fs;

use raddle_datasets::embedded;

use crate::common::predictions;
use crate::program::{diabetes_csv, ends, model, scratch};

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
        assert!(said.iter().zip(&expected).all(|(said, expected)| (said - expected).abs() < 1e-9));
    };
    close(&ends(folder.path(), "predict run diabetes", 0).out);
    let ran = ends(folder.path(), "predict run d.csv --y progression --out said.txt", 0);
    close(&fs::read_to_string(folder.path().join("said.txt")).unwrap());
    let squares: f64 = expected.iter().zip(&table.y).map(|(p, y)| (p - y) * (p - y)).sum();
    let error = (squares / expected.len() as f64).sqrt();
    assert!(ran.out.contains(&format!("442 predictions, root mean squared error {error:.6}")), "{}", ran.out);
}

#[test]
fn sparse_data_may_end_early_but_not_go_beyond_the_model() {
    let folder = scratch();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("train.svm", "1 1:1 3:2\n2 2:1\n5 1:3 2:1\n-1 3:1\n");
    write("short.svm", "0 1:2\n0 2:1\n");
    write("long.svm", "0 1:2\n0 4:1\n");
    ends(folder.path(), "train.svm --ratio 1000 --out run", 0);
    let (coefficients, intercept) = model(&folder.path().join("run"));
    let value = |column| coefficients.iter().find(|(j, _)| *j == column).map_or(0.0, |(_, value)| *value);
    let expected = [intercept + 2.0 * value(0), intercept + value(1)];
    let said = ends(folder.path(), "predict run short.svm", 0).out;
    let said: Vec<f64> = said.lines().map(|line| line.parse().unwrap()).collect();
    assert!(said.iter().zip(expected).all(|(said, expected)| (said - expected).abs() < 1e-12), "{said:?}");
    let refused = ends(folder.path(), "predict run long.svm", 2);
    assert!(refused.err.contains("it has 4 columns, the model 3"), "{}", refused.err);
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
    // In any order, with a response or without, under its usual name or another, among columns of no use.
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
    // Names that the model does not know matter only where there is a column too many.
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
fn a_damaged_model_is_refused_with_its_line() {
    let folder = scratch();
    ends(folder.path(), "--out run", 0);
    let run = folder.path().join("run");
    for bad in ["1 2 3\n", "1 x\n", "0 1.0\n", "11 1.0\n", "1\n"] {
        fs::write(run.join("coef.tsv"), format!("2 1.0\n{bad}")).unwrap();
        let refused = ends(folder.path(), "predict run diabetes", 2);
        assert!(refused.err.contains("coef.tsv, line 2: expected `column value`"), "{bad}: {}", refused.err);
    }
    fs::write(run.join("model.json"), "{").unwrap();
    assert!(ends(folder.path(), "predict run diabetes", 2).err.contains("model.json"));
}
