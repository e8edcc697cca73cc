//! Refusals, with exit status 2 and a text that names what is wrong.

use std::fs;

use super::program::{ends, names, scratch};

#[test]
fn bad_usage_is_two_and_names_what_is_wrong() {
    let folder = scratch();
    fs::create_dir(folder.path().join("empty")).unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    for (line, why) in [
        ("--schedule fast", "choose auto, working-set, priority, shuffled or cyclic"),
        ("--ratio ten", "--ratio"),
        ("--ratio 0.5", "--ratio is 0.5"),
        ("--lambda 0 --nonnegative", "--lambda is 0"),
        ("--lambda -1", "--lambda is -1"),
        ("--lambda nan", "--lambda is NaN"),
        ("--lambda 1 --ratio 2", "--ratio"),
        ("--tol 0", "--tol is 0"),
        ("--tol -1", "--tol is -1"),
        ("path --points -1", "--points"),
        ("--lambda 1e308", "--lambda is 1e308"),
        ("--lambda 1e-320", "--lambda is"),
        ("--tol 1", "--tol is 1"),
        ("--workers 0", "--workers"),
        ("--workers two", "--workers"),
        ("--shards 0", "--shards"),
        ("--seed -1", "--seed"),
        ("--staleness -1", "--staleness"),
        ("--parallelism 0", "--parallelism"),
        ("--candidates 3 --parallelism 4 --schedule priority", "--candidates is 3"),
        ("--rho 2 --schedule priority", "--rho is 2"),
        ("--rho much", "--rho"),
        ("--guard perhaps", "--guard"),
        ("--epochs many", "--epochs"),
        ("--time-limit nan", "--time-limit"),
        ("--rescale 3-4", "--rescale"),
        ("--mode sparse", "--mode"),
        ("--mode dense-std --no-intercept", "--no-intercept"),
        ("--format excel", "--format"),
        ("--no-such-option", "--no-such-option"),
        ("--checkpoint-every 2", "--checkpoint-every needs a folder"),
        ("--resume nowhere", "nowhere"),
        ("--resume empty", "no run was begun in it"),
        ("--init nowhere", "nowhere/model.json"),
        ("--out file", "this is a file"),
        ("predict", "MODEL"),
        ("predict nowhere diabetes", "nowhere/model.json"),
        ("path --points 0", "--points"),
        ("path --schedule cyclic", "--schedule"),
        ("nowhere.svm", "nowhere.svm"),
        ("nowhere", "known sets are diabetes"),
        ("synth:groups:n=5", "synth:groups:n=5"),
    ] {
        let ran = ends(folder.path(), &format!("{line} --json"), 2);
        let ran =
            if ran.err.contains("unexpected argument '--json'") { ends(folder.path(), line, 2) } else { ran };
        assert!(ran.err.contains(why), "lasso {line}: {}", ran.err);
        assert!(ran.out.is_empty(), "lasso {line}: {}", ran.out);
    }
    assert_eq!(names(folder.path()), ["empty", "file"], "nothing is left of a refused run");
}

#[test]
fn bad_input_is_two_and_named_with_file_and_line() {
    let folder = scratch();
    for (name, text, options, why) in [
        ("a.svm", "1 1:2\nx 1:2\n", "", "a.svm:2: "),
        ("b.svm", "1 1:2\n1 1:nan\n", "", "b.svm:2: "),
        ("c.svm", "1 1:2\n1 2:3 2:2\n", "", "c.svm:2: "),
        ("d.csv", "a,y\n1,2\n3,nan\n", "", "d.csv:3: "),
        ("e.csv", "a,y\n1,2\n3\n", "", "e.csv:3: "),
        ("f.csv", "a,b\n1,2\n3,4\n", "--y c", "f.csv"),
        ("g.csv", "a,b\n1,2\n3,4\n", "", "g.csv"),
        ("h.svm", "", "--format libsvm", "h.svm"),
        ("i.svm", "1 1:2\n", "--y 1", "--y"),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
        let ran = ends(folder.path(), &format!("{name} {options} --json --out run"), 2);
        assert!(ran.err.starts_with("lasso: error: ") && ran.err.contains(why), "{name}: {}", ran.err);
        assert!(ran.out.is_empty());
        assert!(!folder.path().join("run").exists(), "{name}: nothing is left of a refused run");
    }
}

#[test]
fn columns_need_names_of_their_own() {
    let folder = scratch();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("twice.csv", "x,x,y\n1,2,3\n2,1,5\n4,4,9\n");
    for verb in ["fit", "path", "cv"] {
        let refused = ends(folder.path(), &format!("{verb} twice.csv"), 2);
        assert!(
            refused.err.contains("two columns are called `x`") && refused.err.contains("name of its own"),
            "{}",
            refused.err
        );
    }
    write("index.csv", ",x,y\n0,2,3\n1,1,5\n2,4,9\n");
    let ran = ends(folder.path(), "fit index.csv", 0);
    assert!(ran.err.contains("no name"), "{}", ran.err);
}

#[test]
fn what_cannot_be_squared_is_refused_by_name() {
    let folder = scratch();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    for scale in ["e-162", "e154", "e300"] {
        let rows: String =
            [(1, 2), (2, 3), (3, 5), (4, 4)].map(|(x, y)| format!("{x},{y}{scale}\n")).concat();
        write("y.csv", &format!("x,y\n{rows}"));
        for line in ["y.csv", "y.csv --schedule cyclic", "path y.csv", "cv y.csv --folds 2"] {
            let refused = ends(folder.path(), line, 2);
            assert!(refused.err.contains("scale the response"), "{line}: {}", refused.err);
        }
        let rows: String =
            [(1, 2), (2, 3), (3, 5), (4, 4)].map(|(x, y)| format!("{x},{x}{scale},{y}\n")).concat();
        write("x.csv", &format!("a,income,y\n{rows}"));
        let line = "x.csv --no-standardize --schedule cyclic";
        let refused = ends(folder.path(), line, 2);
        assert!(
            refused.err.contains("income") && refused.err.contains("scale the column"),
            "{}",
            refused.err
        );
    }
    write("p.csv", "d,y\n2.241,-1e308\n0.378,2.954\n0.156,-1.421\n-0.302,2.877\n0.777,0.197\n");
    for line in ["p.csv", "p.csv --schedule priority", "p.csv --schedule shuffled", "path p.csv"] {
        let refused = ends(folder.path(), line, 2);
        assert!(refused.err.contains("scale the response"), "{line}: {}", refused.err);
    }
}

#[test]
fn small_units_are_shown_with_their_digits() {
    let folder = scratch();
    let rows: String = (1..9).map(|i| format!("{}e9,{}e-9\n", i * i % 7, (i * 3) % 5)).collect();
    fs::write(folder.path().join("units.csv"), format!("bytes,y\n{rows}")).unwrap();
    for line in
        ["fit units.csv --ratio 100", "path units.csv --points 4", "cv units.csv --folds 2 --points 4"]
    {
        let ran = ends(folder.path(), line, 0);
        assert!(!ran.out.contains("0.000000") && ran.out.contains("e-"), "{line}: {}", ran.out);
    }
}
