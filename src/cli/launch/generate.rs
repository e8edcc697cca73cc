//! `raddle generate`: man pages and completions of all programs.

use std::ffi::OsString;
use std::process::Command as Process;

use clap::{Args, Command};

use super::program;
use crate::exit::{Error, ExitStatus};
use crate::options::foreign::programs;
use crate::options::generate::write;
use crate::say::say;

/// Options of `raddle generate`.
#[derive(Debug, Args)]
pub(super) struct Generate {
    /// Kind of file to write
    #[arg(value_name = "man|bash|fish|powershell|zsh")]
    kind: OsString,
    /// Folder to write to
    #[arg(value_name = "DIR")]
    folder: OsString,
}

/// Writes the files of this program, and lets those next to it write theirs. On PATH a program of the same
/// name may be another.
pub(super) fn generate(command: &Command, Generate { kind, folder }: &Generate) -> Result<u8, Error> {
    write(command, &[kind.clone(), folder.clone()])?;
    let (mut written, mut missing) = (vec!["raddle"], Vec::new());
    for name in programs() {
        let Some(path) = program::next_to_this(name) else {
            missing.push(name);
            continue;
        };
        let refuse = |why: &dyn std::fmt::Display| Error::failed(format!("{}: {why}", path.display()));
        let status =
            Process::new(&path).arg("generate").arg(kind).arg(folder).status().map_err(|why| refuse(&why))?;
        if !status.success() {
            return Err(refuse(&format!("it wrote no files ({status})")));
        }
        written.push(name);
    }
    let kind = if kind == "man" { "man pages".into() } else { format!("completions for {}", kind.display()) };
    let without = match missing.is_empty() {
        true => String::new(),
        false => format!("; not next to raddle: {}", missing.join(", ")),
    };
    say(&format!("{kind} of {} are in {}{without}", written.join(", "), folder.display()))?;
    Ok(ExitStatus::Done.code())
}
