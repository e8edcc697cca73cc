//! Words of other libraries and other programs, and the answers to them.

mod answer;
mod nearest;
mod shared;
mod table;
mod verbs;

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error as ClapError};

pub use self::answer::{Answers, ForeignWords};
use self::answer::{Given, Place, first_told, rows_of};
use self::nearest::{nearest, spelled};
use self::shared::OPTIONS;
pub use self::table::{lines, pairs};
pub use self::verbs::verbs_of;
pub(crate) use self::verbs::{program_of, programs, word_for_a_verb};

/// Returns the text that explains a word of a line that the parser does not know: an option by another name,
/// an option of another verb, or a superfluous argument.
pub(crate) fn answer(
    command: &Command,
    line: &[OsString],
    error: &ClapError,
    words: ForeignWords<'_>,
) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) else { return None };
    let verb = command.find_subcommand(line.get(1)?)?;
    let place = Place { program: command.get_name(), verb };
    let given = Given::on(line, word);
    if !given.word.starts_with('-') {
        let of_verb = words.arguments.iter().filter(|(name, _)| *name == verb.get_name());
        return first_told(of_verb, &place, &given);
    }
    let name = given.name();
    if let Some(here) = spelled(verb, &name) {
        return Some(format!("{} is --{here} here (--help shows all options)", given.word));
    }
    let of_name = |rows| rows_of(rows, &name);
    first_told(of_name(words.options).chain(of_name(OPTIONS)), &place, &given)
        .or_else(|| elsewhere(command, verb, &given))
}

/// Returns the text that names the verbs of the program that have an option which this verb lacks.
fn elsewhere(command: &Command, verb: &Command, given: &Given<'_>) -> Option<String> {
    let name = given.name();
    let verbs = command.get_subcommands().filter(|other| spelled(other, &name).is_some());
    let program = command.get_name();
    let verbs: Vec<String> = verbs.map(|other| format!("`{program} {}`", other.get_name())).collect();
    let here = verb.get_name();
    (!verbs.is_empty())
        .then(|| format!("{}: an option of {}, not of `{program} {here}`", given.word, verbs.join(", ")))
}

/// Returns the error of a parser without tips that only share letters with the word: an option is suggested
/// only if the word is nearly its name.
pub(crate) fn with_fair_tips(command: &Command, line: &[OsString], mut error: ClapError) -> ClapError {
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let word = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(word)) => word.clone(),
        _ => return error,
    };
    error.remove(ContextKind::SuggestedArg);
    // Only the name of a file may be meant as a value.
    if !std::path::Path::new(&word).exists() {
        error.remove(ContextKind::Suggested);
    }
    let mut command = command.clone();
    command.build();
    let Some(verb) = line.get(1).and_then(|verb| command.find_subcommand_mut(verb)) else { return error };
    // The usage of the parser names the option that it would have suggested.
    error.insert(ContextKind::Usage, ContextValue::StyledStr(verb.render_usage()));
    if let Some(option) = nearest(verb, &Given::on(line, &word).name()) {
        error.insert(ContextKind::SuggestedArg, ContextValue::String(format!("--{option}")));
    }
    error
}

#[cfg(test)]
mod tests;
