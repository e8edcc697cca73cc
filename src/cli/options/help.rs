//! Help on two screens: `-h` with the options that most runs need, a line each, and `--help` with all.
//!
//! An option has one text, its doc comment. The first sentence is its line in `-h` and in completions; the
//! whole is its text in `--help` and on the man page.

use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Write as _};

use clap::{Arg, ArgAction, Command, Error as ClapError};

use super::ENGINE_HEADING;

/// Columns of the short help.
const COLUMNS: usize = 80;
/// Letters of a line and a default that the short help shows together.
const WITH_DEFAULT: usize = 30;

/// Options that most runs of every program need, by their long names.
const COMMON: [&str; 7] = ["out", "resume", "epochs", "workers", "quiet", "json", "help"];

/// Returns the command with the long help or, if the line has `-h`, the short one; `common` are the program's
/// own options in the short help, by their long names.
pub(super) fn laid_out(command: Command, common: &[&str], line: &[OsString]) -> Command {
    let is_short = line.iter().take_while(|word| *word != "--").any(|word| word == "-h");
    let command = if is_short { command.term_width(COLUMNS) } else { command };
    command.mut_subcommands(|verb| {
        let verb = verb.disable_help_flag(true).arg(help());
        if is_short { shortened(verb, common) } else { verb }
    })
}

/// Returns the command whose options have their first sentence as the short text, as completions show it.
pub(super) fn for_files(command: Command) -> Command {
    command.mut_subcommands(|verb| {
        verb.disable_help_flag(true).arg(help()).mut_args(|arg| {
            let (first, all) = (first_sentence(&arg), arg.get_help().cloned().unwrap_or_default());
            arg.help(first).long_help(all)
        })
    })
}

/// Returns the first sentence of an option's text.
fn first_sentence(arg: &Arg) -> String {
    let text = arg.get_help().map(ToString::to_string).unwrap_or_default();
    text.split_once(". ").map_or(text.as_str(), |(first, _)| first).to_owned()
}

/// Returns the option `-h, --help`. Its action leaves no blank lines between options.
fn help() -> Arg {
    Arg::new("help")
        .short('h')
        .long("help")
        .action(ArgAction::HelpShort)
        .help("Show the common options (-h), or all (--help)")
        .display_order(usize::MAX)
        // Whatever heading the options before it have.
        .help_heading(None)
}

/// Returns the verb with a line for each common option and without the others. Where all are common, the
/// text below them stays that of the long help.
fn shortened(verb: Command, common: &[&str]) -> Command {
    let is_shown = |arg: &&Arg| arg.get_long().is_some_and(|name| name != "help") && !arg.is_hide_set();
    let all = verb.get_arguments().filter(is_shown).count();
    let verb = verb.mut_args(|arg| {
        let name = arg.get_long().unwrap_or(arg.get_id().as_str());
        if !arg.is_positional() && !COMMON.iter().chain(common).any(|common| *common == name) {
            return arg.hide(true);
        }
        let line = first_sentence(&arg);
        let takes_values = arg.get_action().takes_values();
        let is_long = arg.get_default_values().iter().any(|text| line.len() + text.len() > WITH_DEFAULT);
        let first = arg.get_value_names().and_then(|names| names.first()).map(ToString::to_string);
        let arg = match first.as_deref().and_then(|name| name.split_once('|')) {
            Some((first, rest)) if rest.len() > 8 => arg.value_name(format!("{first}|..")),
            _ => arg,
        };
        arg.help(line)
            .help_heading(None)
            .hide_possible_values(takes_values)
            .hide_default_value(takes_values && is_long)
    });
    let left_out = all - verb.get_arguments().filter(is_shown).count();
    let examples = verb.get_after_help().map_or("", |_| ", with examples");
    if left_out == 0 { verb } else { verb.after_help(format!("--help: all {all} options{examples}")) }
}

/// Prints a help that was asked for.
pub(super) fn print(help: &ClapError) {
    let text = help.render();
    let is_coloured = io::stdout().is_terminal() && env::var_os("NO_COLOR").is_none();
    let text = if is_coloured { text.ansi().to_string() } else { text.to_string() };
    // No reader is left if stdout is closed.
    let _ = io::stdout().write_all(engine_last(&text).as_bytes());
}

/// Moves the options of the engine to the end of a help: clap orders headings by the first option of each.
fn engine_last(help: &str) -> String {
    let mut sections: Vec<&str> = help.trim_end().split("\n\n").collect();
    let is_engine = |section: &&str| section.lines().next().is_some_and(|line| line.contains(ENGINE_HEADING));
    // An option begins with a dash, or with the code of its colour.
    let options = |part: &&str| part.lines().nth(1).is_some_and(|row| row.trim().starts_with(['-', '\x1b']));
    if let Some(engine) = sections.iter().position(is_engine) {
        let engine = sections.remove(engine);
        let last = sections.iter().rposition(options).map_or(sections.len(), |at| at + 1);
        sections.insert(last, engine);
    }
    sections.join("\n\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(line: &[&str]) -> String {
        let option = |name: &'static str| {
            Arg::new(name).long(name).value_name("X").help("A long text. It goes on, and on, and on.")
        };
        let verb = Command::new("fit")
            .arg(Arg::new("data").help("the data"))
            .args(["lambda", "rare", "out", "quiet"].map(option))
            .next_help_heading("Elsewhere")
            .arg(option("rarer").hide(true));
        let line: Vec<OsString> = line.iter().map(OsString::from).collect();
        let mut command = laid_out(Command::new("lasso").subcommand(verb), &["lambda"], &line);
        command.try_get_matches_from_mut(line).unwrap_err().to_string()
    }

    #[test]
    fn the_short_help_has_the_common_options_in_a_line_each_and_counts_the_others() {
        let help = rendered(&["lasso", "fit", "-h"]);
        for line in ["--lambda <X>  A long text", "--out <X>     A long text"] {
            assert!(help.contains(line), "{help}");
        }
        assert!(!help.contains("rare") && help.contains("--help: all 4 options"), "{help}");
        let widest = help.lines().map(|line| line.chars().count()).max();
        assert!(widest.is_some_and(|widest| widest <= COLUMNS), "{help}");
    }

    #[test]
    fn the_long_help_has_all_of_them_without_blank_lines_between() {
        let help = rendered(&["lasso", "fit", "--help"]);
        let options = help.lines().skip_while(|line| *line != "Options:").skip(1);
        let options: Vec<&str> = options.take_while(|line| !line.is_empty()).collect();
        let long = options.iter().filter(|line| line.contains("It goes on"));
        assert_eq!((options.len(), long.count()), (5, 4), "{help}");
    }

    #[test]
    fn the_options_of_the_engine_stand_behind_all_others() {
        let help = "About.\n\nOptions:\n  --rank  a\n\nExecution:\n  --shards  b\n\n\
                   The run:\n  -o, --out  c\n\nExamples:\n  mf --rank 3\n";
        let sections = ["About.", "Options:", "The run:", "Execution:", "Examples:"];
        let starts: Vec<usize> =
            sections.iter().map(|section| engine_last(help).find(section).unwrap()).collect();
        assert!(starts.is_sorted(), "{}", engine_last(help));
        assert_eq!(engine_last("About.\n\nOptions:\n  -h\n"), "About.\n\nOptions:\n  -h\n");
    }
}
