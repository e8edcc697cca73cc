//! The help, and its examples.

use super::program::{ends, scratch};

#[test]
fn help_shows_every_option() {
    let folder = scratch();
    let general = ends(folder.path(), "--help", 0).out;
    assert!(
        ["fit", "path", "cv", "predict", "Examples"].iter().all(|word| general.contains(word)),
        "{general}"
    );
    let fit = ends(folder.path(), "fit --help", 0).out;
    for option in
        "y lambda ratio tol candidates no-intercept no-standardize mode format workers shards rescale seed \
         schedule \
         staleness parallelism rho guard explain epochs time-limit init out checkpoint-every resume quiet \
         json"
            .split_whitespace()
    {
        assert!(fit.contains(&format!("--{option}")), "--{option} is not in the help");
    }
    assert!(ends(folder.path(), "--version", 0).out.starts_with("lasso "));
}

#[test]
fn the_examples_of_the_help_work_as_they_stand() {
    for verb in ["", "fit", "path", "cv", "predict"] {
        let folder = scratch();
        let help = ends(folder.path(), &format!("{verb} --help"), 0).out;
        let examples = help.lines().filter_map(|line| line.strip_prefix("  lasso"));
        // The general help's list of verbs has no such line; each help has at least two examples.
        let examples: Vec<&str> = examples.collect();
        assert!(examples.len() >= 2, "{verb}: {help}");
        for example in examples {
            ends(folder.path(), example, 0);
        }
    }
}

#[test]
fn the_help_says_what_data_may_be() {
    let folder = scratch();
    for verb in ["fit", "path", "cv", "predict"] {
        let help = ends(folder.path(), &format!("{verb} --help"), 0).out;
        let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
        for word in [
            "data folder (see `raddle data`)",
            "leukemia",
            "synth:groups:n=200,p=2000,s=10",
            "diabetes is also embedded",
            "libsvm",
        ] {
            assert!(words.contains(word), "{verb}: {word}: {words}");
        }
    }
}
