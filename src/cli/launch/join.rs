//! `raddle join`.

use std::fs;
use std::net::{SocketAddr, ToSocketAddrs};
use std::process::{Command, Stdio};

use super::room::private_folder;
use super::{Join, program};
use crate::cli::exit::{Error, ExitStatus};
use crate::cli::session::SHARED;
use crate::cluster::{FILE, INDEX, Invitation, Place, Visitor, WORKERS};

/// Asks for a place in the run, and starts its program as one more process of it.
pub(super) fn join(options: &Join) -> Result<u8, Error> {
    let Join { address, token_file } = options;
    let token = fs::read_to_string(token_file);
    let token = token.map_err(|why| Error::usage(format!("{}: {why}", token_file.display())))?;
    let invitation = Invitation::to(resolve(address)?, token.trim())
        .ok_or_else(|| Error::usage(format!("{}: it holds no token of a run", token_file.display())))?;
    let Place { line, index, workers, invitation } = Visitor::new(invitation).join()?;
    let (name, arguments) = line.split_first().ok_or_else(|| Error::failed("the run has no program"))?;
    let name = std::path::Path::new(name).file_name().unwrap_or_default().to_string_lossy();
    let path = program::find(&name)?;
    let folder = private_folder().map_err(|why| Error::failed(format!("no folder for the token: {why}")))?;
    let file = folder.join("coordinator");
    let written = invitation.write(&file).map_err(|why| Error::write(&file, why));
    let mut command = Command::new(&path);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null());
    command.env(FILE, &file).env(INDEX, index.to_string()).env(WORKERS, workers.to_string());
    // Ctrl-C and SIGTERM are the program's: it leaves at the next boundary.
    let _ = ctrlc::set_handler(|| ());
    let status = written.and_then(|()| {
        command.status().map_err(|why| Error::failed(format!("{}: cannot be started: {why}", path.display())))
    });
    // Best effort: the run has gone on without them long ago.
    let _ = fs::remove_file(&file);
    let _ = fs::remove_dir_all(folder.join(SHARED));
    let _ = fs::remove_dir(&folder);
    let code = status?.code().unwrap_or(1);
    Ok(u8::try_from(code).unwrap_or(ExitStatus::Failed.code()))
}

fn resolve(address: &str) -> Result<SocketAddr, Error> {
    let refuse = |why: &dyn std::fmt::Display| {
        Error::usage(format!("{address}: {why}; give the address that the launcher said, as HOST:PORT"))
    };
    let mut found = address.to_socket_addrs().map_err(|why| refuse(&why))?;
    found.next().ok_or_else(|| refuse(&"it names no machine"))
}
