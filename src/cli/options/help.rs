//! Help on two screens: `-h` with the options that most runs need, a line each, and `--help` with all.

use std::ffi::OsString;

use clap::{Arg, ArgAction, Command};

/// Columns of the short help.
const COLUMNS: usize = 80;

/// Options that most runs of every program need, by their long names (arguments by their own), and their lines.
const COMMON: [(&str, &str); 9] = [
    ("data", "file, - for standard input, or a set by name"),
    ("run", "folder of the model that --out wrote"),
    ("model", "folder of the model that --out wrote"),
    ("out", "write model, report and trace there"),
    ("resume", "continue the run in this folder"),
    ("epochs", "end after N epochs"),
    ("workers", "worker threads; never change the model"),
    ("quiet", "show no progress"),
    ("json", "write the report as one line of JSON"),
];

/// The command with its help as the line asks for it; `common` are the program's own options of the short one.
pub(super) fn laid_out(command: Command, common: &[(&str, &str)], line: &[OsString]) -> Command {
    let is_short = line.iter().take_while(|word| *word != "--").any(|word| word == "-h");
    let command = if is_short { command.term_width(COLUMNS) } else { command };
    command.mut_subcommands(|verb| {
        let verb = verb.disable_help_flag(true).arg(help());
        if is_short { shortened(verb, common) } else { verb }
    })
}

/// The option of both: help with a line end, and no blank line, between options.
fn help() -> Arg {
    Arg::new("help")
        .short('h')
        .long("help")
        .action(ArgAction::HelpShort)
        .help("Show the common options (-h), or all (--help)")
        .display_order(usize::MAX)
        .help_heading("The run")
}

fn shortened(verb: Command, common: &[(&str, &str)]) -> Command {
    let all = verb.get_arguments().filter(|arg| arg.get_long().is_some() && !arg.is_hide_set()).count();
    let line = |name: &str| {
        let found = common.iter().chain(&COMMON).find(|(option, _)| *option == name);
        found.map(|&(_, line)| line.to_owned())
    };
    let verb = verb.mut_args(|arg| {
        let name = arg.get_long().unwrap_or(arg.get_id().as_str()).to_owned();
        match (name.as_str(), line(&name)) {
            ("help", _) => arg.help("show this; all options: --help").help_heading(None),
            (_, Some(line)) => {
                let takes_values = arg.get_action().takes_values();
                arg.help(line).help_heading(None).hide_possible_values(takes_values)
            }
            (_, None) if arg.is_positional() => arg,
            (_, None) => arg.hide(true),
        }
    });
    verb.after_help(format!("--help: all {all} options, with examples"))
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
        let mut command =
            laid_out(Command::new("lasso").subcommand(verb), &[("lambda", "the weight")], &line);
        command.try_get_matches_from_mut(line).unwrap_err().to_string()
    }

    #[test]
    fn the_short_help_has_the_common_options_in_a_line_each_and_counts_the_others() {
        let help = rendered(&["lasso", "fit", "-h"]);
        for line in ["--lambda <X>  the weight", "--out <X>     write model, report and trace there"] {
            assert!(help.contains(line), "{help}");
        }
        assert!(!help.contains("rare") && help.contains("--help: all 5 options"), "{help}");
        assert!(help.lines().all(|line| line.chars().count() <= COLUMNS), "{help}");
    }

    #[test]
    fn the_long_help_has_all_of_them_without_blank_lines_between() {
        let help = rendered(&["lasso", "fit", "--help"]);
        let options = help.lines().skip_while(|line| *line != "Options:").skip(1);
        let options: Vec<&str> = options.take_while(|line| !line.is_empty()).collect();
        assert_eq!(options.len(), 4, "{help}");
        assert!(options.iter().all(|line| line.contains("It goes on")), "{help}");
    }
}
