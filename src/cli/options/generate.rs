//! The verb `generate`, which every program has and `raddle` shows: man pages and completions of a program.

use std::ffi::OsString;
use std::path::Path;
use std::{fs, io};

use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::exit::Error;

/// Name of the verb.
const VERB: &str = "generate";

/// Shells whose completions there are, by the names that the verb knows them by.
const SHELLS: [(&str, Shell); 4] =
    [("bash", Shell::Bash), ("fish", Shell::Fish), ("powershell", Shell::PowerShell), ("zsh", Shell::Zsh)];

/// Writes man pages or completions, if the verb of the line is `generate`. If the program has a verb of this
/// name itself, lines that name neither `man` nor a shell are left to it. `documented` makes the command with
/// the texts of pages and completions, which takes longer than all else of a start.
pub(crate) fn asked(
    command: &Command,
    line: &[OsString],
    documented: impl FnOnce() -> Command,
) -> Option<Result<(), Error>> {
    let (verb, rest) = line.get(1..)?.split_first()?;
    let is_kind = |word: &OsString| word == "man" || SHELLS.iter().any(|(name, _)| word == name);
    let is_other = command.find_subcommand(VERB).is_some() && !rest.first().is_some_and(is_kind);
    (verb == VERB && !is_other).then(|| write(&documented(), rest))
}

/// Writes files of a kind to a folder; the words name both.
///
/// # Errors
/// If the words are others, or the folder cannot be written.
pub(crate) fn write(command: &Command, words: &[OsString]) -> Result<(), Error> {
    let usage = || {
        let names = SHELLS.map(|(name, _)| name).join("|");
        let data = "generated data are written by `raddle data generate`";
        Error::usage(format!("{VERB}: give what to write, and a folder: {VERB} man|{names} DIR; {data}"))
    };
    let [kind, folder] = words else { return Err(usage()) };
    let kind = kind.to_str().ok_or_else(usage)?;
    let shell = SHELLS.iter().find(|(name, _)| *name == kind).map(|(_, shell)| *shell);
    let files = match shell {
        None if kind == "man" => pages(command).map_err(Error::failed)?,
        None => return Err(usage()),
        Some(shell) => vec![completions(command, shell)],
    };
    let folder = Path::new(folder);
    fs::create_dir_all(folder).map_err(|why| Error::write(folder, why))?;
    for (name, content) in files {
        let path = folder.join(name);
        fs::write(&path, content).map_err(|why| Error::write(&path, why))?;
    }
    Ok(())
}

/// Returns the man pages of the program and of each of its verbs, as (file name, content).
fn pages(command: &Command) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut command = command.clone().disable_help_subcommand(true);
    command.build();
    let program = command.get_name().to_owned();
    let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    let verbs = verbs.map(|verb| {
        // Its page has the name of its file, its usage the words of a line.
        let words = format!("{program} {}", verb.get_name());
        verb.clone().name(words.replace(' ', "-")).bin_name(words)
    });
    let page = |command: Command| {
        let name = format!("{}.1", command.get_name());
        let mut content = Vec::new();
        Man::new(command).render(&mut content)?;
        Ok((name, content))
    };
    let of_verbs: Vec<Command> = verbs.collect();
    [command].into_iter().chain(of_verbs).map(page).collect()
}

/// Returns the file by which a shell completes verbs and options, as (file name, content).
fn completions(command: &Command, shell: Shell) -> (String, Vec<u8>) {
    let mut command = command.clone();
    let (name, mut content) = (command.get_name().to_owned(), Vec::new());
    clap_complete::generate(shell, &mut command, &name, &mut content);
    (clap_complete::Generator::file_name(&shell, &name), content)
}
