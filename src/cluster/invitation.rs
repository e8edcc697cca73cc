//! [`Invitation`]: the address, run number and token with which a process connects to its run.

use std::fs;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::Path;

use super::net::secret::Secret;
use super::net::socket::Encryption;
use super::net::token::Token;
use crate::base::error::EngineError;
use crate::parties::Keyring;

/// Environment variable of a process that `raddle launch` starts: a file with the invitation. Where the
/// invitation comes by a socket pair, only the file's folder counts.
pub const FILE: &str = "RADDLE_RUN";
/// Environment variable with the process's number.
pub const INDEX: &str = "RADDLE_PROCESS";

/// The file in the folder of a launched run that holds its invitation.
pub const INVITATION: &str = "coordinator";

/// Address of a run's coordinator, and the token that its processes prove to hold.
#[derive(Debug, Clone)]
pub struct Invitation {
    #[doc(hidden)]
    pub coordinator: SocketAddr,
    #[doc(hidden)]
    pub token: Token,
    pub(crate) run: u64,
    /// The keys of a party, or of the coordinator, if the run has parties.
    pub(crate) keyring: Option<Keyring>,
}

impl Invitation {
    /// Makes an invitation to the run of this number.
    #[doc(hidden)]
    pub fn new(coordinator: SocketAddr, token: Token, run: u64) -> Self {
        Self { coordinator, token, run, keyring: None }
    }

    /// Makes an invitation to the coordinator at this address, with the token as 64 hexadecimal digits;
    /// `None` if the text is no token.
    pub fn to(coordinator: SocketAddr, token: &str) -> Option<Self> {
        Some(Self { coordinator, token: Token::parse(token)?, run: 0, keyring: None })
    }

    /// Makes an invitation to a party, which has this keyring, to the coordinator at this address.
    ///
    /// # Errors
    /// If the system has no random bytes.
    pub fn to_party(coordinator: SocketAddr, keyring: Keyring) -> io::Result<Self> {
        Ok(Self { keyring: Some(keyring), ..Self::new(coordinator, Token::new()?, 0) })
    }

    /// Returns what the ends of the run's connections prove to hold.
    pub(super) fn secret(&self, encryption: Encryption) -> Secret {
        Secret { token: self.token, encryption, keyring: self.keyring.clone() }
    }

    /// Writes the invitation to a file that only its owner can read, without the keys of parties.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        write_private(path, &self.text())
    }

    /// Returns the invitation as lines of text.
    pub(crate) fn text(&self) -> String {
        let Self { coordinator, token, run, .. } = self;
        format!("coordinator {coordinator}\nrun {run:016x}\ntoken {}\n", token.text())
    }

    /// Reads an invitation that [`write`](Self::write) wrote.
    ///
    /// # Errors
    /// If the file cannot be read, or is no invitation.
    pub fn read(path: &Path) -> Result<Self, EngineError> {
        let refuse = |why: String| EngineError::Setting(format!("{}: {why}", path.display()));
        let text = fs::read_to_string(path).map_err(|why| refuse(why.to_string()))?;
        Self::parse(&text, refuse)
    }

    pub(crate) fn parse(text: &str, refuse: impl Fn(String) -> EngineError) -> Result<Self, EngineError> {
        let value = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
            line.map(str::trim)
                .ok_or_else(|| refuse(format!("it is no invitation to a run: it has no {name}")))
        };
        let bad = |name| refuse(format!("it is no invitation to a run: its {name} cannot be read"));
        Ok(Self {
            coordinator: value("coordinator")?.parse().map_err(|_| bad("coordinator"))?,
            run: u64::from_str_radix(value("run")?, 16).map_err(|_| bad("run"))?,
            token: Token::parse(value("token")?).ok_or_else(|| bad("token"))?,
            keyring: Keyring::parse(text),
        })
    }
}

/// Writes a file that only its owner can read.
///
/// # Errors
/// If the file cannot be written.
pub fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // Opening an existing file would leave its mode as it is: create a new one.
    match fs::remove_file(path) {
        Err(why) if why.kind() != io::ErrorKind::NotFound => return Err(why),
        _ => {}
    }
    options.open(path)?.write_all(text.as_bytes())
}
