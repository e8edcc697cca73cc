//! Verbs of all programs, and the answers to words that users try as verbs.

use std::path::Path;

use clap::Command;

use super::answer::{ForeignWords, Given, Place, first_told, rows_of};

/// The verbs of each program.
const VERBS: [(&str, &[&str]); 7] = [
    ("lasso", &["fit", "path", "cv", "predict"]),
    ("mf", &["fit", "cv", "predict", "recommend", "similar", "fold-in"]),
    ("lda", &["fit", "cv", "infer", "topics"]),
    ("linear", &["fit", "path", "cv", "predict"]),
    ("pool", &["run", "add", "status", "cancel", "profile"]),
    ("raddle", &["launch", "join", "key", "status", "graph", "report", "rescale", "generate"]),
    ("raddle-data", &["list", "fetch", "verify", "path", "generate"]),
];

/// Returns the program that `raddle WORD ..` runs, if WORD is one.
pub(crate) fn program_of(word: &str) -> Option<&'static str> {
    programs().find(|program| program.strip_prefix("raddle-").unwrap_or(program) == word)
}

/// Returns every program except `raddle`.
pub(crate) fn programs() -> impl Iterator<Item = &'static str> {
    VERBS.iter().map(|(program, _)| *program).filter(|program| *program != "raddle")
}

/// Returns the verbs of a program, to recognise a word that is a verb of another program.
pub fn verbs_of(program: &str) -> &'static [&'static str] {
    VERBS.iter().find(|(name, _)| *name == program).map_or(&[], |(_, verbs)| verbs)
}

/// Returns the text that explains a first word that is no verb of the program: the answer of its own table,
/// else the programs that have this verb. Returns `None` for programs that are not bundled, whose verbs are
/// not known here, and for names of files.
pub(crate) fn word_for_a_verb(
    command: &Command,
    default: &str,
    word: &str,
    words: ForeignWords<'_>,
) -> Option<String> {
    let is_own = command.find_subcommand(word).is_some();
    if is_own || word.is_empty() || word.starts_with('-') || Path::new(word).exists() {
        return None;
    }
    let place =
        Place { program: command.get_name(), verb: command.find_subcommand(default).unwrap_or(command) };
    first_told(rows_of(words.verbs, &word.to_lowercase()), &place, &Given::alone(word))
        .or_else(|| verb_of_others(place.program, word))
}

fn verb_of_others(program: &str, word: &str) -> Option<String> {
    if verbs_of(program).is_empty() {
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

/// Returns the words by which a program is called: `raddle-data` is `raddle data`.
fn as_called(program: &str) -> String {
    program.replacen('-', " ", 1)
}
