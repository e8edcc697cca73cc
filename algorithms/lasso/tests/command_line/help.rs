//! The help, and its examples.

use crate::program::{ends, scratch};

#[test]
fn help_shows_every_option() {
    let folder = scratch();
    let general = ends(folder.path(), "--help", 0).out;
    assert!(["fit", "path", "predict", "Examples"].iter().all(|word| general.contains(word)), "{general}");
    let fit = ends(folder.path(), "fit --help", 0).out;
    for option in
        "y lambda ratio tol candidates no-intercept no-standardize mode format workers shards rescale seed schedule \
         staleness parallelism rho guard explain epochs time-limit init out checkpoint-every resume quiet json"
            .split_whitespace()
    {
        assert!(fit.contains(&format!("--{option}")), "--{option} is not in the help");
    }
    assert!(ends(folder.path(), "--version", 0).out.starts_with("lasso "));
}

#[test]
fn the_examples_of_the_help_work_as_they_stand() {
    let folder = scratch();
    let help = ends(folder.path(), "--help", 0).out;
    let examples: Vec<&str> = help.lines().filter_map(|line| line.strip_prefix("  lasso")).collect();
    assert!(examples.len() >= 3);
    for example in examples {
        ends(folder.path(), example, 0);
    }
}
