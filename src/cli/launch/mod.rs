//! `raddle`: starts a program as several processes that carry out one run, and administers running ones.

mod children;
mod hosts;
mod join;
mod losses;
mod metrics;
mod options;
mod program;
mod room;
mod run;
mod surroundings;
mod token_file;

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory as _, Parser};

use self::options::{Join, Launch};
pub use self::program::find as find_program;
use super::exit::Error;
use super::say::say;
use crate::cli::graph::{self, GraphOptions};
use crate::cli::options::foreign::{program_of, verb_of_others};
#[cfg(feature = "generate")]
use crate::cli::options::generate;
use crate::cli::options::values::{self, MOST_WORKERS};
use crate::cli::page::{self, PageOptions};
use crate::cli::status::{self, StatusOptions, admin};

/// Runs programs on several processes, and asks after runs.
#[derive(Parser)]
#[command(name = "raddle", version, subcommand_required = true, after_help = PROGRAMS)]
enum Verb {
    /// Run a program as several processes. Its model is the one of a single process, bit for bit.
    #[command(after_help = "Example: raddle launch --processes 2 --workers 1 -- lasso fit --out run")]
    Launch(Launch),
    /// Take part in a run on another machine, as one more process. DATA and --out must be there at the same
    /// paths.
    Join(Join),
    /// Say how a run stands, be it launched or not, alive or not: its epoch, its metric and the curve of it; of a
    /// launched run its processes, their shards, and what was worth a note.
    #[command(after_help = "Example: raddle status run --watch")]
    Status(StatusOptions),
    /// Draw the generations of a run, with their processes and what crossed between these, as a graph in DOT.
    #[command(after_help = "Example: raddle graph run | dot -Tsvg > run.svg")]
    Graph(GraphOptions),
    /// Write the runs of some folders as one page, to be read in a browser without a connection: what was run, its
    /// curves, its workers, and the pictures and tables of its results.
    #[command(after_help = "Example: raddle report run other-run --out page.html")]
    Report(PageOptions),
    /// Continue a run with another number of workers, from the next epoch on.
    Rescale(Rescale),
}

const PROGRAMS: &str = "Programs, run from beside raddle or from PATH:
  raddle lasso ...  sparse linear, logistic, Poisson and multinomial regression
  raddle mf ...     matrix factorization, recommendations
  raddle lda ...    topic models
  raddle linear ... linear classifiers with a proof: SVM, logistic regression
  raddle pool ...   many elastic fits on the cores there are, and a simulator of policies
  raddle data ...   public data by name: list, fetch, verify; generated data as files";

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
    let mut line = std::env::args_os();
    let first = line.nth(1);
    let word = first.as_deref().and_then(OsStr::to_str).unwrap_or_default();
    if let Some(program) = program_of(word) {
        return ended(program::run(program, line));
    }
    #[cfg(feature = "generate")]
    if let Some(written) = generate::asked(&Verb::command(), &std::env::args_os().collect::<Vec<_>>()) {
        return ended(written.map(|()| super::exit::ExitStatus::Done.code()));
    }
    if let Some(why) = verb_of_others("raddle", word) {
        return ended(Err(Error::usage(why)));
    }
    if first.is_none() {
        return ended(say(&Verb::command().render_help().to_string()).map(|()| 0));
    }
    let verb = Verb::parse();
    let body = || match verb {
        Verb::Launch(launch) => run::launch(&launch),
        Verb::Join(join) => join::join(&join),
        Verb::Status(options) => status::status(&options),
        Verb::Graph(options) => graph::graph(&options),
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
