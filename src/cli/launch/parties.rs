//! Parties of a run: their options, and the consent of one of them.

use std::fs;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use raddle::ModelDigest;
use raddle::parties::{FEWEST, Keyring};

use super::options::{Join, Launch, PartyOptions};
use super::private_file::read_key;
use super::program;
use crate::exit::Error;
use crate::parties::PartiesFile;
use crate::say::say;

/// Length of the digest of an offer, in hexadecimal digits.
const DIGEST: usize = 32;

/// A party that joins: the file that names it, and its keys.
pub(super) struct Party {
    pub(super) file: PathBuf,
    pub(super) keyring: Keyring,
    /// The command line that the party has agreed to.
    pub(super) accepted: Vec<String>,
}

impl Party {
    /// Reads the files of a party; `None` for a process that joins by the run's token.
    pub(super) fn read(options: &Join) -> Result<Option<(Self, PartiesFile)>, Error> {
        let PartyOptions { parties, name, key, .. } = &options.party;
        let (Some(parties), Some(key)) = (parties, key) else { return Ok(None) };
        let file = PartiesFile::read(parties)?;
        let keyring = file.keyring(name.as_deref(), read_key(key)?)?;
        let path =
            fs::canonicalize(parties).map_err(|why| Error::input(format!("{}: {why}", parties.display())))?;
        Ok(Some((Self { file: path, keyring, accepted: Vec::new() }, file)))
    }

    /// Returns the command line of the party's process: the one that it agreed to, on its own data.
    pub(super) fn line(&self, offered: &[String], data: &str) -> Result<Vec<String>, Error> {
        if self.accepted != offered {
            return Err(Error::failed(
                "the run is another one than was agreed to: look at it, and join again",
            ));
        }
        let mut line = offered.to_vec();
        line.insert(line.len().min(2), data.to_owned());
        Ok(line)
    }
}

/// Shows what a party is asked for, and returns once it agrees.
///
/// # Errors
/// If it does not.
pub(super) fn agree(options: &Join, file: &PartiesFile, offered: &[String]) -> Result<(), Error> {
    let PartyOptions { name, accept, .. } = &options.party;
    let text = offer(name.as_deref().unwrap_or_default(), file, offered);
    let digest = digest(&text);
    if let Some(accepted) = accept {
        return match *accepted == digest {
            true => Ok(()),
            false => Err(Error::usage(format!(
                "--accept {accepted}: the run offers something else, of digest {digest}: join without --accept to read it"
            ))),
        };
    }
    say(&text)?;
    if !io::stdin().is_terminal() {
        let why = "read it, then give its digest";
        return Err(Error::usage(format!(
            "nobody can be asked whether to take part: {why}: --accept {digest}"
        )));
    }
    // No reader is left if stderr is closed.
    let _ = write!(io::stderr(), "Take part? [yes/no] ");
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).map_err(|why| Error::failed(format!("stdin: {why}")))?;
    match answer.trim() {
        "y" | "yes" => Ok(()),
        _ => Err(Error::usage(format!("not agreed to; to agree without being asked: --accept {digest}"))),
    }
}

fn digest(text: &str) -> String {
    ModelDigest::default().bytes(text.as_bytes()).finish()[..DIGEST].to_owned()
}

/// Returns what a party is asked for, as it reads it.
fn offer(name: &str, file: &PartiesFile, line: &[String]) -> String {
    let (program, arguments) =
        line.split_first().map_or(("", &[][..]), |(program, rest)| (program.as_str(), rest));
    let program = Path::new(program).file_name().unwrap_or_default().to_string_lossy();
    let shown =
        |word: &String| if word.contains(char::is_whitespace) { format!("{word:?}") } else { word.clone() };
    let words: Vec<String> = arguments.iter().map(shown).collect();
    let sums = match program::value(arguments, "--sum") {
        Some("exact") => "sums over your rows, which the first party reads;",
        _ => "sums over your rows, under masks that only the sum of all parties is free of;",
    };
    let file = file.text().lines().fold(String::new(), |text, line| text + "    " + line + "\n");
    format!(
        "You are asked to take part as {name} in\n\n    {program} {}\n\nwith these parties, columns and classes:\n\n\
         {file}\nWhat leaves this machine: {sums}\nhow far it is, and a digest of your file. What all parties see: these \
         sums over all of them,\nthe model after each round, and how many rows there are. No row leaves this machine.\n",
        words.join(" ")
    )
}

/// Reads the keys of the coordinator, and the schema with which the identity of each party's run agrees, if
/// the run has parties.
pub(super) fn coordinator(options: &Launch) -> Result<Option<(Keyring, String)>, Error> {
    let Some(parties) = &options.parties else { return Ok(None) };
    let file = PartiesFile::read(parties)?;
    let refuse = |why: &str| Err(Error::usage(format!("--parties: {why}")));
    if options.processes > 0 {
        return refuse("the rows are with the parties, and none are here: leave out --processes, or give 0");
    }
    let name = options.line.first().and_then(|name| Path::new(name).file_stem());
    if let Some(name) = name.filter(|name| *name != "linear") {
        let name = name.to_string_lossy();
        return refuse(&format!(
            "{name}: what it sends tells on rows: over parties, whose rows stay with them, only sums cross, as \
             in linear fit"
        ));
    }
    if file.parties.len() < FEWEST as usize {
        return Err(Error::limit(format!(
            "{} names {} parties, and a run takes {FEWEST} or more: of two, each could compute the other's sums",
            file.path.display(),
            file.parties.len()
        )));
    }
    if options.line.get(2).is_some_and(|word| !word.starts_with('-')) {
        return refuse(
            "each party names its own DATA, with --data of raddle join: leave it out after PROGRAM fit",
        );
    }
    let beside = || parties.with_file_name("coordinator.key");
    let key = options.key.clone().unwrap_or_else(beside);
    Ok(Some((file.keyring(None, read_key(&key)?)?, format!("schema {}", file.schema()))))
}
