//! `raddle`: starts a program as several processes that carry out one run, and tells running ones what to do.

mod children;
mod join;
mod losses;
mod program;
mod room;
mod run;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{ArgAction, Args, Parser};

use super::exit::{Error, ExitStatus};
use super::screen::say;
use super::values::{self, MOST_WORKERS};
use crate::cluster::{Address, Invitation, Reach, RunStatus, Visitor};

/// Runs programs on several processes, and asks after runs.
#[derive(Parser)]
#[command(name = "raddle", version, subcommand_required = true, arg_required_else_help = true)]
enum Verb {
    /// Run a program as several processes. Its model is the one of a single process, bit for bit.
    #[command(after_help = "Example: raddle launch --processes 2 --workers 1 -- lasso fit --out run")]
    Launch(Launch),
    /// Take part in a run on another machine, as one more process. DATA and --out must be there at the same paths.
    Join(Join),
    /// Say how a run stands: its processes, their shards, the epoch, the metric, and what was worth a note.
    Status(Status),
    /// Continue a run with another number of workers, from the next epoch on.
    Rescale(Rescale),
}

#[derive(Debug, Args)]
struct Launch {
    /// Number of processes.
    #[arg(long, value_name = "P", value_parser = values::between::<1, 256>, default_value = "2")]
    processes: usize,
    /// Number of workers of each process.
    #[arg(long, value_name = "N", value_parser = values::between::<1, MOST_WORKERS>, default_value = "1")]
    workers: usize,
    /// Address at which the run listens for processes of other machines, with a port or with any that is free. Nothing is
    /// encrypted: see src/NETWORK.md.
    #[arg(long, value_name = "ADDR[:PORT]", default_value = "127.0.0.1")]
    listen: Address,
    /// Address that processes of other machines are told, where they do not reach this one at --listen.
    #[arg(long, value_name = "ADDR[:PORT]")]
    advertise: Option<Address>,
    /// Move shards to the workers that are faster. Never changes the model.
    #[arg(long, value_name = "on|off", default_value = "on", action = ArgAction::Set, value_parser = values::on_off)]
    balance: bool,
    /// A process that says nothing for this time is lost: the run goes on from its last checkpoint.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    deadline: Duration,
    /// Continue the run in this folder, such as one whose launcher has died, with any number of processes. PROGRAM may
    /// then be left out, or given as it was. With its whole line and the same folder as --out, a run is begun where none was:
    /// one line for both.
    #[arg(long, value_name = "RUN")]
    resume: Option<PathBuf>,
    /// The program and its arguments. It is found beside this one, else on PATH.
    #[arg(last = true, required_unless_present = "resume", value_name = "PROGRAM")]
    line: Vec<String>,
}

#[derive(Debug, Args)]
struct Join {
    /// Where the run listens, as its launcher says.
    #[arg(value_name = "HOST:PORT")]
    address: String,
    /// A file with the run's token: RUN/token of the launcher's machine. Nobody else may be able to read it (mode 600).
    #[arg(long, value_name = "FILE")]
    token_file: PathBuf,
    /// Address at which the process listens for the others; by default the one from which it reaches the run.
    #[arg(long, value_name = "ADDR[:PORT]")]
    listen: Option<Address>,
    /// Address that the others are told, where they do not reach the process at the one it listens at.
    #[arg(long, value_name = "ADDR[:PORT]")]
    advertise: Option<Address>,
    /// A launcher that does not answer for this time is gone: the process is ended.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    deadline: Duration,
}

#[derive(Debug, Args)]
struct Status {
    /// The folder of the run.
    run: PathBuf,
    /// One line of JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct Rescale {
    /// The folder of the run.
    run: PathBuf,
    /// Workers in all.
    #[arg(value_parser = values::between::<1, MOST_WORKERS>)]
    workers: usize,
}

/// The body of the program `raddle`.
pub fn main() -> ExitCode {
    let verb = Verb::parse();
    let body = || match verb {
        Verb::Launch(launch) => run::launch(&launch),
        Verb::Join(join) => join::join(&join),
        Verb::Status(Status { run, json }) => status(&visitor(&run)?.status()?, json),
        Verb::Rescale(Rescale { run, workers }) => {
            visitor(&run)?.rescale(workers as u32)?;
            say(&format!("from the next epoch on: {}", super::screen::count(workers as u64, "worker")))?;
            Ok(0)
        }
    };
    match body() {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            super::exit::tell("raddle", &error);
            error.status().into()
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

/// Refuses addresses by which nobody is reached.
fn check_reach(reach: Reach) -> Result<(), Error> {
    let refuse =
        |option: &str, address: Address, why: &str| Err(Error::usage(format!("{option} {address}: {why}")));
    match (reach.listen, reach.advertise) {
        (_, Some(address)) if address.ip.is_unspecified() => {
            refuse("--advertise", address, "name the address by which other machines reach this one")
        }
        (Some(address), None) if address.ip.is_unspecified() => {
            let why = "name the address by which other machines reach this one, here or as --advertise";
            refuse("--listen", address, why)
        }
        _ => Ok(()),
    }
}

/// Who asks the run of a folder.
fn visitor(run: &std::path::Path) -> Result<Visitor, Error> {
    let file = run.join(room::INVITATION);
    if !file.is_file() {
        let why = "no launched run is alive there: give the --out folder of one that is";
        return Err(Error::usage(format!("{}: {why}", run.display())));
    }
    Ok(Visitor::new(Invitation::read(&file)?))
}

fn status(status: &RunStatus, json: bool) -> Result<u8, Error> {
    if json {
        say(&serde_json::to_string(status).map_err(Error::failed)?)?;
        return Ok(ExitStatus::Done.code());
    }
    let mut text = format!(
        "epoch {} after {:.1} s, generation {}, {} workers",
        status.epoch, status.seconds, status.generation, status.workers
    );
    if let Some((name, value)) = &status.metric {
        text += &format!(", {name} {value:.6e}");
    }
    for member in &status.members {
        text += &format!(
            "\nprocess {}  {}  {} workers  {} shards  {} MB  {}",
            member.process,
            member.state,
            member.workers,
            member.shards,
            member.peak_memory_bytes >> 20,
            member.address
        );
    }
    if !status.pauses.is_empty() {
        let pauses: Vec<String> =
            status.pauses.iter().map(|pause| format!("{:.0} ms", pause * 1e3)).collect();
        text += &format!("\npauses: {}", pauses.join(", "));
    }
    for note in &status.notes {
        text += &format!("\nnote: {note}");
    }
    say(&text)?;
    Ok(ExitStatus::Done.code())
}
