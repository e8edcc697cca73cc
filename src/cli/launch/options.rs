//! Options of the verbs that start processes.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::ArgPredicate;
use clap::{ArgAction, Args};

use crate::cli::exit::Error;
use crate::cli::options::values::{self, MOST_WORKERS};
use crate::cluster::{Address, Addresses, Encryption};

#[derive(Debug, Args)]
pub(super) struct Launch {
    /// Number of processes that are started here. With 0 the launcher coordinates those that join, and needs
    /// no more than a login node has.
    #[arg(long, value_name = "P", value_parser = values::between::<0, 256>, default_value = "2", default_value_ifs([("held", ArgPredicate::IsPresent, "1"), ("hosts", ArgPredicate::IsPresent, "1")]))]
    pub(super) processes: usize,
    /// Number of workers of each process.
    #[arg(long, value_name = "N", value_parser = values::between::<1, MOST_WORKERS>, default_value = "1")]
    pub(super) workers: usize,
    /// Address at which the run listens for processes of other machines, with a port or with any that is
    /// free. Connections beyond loopback are encrypted: see src/NETWORK.md.
    #[arg(long, value_name = "ADDR[:PORT]", default_value = "127.0.0.1")]
    pub(super) listen: Address,
    /// Address that processes of other machines are told, if they cannot reach this one at --listen.
    #[arg(long, value_name = "ADDR[:PORT]")]
    pub(super) advertise: Option<Address>,
    /// A file with the run's token, 64 hexadecimal digits, as a secret that other machines have already.
    /// Nobody else may be able to read it (mode 600). By default a run that is resumed keeps its own, and a
    /// new one has a random one.
    #[arg(long, value_name = "FILE")]
    pub(super) token_file: Option<PathBuf>,
    /// A file of other machines: in each line a host, its number of workers and, where it is not the one
    /// here, the folder in which the program runs; # begins a comment. Each has one more process of the run,
    /// by ssh and raddle join. The same build is at the same path there.
    #[arg(long, value_name = "FILE", conflicts_with = "held")]
    pub(super) hosts: Option<PathBuf>,
    /// The command that runs another one on a host. [default: ssh without questions, which ends where nothing
    /// passes for --deadline]
    #[arg(long, value_name = "COMMAND", requires = "hosts")]
    pub(super) ssh: Option<String>,
    /// Start when P processes are connected, those that join included: fewer than there are hosts begin
    /// without those that are off. [default: --processes plus --hosts]
    #[arg(long, value_name = "P", value_parser = values::between::<1, 256>, conflicts_with = "held")]
    pub(super) wait_for: Option<usize>,
    /// Give up if they are not connected after this time. A host that cannot be reached, or is lost later, is
    /// tried again for as long.
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = values::seconds)]
    pub(super) wait: f64,
    #[command(flatten)]
    pub(super) encryption: EncryptionOptions,
    /// Serve the status of the run at this address of loopback, as a page that Prometheus reads. Port 0 is
    /// any that is free.
    #[arg(long, value_name = "ADDR:PORT")]
    pub(super) metrics: Option<SocketAddr>,
    /// Move shards to the faster workers. Never changes the model.
    #[arg(long, value_name = "on|off", default_value = "on", action = ArgAction::Set, value_parser = values::on_off)]
    pub(super) balance: bool,
    /// Take a process that has sent nothing for this time for lost: the run continues from its last
    /// checkpoint.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub(super) deadline: Duration,
    /// Pause after each epoch until a controller continues the run, with the number of workers that it names,
    /// or suspends it. The run is one process, which starts with --workers. See src/NETWORK.md.
    #[arg(long)]
    pub(super) held: bool,
    /// Continue the run in this folder, such as one whose launcher has died, with any number of processes.
    /// PROGRAM may then be left out, or given as it was. With its whole line and the same folder as --out, a
    /// run is begun where none was: one line for both.
    #[arg(long, value_name = "RUN")]
    pub(super) resume: Option<PathBuf>,
    /// Continue the run in this folder, or begin it there where none was begun: one line for a service that
    /// is started again and again. The folder need not exist; it is the --out of PROGRAM, whose whole line is
    /// given.
    #[arg(long, value_name = "RUN", conflicts_with = "resume")]
    pub(super) resume_or_begin: Option<PathBuf>,
    /// The program and its arguments. It is found next to this one, else on PATH.
    #[arg(last = true, required_unless_present = "resume", value_name = "PROGRAM")]
    pub(super) line: Vec<String>,
}

#[derive(Debug, Args)]
pub(super) struct Join {
    /// Address of the run, as its launcher prints it. [default: RADDLE_COORDINATOR; under srun the node on
    /// which it was called, with the port of RADDLE_PORT]
    #[arg(value_name = "HOST:PORT")]
    pub(super) address: Option<String>,
    /// A file with the run's token: RUN/token of the launcher's machine. Nobody else may be able to read it
    /// (mode 600). With - it is the first line of the standard input, whose end ends the process.
    #[arg(long, value_name = "FILE")]
    pub(super) token_file: PathBuf,
    /// Address at which the process listens for the others. Default: the one from which it reaches the run.
    #[arg(long, value_name = "ADDR[:PORT]")]
    pub(super) listen: Option<Address>,
    /// Address that the others are told, if they cannot reach this process at --listen.
    #[arg(long, value_name = "ADDR[:PORT]")]
    pub(super) advertise: Option<Address>,
    #[command(flatten)]
    pub(super) encryption: EncryptionOptions,
    /// End the process if the launcher has not answered for this time. A launcher that is started again
    /// within it, with --resume, is joined again.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub(super) deadline: Duration,
    /// Workers that this process contributes. Default: as many as each process of the launcher.
    #[arg(long, value_name = "N", value_parser = values::between::<1, MOST_WORKERS>)]
    pub(super) workers: Option<usize>,
    /// Path of the data on this machine, if it differs from that on the launcher's.
    #[arg(long, value_name = "PATH")]
    pub(super) data: Option<String>,
    /// Wait up to this time for a launcher that does not listen yet, and for the file with its token.
    #[arg(long, value_name = "SECONDS", default_value = "0", value_parser = values::seconds)]
    pub(super) wait: f64,
}

impl Launch {
    /// The command that runs another one on a host: one that asks no questions, and ends where nothing passes
    /// any more.
    pub(super) fn way(&self) -> String {
        let of_ssh = || {
            // Two of these without an answer are a connection that is gone.
            let alive = (self.deadline.as_secs() / 3).max(1);
            let limits = format!("-o ServerAliveInterval={alive} -o ServerAliveCountMax=2");
            format!("ssh -o BatchMode=yes -o ConnectTimeout=10 {limits}")
        };
        self.ssh.clone().unwrap_or_else(of_ssh)
    }

    /// Options of `raddle join` by which the processes of other machines are as those here.
    pub(super) fn of_joiners(&self) -> Vec<String> {
        let encryption = match self.encryption.chosen() {
            Encryption::Remote => None,
            Encryption::Always => Some("--encrypt".to_owned()),
            Encryption::Never => Some("--plain".to_owned()),
        };
        let deadline = self.deadline.as_secs_f64().to_string();
        ["--deadline".to_owned(), deadline].into_iter().chain(encryption).collect()
    }
}

#[derive(Debug, Args)]
pub(super) struct EncryptionOptions {
    /// Disable encryption. Connections beyond loopback are in clear only if both ends say so.
    #[arg(long, conflicts_with = "encrypt")]
    plain: bool,
    /// Encrypt connections over loopback, too.
    #[arg(long)]
    encrypt: bool,
}

impl EncryptionOptions {
    pub(super) fn chosen(&self) -> Encryption {
        match (self.plain, self.encrypt) {
            (true, _) => Encryption::Never,
            (_, true) => Encryption::Always,
            _ => Encryption::Remote,
        }
    }
}

/// A time of at least 2 seconds: processes say every second that they are alive.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = values::seconds(text)?;
    if !(2.0..=86_400.0).contains(&seconds) {
        return Err("give 2 to 86400 seconds".into());
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// Refuses addresses at which no process is reached.
pub(super) fn check_addresses(addresses: Addresses) -> Result<(), Error> {
    let refuse =
        |option: &str, address: Address, why: &str| Err(Error::usage(format!("{option} {address}: {why}")));
    match (addresses.listen, addresses.advertise) {
        (_, Some(address)) if address.ip.is_unspecified() => {
            refuse("--advertise", address, "name the address at which other machines can reach this one")
        }
        (Some(address), None) if address.ip.is_unspecified() => {
            let why = "name the address at which other machines can reach this one, here or as --advertise";
            refuse("--listen", address, why)
        }
        _ => Ok(()),
    }
}
