//! Search for the option that a mistyped name means.

use clap::Command;

/// Shortest name, in letters, that is compared with other names or completed to one.
const FEWEST: usize = 3;
const BEGINNING: usize = 4;

/// Returns the option of a verb whose name differs from this one only in capitals, `_` and `.`.
pub(super) fn spelled<'a>(verb: &'a Command, name: &str) -> Option<&'a str> {
    names(verb).find(|option| option.eq_ignore_ascii_case(name))
}

/// Returns the option of a verb whose name is nearly this one: a letter is wrong, or two of a long name, or
/// this is the start of the name of one option alone.
pub(super) fn nearest<'a>(verb: &'a Command, name: &str) -> Option<&'a str> {
    let limit = if name.len() < 2 * FEWEST { 1 } else { 2 };
    let near = names(verb).map(|option| (strsim::damerau_levenshtein(option, name), option));
    let best = near.filter(|(changes, _)| *changes <= limit && name.len() >= FEWEST).min();
    let mut begun = names(verb).filter(|option| name.len() >= BEGINNING && option.starts_with(name));
    best.map(|(_, option)| option).or_else(|| begun.next().filter(|_| begun.next().is_none()))
}

fn names(verb: &Command) -> impl Iterator<Item = &str> {
    verb.get_arguments().filter(|arg| !arg.is_hide_set()).filter_map(|arg| arg.get_long())
}
