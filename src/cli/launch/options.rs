//! Options of the verbs that start processes.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::ArgPredicate;
use clap::{ArgAction, Args};
use raddle::cluster::{Encryption, OnLeave};
use raddle::command_line_support::{Address, Addresses};

use crate::exit::Error;
use crate::options::values::{self, MOST_WORKERS};

#[derive(Debug, Args)]
pub(super) struct Launch {
    /// Number of processes to start on this machine. With 0 the launcher only coordinates the run, as on a
    /// login node, and all processes join. With --hosts or --held the default is 1; with --parties it is 0.
    #[arg(long, value_name = "P", value_parser = values::between::<0, 256>, default_value = "2", default_value_ifs([("parties", ArgPredicate::IsPresent, "0"), ("held", ArgPredicate::IsPresent, "1"), ("hosts", ArgPredicate::IsPresent, "1")]))]
    pub(super) processes: usize,
    /// Number of workers of each process.
    #[arg(long, value_name = "N", value_parser = values::between::<1, MOST_WORKERS>, default_value = "1")]
    pub(super) workers: usize,
    /// Address at which the run listens for processes on other machines. Without a port, any free one is
    /// used. Connections beyond loopback are encrypted (see --plain).
    #[arg(long, value_name = "ADDR[:PORT]", default_value = "127.0.0.1")]
    pub(super) listen: Address,
    /// Address given to processes on other machines, if they cannot reach this one at --listen.
    #[arg(long, value_name = "ADDR[:PORT]")]
    pub(super) advertise: Option<Address>,
    /// File with the run's token, a secret of 64 hexadecimal digits that other machines already have. Only
    /// its owner may be able to read the file (mode 600). Default: a resumed run keeps its token, and a new
    /// run gets a random one.
    #[arg(long, value_name = "FILE")]
    pub(super) token_file: Option<PathBuf>,
    /// File that lists other machines, one per line: a host, its number of workers and, if it differs from
    /// the folder here, the folder in which the program runs; # starts a comment. Each host runs one more
    /// process, which ssh starts as `raddle join`. It needs the same build at the same path.
    #[arg(long, value_name = "FILE", conflicts_with = "held")]
    pub(super) hosts: Option<PathBuf>,
    /// File of the parties (owners of rows that may not leave them), their public keys and columns, for
    /// `linear fit`. Each party joins with its own rows, and sends only sums of them (see --sum of `linear
    /// fit`).
    #[arg(long, value_name = "FILE", conflicts_with_all = ["held", "hosts", "plain", "token_file"])]
    pub(super) parties: Option<PathBuf>,
    /// File with the private key of the coordinator, made by raddle key. Default: coordinator.key next to the
    /// file of --parties.
    #[arg(long, value_name = "FILE", requires = "parties")]
    pub(super) key: Option<PathBuf>,
    /// Treatment of the run when a party is lost: wait or without. Both start again from the first round:
    /// wait once the party is back, with the same model, and without with the other parties, at least three,
    /// which the report names.
    #[arg(long, value_name = "wait|without", default_value = "wait", requires = "parties", value_parser = on_leave)]
    pub(super) on_leave: OnLeave,
    /// Command that runs another command on a host: host and command are appended to it. Default: ssh in
    /// batch mode, which ends if its connection is silent for --deadline.
    #[arg(long, value_name = "COMMAND", requires = "hosts")]
    pub(super) ssh: Option<String>,
    /// Start when P processes are connected, including those that join. With a P below the default, hosts
    /// that are off are not waited for. Default: --processes plus the hosts of --hosts,
    /// or all parties of --parties.
    #[arg(long, value_name = "P", value_parser = values::between::<1, 256>, conflicts_with = "held")]
    pub(super) wait_for: Option<usize>,
    /// Give up if the processes are not connected after this time. A host that cannot be reached, or is lost
    /// later, is retried for this time, too.
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = values::seconds)]
    pub(super) wait: f64,
    #[command(flatten)]
    pub(super) encryption: EncryptionOptions,
    /// Serve the status of the run to Prometheus at this loopback address. Port 0 stands for any free port.
    #[arg(long, value_name = "ADDR:PORT")]
    pub(super) metrics: Option<SocketAddr>,
    /// Move shards to the faster workers. Never changes the model.
    #[arg(long, value_name = "on|off", default_value = "on", action = ArgAction::Set, value_parser = values::on_off)]
    pub(super) balance: bool,
    /// Treat a process as lost if it has sent nothing for this time, 2 to 86400 seconds: the run continues
    /// from its last checkpoint.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub(super) deadline: Duration,
    /// Wait after each epoch for a scheduler, such as `pool`, which continues the run with any number of
    /// workers or pauses it. The run is one process, which starts with --workers.
    #[arg(long)]
    pub(super) held: bool,
    /// Continue the run in this folder, such as one whose launcher has died, with any number of processes.
    /// PROGRAM may be left out, or given as it was. To start the run if there is none, use --resume-or-begin.
    #[arg(long, value_name = "RUN")]
    pub(super) resume: Option<PathBuf>,
    /// Continue the run in this folder, or start it if there is none: one command for a service that
    /// restarts. PROGRAM must be given. The folder, its --out, need not exist.
    #[arg(long, value_name = "RUN", conflicts_with = "resume")]
    pub(super) resume_or_begin: Option<PathBuf>,
    /// Program and its arguments. The program is looked for next to raddle, then on PATH.
    #[arg(last = true, required_unless_present = "resume", value_name = "PROGRAM")]
    pub(super) line: Vec<String>,
}

#[derive(Debug, Args)]
pub(super) struct Join {
    /// Address of the run, as its launcher prints it. Default: $RADDLE_COORDINATOR; under srun, the node that
    /// called srun, with the port $RADDLE_PORT.
    #[arg(value_name = "HOST:PORT")]
    pub(super) address: Option<String>,
    /// File with the run's token: RUN/token, or a copy of it. Only its owner may be able to read the file
    /// (mode 600). With - the token is the first line of stdin, and the process ends when stdin ends.
    /// Required without --parties.
    #[arg(long, value_name = "FILE", required_unless_present = "parties")]
    pub(super) token_file: Option<PathBuf>,
    #[command(flatten)]
    pub(super) party: PartyOptions,
    /// Address at which this process listens for other processes. Default: the address from which it reaches
    /// the run.
    #[arg(long, value_name = "ADDR[:PORT]")]
    pub(super) listen: Option<Address>,
    /// Address given to other processes, if they cannot reach this one at --listen.
    #[arg(long, value_name = "ADDR[:PORT]")]
    pub(super) advertise: Option<Address>,
    #[command(flatten)]
    pub(super) encryption: EncryptionOptions,
    /// End the process if the launcher has not answered for this time, 2 to 86400 seconds. If the launcher is
    /// started again within this time, with --resume, the process joins it again.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub(super) deadline: Duration,
    /// Number of workers of this process. Default: as many as each process of the launcher.
    #[arg(long, value_name = "N", value_parser = values::between::<1, MOST_WORKERS>)]
    pub(super) workers: Option<usize>,
    /// Path of the data on this machine, if it differs from the path on the launcher's machine.
    #[arg(long, value_name = "PATH")]
    pub(super) data: Option<String>,
    /// Wait up to this time for the launcher to listen and for the file with its token to exist.
    #[arg(long, value_name = "SECONDS", default_value = "0", value_parser = values::seconds)]
    pub(super) wait: f64,
}

/// Options of a party that joins.
#[derive(Debug, Args)]
pub(super) struct PartyOptions {
    /// File of the parties of the run, their public keys and columns, the same for all of them. Needs --as,
    /// --key and --data.
    #[arg(long, value_name = "FILE", requires_all = ["name", "key", "data"], conflicts_with_all = ["token_file", "plain"])]
    pub(super) parties: Option<PathBuf>,
    /// Name of the party that joins, as in the file of --parties.
    #[arg(long = "as", value_name = "NAME", requires = "parties")]
    pub(super) name: Option<String>,
    /// File with the private key of the party, made by raddle key. Only its owner may be able to read it.
    #[arg(long, value_name = "FILE", requires = "parties")]
    pub(super) key: Option<PathBuf>,
    /// Take part without a question if the terms of the run have this digest. The terms are its program,
    /// options, columns and sums. Default: terms and digest are shown, and a question is asked.
    #[arg(long, value_name = "DIGEST", requires = "parties")]
    pub(super) accept: Option<String>,
}

impl Launch {
    /// Returns the command that runs another one on a host: `--ssh`, or an ssh that asks no questions and
    /// ends once its connection is silent for the deadline.
    pub(super) fn way(&self) -> String {
        let of_ssh = || {
            // After two of these without an answer, ssh closes the connection.
            let alive = (self.deadline.as_secs() / 3).max(1);
            let limits = format!("-o ServerAliveInterval={alive} -o ServerAliveCountMax=2");
            format!("ssh -o BatchMode=yes -o ConnectTimeout=10 {limits}")
        };
        self.ssh.clone().unwrap_or_else(of_ssh)
    }

    /// Returns the options of `raddle join` that give processes on other machines the settings of those here.
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
    /// Disable encryption at this end. Connections beyond loopback are unencrypted only if both ends have
    /// --plain.
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

fn on_leave(text: &str) -> Result<OnLeave, String> {
    match text {
        "wait" => Ok(OnLeave::Wait),
        "without" => Ok(OnLeave::Without),
        _ => Err("give wait or without".into()),
    }
}

/// Parses a time of at least 2 seconds: processes send a heartbeat every second.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = values::seconds(text)?;
    if !(2.0..=86_400.0).contains(&seconds) {
        return Err("give 2 to 86400 seconds".into());
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// Refuses addresses at which no process can be reached, such as 0.0.0.0.
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
