//! Processes of a run whose program is a test's own: the test starts itself again for each of them.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};

use raddle::cluster::{Cluster, CoordinatorSettings, Ended, Remote, Server};

const FOLDER: &str = "RADDLE_TEST_FOLDER";

/// The processes of a run, and its coordinator in this one.
pub(crate) struct OwnProcesses {
    folder: tempfile::TempDir,
    children: Vec<Child>,
    coordinator: JoinHandle<Ended>,
    remote: Remote,
}

impl OwnProcesses {
    /// Returns the membership and the folder of the run, in a process that was started by
    /// [`begin`](Self::begin).
    pub(crate) fn here() -> Option<(Cluster, PathBuf)> {
        let folder = std::env::var_os(FOLDER)?;
        Some((Cluster::from_environment().unwrap().unwrap(), folder.into()))
    }

    /// Starts a run of one worker each, by the test of this name, with further variables.
    pub(crate) fn begin(
        test: &str,
        processes: u32,
        variables: impl Fn(u32) -> Vec<(&'static str, String)>,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = CoordinatorSettings::new(processes, 1);
        settings.balance = false;
        let mut server = Server::open(&settings).unwrap();
        let invitation = folder.path().join("invitation");
        server.invitation().write(&invitation).unwrap();
        let remote = server.remote();
        let coordinator = thread::spawn(move || server.run(|_| ()));
        let start = |index: u32| {
            let mut child = Command::new(std::env::current_exe().unwrap());
            child.args(["--exact", test]).env(FOLDER, folder.path());
            child.env("RADDLE_RUN", &invitation).env("RADDLE_PROCESS", index.to_string());
            child.envs(variables(index)).stdout(Stdio::null()).spawn().unwrap()
        };
        let children = (0..processes).map(start).collect();
        Self { folder, children, coordinator, remote }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The number by which the system knows a process.
    pub(crate) fn process(&self, index: u32) -> String {
        self.children[index as usize].id().to_string()
    }

    /// Waits for the end of all, and returns the file of this name in the folder.
    pub(crate) fn end(mut self, file: &str) -> Vec<u8> {
        for (index, child) in (0..).zip(&mut self.children) {
            let code = child.wait().unwrap().code().unwrap();
            self.remote.exited(index, code, false, "has ended".into());
            assert_eq!(code, 0, "process {index}");
        }
        assert_eq!(self.coordinator.join().unwrap().code, 0);
        std::fs::read(self.folder.path().join(file)).unwrap()
    }
}
