//! [`UseOptions`]: the options of every verb that uses a model.

use std::io::Write as _;

use clap::Args;
use serde::Serialize;

use crate::exit::Error;
use crate::say::{say, say_json};

/// The options of the verbs that use a model; flatten them into the verb's own.
#[derive(Debug, Clone, Copy, Default, Args, Serialize)]
pub struct UseOptions {
    /// Print only errors to stderr.
    #[arg(short, long)]
    pub quiet: bool,
    /// Write the result as one line of JSON. Nothing else is written to stdout.
    #[arg(long)]
    pub json: bool,
}

impl UseOptions {
    /// Writes the result to stdout: the text, or with `--json` the value as one line.
    ///
    /// # Errors
    /// If stdout cannot be written, or the value has no form as JSON.
    pub fn say(&self, text: &str, value: &impl Serialize) -> Result<(), Error> {
        if self.json { say_json(value) } else { say(text) }
    }

    /// Writes a note on the result to stderr; nothing with `--quiet`.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            // No reader is left if stderr is closed.
            let _ = writeln!(std::io::stderr(), "{text}");
        }
    }
}
