//! `raddle`: runs a program as several processes, and inspects and controls runs.

mod attempts;
mod away;
mod children;
mod folder;
mod generate;
mod hosts;
mod join;
mod key;
mod lasting;
mod lines;
mod losses;
mod metrics;
mod options;
mod parties;
mod plan;
mod private_file;
mod program;
mod run;
mod signals;
mod surroundings;
mod tie;
mod words;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory as _, Parser};

use self::generate::Generate;
use self::key::Key;
use self::options::{Join, Launch};
pub use self::program::find as find_program;
pub use self::tie::{TIE, Tied};
use self::words::FOREIGN;
use super::exit::Error;
use super::say::say;
use crate::graph::{self, GraphOptions};
use crate::options::foreign::{self, program_of, word_for_a_verb};
use crate::options::values::{self, MOST_WORKERS};
use crate::page::{self, PageOptions};
use crate::status::{self, StatusOptions, admin};

/// Run a program as several processes; inspect and control runs.
#[derive(Parser)]
#[command(name = "raddle", version, subcommand_required = true, after_help = PROGRAMS)]
enum Verb {
    /// Run a program as several processes.
    #[command(after_help = "The model is that of a single process, bit for bit, unless --on-leave without \
         has left out a party.\n\nExample: raddle launch --processes 2 --workers 1 -- lasso fit --out run")]
    Launch(Launch),
    /// Join a run on another machine as one more process.
    #[command(
        after_help = "The run's --out must be at the same path on both machines, and so must its DATA, \
         unless --data names another path.\n\nExample: raddle join node-1:7000 --token-file run/token"
    )]
    Join(Join),
    /// Make the key pair of a party whose data may not leave it.
    #[command(after_help = "The private key goes to the file, and the line for parties.toml to stdout.\n\n\
         Example: raddle key north.key")]
    Key(Key),
    /// Show the status of a run, live or finished.
    #[command(after_help = "The status has the epoch, the metric and its curve; of a launched run also the \
         processes, their shards and the warnings.\n\n\
         Example: raddle status run --watch")]
    Status(StatusOptions),
    /// Draw the processes of a run as a DOT graph.
    #[command(after_help = "A generation lasts from one change of processes or workers to the next. The \
         graph has the processes of each, and the bytes sent between them, those before a loss included.\n\n\
         Example: raddle graph run | dot -Tsvg > run.svg")]
    Graph(GraphOptions),
    /// Write an HTML page about one or more runs.
    #[command(
        after_help = "The page has command and options, curves, workers, and the pictures and tables of \
         the results. It loads nothing from elsewhere.\n\n\
         Example: raddle report run other-run --out page.html"
    )]
    Report(PageOptions),
    /// Change the number of workers of a launched run, from the next epoch on.
    #[command(after_help = "Example: raddle rescale run 4")]
    Rescale(Rescale),
    /// Write man pages or shell completions.
    #[command(after_help = "The files cover raddle and the programs next to it.\n\n\
         Example: raddle generate bash ~/.local/share/bash-completion/completions")]
    Generate(Generate),
}

const PROGRAMS: &str = "Programs, found next to raddle or on PATH:
  raddle lasso ...  sparse linear, logistic, Poisson and multinomial regression
  raddle mf ...     matrix factorization, recommendations
  raddle lda ...    topic models
  raddle linear ... support vector machines, logistic regression
  raddle pool ...   many fits that share the cores of this machine
  raddle data ...   public data by name: list, fetch, verify; generated data as files";

#[derive(Debug, Args)]
struct Rescale {
    /// Folder of the run.
    run: PathBuf,
    /// Number of workers of the whole run.
    #[arg(value_parser = values::between::<1, MOST_WORKERS>)]
    workers: usize,
}

/// The body of the program `raddle`.
pub fn main() -> ExitCode {
    let line: Vec<OsString> = std::env::args_os().collect();
    let first = line.get(1);
    let word = first.and_then(|word| word.to_str()).unwrap_or_default();
    if word == tie::TIE {
        return ended(tie::tie(line.into_iter().skip(2)));
    }
    if let Some(program) = program_of(word) {
        return ended(program::run(program, line.into_iter().skip(2)));
    }
    let command = Verb::command();
    if let Some(why) = word_for_a_verb(&command, "launch", word, FOREIGN) {
        return ended(Err(Error::usage(why)));
    }
    if first.is_none() {
        return ended(say(&Verb::command().render_help().to_string()).map(|()| 0));
    }
    let verb = match Verb::try_parse_from(&line) {
        Ok(verb) => verb,
        Err(error) => match foreign::answer(&command, &line, &error, FOREIGN) {
            Some(answer) => return ended(Err(Error::usage(answer))),
            None => foreign::with_fair_tips(&command, &line, error).exit(),
        },
    };
    let body = || match verb {
        Verb::Launch(launch) => starts_processes("raddle launch").and_then(|()| run::launch(&launch)),
        Verb::Join(join) => starts_processes("raddle join").and_then(|()| join::join(&join)),
        Verb::Key(options) => key::key(&options),
        Verb::Status(options) => match options.of_pool() {
            Some(line) => program::run("pool", line.into_iter()),
            None => status::status(&options),
        },
        Verb::Graph(options) => graph::graph(&options),
        Verb::Generate(options) => generate::generate(&Verb::command(), &options),
        Verb::Report(options) => page::report(&options),
        Verb::Rescale(Rescale { run, workers }) => {
            admin(&run)?.rescale(workers as u32)?;
            say(&format!("from the next epoch on: {}", crate::number::count(workers as u64, "worker")))?;
            Ok(0)
        }
    };
    ended(body())
}

/// Refuses a verb that starts processes, where they cannot be tied to the one that starts them.
///
/// # Errors
/// On a system without Unix sockets.
pub fn starts_processes(verb: &str) -> Result<(), Error> {
    match cfg!(unix) {
        true => Ok(()),
        false => Err(Error::usage(format!(
            "{verb} starts processes, which needs the sockets of Unix: on this system a program by itself uses all \
             cores, as lasso fit does"
        ))),
    }
}

/// End of the program.
fn ended(result: Result<u8, Error>) -> ExitCode {
    match result {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            super::exit::print_error("raddle", &error);
            error.status().into()
        }
    }
}
