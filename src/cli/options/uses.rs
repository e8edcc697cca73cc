//! [`UseOptions`]: the options of every verb that uses a model.

use std::io::Write as _;

use clap::Args;
use serde::Serialize;

use crate::cli::exit::Error;
use crate::cli::say::say;

/// The options of the verbs that use a model; flatten them into the verb's own.
#[derive(Debug, Clone, Copy, Default, Args, Serialize)]
pub struct UseOptions {
    /// Say nothing on stderr but errors.
    #[arg(short, long)]
    pub quiet: bool,
    /// Write the result as one line of JSON to stdout, and nothing else there.
    #[arg(long)]
    pub json: bool,
}

impl UseOptions {
    /// Writes the result to stdout: the text, or with `--json` the value as one line.
    ///
    /// # Errors
    /// If stdout cannot be written, or the value has no form as JSON.
    pub fn say(&self, text: &str, value: &impl Serialize) -> Result<(), Error> {
        if self.json { say(&serde_json::to_string(value).map_err(Error::failed)?) } else { say(text) }
    }

    /// Writes a note beside the result to stderr; nothing with `--quiet`.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            // No reader is left if stderr is closed.
            let _ = writeln!(std::io::stderr(), "{text}");
        }
    }
}

/// Refuses options that were given and would change nothing: `given` holds each option's name and `true` if
/// it was given; `with` is the cause in words.
///
/// ```
/// use raddle::cli::refuse_without_effect;
/// let error = refuse_without_effect(&[("--rho", true), ("--guard", false)], "with --schedule cyclic").unwrap_err();
/// assert_eq!(error.to_string(), "--rho has no effect with --schedule cyclic: leave it out");
/// ```
///
/// # Errors
/// A usage error that names all of them.
pub fn refuse_without_effect(given: &[(&str, bool)], with: &str) -> Result<(), Error> {
    let names: Vec<&str> = given.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect();
    match names.as_slice() {
        [] => Ok(()),
        [name] => Err(Error::usage(format!("{name} has no effect {with}: leave it out"))),
        [names @ .., last] => {
            let names = names.join(", ");
            Err(Error::usage(format!("{names} and {last} have no effect {with}: leave them out")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_without_effect_are_named_together() {
        refuse_without_effect(&[("--rho", false)], "here").unwrap();
        let given = [("--rho", true), ("--guard", true), ("--explain", false), ("--staleness", true)];
        let error = refuse_without_effect(&given, "here").unwrap_err();
        assert_eq!(error.to_string(), "--rho, --guard and --staleness have no effect here: leave them out");
    }
}
