//! [`ForeignWords`]: the answers of a program to words of other libraries.

use std::ffi::OsString;

use clap::Command;

use crate::number::number;

/// Rows of (names, answer). The names of a row are one text, separated by blanks, without leading dashes, in
/// lower case and with `-` for `_` and `.`; names of one letter are written as they are typed.
///
/// An answer that begins with an option, such as `--lambda`, is given where the verb has that option: "X is
/// --lambda here", or, where text follows the option, "X is" and the whole answer. One that begins with
/// `[NAME] ` is a sentence for verbs that have an option or argument of this name; any other is a sentence
/// for all verbs. The first that suits counts, of the lines of an answer and of the rows.
///
/// In answers `{x}` is the value that was given, `{1/x}` and `{1-x}` are numbers made of it, `{program}` and
/// `{verb}` the words of the line.
pub type Answers<'a> = &'a [(&'a str, &'a str)];

/// Words of other libraries that users try on a program's command line, and the answers to them.
#[derive(Debug, Clone, Copy, Default)]
pub struct ForeignWords<'a> {
    /// Names of options in other libraries.
    pub options: Answers<'a>,
    /// Words given in place of a verb.
    pub verbs: Answers<'a>,
    /// Superfluous arguments: by the verb of the line, the answer to the first of them.
    pub arguments: Answers<'a>,
}

/// A word of a line as it was given, with the value that follows it.
pub(super) struct Given<'a> {
    pub(super) word: &'a str,
    value: Option<&'a str>,
}

impl<'a> Given<'a> {
    /// Makes a word that stands alone, which is its own value.
    pub(super) fn alone(word: &'a str) -> Self {
        Self { word, value: Some(word) }
    }

    /// Returns the word that the parser names, with its value from the line. After a single dash the parser
    /// names only the first letter.
    pub(super) fn on(line: &'a [OsString], named: &'a str) -> Self {
        if !named.starts_with('-') {
            return Self::alone(named);
        }
        let name = named.split('=').next().unwrap_or(named);
        let mut words =
            line.iter().filter_map(|word| word.to_str()).skip_while(|word| !word.starts_with(name));
        let (there, behind) = (words.next().unwrap_or(named), words.next().filter(|next| !is_option(next)));
        let rest = there.strip_prefix(name).unwrap_or_default();
        match rest.strip_prefix('=') {
            Some(value) => Self { word: name, value: Some(value) },
            None if rest.parse::<f64>().is_ok() => Self { word: name, value: Some(rest) },
            None => Self { word: there, value: behind },
        }
    }

    /// Returns the name as it is written in tables: `max-iter` for `max_iter`, `max.iter` and `maxIter`.
    pub(super) fn name(&self) -> String {
        let name = self.word.trim_start_matches('-');
        if name.len() == 1 {
            return name.to_owned();
        }
        let mut before = ' ';
        let letters = name.chars().flat_map(|letter| {
            let is_hump = before.is_lowercase() && letter.is_uppercase();
            before = letter;
            is_hump.then_some('-').into_iter().chain(letter.to_lowercase())
        });
        letters.collect::<String>().replace(['_', '.'], "-")
    }
}

fn is_option(word: &str) -> bool {
    word.starts_with('-') && word.parse::<f64>().is_err()
}

/// The verb of a line, in its program.
pub(super) struct Place<'a> {
    pub(super) program: &'a str,
    pub(super) verb: &'a Command,
}

impl Place<'_> {
    /// `true` if the verb has an option or an argument of this name.
    fn has(&self, name: &str) -> bool {
        self.verb.get_arguments().any(|arg| arg.get_long() == Some(name) || arg.get_id() == name)
    }
}

/// Returns the rows of a table that list this name.
pub(super) fn rows_of<'a>(rows: Answers<'a>, name: &str) -> impl Iterator<Item = &'a (&'a str, &'a str)> {
    rows.iter().filter(move |(names, _)| names.split(' ').any(|other| other == name))
}

/// Returns the first answer of these rows that suits the verb.
pub(super) fn first_told<'a>(
    rows: impl Iterator<Item = &'a (&'a str, &'a str)>,
    place: &Place<'_>,
    given: &Given<'_>,
) -> Option<String> {
    rows.flat_map(|(_, answers)| answers.lines()).find_map(|answer| told(answer, place, given))
}

fn told(answer: &str, place: &Place<'_>, given: &Given<'_>) -> Option<String> {
    let (needed, text) = parts(answer);
    if needed.is_some_and(|name| !place.has(name)) {
        return None;
    }
    let (filled, word) = (filled(text, place, given), given.word);
    Some(match text.strip_prefix("--") {
        Some(name) if needed == Some(name) => format!("{word} is {filled} here (--help shows all options)"),
        Some(_) => match given.value.filter(|_| text.contains("x}")) {
            Some(value) => format!("{word} {value} is {filled}"),
            None => format!("{word} is {filled}"),
        },
        None if word.starts_with('-') => format!("{word}: {filled}"),
        None => format!("`{word}`: {filled}"),
    })
}

/// Splits an answer into the option or argument that it needs, and its text.
pub(super) fn parts(answer: &str) -> (Option<&str>, &str) {
    let is_end = |letter: char| !(letter.is_ascii_alphanumeric() || letter == '-');
    match answer.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        Some((name, text)) => (Some(name), text),
        None => (answer.strip_prefix("--").and_then(|rest| rest.split(is_end).next()), answer),
    }
}

fn filled(text: &str, place: &Place<'_>, given: &Given<'_>) -> String {
    let value = given.value.unwrap_or("X");
    let number_of = |value: f64| Some(value).filter(|value| value.is_finite()).map(number);
    let parsed = value.parse::<f64>().ok();
    let inverse = parsed.filter(|value| *value != 0.0).and_then(|value| number_of(value.recip()));
    let rest = parsed.and_then(|value| number_of(1.0 - value));
    text.replace("{1/x}", &inverse.unwrap_or_else(|| format!("1/{value}")))
        .replace("{1-x}", &rest.unwrap_or_else(|| format!("1 - {value}")))
        .replace("{x}", value)
        .replace("{program}", &place.program.replacen('-', " ", 1))
        .replace("{verb}", place.verb.get_name())
}
