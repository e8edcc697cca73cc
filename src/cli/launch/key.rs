//! `raddle key`: makes the key pair of a party or of the coordinator.

use std::path::PathBuf;

use clap::Args;
use raddle::command_line_support::write_private;
use raddle::parties::PrivateKey;

use super::lines::note;
use crate::exit::Error;
use crate::parties::check_name;
use crate::say::say;

#[derive(Debug, Args)]
pub(super) struct Key {
    /// File for the private key, named after the party, such as north.key, or coordinator.key. It must not
    /// exist. Only its owner can read it.
    #[arg(value_name = "NAME.key")]
    file: PathBuf,
}

/// Makes a key pair: the private key goes into the file, the line for parties.toml to stdout.
pub(super) fn key(Key { file }: &Key) -> Result<u8, Error> {
    let path = file.display();
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    check_name(&name).map_err(|why| Error::usage(format!("{path}: {why}")))?;
    if file.symlink_metadata().is_ok() {
        return Err(Error::usage(format!("{path}: it exists already: a key that is replaced is lost")));
    }
    let key = PrivateKey::new().map_err(|why| Error::failed(format!("no random bytes: {why}")))?;
    write_private(file, &format!("{}\n", *key.text())).map_err(|why| Error::write(file, why))?;
    say(&format!("{name} = \"{}\"", key.public()))?;
    let place = if name == "coordinator" { "at the top" } else { "below [parties]" };
    note(&format!("the line stands {place} in parties.toml; {path} stays where it is, for nobody else"));
    Ok(0)
}
