//! `raddle`: runs a program as several processes, and inspects and controls runs.

mod away;
mod children;
mod generate;
mod hosts;
mod join;
mod lasting;
mod losses;
mod metrics;
mod options;
mod program;
mod room;
mod run;
mod surroundings;
mod tie;
mod token_file;
mod words;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory as _, Parser};

use self::generate::Generate;
use self::options::{Join, Launch};
pub use self::program::find as find_program;
pub use self::tie::{TIE, Tied};
use self::words::FOREIGN;
use super::exit::Error;
use super::say::say;
use crate::cli::graph::{self, GraphOptions};
use crate::cli::options::foreign::{self, program_of, word_for_a_verb};
use crate::cli::options::values::{self, MOST_WORKERS};
use crate::cli::page::{self, PageOptions};
use crate::cli::status::{self, StatusOptions, admin};

/// Run a program as several processes; inspect and control runs.
#[derive(Parser)]
#[command(name = "raddle", version, subcommand_required = true, after_help = PROGRAMS)]
enum Verb {
    /// Run a program as several processes. The model is that of a single process, bit for bit.
    #[command(after_help = "Example: raddle launch --processes 2 --workers 1 -- lasso fit --out run")]
    Launch(Launch),
    /// Join a run on another machine as one more process. DATA and --out must be at the same paths here.
    Join(Join),
    /// Show the status of a run, live or finished: epoch, metric and its curve; of a launched run also its
    /// processes, their shards and its warnings.
    #[command(after_help = "Example: raddle status run --watch")]
    Status(StatusOptions),
    /// Draw the generations of a run as a DOT graph: their processes, and the bytes sent between them.
    #[command(after_help = "Example: raddle graph run | dot -Tsvg > run.svg")]
    Graph(GraphOptions),
    /// Write an HTML page about one or several runs that needs no connection: command and options, curves,
    /// workers, and the pictures and tables of the results.
    #[command(after_help = "Example: raddle report run other-run --out page.html")]
    Report(PageOptions),
    /// Continue a run with another number of workers, from the next epoch on.
    Rescale(Rescale),
    /// Write the man pages, or the completions for a shell, of raddle and of the programs next to it.
    #[command(after_help = "Example: raddle generate bash ~/.local/share/bash-completion/completions")]
    Generate(Generate),
}

const PROGRAMS: &str = "Programs, found next to raddle or on PATH:
  raddle lasso ...  sparse linear, logistic, Poisson and multinomial regression
  raddle mf ...     matrix factorization, recommendations
  raddle lda ...    topic models
  raddle linear ... linear classifiers with a proof: SVM, logistic regression
  raddle pool ...   many elastic fits on the cores there are, under a scheduling policy
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
        Verb::Launch(launch) => run::launch(&launch),
        Verb::Join(join) => join::join(&join),
        Verb::Status(options) => status::status(&options),
        Verb::Graph(options) => graph::graph(&options),
        Verb::Generate(options) => generate::generate(&Verb::command(), &options),
        Verb::Report(options) => page::report(&options),
        Verb::Rescale(Rescale { run, workers }) => {
            admin(&run)?.rescale(workers as u32)?;
            say(&format!("from the next epoch on: {}", crate::cli::number::count(workers as u64, "worker")))?;
            Ok(0)
        }
    };
    ended(body())
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
