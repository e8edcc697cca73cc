//! `raddle status`: the status of a run, from its coordinator or read from its folder.

mod curve;
mod folder_status;
mod launched;
mod watch;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;
use raddle::cluster::RunStatus;
use raddle::command_line_support::INVITATION;

use self::folder_status::FolderStatus;
use super::exit::{Error, ExitStatus};
use super::run_folder::begun::Begun;
use super::run_folder::life::Life;
use super::run_folder::snapshot::RunSnapshot;
use super::say::{say, say_json};

pub(crate) use self::launched::admin;

/// Options of `raddle status`.
#[derive(Debug, Args)]
pub(crate) struct StatusOptions {
    /// Folder of the run
    run: PathBuf,
    /// Follow the run until it ends, then exit with its status. On a terminal the screen is redrawn;
    /// elsewhere each change is a line
    #[arg(long)]
    watch: bool,
    /// Write one line of JSON, or with --watch one for each change: for a live launched run the answer of its
    /// launcher, else the content of the folder
    #[arg(long)]
    json: bool,
}

impl StatusOptions {
    /// Line of the program `pool` that shows the folder, if it is that of a pool.
    pub(crate) fn of_pool(&self) -> Option<Vec<OsString>> {
        let begun = Begun::read(&self.run).ok()??;
        let flags = [("--watch", self.watch), ("--json", self.json)];
        let flags = flags.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name.into());
        let line = [OsString::from("status"), self.run.clone().into()].into_iter().chain(flags);
        (begun.program == "pool").then(|| line.collect())
    }
}

/// Shows the status of a run. With `--watch` the result is the exit status of the run.
///
/// # Errors
/// If the folder holds no run, or cannot be read.
pub(crate) fn status(options: &StatusOptions) -> Result<u8, Error> {
    let StatusOptions { run, watch, json } = options;
    if *watch {
        return watch::watch(run, *json);
    }
    match coordinator_status(run)? {
        Some(status) if *json => say_json(&status)?,
        Some(status) => say(&launched::text(&status))?,
        None => {
            let run = RunSnapshot::read(run)?;
            let status = FolderStatus::new(&run);
            if *json { say_json(&status)? } else { say(&status.text())? }
        }
    }
    Ok(ExitStatus::Done.code())
}

/// Returns the coordinator's status of a launched run that is alive; `None` for any other folder.
///
/// # Errors
/// If the coordinator does not answer.
pub(crate) fn coordinator_status(run: &Path) -> Result<Option<RunStatus>, Error> {
    // A launcher that was killed leaves its invitation behind.
    if !run.join(INVITATION).is_file() || Life::of(run) == Life::Gone {
        return Ok(None);
    }
    match admin(run).and_then(|coordinator| Ok(coordinator.status()?)) {
        Ok(told) => Ok(Some(told)),
        // The run has ended meanwhile: its folder says how.
        Err(_) if Life::of(run) == Life::Gone => Ok(None),
        Err(why) => Err(why),
    }
}
