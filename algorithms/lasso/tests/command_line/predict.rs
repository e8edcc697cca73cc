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
fn dense_data_must_have_the_columns_of_the_model() {
    let folder = scratch();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("train.csv", "a,b,y\n1,2,3\n2,1,5\n4,4,9\n0,3,1\n");
    write("fewer.csv", "a,y\n1,3\n2,5\n");
    write("more.csv", "a,b,c,y\n1,2,3,4\n");
    write("swapped.csv", "b,a,y\n2,1,3\n");
    ends(folder.path(), "train.csv --ratio 100 --out run", 0);
    ends(folder.path(), "predict run train.csv", 0);
    for (data, why) in [
        ("fewer.csv", "it has 1 columns, the model 2"),
        ("more.csv", "it has 3 columns, the model 2"),
        ("swapped.csv", "column 1 is `b`, in the model it is `a`"),
    ] {
        let refused = ends(folder.path(), &format!("predict run {data}"), 2);
        assert!(refused.err.contains(data) && refused.err.contains(why), "{}", refused.err);
    }
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
