//! Whatever is wrong is named, with what to do, and ends with 2.

use std::fs;

use crate::program::{SMALL, ends, names, scratch};

#[test]
fn a_bad_parameter_is_named() {
    let folder = scratch();
    for (options, why) in [
        ("--rank 0", "--rank is 0: it must be from 1 to 4096"),
        ("--reg -1", "--reg is -1: it must be a number of 0 or more"),
        ("--step 0", "--step is 0: it must be a number above 0"),
        ("--step nan", "--step is NaN"),
        ("--count-power 2", "--count-power is 2: it must lie between 0 and 1"),
        ("--epochs 0", "--epochs is 0: there must be at least 1"),
        ("--inner 0 --solver ccd", "--inner is 0"),
        ("--target -1", "--target is -1"),
        ("--solver newton", "--solver `newton` does not exist: choose sgd, als or ccd"),
        ("--schedule cyclic", "--schedule `cyclic` does not exist: choose auto, rotation or priority"),
        ("--schedule priority --solver als", "only --solver sgd has blocks"),
        ("--implicit", "only --solver als knows implicit feedback"),
        ("--implicit 0 --solver als", "--implicit is 0: it must be a number above 0"),
        ("--implicit --solver als --nonnegative", "not supported with --implicit"),
        ("--implicit --solver als --target 1", "which --implicit has not"),
        ("--validation 1.5", "--validation is 1.5: a share must lie between 0 and 1"),
        ("--validation missing.tsv", "--validation: missing.tsv: cannot read"),
        ("--test missing.tsv", "--test: missing.tsv: cannot read"),
        ("--ranking 5", "--ranking measures on a test set"),
        ("--init nowhere", "give the folder that --out wrote"),
        ("--format xls", "--format: `xls` is no format of ratings"),
        ("--duplicates best", "no rule for duplicates"),
        ("--blocks 70000", "--blocks is 70000: at most 4096"),
        ("--shards 4000", "times the blocks it must not exceed 65536"),
        ("--solver ccd --inner 1000", "--inner is 1000: at most 100"),
        ("--solver als --cg-steps 9999999999", "at most 4098"),
        ("--parallelism 4", "--parallelism has no use here"),
        ("--rho 0.5", "--rho has no use here"),
        ("--staleness 2", "--staleness has no use here"),
        ("--explain", "--explain has no use here"),
    ] {
        let ran = ends(folder.path(), &format!("fit {SMALL} {options} --quiet"), 2);
        assert!(ran.err.contains(why), "{options}: {}", ran.err);
        assert!(ran.out.is_empty());
    }
    assert!(names(folder.path()).is_empty());
}

#[test]
fn bad_data_name_file_and_line() {
    let folder = scratch();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("broken.csv", "user,item,rating\n1,2,3\n1,2\n");
    write("empty.csv", "");
    write("minus.csv", "1,2,3\n2,2,-4\n");
    write("one.csv", "1,2,3\n");
    write("twice.csv", "1,2,3\n1,2,4\n2,1,1\n");
    for (line, why) in [
        ("broken.csv", "broken.csv:3: 2 of at least 3 fields"),
        ("empty.csv", "empty.csv: the file is empty"),
        ("nothing.csv", "nothing.csv: cannot read"),
        ("ml-2m", "neither a file nor a public set of ratings"),
        ("synth:ratings:users=2", "`items` is missing"),
        ("minus.csv --solver als --implicit --validation none", "rating 2 is -4: implicit feedback counts"),
        ("twice.csv --duplicates refuse", "user 1 rates item 2 again"),
        ("broken.csv --columns a,b", "broken.csv:1: there is no column `a`"),
    ] {
        let ran = ends(folder.path(), &format!("fit {line} --quiet"), 2);
        assert!(ran.err.contains(why), "{line}: {}", ran.err);
    }
    // A single rating, and ratings that do not differ, are odd but no error.
    ends(folder.path(), "fit one.csv --quiet", 0);
    write("same.csv", "1,1,4\n1,2,4\n2,1,4\n3,2,4\n");
    for solver in ["sgd", "als", "ccd"] {
        ends(folder.path(), &format!("fit same.csv --quiet --solver {solver} --epochs 3 --out {solver}"), 0);
        let ran = ends(folder.path(), &format!("predict {solver} same.csv"), 0);
        let value = |line: &str| line.split('\t').next_back().unwrap().parse::<f64>().unwrap();
        assert!(ran.out.lines().all(|line| (value(line) - 4.0).abs() < 0.05), "{}", ran.out);
    }
}

#[test]
fn a_model_that_is_not_whole_is_refused() {
    let folder = scratch();
    ends(folder.path(), &format!("fit {SMALL} --rank 2 --epochs 2 --out run --quiet"), 0);
    let refused = |why: &str| {
        let ran = ends(folder.path(), &format!("predict run {SMALL}"), 2);
        assert!(ran.err.contains(why), "{}", ran.err);
    };
    let path = folder.path().join("run/item_bias.npy");
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    refused("item_bias.npy: not an array that --out wrote");
    fs::copy(folder.path().join("run/user_bias.npy"), &path).unwrap();
    refused("its shape is [120], but model.json asks for [60]");
    fs::write(folder.path().join("run/model.json"), "{}").unwrap();
    refused("model.json: missing field");
    let ran = ends(folder.path(), &format!("predict nowhere {SMALL}"), 2);
    assert!(ran.err.contains("give the folder that --out wrote"), "{}", ran.err);
}
