//! The command line of `pool`.

use std::process::ExitCode;

use clap::Parser;
use raddle_cli::{CommandLine, Error, ExitStatus, Free, Interrupt};

use crate::live::{self, Places, Processes};

mod duration;
mod folder;
mod foreign;
mod job_line;
mod jobs;
mod pool_options;
mod pool_summary;
mod pool_tables;
mod profile;
mod run;
mod status;
mod visit;

#[cfg(test)]
mod tests;

/// Run many fits that share cores, which are divided again at every epoch.
#[derive(Debug, Parser)]
#[command(name = "pool", version, after_help = EXAMPLES)]
enum Verb {
    /// Run jobs on shared workers until all are done.
    Run(Box<pool_options::RunOptions>),
    /// Submit a job to a pool.
    Add(Box<pool_options::AddOptions>),
    /// Show the status of a pool: its jobs, their workers, and the queue.
    Status(pool_options::StatusOptions),
    /// Cancel a job of a pool.
    Cancel(pool_options::CancelOptions),
    /// Print speed and progress of finished runs (profiles), for `pool run --profiles`.
    Profile(pool_options::ProfileOptions),
}

const EXAMPLES: &str = "Examples:
  pool run jobs.toml --workers 8 --out nightly
  pool add nightly --value 5 --deadline 20m -- lda fit news.txt --topics 500 --out news
  pool status nightly
  pool profile mf64 news > profiles.toml

Exit status: 0 done, 1 failed, 2 bad usage or input, 130 interrupted.";

const LINE: CommandLine<'static> = CommandLine {
    default: "run",
    free: Free { neutral: &[], limits: &[] },
    common: &["alive", "clock", "value", "deadline", "most", "after", "policy", "rescale", "watch"],
    features: &[],
    sources: "",
    foreign: foreign::FOREIGN,
};

/// Entry point of the program `pool`.
pub fn main() -> ExitCode {
    raddle_cli::main("pool", || match LINE.parse() {
        Verb::Run(options) => raddle_cli::starts_processes("pool run").and_then(|()| run(&options)),
        Verb::Add(options) => visit::add(&options),
        Verb::Status(options) => status::status(&options),
        Verb::Cancel(options) => visit::cancel(&options),
        Verb::Profile(options) => profile::profile(&options),
    })
}

/// Runs a pool to its end.
fn run(options: &pool_options::RunOptions) -> Result<ExitStatus, Error> {
    let held = run::OpenPool::open(options, live::now())?;
    let refuse = |why: std::io::Error| Error::failed(format!("{}: {why}", held.folder().display()));
    let left = live::end_leftovers(held.folder()).map_err(refuse)?;
    if left > 0 {
        options.use_options.note(&format!("ended {left} processes that an earlier pool left running"));
    }
    let interrupt = Interrupt::handler().training();
    let is_interrupted = || interrupt.is_requested();
    let places = Places { pool: held.folder(), began: held.began, patience: options.patience() };
    let note = |text: &str| options.use_options.note(text);
    let mut runs = Processes::new(&places, &is_interrupted, &note).map_err(refuse)?;
    held.carry(&mut runs)
}
