//! [`CoordinatorSettings`]: the settings of a run on several processes; [`Ended`] and [`RunEvent`]: its end,
//! and its progress.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::time::Duration;

use super::coordinator::CoordinatorConfig;
use super::coordinator::known_parties::{OnLeave, Parties};
use super::net::socket::Encryption;
use super::net::token::Token;
use super::plan::PlacedGeneration;
use crate::parties::Keyring;

/// Settings of a run on several processes.
#[derive(Debug, Clone)]
pub struct CoordinatorSettings {
    /// Number of processes at the beginning.
    pub processes: u32,
    /// Number of workers of each process.
    pub workers: u32,
    /// IP address to listen at; loopback by default.
    pub listen: IpAddr,
    /// Port to listen at; 0 is any that is free.
    pub port: u16,
    /// `true` if shards move to faster workers.
    pub balance: bool,
    /// The program and its arguments, for processes that join.
    pub argv: Vec<String>,
    /// The folder of the run, to which it writes checkpoints: all processes reach it.
    pub folder: Option<PathBuf>,
    /// The folder of checkpoints of an earlier run, from which this one resumes.
    pub resume: Option<PathBuf>,
    /// Heartbeat timeout: a process that has sent nothing for this time is lost. Processes send a heartbeat
    /// every second.
    pub deadline: Duration,
    /// Secret of the run, where it is given; random by default.
    pub token: Option<Token>,
    /// Connections that are encrypted, of those over the network.
    pub encryption: Encryption,
    /// Number of processes, those that join among them, that the first epoch waits for, and for how long.
    pub wait_for: (u32, Duration),
    /// The coordinator's keys, if the run has parties: each process then is the party of its number.
    pub keyring: Option<Keyring>,
    /// Words that the [identity](crate::Engine::identity) of each party's run contains, as the coordinator's
    /// parties file has them; the first word is in every identity. Empty if nothing is compared.
    pub schema: String,
    /// `true` if the run waits for a [`Holder`](super::Holder) at each boundary.
    pub held: bool,
    /// Fate of a run that loses a party, if it has some.
    pub on_leave: OnLeave,
}

impl CoordinatorSettings {
    /// Settings for so many processes with so many workers each, on this machine.
    pub fn new(processes: u32, workers: u32) -> Self {
        let listen = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let (argv, folder, resume, deadline) = (Vec::new(), None, None, Duration::from_secs(10));
        Self {
            processes,
            workers,
            listen,
            port: 0,
            balance: true,
            argv,
            folder,
            resume,
            deadline,
            token: None,
            encryption: Encryption::default(),
            wait_for: (0, Duration::ZERO),
            keyring: None,
            schema: String::new(),
            held: false,
            on_leave: OnLeave::default(),
        }
    }
}

/// End of a run, as process `who` reported or caused it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// Number of the process.
    pub who: u32,
    /// Exit status of the run.
    pub code: i32,
    /// The reason, unless the run ended in good order.
    pub why: Option<String>,
    /// `true` if the run can be begun anew: a process is lost, and nothing suggests that another attempt
    /// would fail.
    pub lost: bool,
    /// `true` if the process is lost because it was asked to end before the run began, so that the run goes
    /// on without it.
    pub left: bool,
}

/// Progress of a run as its coordinator reports it to the launcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunEvent<'a> {
    /// One line for the screen.
    Note(&'a str),
    /// The first process has begun the generation of this number, from a checkpoint or from the beginning of
    /// the run.
    Begun(u64),
    /// The generations of this attempt, the last of which is about to begin.
    Placed(&'a [PlacedGeneration]),
}

/// The coordinator's configuration by these settings, for the attempt `run` after generation `after`.
pub(super) fn config(
    settings: &CoordinatorSettings,
    run: u64,
    after: u64,
    proof: Option<u64>,
    may_resume: bool,
) -> CoordinatorConfig {
    let CoordinatorSettings {
        processes,
        workers,
        balance,
        argv,
        keyring,
        schema,
        deadline,
        wait_for,
        held,
        ..
    } = settings.clone();
    let parties = Parties::new(settings.on_leave);
    let count = keyring.as_ref().map_or(0, Keyring::parties);
    CoordinatorConfig {
        processes,
        workers,
        balance,
        argv,
        keyring,
        schema,
        run,
        after,
        proof,
        may_resume,
        deadline: deadline.as_secs_f64(),
        // Somebody has to be there.
        wait_for: wait_for.0.max(u32::from(processes == 0)).max(count),
        wait: if count > 0 { f64::INFINITY } else { wait_for.1.as_secs_f64() },
        parties,
        goes_on: false,
        held,
        holder: None,
        losses: 0,
        refused: 0,
    }
}
