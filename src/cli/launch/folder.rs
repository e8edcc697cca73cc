//! [`LaunchFolder`]: the folder in which the processes of a run, and clients, find the run.

use std::fs::{self, File};
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::Duration;

use raddle::cluster::{Invitation, Remote, Token};
use raddle::command_line_support::{INVITATION, LOCK, PROOF, hold_lock, lock, write_private};

use crate::exit::Error;
use crate::run_folder::folder::{Earlier, RunFolder};
use crate::session::SHARED;

/// File with the token alone, for other machines; and, next, with the address at which the run listens, for a
/// launcher that resumes it. Both stay until the run is done, so that processes on other machines that know
/// them can connect again.
const TOKEN: &str = "token";
const ADDRESS: &str = "address";
/// Interval at which the folder is checked to exist.
const POLL: Duration = Duration::from_secs(1);

/// The folder of a run, or a temporary one for a run that leaves no files.
pub(super) struct LaunchFolder {
    path: PathBuf,
    own: bool,
    /// Folder, locked as long as the run is alive.
    folder: RunFolder,
    /// Files in the folder as long as the run is alive.
    invited: Arc<Mutex<Option<Invited>>>,
    /// `true` once the run is done, so that nobody has to find it again.
    done: bool,
}

/// Address and token of an earlier launcher of a run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) address: Option<SocketAddr>,
    pub(super) token: Option<Token>,
}

impl Kept {
    /// Reads the address and the token that an earlier launcher left in the folder of a run.
    pub(super) fn of(run: &Path) -> Self {
        // A file that cannot be read is as good as none: a new one is written.
        let read = |name: &str| fs::read_to_string(run.join(name)).ok();
        Self {
            address: read(ADDRESS).and_then(|text| text.trim().parse().ok()),
            token: read(TOKEN).and_then(|text| Token::parse(text.trim())),
        }
    }
}

/// Files in the folder of a run that is alive.
struct Invited {
    path: PathBuf,
    invitation: Invitation,
    proof: Option<u64>,
    /// Lock of a folder that was made again.
    lock: Option<File>,
    /// Reason that the folder could not be made again, as last reported.
    reported: String,
}

impl LaunchFolder {
    /// Locks the folder of `--out`, or makes a temporary one.
    pub(super) fn open(out: Option<&Path>, earlier: Earlier) -> Result<Self, Error> {
        let invited = Arc::default();
        match out {
            Some(out) => {
                let folder = RunFolder::hold(out, earlier)?;
                Ok(Self { path: out.into(), own: false, folder, invited, done: false })
            }
            None => {
                let path =
                    private_folder().map_err(|why| Error::failed(format!("no folder for the run: {why}")))?;
                Ok(Self { path, own: true, folder: RunFolder::none(), invited, done: true })
            }
        }
    }

    /// Writes the invitation to the run, and returns its file, next to which processes share files. A run
    /// without a folder is found only by the processes that are started here, which need no file.
    pub(super) fn invite(&self, invitation: &Invitation, proof: Option<u64>) -> Result<PathBuf, Error> {
        let file = self.path.join(INVITATION);
        if !self.own {
            let path = self.path.clone();
            let lock_of_it = lock(&self.invited).take().and_then(|before| before.lock);
            let invited = Invited {
                path,
                invitation: invitation.clone(),
                proof,
                lock: lock_of_it,
                reported: String::new(),
            };
            let written = fs::create_dir_all(&self.path).and_then(|()| invited.write());
            written.map_err(|why| Error::write(&self.path, why))?;
            *lock(&self.invited) = Some(invited);
        }
        let path = fs::canonicalize(&self.path).map_err(|why| Error::write(&file, why))?;
        Ok(path.join(INVITATION))
    }

    /// Checks every second that the folder exists, and makes it again if it is gone: a run without a folder
    /// could train to its end and then write no model. The result is reported to the coordinator.
    pub(super) fn watch(&self, remote: Remote) {
        if self.own {
            return;
        }
        let invited = Arc::downgrade(&self.invited);
        let watch = move || {
            while let Some(note) = check(&invited) {
                note.into_iter().for_each(|text| remote.note(text));
                thread::park_timeout(POLL);
            }
        };
        // Without a thread for it a folder that is removed is noticed by the process that writes to it.
        let _ = thread::Builder::new().name("raddle:folder".into()).spawn(watch);
    }

    /// Notes that the run is done and no launcher will resume it.
    pub(super) fn is_done(&mut self) {
        self.done = true;
    }

    /// Completes a commit in which the first process was lost.
    pub(super) fn recover(&self) -> Result<(), Error> {
        // If the folder was removed, there is no commit.
        if self.path.is_dir() { self.folder.recover() } else { Ok(()) }
    }

    /// Returns the folder, unless it is a temporary one.
    pub(super) fn path(&self) -> Option<&Path> {
        Some(self.path.as_path()).filter(|_| !self.own)
    }
}

/// Checks once; `None` if the run is over.
fn check(invited: &Weak<Mutex<Option<Invited>>>) -> Option<Option<String>> {
    let invited = invited.upgrade()?;
    let mut invited = lock(&invited);
    let Some(invited) = invited.as_mut() else { return Some(None) };
    let note = invited.renew().unwrap_or_else(|why| {
        let path = invited.path.display();
        Some(format!(
            "{path} is gone and cannot be made again: {why}: neither checkpoints nor a model can be written"
        ))
    });
    Some(note.filter(|text| *text != invited.reported).inspect(|text| invited.reported.clone_from(text)))
}

impl Invited {
    fn write(&self) -> io::Result<()> {
        write_private(&self.path.join(ADDRESS), &format!("{}\n", self.invitation.coordinator))?;
        write_private(&self.path.join(TOKEN), &format!("{}\n", self.invitation.token.text()))?;
        // Last: a client that finds the invitation finds the other files, too.
        self.invitation.write(&self.path.join(INVITATION))
    }

    /// Makes the folder again if it is gone; returns the message about it.
    fn renew(&mut self) -> Result<Option<String>, String> {
        match fs::symlink_metadata(self.path.join(INVITATION)) {
            Err(why) if why.kind() == io::ErrorKind::NotFound => {}
            // A disk that does not answer is not a folder that is gone.
            _ => {
                self.reported.clear();
                return Ok(None);
            }
        }
        fs::create_dir_all(&self.path).map_err(|why| why.to_string())?;
        if !self.path.join(LOCK).exists() {
            self.lock = Some(hold_lock(&self.path)?);
        }
        if let Some(proof) = self.proof {
            write_private(&self.path.join(PROOF), &proof.to_string()).map_err(|why| why.to_string())?;
        }
        self.write().map_err(|why| why.to_string())?;
        let path = self.path.display();
        Ok(Some(format!(
            "{path} was removed, and is made again: its checkpoints are gone, the model can be written"
        )))
    }
}

impl Drop for LaunchFolder {
    fn drop(&mut self) {
        // From here on no thread makes the folder again.
        *lock(&self.invited) = None;
        // Best effort: a client that finds them finds no coordinator.
        let kept = if self.done { &[TOKEN, ADDRESS][..] } else { &[] };
        for name in [INVITATION, PROOF].iter().chain(kept) {
            let _ = fs::remove_file(self.path.join(name));
        }
        let _ = fs::remove_dir_all(self.path.join(SHARED));
        if self.own {
            let _ = fs::remove_dir(&self.path);
        }
    }
}

/// Makes a new folder that only its owner can enter.
#[cfg_attr(not(unix), allow(unused_mut, reason = "folders have no mode there"))]
pub(super) fn private_folder() -> io::Result<PathBuf> {
    let name: [u8; 8] = raddle::command_line_support::random_bytes()?;
    let path = std::env::temp_dir().join(format!("raddle-{:016x}", u64::from_le_bytes(name)));
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(&path)?;
    Ok(path)
}
