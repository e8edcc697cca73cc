//! Words of other libraries, and what each program says to them.

mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use raddle_common::testing::not_empty;

use self::table::TABLE;
use crate::commands::{Ran, run};
use crate::help::options;

/// The lines of the table, each with the answer that it must have.
fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    TABLE.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')).map(|line| {
        let (words, answer) = line.split_once(" | ").unwrap_or_else(|| panic!("{line}"));
        (words.trim(), answer.trim())
    })
}

/// The word of another library in a line: its first option that no help has, else its second word.
fn foreign(words: &str) -> &str {
    let word = words.split(' ').find(|word| word.starts_with('-')).or_else(|| words.split(' ').nth(1));
    word.and_then(|word| word.split('=').next()).unwrap_or_default()
}

/// The lines with the answers that they must have and those that they get.
static SAID: LazyLock<Vec<(&str, &str, Ran)>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    not_empty(rows()).map(|(words, answer)| (words, answer, run(folder.path(), words))).collect()
});

#[test]
fn words_of_other_libraries_are_answered_in_every_program() {
    let wrong = SAID.iter().filter_map(|(words, answer, ran)| {
        let is_right = ran.code == Some(2) && ran.err.contains(answer) && !ran.err.contains("a similar ");
        (!is_right).then(|| format!("{words}\n  to say: {answer}\n  said:   {}", ran.err.trim()))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{} answers:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_table_has_the_words_of_six_libraries_for_all_programs() {
    let words: BTreeSet<&str> = rows().map(|(words, _)| foreign(words)).collect();
    assert!(words.len() >= 120, "{} words", words.len());
    for program in ["lasso", "linear", "mf", "lda", "pool", "raddle", "raddle-data"] {
        let prefix = format!("{program} ");
        assert!(rows().filter(|(words, _)| words.starts_with(&prefix)).count() >= 10, "{program}");
    }
}

/// Long options in a text, but for these.
fn named<'a>(text: &'a str, but: &str) -> Vec<&'a str> {
    let end = |letter: char| !(letter.is_ascii_alphanumeric() || letter == '-');
    let words =
        text.split([' ', '\n', '`', '(']).map(|word| word.trim_end_matches([':', ',', ';', ')', '.']));
    let words = words.filter(|word| word.starts_with("--") && word.len() > 2 && *word != but);
    words.map(|word| &word[..2 + word[2..].find(end).unwrap_or(word.len() - 2)]).collect()
}

#[test]
fn every_option_that_an_answer_names_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let mut known: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut options_of = |program: &str| -> BTreeSet<String> {
        let all = || {
            let verbs = raddle_cli::verbs_of(program).iter();
            let helps = verbs.map(|verb| run(folder.path(), &format!("{program} {verb} --help")).out);
            helps.flat_map(|help| options(&help).into_iter().map(str::to_owned).collect::<Vec<_>>()).collect()
        };
        known.entry(program.to_owned()).or_insert_with(all).clone()
    };
    for (words, _, ran) in SAID.iter() {
        let (answer, program) = (&ran.err, words.split(' ').next().unwrap_or_default());
        let others =
            ["lasso", "linear", "raddle"].into_iter().filter(|other| answer.contains(&format!("`{other} ")));
        let there: BTreeSet<String> = [program].into_iter().chain(others).flat_map(&mut options_of).collect();
        for option in named(answer, foreign(words)) {
            assert!(there.contains(option), "{words}: {option} is nowhere");
        }
    }
}
