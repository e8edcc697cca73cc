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
    /// Number of processes that are started here. With 0 the launcher coordinates those that join, and needs no more than
    /// a login node has.
    #[arg(long, value_name = "P", value_parser = values::between::<0, 256>, default_value = "2", default_value_ifs([("held", ArgPredicate::IsPresent, "1"), ("hosts", ArgPredicate::IsPresent, "1")]))]
    pub(super) processes: usize,
    /// Number of workers of each process.
    #[arg(long, value_name = "N", value_parser = values::between::<1, MOST_WORKERS>, default_value = "1")]
    pub(super) workers: usize,
    /// Address at which the run listens for processes of other machines, with a port or with any that is
    /// free. Connections beyond loopback are encrypted: see src/NETWORK.md.
    #[arg(long, value_name = "ADDR[:PORT]", default_value = "127.0.0.1")]
    pub(super) listen: Address,
    /// Address that processes of other machines are told, where they do not addresses this one at --listen.
    #[arg(long, value_name = "ADDR[:PORT]")]
    pub(super) advertise: Option<Address>,
    /// A file with the run's token, 64 hexadecimal digits, as a secret that other machines have already. Nobody else may be
    /// able to read it (mode 600). By default a run that is resumed keeps its own, and a new one has a random one.
    #[arg(long, value_name = "FILE")]
    pub(super) token_file: Option<PathBuf>,
    /// A file of other machines: in each line a host, its number of workers and, where it is not the one here, the folder in
    /// which the program runs; # begins a comment. Each has one more process of the run, by ssh and raddle join. The same
    /// build is at the same path there.
    #[arg(long, value_name = "FILE", conflicts_with = "held")]
    pub(super) hosts: Option<PathBuf>,
    /// The command that runs another one on a host.
    #[arg(
        long,
        value_name = "COMMAND",
        default_value = "ssh -o BatchMode=yes -o ConnectTimeout=10",
        requires = "hosts"
    )]
    pub(super) ssh: String,
    /// Begin with so many processes in all, those that join among them. [those of --processes and --hosts]
    #[arg(long, value_name = "P", value_parser = values::between::<1, 256>, conflicts_with = "held")]
    pub(super) wait_for: Option<usize>,
    /// Give up where they are not there in this time.
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = values::seconds)]
    pub(super) wait: f64,
    #[command(flatten)]
    pub(super) encryption: EncryptionOptions,
    /// Serve the status of the run at this address of loopback, as a page that Prometheus reads. Port 0 is any that is free.
    #[arg(long, value_name = "ADDR:PORT")]
    pub(super) metrics: Option<SocketAddr>,
    /// Move shards to the workers that are faster. Never changes the model.
    #[arg(long, value_name = "on|off", default_value = "on", action = ArgAction::Set, value_parser = values::on_off)]
    pub(super) balance: bool,
    /// A process that says nothing for this time is lost: the run goes on from its last checkpoint.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub(super) deadline: Duration,
    /// Wait at each epoch for a program that holds the run, and says with how many workers it goes on or that it is
    /// paused. The run is one process, which starts with --workers. See src/NETWORK.md.
    #[arg(long)]
    pub(super) held: bool,
    /// Continue the run in this folder, such as one whose launcher has died, with any number of processes.
    /// PROGRAM may then be left out, or given as it was. With its whole line and the same folder as --out, a
    /// run is begun where none was: one line for both.
    #[arg(long, value_name = "RUN")]
    pub(super) resume: Option<PathBuf>,
    /// Continue the run in this folder, or begin it there where none was begun: one line for a service that is started again
    /// and again. The folder need not exist; it is the --out of PROGRAM, whose whole line is given.
    #[arg(long, value_name = "RUN", conflicts_with = "resume")]
    pub(super) resume_or_begin: Option<PathBuf>,
    /// The program and its arguments. It is found beside this one, else on PATH.
    #[arg(last = true, required_unless_present = "resume", value_name = "PROGRAM")]
    pub(super) line: Vec<String>,
}

#[derive(Debug, Args)]
pub(super) struct Join {
    /// Where the run listens, as its launcher says. [RADDLE_COORDINATOR; under srun the node that it was called on, with
    /// the port of RADDLE_PORT]
    #[arg(value_name = "HOST:PORT")]
    pub(super) address: Option<String>,
    /// A file with the run's token: RUN/token of the launcher's machine. Nobody else may be able to read it
    /// (mode 600). With - it is the first line of the standard input, whose end ends the process.
    #[arg(long, value_name = "FILE")]
    pub(super) token_file: PathBuf,
    /// Address at which the process listens for the others; by default the one from which it reaches the run.
    #[arg(long, value_name = "ADDR[:PORT]")]
    pub(super) listen: Option<Address>,
    /// Address that the others are told, where they do not addresses the process at the one it listens at.
    #[arg(long, value_name = "ADDR[:PORT]")]
    pub(super) advertise: Option<Address>,
    #[command(flatten)]
    pub(super) encryption: EncryptionOptions,
    /// A launcher that does not answer for this time is gone: the process is ended. One that is started again within it, with
    /// --resume, is joined again.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub(super) deadline: Duration,
    /// Number of workers that the process is there for; by default as many as each of the launcher's has.
    #[arg(long, value_name = "N", value_parser = values::between::<1, MOST_WORKERS>)]
    pub(super) workers: Option<usize>,
    /// Path of the data on this machine, where it is not that of the launcher: DATA stands behind the verb.
    #[arg(long, value_name = "PATH")]
    pub(super) data: Option<String>,
    /// Wait so long for a launcher that does not listen yet, and for the file with its token.
    #[arg(long, value_name = "SECONDS", default_value = "0", value_parser = values::seconds)]
    pub(super) wait: f64,
}

impl Launch {
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
    /// Encrypt nothing. Connections beyond loopback are in clear only where both ends are told so.
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
            refuse("--advertise", address, "name the address by which other machines addresses this one")
        }
        (Some(address), None) if address.ip.is_unspecified() => {
            let why = "name the address by which other machines addresses this one, here or as --advertise";
            refuse("--listen", address, why)
        }
        _ => Ok(()),
    }
}
