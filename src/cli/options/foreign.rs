//! Words of other libraries and other programs, and their names here.

use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error as ClapError};

/// Options of other libraries (scikit-learn, implicit, gensim, glmnet, LIBMF, LIBLINEAR), and those that say it here: the first of
/// them that a verb has is the answer.
const OPTIONS: [(&str, &[&str]); 46] = [
    ("a", &["lambda"]),
    ("alpha", &["lambda", "implicit", "reg"]),
    ("alphas", &["points", "ratio"]),
    ("b", &["bias"]),
    ("batch-size", &["parallelism", "shards"]),
    ("c", &["C", "lambda"]),
    ("class-weight", &["class-weights"]),
    ("components", &["topics", "rank"]),
    ("cv", &["folds"]),
    ("eta", &["beta", "step"]),
    ("eval-every", &["evaluate-every"]),
    ("factors", &["rank"]),
    ("family", &["loss"]),
    ("filter-already-liked-items", &["seen"]),
    ("fit-intercept", &["no-intercept", "bias"]),
    ("intercept-scaling", &["bias"]),
    ("iterations", &["epochs"]),
    ("j", &["workers"]),
    ("k", &["topics", "rank", "folds", "top"]),
    ("l1-reg", &["lambda"]),
    ("l2-reg", &["reg"]),
    ("learning-rate", &["step"]),
    ("lr", &["step"]),
    ("max-iter", &["epochs"]),
    ("n", &["top", "epochs"]),
    ("n-components", &["topics", "rank"]),
    ("n-epochs", &["epochs"]),
    ("n-factors", &["rank"]),
    ("n-jobs", &["workers"]),
    ("nfolds", &["folds"]),
    ("normalize", &["no-standardize", "scale"]),
    ("num-iterations", &["epochs"]),
    ("num-threads", &["workers"]),
    ("num-topics", &["topics"]),
    ("offset-column", &["offset"]),
    ("passes", &["epochs"]),
    ("positive", &["nonnegative"]),
    ("random-state", &["seed"]),
    ("regularization", &["reg", "lambda"]),
    ("sample-weight", &["weights"]),
    ("scoring", &["measure"]),
    ("standardize", &["scale"]),
    ("target-column", &["y"]),
    ("test-size", &["test"]),
    ("threads", &["workers"]),
    ("tolerance", &["tol"]),
];

/// The verbs of each program.
const VERBS: [(&str, &[&str]); 7] = [
    ("lasso", &["fit", "path", "cv", "predict"]),
    ("mf", &["fit", "cv", "predict", "recommend", "similar", "fold-in"]),
    ("lda", &["fit", "infer", "topics"]),
    ("linear", &["fit", "cv", "predict"]),
    ("pool", &["run", "add", "status", "cancel", "profile", "simulate"]),
    ("raddle", &["launch", "join", "status", "graph", "report", "rescale"]),
    ("raddle-data", &["list", "fetch", "verify", "path", "generate"]),
];

/// The program that `raddle WORD ..` runs: one with a command line of its own, or the one that administers something.
pub(in crate::cli) fn program_of(word: &str) -> Option<&'static str> {
    let programs = VERBS.iter().map(|(program, _)| *program).filter(|program| *program != "raddle");
    programs.into_iter().find(|program| program.strip_prefix("raddle-").unwrap_or(program) == word)
}

/// The verbs of a program, by which a word that is another's verb is known.
pub fn verbs_of(program: &str) -> &'static [&'static str] {
    VERBS.iter().find(|(name, _)| *name == program).map_or(&[], |(_, verbs)| verbs)
}

/// Text that names the option that is meant by one of another library.
pub(super) fn answer(command: &Command, error: &ClapError) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else { return None };
    let named = given.trim_start_matches('-').split('=').next()?.to_lowercase().replace('_', "-");
    let (_, answers) = OPTIONS.iter().find(|(name, _)| *name == named)?;
    let has = |option: &str| command.get_arguments().any(|arg| arg.get_long() == Some(option));
    let here = answers.iter().find(|option| has(option))?;
    let given = given.split('=').next().unwrap_or_default();
    Some(format!("{given} is --{here} here (--help shows all options)"))
}

/// Text that names the programs whose verb a first word is that this one does not have. A program of somebody else's
/// has verbs of its own, of which nothing is known here.
pub(in crate::cli) fn verb_of_others(program: &str, word: &str) -> Option<String> {
    let own = verbs_of(program);
    if own.is_empty() || own.contains(&word) || Path::new(word).exists() {
        return None;
    }
    let others = VERBS.iter().filter(|(_, verbs)| verbs.contains(&word)).map(|(name, _)| *name);
    let others: Vec<&str> = others.collect();
    let first = as_called(others.first()?);
    let whose: Vec<String> = others.iter().map(|other| as_called(other)).collect();
    let whose = match &whose[..] {
        [before @ .., last] if !before.is_empty() => format!("{}'s and {last}", before.join("'s, ")),
        whose => whose.concat(),
    };
    Some(format!("`{word}` is {whose}'s verb: try `{first} {word} --help`"))
}

/// The words by which a program is called: `raddle-data` is `raddle data`.
fn as_called(program: &str) -> String {
    program.replacen('-', " ", 1)
}

#[cfg(test)]
mod tests {
    use clap::Arg;

    use super::*;

    #[test]
    fn an_option_of_another_library_is_answered_with_the_first_that_is_here() {
        let verb = |options: &[&'static str]| {
            Command::new("fit").args(options.iter().map(|&name| Arg::new(name).long(name)))
        };
        let said = |options: &[&'static str], given: &str| {
            let error = verb(options).try_get_matches_from(["fit", given]).unwrap_err();
            answer(&verb(options), &error)
        };
        let answered =
            |given: &str, here: &str| Some(format!("{given} is {here} here (--help shows all options)"));
        assert_eq!(said(&["lambda"], "--alpha=1"), answered("--alpha", "--lambda"));
        assert_eq!(said(&["workers"], "--n_jobs"), answered("--n_jobs", "--workers"));
        assert_eq!(said(&["rank"], "-k"), answered("-k", "--rank"));
        assert_eq!(said(&["folds"], "-k"), answered("-k", "--folds"));
        assert_eq!(said(&["lambda"], "-C"), answered("-C", "--lambda"));
        assert_eq!(said(&["C", "lambda"], "-C"), answered("-C", "--C"));
        // Nothing here says it.
        assert_eq!(said(&["lambda"], "--num-topics"), None);
        assert_eq!(said(&["lambda"], "--lamda"), None);
    }

    #[test]
    fn names_are_sorted_and_in_the_form_in_which_they_are_sought() {
        assert!(OPTIONS.is_sorted_by(|a, b| a.0 < b.0));
        assert!(OPTIONS.iter().all(|(name, _)| *name == name.to_lowercase() && !name.contains('_')));
    }

    #[test]
    fn a_word_runs_the_program_of_its_name() {
        let of = ["lasso", "data", "raddle", "raddle-data", "fit"].map(program_of);
        assert_eq!(of, [Some("lasso"), Some("raddle-data"), None, None, None]);
    }

    #[test]
    fn a_verb_of_another_program_is_named_with_it() {
        let said = |program, word| verb_of_others(program, word);
        assert_eq!(said("lasso", "launch").unwrap(), "`launch` is raddle's verb: try `raddle launch --help`");
        assert_eq!(
            said("lda", "predict").unwrap(),
            "`predict` is lasso's, mf's and linear's verb: try `lasso predict --help`"
        );
        assert_eq!(
            said("raddle", "fetch").unwrap(),
            "`fetch` is raddle data's verb: try `raddle data fetch --help`"
        );
        for (program, word) in
            [("lasso", "fit"), ("lasso", "diabetes"), ("mf", "src"), ("mf", "similar"), ("rod", "fit")]
        {
            assert_eq!(said(program, word), None, "{program} {word}");
        }
    }
}
