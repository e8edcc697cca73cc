//! [`ParentLink`]: the socket pair between a process and its parent, a launcher or `raddle join`. The process
//! has it as its stdin. No stranger can reach it, its messages lie in no file, and its end shows each side
//! that the other one is gone.
//!
//! The parent first sends the invitation to the run, and an empty line. A launcher then uses it as any other
//! control connection; `raddle join` sends nothing more.
//!
//! If the system has no socket pairs, the invitation is a file, and processes of a launcher connect over the
//! network.

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::{env, fs, io};

#[cfg(unix)]
use zeroize::Zeroizing;

use super::invitation::{FILE, INDEX, Invitation};
use crate::base::error::EngineError;
use crate::base::sync::lock;
#[cfg(unix)]
use crate::parties::Keyring;

/// Environment variable that is set where the standard input is a parent link; it names the parent:
/// `launcher` or `supervisor`.
#[cfg(unix)]
const PARENT_LINK: &str = "RADDLE_PARENT_LINK";
/// Size limit of an invitation, in bytes: with the keys of 256 parties.
#[cfg(unix)]
const MOST: usize = 1 << 16;

/// Socket pair of this process with its parent: the end of this process.
#[derive(Debug)]
#[cfg_attr(not(unix), allow(dead_code, reason = "there are no socket pairs"))]
pub(crate) enum ParentLink {
    /// To the launcher, which is the coordinator.
    Launcher(TcpStream),
    /// To `raddle join`.
    Supervisor(TcpStream),
    /// No socket pair.
    None,
}

/// Invitation of a process that a launcher started.
pub(crate) struct Started {
    pub(crate) invitation: Invitation,
    /// The number of the process in the run.
    pub(crate) index: u32,
    pub(crate) parent_link: ParentLink,
}

/// Gives the process that this command will start a parent link, and returns the parent's end; `launched` is
/// `true` for a launcher, `false` for `raddle join`.
///
/// # Errors
/// If the system has no socket pair left.
#[cfg(unix)]
pub fn attach(
    command: &mut Command,
    invitation: &Invitation,
    _: &Path,
    launched: bool,
) -> io::Result<Option<TcpStream>> {
    use std::io::Write as _;
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;

    let (mut here, there) = UnixStream::pair()?;
    // It fits in the pair's buffer: the write does not wait for the process.
    let keys = invitation.keyring.as_ref().map(Keyring::text).unwrap_or_default();
    here.write_all(Zeroizing::new(format!("{}{}\n", invitation.text(), *keys)).as_bytes())?;
    command.stdin(OwnedFd::from(there)).env(PARENT_LINK, if launched { "launcher" } else { "supervisor" });
    // The standard library's `TcpStream` holds any connected stream socket; no call here needs TCP.
    Ok(Some(TcpStream::from(OwnedFd::from(here))))
}

/// Writes the invitation to the file, where there are no socket pairs.
///
/// # Errors
/// If the file cannot be written.
#[cfg(not(unix))]
pub fn attach(
    command: &mut Command,
    invitation: &Invitation,
    file: &Path,
    _: bool,
) -> io::Result<Option<TcpStream>> {
    command.stdin(std::process::Stdio::null());
    invitation.write(file).map(|()| None)
}

/// Function that reports to the launcher why this process does not join its run; set in a process of `raddle
/// join`.
static DECLINE: Mutex<Option<DeclineReason>> = Mutex::new(None);

/// Function that sends the reason for which a process does not join.
type DeclineReason = Box<dyn Fn(String) + Send>;

/// Sets how [`decline`] reports.
pub(super) fn declines_by(report: impl Fn(String) + Send + 'static) {
    *lock(&DECLINE) = Some(Box::new(report));
}

/// Reports to the launcher why this process, which was to join a run, ends without having joined.
pub fn decline(why: &str) {
    if let Some(report) = lock(&DECLINE).take() {
        report(why.to_owned());
    }
}

/// The folder that a supervisor has made for this process, once the supervisor is gone, which would have
/// removed it.
static ORPHANED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Notes that the supervisor is gone.
pub(super) fn note_lost_supervisor() {
    let file = env::var_os(FILE).map(PathBuf::from);
    *lock(&ORPHANED) = file.as_deref().and_then(Path::parent).map(Path::to_owned);
}

/// Removes what a supervisor that is gone has left, as the last thing before this process ends.
pub fn remove_leftovers() {
    if let Some(folder) = lock(&ORPHANED).take() {
        // The supervisor may have removed it itself.
        let _ = fs::remove_dir_all(folder);
    }
}

impl Started {
    /// Reads the invitation that this process was started with; `None` if it was started alone. The standard
    /// input is empty afterwards.
    ///
    /// # Errors
    /// If the environment or the invitation makes no sense, or the parent is gone.
    pub(crate) fn from_environment() -> Result<Option<Self>, EngineError> {
        let Some(file) = env::var_os(FILE) else { return Ok(None) };
        let index = env::var(INDEX).ok().and_then(|text| text.parse().ok());
        let index = index.ok_or_else(|| EngineError::Setting(format!("{FILE} is set and {INDEX} is not")))?;
        let lost =
            |why: io::Error| EngineError::Process(format!("the process that started it is gone: {why}"));
        if let Some((invitation, parent_link)) = take().map_err(lost)? {
            return Ok(Some(Self { invitation, index, parent_link }));
        }
        let invitation = Invitation::read(Path::new(&file))?;
        Ok(Some(Self { invitation, index, parent_link: ParentLink::None }))
    }
}

/// Invitation and parent link on the standard input, if they are there.
#[cfg(unix)]
fn take() -> io::Result<Option<(Invitation, ParentLink)>> {
    use std::fs::File;
    use std::os::fd::AsFd as _;

    let Ok(by) = env::var(PARENT_LINK) else { return Ok(None) };
    let socket = TcpStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    // A program that reads data from its standard input finds it empty, as in every process of a run.
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    let text = read_to_an_empty_line(&socket)?;
    let bad = |why: String| EngineError::Setting(why);
    let invitation = Invitation::parse(&text, bad).map_err(io::Error::other)?;
    Ok(Some((
        invitation,
        if by == "launcher" { ParentLink::Launcher(socket) } else { ParentLink::Supervisor(socket) },
    )))
}

#[cfg(not(unix))]
fn take() -> io::Result<Option<(Invitation, ParentLink)>> {
    Ok(None)
}

/// Reads up to an empty line, byte by byte: the bytes after it belong to the control connection.
#[cfg(unix)]
fn read_to_an_empty_line(mut from: impl io::Read) -> io::Result<String> {
    let (mut text, mut byte) = (Vec::new(), [0]);
    while !text.ends_with(b"\n\n") {
        if text.len() > MOST {
            return Err(io::ErrorKind::InvalidData.into());
        }
        from.read_exact(&mut byte)?;
        text.extend_from_slice(&byte);
    }
    String::from_utf8(text).map_err(|_| io::ErrorKind::InvalidData.into())
}
