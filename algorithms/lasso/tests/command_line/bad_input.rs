//! What is refused, with exit status 2 and a text that names what is wrong.

use std::fs;

use crate::program::{ends, names, scratch};

#[test]
fn bad_usage_is_two_and_names_what_is_wrong() {
    let folder = scratch();
    fs::create_dir(folder.path().join("empty")).unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    for (line, why) in [
        ("--schedule fast", "choose auto, working-set, priority, shuffled or cyclic"),
        ("--ratio ten", "--ratio"),
        ("--ratio 0.5", "--ratio is 0.5"),
        ("--lambda 0", "--lambda is 0"),
        ("--lambda -1", "--lambda is -1"),
        ("--lambda nan", "--lambda is NaN"),
        ("--lambda 1 --ratio 2", "--ratio"),
        ("--tol 0", "--tol is 0"),
        ("--tol 1", "--tol is 1"),
        ("--workers 0", "--workers"),
        ("--workers two", "--workers"),
        ("--shards 0", "--shards"),
        ("--seed -1", "--seed"),
        ("--staleness -1", "--staleness"),
        ("--parallelism 0", "--parallelism"),
        ("--candidates 3 --parallelism 4 --schedule priority", "--candidates is 3"),
        ("--rho 2", "--rho is 2"),
        ("--rho much", "--rho"),
        ("--guard perhaps", "--guard"),
        ("--epochs many", "--epochs"),
        ("--time-limit nan", "--time-limit"),
        ("--rescale 3-4", "--rescale"),
        ("--mode sparse", "--mode"),
        ("--mode dense-std --no-intercept", "--no-intercept"),
        ("--format parquet", "--format"),
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
        ("c.svm", "1 1:2\n1 2:3 1:2\n", "", "c.svm:2: "),
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
