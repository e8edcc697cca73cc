//! [`Room`]: the folder in which the processes of a run, and visitors, find it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::cli::exit::Error;
use crate::cli::folder::{Earlier, RunFolder};
use crate::cli::session::SHARED;
use crate::cluster::{Invitation, PROOF, write_private};

/// What processes and visitors need to find the run.
pub(super) const INVITATION: &str = "coordinator";
/// The token alone, for other machines.
const TOKEN: &str = "token";

/// The run's folder, or one of its own for a run that leaves no files.
pub(super) struct Room {
    path: PathBuf,
    own: bool,
    /// Held as long as the run is alive.
    folder: RunFolder,
}

impl Room {
    /// Takes hold of the folder of `--out`, or makes one.
    pub(super) fn open(out: Option<&Path>, earlier: Earlier) -> Result<Self, Error> {
        match out {
            Some(out) => {
                let folder = RunFolder::hold(out, earlier)?;
                Ok(Self { path: out.into(), own: false, folder })
            }
            None => {
                let path =
                    private_folder().map_err(|why| Error::failed(format!("no folder for the run: {why}")))?;
                Ok(Self { path, own: true, folder: RunFolder::none() })
            }
        }
    }

    /// Invites to the run.
    pub(super) fn invite(&self, invitation: &Invitation) -> Result<PathBuf, Error> {
        let file = self.path.join(INVITATION);
        invitation.write(&file).map_err(|why| Error::write(&file, why))?;
        let token = self.path.join(TOKEN);
        let text = format!("{}\n", invitation.token_text());
        write_private(&token, &text).map_err(|why| Error::write(&token, why))?;
        fs::canonicalize(&file).map_err(|why| Error::write(&file, why))
    }

    /// Completes a commit in which the first process was lost.
    pub(super) fn recover(&self) -> Result<(), Error> {
        self.folder.recover()
    }

    /// The folder that others see.
    pub(super) fn path(&self) -> Option<&Path> {
        Some(self.path.as_path()).filter(|_| !self.own)
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        // Best effort: whoever finds them finds nobody there.
        for name in [INVITATION, TOKEN, PROOF] {
            let _ = fs::remove_file(self.path.join(name));
        }
        let _ = fs::remove_dir_all(self.path.join(SHARED));
        if self.own {
            let _ = fs::remove_dir(&self.path);
        }
    }
}

/// A new folder that only its owner can enter.
pub(super) fn private_folder() -> io::Result<PathBuf> {
    let name: [u8; 8] = crate::cluster::random()?;
    let path = std::env::temp_dir().join(format!("raddle-{:016x}", u64::from_le_bytes(name)));
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(&path)?;
    Ok(path)
}
