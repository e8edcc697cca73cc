use clap::Arg;

use super::*;
use crate::options::foreign::answer::parts;

const WORDS: ForeignWords<'static> = ForeignWords {
    options: &[
        ("c cost", "--lambda {1/x}/n for n rows"),
        ("c cost", "[folds] C is {x}"),
        ("alpha", "--lambda"),
        ("train-size", "--test {1-x}, the rest"),
        ("k", "--folds"),
        ("np", "--workers"),
    ],
    verbs: &[("train", "the verb is fit: `{program} fit DATA`")],
    arguments: &[("fit", "one set of data: leave {x} out")],
};

/// A program whose `fit` has these options, and a `cv` with folds.
fn program(options: &[&'static str]) -> Command {
    let with = |name: &'static str, options: &[&'static str]| {
        let options = options.iter().map(|&name| Arg::new(name).long(name).num_args(0..=1));
        Command::new(name).args(options).arg(Arg::new("data"))
    };
    Command::new("lasso").subcommand(with("fit", options)).subcommand(with("cv", &["folds", "measure"]))
}

fn parsed(command: &Command, words: &str) -> (Vec<OsString>, ClapError) {
    let line: Vec<OsString> = words.split(' ').map(OsString::from).collect();
    let error = command.clone().try_get_matches_from(&line).unwrap_err();
    (line, error)
}

fn said(options: &[&'static str], words: &str) -> Option<String> {
    let command = program(options);
    let (line, error) = parsed(&command, words);
    answer(&command, &line, &error, WORDS)
}

#[test]
fn an_option_by_another_name_is_answered_with_the_one_here() {
    let here = |given: &str, here: &str| Some(format!("{given} is {here} here (--help shows all options)"));
    for (line, given, option) in [
        ("lasso fit --alpha=1", "--alpha", "--lambda"),
        ("lasso fit --alpha 1", "--alpha", "--lambda"),
        ("lasso fit --n_jobs", "--n_jobs", "--workers"),
        ("lasso fit -k 5", "-k", "--folds"),
        ("lasso fit -np 4", "-np", "--workers"),
        ("lasso fit --max.iter 3", "--max.iter", "--epochs"),
        ("lasso fit --maxIter 3", "--maxIter", "--epochs"),
        ("lasso fit --l1_ratio 0.5", "--l1_ratio", "--l1-ratio"),
        ("lasso fit --Lambda 2", "--Lambda", "--lambda"),
    ] {
        let options = ["lambda", "workers", "folds", "epochs", "l1-ratio"];
        assert_eq!(said(&options, line), here(given, option), "{line}");
    }
    // Nothing here says it, or the parser knows better.
    for line in ["lasso fit --num-topics 3", "lasso fit --lamda 3"] {
        assert_eq!(said(&["lambda"], line), None, "{line}");
    }
}

#[test]
fn the_number_that_was_given_is_worked_out() {
    for (line, answer) in [
        ("lasso fit --cost 0.5", "--cost 0.5 is --lambda 2/n for n rows"),
        ("lasso fit --cost=0.5", "--cost 0.5 is --lambda 2/n for n rows"),
        ("lasso fit -c0.25", "-c 0.25 is --lambda 4/n for n rows"),
        ("lasso fit --cost -0.5", "--cost -0.5 is --lambda -2/n for n rows"),
        ("lasso fit --cost", "--cost is --lambda 1/X/n for n rows"),
        ("lasso fit --cost 0", "--cost 0 is --lambda 1/0/n for n rows"),
        ("lasso fit --cost much", "--cost much is --lambda 1/much/n for n rows"),
        ("lasso fit --train-size 0.8", "--train-size 0.8 is --test 0.2, the rest"),
    ] {
        assert_eq!(said(&["lambda", "test"], line).as_deref(), Some(answer), "{line}");
    }
    assert_eq!(said(&[], "lasso cv --cost 2").as_deref(), Some("--cost: C is 2"));
}

#[test]
fn an_option_of_another_verb_is_said_to_be_its() {
    let said = said(&["lambda"], "lasso fit --measure auc");
    assert_eq!(said.as_deref(), Some("--measure: an option of `lasso cv`, not of `lasso fit`"));
}

#[test]
fn an_argument_too_many_is_answered_by_its_verb() {
    assert_eq!(said(&[], "lasso fit a b").as_deref(), Some("`b`: one set of data: leave b out"));
    assert_eq!(said(&[], "lasso cv a b"), None);
}

#[test]
fn an_option_is_suggested_where_a_word_is_nearly_its_name() {
    let tips = |words: &str| {
        let command = program(&[
            "lambda",
            "resume",
            "zero-based",
            "ratio",
            "explain",
            "epochs",
            "checkpoint-every",
            "y",
        ]);
        let (line, error) = parsed(&command, words);
        with_fair_tips(&command, &line, error).to_string()
    };
    for (given, option) in [
        ("--lamda", "--lambda"),
        ("--ephocs", "--epochs"),
        ("--epoch", "--epochs"),
        ("--lambada", "--lambda"),
        ("--chekpoint-evry", "--checkpoint-every"),
        ("--checkpoint", "--checkpoint-every"),
    ] {
        let said = tips(&format!("lasso fit {given} 3"));
        assert!(said.contains(&format!("a similar argument exists: '{option}'")), "{given}: {said}");
    }
    for given in ["--label", "--response", "--verbose", "--train", "--elastic-net", "--la", "-z", "--x"] {
        let said = tips(&format!("lasso fit {given}"));
        assert!(said.contains(&format!("unexpected argument '{given}'")), "{said}");
        assert!(!said.contains("tip:"), "{given}: {said}");
    }
}

#[test]
fn names_are_in_the_form_in_which_they_are_sought() {
    for (names, _) in OPTIONS {
        for name in names.split_whitespace() {
            let is_sought = name.len() == 1
                || !name.contains(|letter: char| letter.is_uppercase() || "_.".contains(letter));
            assert!(is_sought && !names.contains("  "), "{name}");
        }
    }
    assert_eq!(parts("--lambda"), (Some("lambda"), "--lambda"));
    assert_eq!(parts("--l1-ratio A, less"), (Some("l1-ratio"), "--l1-ratio A, less"));
    assert_eq!(parts("[fit] a text"), (Some("fit"), "a text"));
    assert_eq!(parts("a text"), (None, "a text"));
}

#[test]
fn a_word_runs_the_program_of_its_name() {
    let of = ["lasso", "data", "raddle", "raddle-data", "fit"].map(program_of);
    assert_eq!(of, [Some("lasso"), Some("raddle-data"), None, None, None]);
}

#[test]
fn a_word_that_is_no_verb_is_answered_by_the_program_or_named_with_the_one_that_has_it() {
    let said = |program: &'static str, verbs: &[&'static str], word| {
        let command = Command::new(program).subcommands(verbs.iter().map(|&verb| Command::new(verb)));
        word_for_a_verb(&command, "fit", word, WORDS)
    };
    let fit = &["fit", "similar"][..];
    assert_eq!(said("lasso", fit, "train").unwrap(), "`train`: the verb is fit: `lasso fit DATA`");
    assert_eq!(said("lasso", fit, "join").unwrap(), "`join` is raddle's verb: try `raddle join --help`");
    assert_eq!(
        said("lda", fit, "predict").unwrap(),
        "`predict` is lasso's, mf's and linear's verb: try `lasso predict --help`"
    );
    assert_eq!(
        said("raddle", &["launch"], "fetch").unwrap(),
        "`fetch` is raddle data's verb: try `raddle data fetch --help`"
    );
    // A folder here has the name of a verb of raddle.
    for (program, word) in [
        ("lasso", "fit"),
        ("lasso", "diabetes"),
        ("mf", "launch"),
        ("mf", "similar"),
        ("rod", "cv"),
        ("lasso", "--cv"),
        ("lasso", ""),
    ] {
        assert_eq!(said(program, fit, word), None, "{program} {word}");
    }
}
