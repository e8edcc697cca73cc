//! [`Children`]: the processes that a launcher has started.

use std::io::{self, Read};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use raddle::cluster::{Invitation, Remote};
use raddle::command_line_support::{Addresses, LOST, attach, lock};

use super::program;
use crate::environment::{AGAIN, ALONE};

/// Interval at which a process is polled for its end.
const POLL: Duration = Duration::from_millis(5);
/// Bytes kept of the stderr of a process other than the first.
const KEPT: usize = 64 << 10;

/// Processes of a run that were started on this machine, by number.
#[derive(Default)]
pub(super) struct Children(Vec<StartedProcess>);

struct StartedProcess {
    child: Arc<Mutex<Child>>,
    /// Readers of the process's stdout and, unless it writes to the launcher's own, of its stderr.
    out: Option<Output>,
    err: Option<Output>,
}

/// Reader of what a process writes.
type Output = JoinHandle<Vec<u8>>;

/// Settings of the start of a process.
pub(super) struct Start<'a> {
    pub(super) program: &'a Path,
    pub(super) arguments: &'a [String],
    /// The invitation by which the process finds its run, and the file of the invitation.
    pub(super) invitation: &'a Invitation,
    pub(super) file: &'a Path,
    pub(super) workers: u32,
    /// `true` if the run has been started before.
    pub(super) again: bool,
    /// `true` if the process is the only one of its run.
    pub(super) alone: bool,
    pub(super) addresses: Addresses,
}

/// Reads the bytes that a process writes, of which so many are kept, until it has ended.
fn read(mut from: impl Read + Send + 'static, most: usize) -> Output {
    thread::spawn(move || {
        let (mut bytes, mut some) = (Vec::new(), [0; 4096]);
        while let Ok(count @ 1..) = from.read(&mut some) {
            bytes.extend_from_slice(&some[..count]);
            let beyond = bytes.len().saturating_sub(most);
            bytes.drain(..beyond);
        }
        bytes
    })
}

/// Exit status of a panic outside of all verbs.
const PANICKED: i32 = 101;

/// Returns the end of a process: its status, `true` if it crashed, and the end in words.
pub(super) fn ended(status: ExitStatus) -> (i32, bool, String) {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return (128 + signal, true, format!("was killed by signal {signal}"));
    }
    let code = status.code().unwrap_or(1);
    (code, matches!(code, LOST | PANICKED), format!("ended with status {code}"))
}

impl Children {
    /// Starts one more process, and returns the launcher's end of its parent link.
    pub(super) fn start(&mut self, start: &Start<'_>, remote: &Remote) -> io::Result<Option<TcpStream>> {
        let index = self.0.len() as u32;
        let Start { program, arguments, file, workers, addresses, .. } = *start;
        let mut command = program::command(program, arguments, file, index, workers, addresses);
        command.stdout(Stdio::piped());
        if start.again {
            command.env(AGAIN, "1");
        }
        if start.alone {
            command.env(ALONE, "1");
        }
        if index > 0 {
            command.stderr(Stdio::piped());
        }
        // Ctrl-C reaches the launcher alone, which passes it on.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let parent_link = attach(&mut command, start.invitation, start.file, true)?;
        let mut child = command.spawn()?;
        // Only the child holds its end of the parent link: when the child ends, the link is closed.
        drop(command);
        let out = child.stdout.take().map(|out| read(out, usize::MAX));
        let err = child.stderr.take().map(|err| read(err, KEPT));
        let child = Arc::new(Mutex::new(child));
        let (watched, remote) = (Arc::clone(&child), remote.clone());
        thread::spawn(move || {
            await_exit(&watched);
            let status = wait(&watched, None);
            let (code, crashed, how) = status.map_or((1, true, "cannot be waited for".into()), ended);
            remote.exited(index, code, crashed, how);
        });
        self.0.push(StartedProcess { child, out, err });
        Ok(parent_link)
    }

    /// Returns the process id of a process.
    pub(super) fn pid(&self, index: u32) -> Option<u32> {
        self.0.get(index as usize).map(|one| lock(&one.child).id())
    }

    /// Waits at most this long for all processes to end.
    pub(super) fn wait(&self, at_most: Duration) {
        let until = Instant::now() + at_most;
        for one in &self.0 {
            wait(&one.child, Some(until));
        }
    }

    /// Waits at most this long for a process to end; returns `true` if it has.
    pub(super) fn wait_for(&self, index: u32, at_most: Duration) -> bool {
        let until = Some(Instant::now() + at_most);
        self.0.get(index as usize).is_none_or(|one| wait(&one.child, until).is_some())
    }

    /// Kills the processes that have not ended.
    pub(super) fn kill(&self) {
        for one in &self.0 {
            let mut child = lock(&one.child);
            // Fails for a process that has ended.
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Returns the bytes that a process, which has ended, wrote to stdout and, unless that was the launcher's
    /// own, to stderr.
    pub(super) fn output(&mut self, index: u32) -> (Vec<u8>, Vec<u8>) {
        // The reader does nothing that panics.
        let taken = |reader: &mut Option<Output>| reader.take()?.join().ok();
        self.0.get_mut(index as usize).map_or_else(Default::default, |one| {
            (taken(&mut one.out).unwrap_or_default(), taken(&mut one.err).unwrap_or_default())
        })
    }
}

impl Drop for Children {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Sleeps until a process has ended, without taking its status: whoever kills it may do so meanwhile.
#[cfg(unix)]
fn await_exit(child: &Mutex<Child>) {
    use rustix::io::Errno;
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

    let Some(pid) = Pid::from_raw(lock(child).id().cast_signed()) else { return };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while matches!(waitid(WaitId::Pid(pid), options), Err(Errno::INTR)) {}
}

#[cfg(not(unix))]
fn await_exit(_: &Mutex<Child>) {}

/// Waits for a process to end, at most until this moment.
pub(super) fn wait(child: &Mutex<Child>, until: Option<Instant>) -> Option<ExitStatus> {
    loop {
        match lock(child).try_wait() {
            Ok(None) => {}
            Ok(status) => return status,
            Err(_) => return None,
        }
        if until.is_some_and(|until| Instant::now() >= until) {
            return None;
        }
        thread::sleep(POLL);
    }
}
