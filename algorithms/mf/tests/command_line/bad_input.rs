//! Every error is named, with its cure, and ends with status 2.

use std::fs;

use raddle_common::testing::not_empty;

use super::program::{SMALL, ends, names, ran, scratch};

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
        ("--implicit --solver sgd", "only --solver als knows implicit feedback"),
        ("--implicit 0 --solver als", "--implicit is 0: it must be a number above 0"),
        ("--implicit --solver als --nonnegative", "not supported with --implicit"),
        ("--implicit --solver als --target 1", "which --implicit has not"),
        ("--reg-power 2", "--reg-power is 2: it must lie between 0 and 1"),
        ("--reg-power 0.5 --unweighted-reg", "cannot be used with"),
        ("--validation 1.5", "--validation is 1.5: a share must lie between 0 and 1"),
        ("--validation missing.tsv", "--validation: missing.tsv: cannot read"),
        ("--test missing.tsv", "--test: missing.tsv: cannot read"),
        ("--ranking 5", "--ranking measures on a test set"),
        ("--init nowhere", "give the folder that --out wrote"),
        ("--duplicates best", "no rule for duplicates"),
        ("--blocks 70000", "--blocks is 70000: at most 4096"),
        ("--shards 4000", "times the blocks it must not exceed 65536"),
        ("--solver ccd --inner 1000", "--inner is 1000: at most 100"),
        ("--solver als --cg-steps 9999999999", "at most 4098"),
        ("--parallelism 4", "--parallelism has no effect in mf"),
        ("--rho 0.5 --explain", "--rho and --explain have no effect in mf"),
        ("--staleness 2", "--staleness has no effect in mf"),
        ("--guard off", "--guard has no effect in mf"),
        ("--solver als --step 0.1", "--step has no effect with --solver als"),
        ("--solver ccd --cg-steps 2", "--cg-steps has no effect with --solver ccd"),
        ("--inner 2 --cg-steps 2", "--cg-steps and --inner have no effect with --solver sgd"),
        ("--solver als --blocks 2", "--blocks has no effect with --solver als"),
        ("--no-biases --bias-reg 1", "--bias-reg has no effect with --no-biases"),
        ("--solver als --nonnegative --cg-steps 2", "--cg-steps has no effect with --nonnegative"),
        ("--columns 1,2", "--columns has no effect on generated ratings and public sets"),
        ("--solver als --target 1 --validation none", "nothing is held out that it could be checked on"),
        ("--refit --validation none", "--refit adds the validation data"),
        ("--test 0.2", "--test 0.2: give split, the latest as in last:0.1, a file, or none"),
        ("--validation -1", "--validation is -1: a share must lie between 0 and 1"),
        ("--ranking 0 --test split", "--ranking is 0"),
        ("--relevant 4", "--relevant has no effect without --ranking"),
        ("--relevant nan --ranking 5 --test split", "--relevant is NaN: give a rating"),
        ("--relevant inf --ranking 5 --test split", "--relevant is inf: give a rating"),
        ("--relevant 99 --ranking 5 --test split", "--relevant is 99: no test rating is as high"),
        (
            "--relevant 1 --ranking 5 --test split --solver als --implicit",
            "--relevant has no effect with --implicit",
        ),
        ("--min-count 1000000", "--min-count 1000000 leaves no rating"),
        ("--min-count -1", "--min-count"),
        ("--reg nan", "--reg is NaN: it must be a number of 0 or more"),
        ("--reg inf", "--reg is inf: it must be a number of 0 or more"),
        ("--bias-reg nan", "--bias-reg is NaN"),
        ("--bias-step inf", "--bias-step is inf"),
        ("--item-step nan", "--item-step is NaN"),
        ("--init-scale 0", "--init-scale is 0"),
        ("--count-power nan", "--count-power is NaN"),
        ("--target inf", "--target is inf"),
        ("--implicit nan --solver als", "--implicit is NaN"),
        ("--validation nan", "--validation is NaN: a share must lie between 0 and 1"),
        ("--validation inf", "--validation is inf"),
        ("--test nan", "--test nan: give split"),
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
    write("one.csv", "1,2,3\n");
    write("twice.csv", "1,2,3\n1,2,4\n2,1,1\n");
    for (line, why) in [
        ("broken.csv", "broken.csv:3: 2 of at least 3 fields"),
        ("empty.csv", "empty.csv: the file is empty"),
        ("nothing.csv", "nothing.csv: cannot read"),
        ("ml-2m", "neither a file nor a public set of ratings"),
        ("synth:ratings:users=2", "`items` is missing"),
        ("twice.csv --duplicates refuse", "user 1 rates item 2 again"),
        ("twice.csv --format xls", "--format: `xls` is no format of ratings"),
        ("broken.csv --columns a,b", "broken.csv:1: there is no column `a`"),
    ] {
        let ran = ends(folder.path(), &format!("fit {line} --quiet"), 2);
        assert!(ran.err.contains(why), "{line}: {}", ran.err);
    }
    // A single rating, and equal ratings, are odd but no error.
    ends(folder.path(), "fit one.csv --quiet", 0);
    write("same.csv", "1,1,4\n1,2,4\n2,1,4\n3,2,4\n");
    for solver in ["sgd", "als", "ccd"] {
        ends(folder.path(), &format!("fit same.csv --quiet --solver {solver} --epochs 3 --out {solver}"), 0);
        let ran = ends(folder.path(), &format!("predict {solver} same.csv"), 0);
        let value = |line: &str| line.split('\t').next_back().unwrap().parse::<f64>().unwrap();
        assert!(not_empty(ran.out.lines()).all(|line| (value(line) - 4.0).abs() < 0.05), "{}", ran.out);
    }
}

#[test]
fn a_model_that_was_cut_or_edited_is_refused_by_the_name_of_its_file() {
    let folder = scratch();
    ends(folder.path(), &format!("fit {SMALL} --rank 2 --epochs 2 --out run --quiet"), 0);
    let said = ends(folder.path(), &format!("predict run {SMALL}"), 0).out;
    for name in ["user_factors.npy", "item_factors.npy", "user_bias.npy", "item_bias.npy", "model.json"] {
        let path = folder.path().join("run").join(name);
        let whole = fs::read(&path).unwrap();
        let flipped = |at: usize| {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            bytes
        };
        let cut = (0..4).map(|quarter| whole[..whole.len() * quarter / 4].to_vec());
        for wrong in cut.chain([flipped(0), flipped(whole.len() / 2), flipped(whole.len() - 1)]) {
            fs::write(&path, &wrong).unwrap();
            for line in [
                &*format!("predict run {SMALL}"),
                "recommend run",
                &format!("fit {SMALL} --rank 2 --init run"),
            ] {
                let ran = ends(folder.path(), line, 2);
                assert!(ran.err.contains(name), "{line}: {}", ran.err);
            }
        }
        fs::write(&path, &whole).unwrap();
    }
    assert_eq!(ends(folder.path(), &format!("predict run {SMALL}"), 0).out, said);
    let ran = ends(folder.path(), &format!("predict nowhere {SMALL}"), 2);
    assert!(ran.err.contains("give the folder that --out wrote"), "{}", ran.err);
}

#[test]
fn verbs_of_use_name_what_is_wrong() {
    let folder = scratch();
    ends(folder.path(), &format!("fit {SMALL} --rank 2 --epochs 2 --out run --quiet"), 0);
    for (line, why) in [
        ("recommend run --top 0", "--top is 0"),
        ("recommend run --top -1", "invalid value '-1'"),
        ("recommend run --workers 0", "a whole number from 1 to 1024"),
        ("recommend run --columns 1,2", "no effect without --exclude"),
        ("fold-in run missing.tsv --reg -1", "missing.tsv: cannot read"),
        (&format!("fold-in run {SMALL} --reg -1"), "--reg is -1: it must be a number of 0 or more"),
        (&format!("fold-in run {SMALL} --out run"), "--force"),
        (&format!("predict run {SMALL} --columns 1,2"), "--columns has no effect"),
    ] {
        let ran = ends(folder.path(), line, 2);
        assert!(ran.err.contains(why), "{line}: {}", ran.err);
    }
}

#[test]
fn weights_to_try_are_of_implicit_feedback_and_several() {
    let folder = scratch();
    for (options, why) in [
        ("--weights 1,4", "--weights has no effect without --implicit"),
        ("--weights 1,4 --implicit 3", "--weights and --implicit 3 both say W: give --implicit without it"),
        ("--weights 4 --implicit", "--weights 4 is a grid of one, with nothing to choose: give --implicit 4"),
        ("--weights 4,4 --implicit", "--weights names 4 twice"),
        ("--weights 4,0 --implicit", "--implicit is 0: it must be a number above 0"),
    ] {
        let ran = ends(folder.path(), &format!("cv {SMALL} {options} --quiet"), 2);
        assert!(ran.err.contains(why), "{options}: {}", ran.err);
    }
}

#[test]
fn few_ratings_are_cross_validated_or_refused_but_never_nan() {
    let folder = scratch();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("six.csv", "1,1,5\n1,2,3\n2,1,4\n2,2,2\n3,1,1\n3,2,5\n");
    write("apart.csv", "1,1,5\n2,2,3\n3,3,4\n4,4,4\n");
    let mut measured = 0;
    for seed in 0..6 {
        let line = format!("cv six.csv --folds 3 --epochs 2 --rank 2 --seed {seed} --out run --force");
        let ran = ran(folder.path(), &line);
        assert!(!(ran.out.clone() + &ran.err).to_lowercase().contains("nan"), "{}{}", ran.out, ran.err);
        match ran.code {
            Some(0) => {
                measured += 1;
                assert!(ran.out.contains("<- best") && ran.out.contains("done: "), "{}", ran.out);
            }
            code => assert!(code == Some(2) && ran.err.contains("none of the 3 folds"), "{}", ran.err),
        }
    }
    assert!(measured > 0);
    let ran = ends(folder.path(), "cv apart.csv --folds 2 --epochs 2", 2);
    assert!(ran.err.contains("none of the 2 folds of 4 ratings"), "{}", ran.err);
    // Without a given number of folds, the message names no option.
    fs::write(folder.path().join("three.csv"), "1,1,3\n1,2,4\n2,1,5\n").unwrap();
    for (line, said) in [
        ("cv apart.csv --folds 9", "4 ratings cannot be cut into 9 folds"),
        ("cv three.csv", "3 ratings cannot be cut into 5 folds"),
    ] {
        let ran = ends(folder.path(), line, 2);
        assert!(ran.err.contains(said) && !ran.err.contains("--folds is"), "{line}: {}", ran.err);
    }
}
