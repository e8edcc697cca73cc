//! Command line that every bundled program shares, for programs of your own, too.
//!
//! A program describes its own options, flattens [`TrainOptions`] into them, and lets a [`Session`] carry it
//! from the command line to the exit status:
//!
//! ```no_run
//! use clap::Parser;
//! use raddle_cli::{self as cli, Data, Error, ExitStatus, Free, ModelDigest};
//! use raddle_cli::{Session, Summary, Timed, TrainOptions};
//! use raddle::files::ModelFiles as _;
//! # use raddle::prelude::{Aggregate, Conclude, Cyclic, Engine, Evaluate, Metric, Parts, Program};
//! # use raddle::prelude::{TaskOf, Update, Variables, Verdict};
//! # struct Mean;
//! # impl Program for Mean {
//! #     raddle::program!(Shard = Vec<f64>, Replica = f64, Partial = f64; update);
//! #     fn aggregate(&self, _: Aggregate<'_, Self>) -> f64 { 0.0 }
//! #     fn commit(&self, _: &f64, _: &mut f64) {}
//! #     fn evaluate(&self, _: Evaluate<'_, Self>) -> f64 { 0.0 }
//! #     fn conclude(&self, _: Conclude<'_, Self>) -> Verdict<f64> {
//! #         Metric::new("gap", 0.0, "training data").target(1.0).into()
//! #     }
//! # }
//! # impl Update for Mean { fn update(&self, _: TaskOf<'_, Self>) -> f64 { 0.0 } }
//! # fn read(_: Option<&str>) -> Result<Vec<Vec<f64>>, std::io::Error> { Ok(Vec::new()) }
//! # fn engine(shards: Vec<Vec<f64>>, _: &Fit) -> Engine<Mean> {
//! #     Engine::new(Mean, Cyclic::new(Variables::anywhere(vec![1], 1), 1), Parts::new(shards, 0.0))
//! # }
//!
//! #[derive(Parser)]
//! enum Verb {
//!     /// Fits the model.
//!     Fit(Fit),
//! }
//!
//! #[derive(clap::Args, serde::Serialize)]
//! struct Fit {
//!     #[command(flatten)]
//!     #[serde(flatten)]
//!     train: TrainOptions,
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     let line = cli::CommandLine { default: "fit", ..Default::default() };
//!     cli::main("mean", || match line.parse() {
//!         Verb::Fit(options) => fit(&options),
//!     })
//! }
//!
//! fn fit(options: &Fit) -> Result<ExitStatus, Error> {
//!     let mut session = Session::begin("mean", env!("CARGO_PKG_VERSION"), &options.train)?;
//!     let shards = session.timed(Timed::Read, || read(options.train.data.as_deref()));
//!     let shards = shards.map_err(Error::input)?;
//!     let engine = session.timed(Timed::Fit, || engine(shards, options));
//!     let data = format!("{:?}", options.train.data); // better: a digest of the data
//!     let identity = cli::identity("mean", options, Free::default(), &[("data", &data)])?;
//!     let outcome = session.run(engine.identity(identity))?;
//!     let mean = outcome.parts.replica;
//!     session.write("mean.txt", |out| std::io::Write::write_all(out, format!("{mean}\n").as_bytes()))?;
//!     let digest = ModelDigest::default().f64s(&[mean]).finish();
//!     let data = Data::default();
//!     let report = session.report(options, data, digest, &outcome.report, &outcome.trace)?;
//!     session.finish(report, &Summary::default(), &format!("the mean is {mean}"))
//! }
//! ```

mod changes;
mod environment;
mod exit;
mod graph;
mod interrupt;
pub mod launch;
mod markup;
mod number;
mod options;
mod page;
mod parties;
mod parts;
mod picture;
mod report;
mod run_folder;
mod say;
mod screen;
mod session;
mod status;

pub use changes::{
    ChangeLine, ChangeOptions, ChangeStream, Version, VersionEnd, Versions, changes_help, fit_versions,
    is_short,
};
pub use exit::{Error, ExitStatus, main};
pub use interrupt::Interrupt;
pub use launch::{TIE, Tied, find_program, starts_processes};
pub use number::{aligned, count, number};
pub use options::foreign::{Answers, ForeignWords, verbs_of};
#[doc(hidden)] // for `table!`
pub use options::foreign::{lines, pairs};
pub use options::idle::{ROUND_OPTIONS, hide_idle, refuse_without_effect};
pub use options::subcommand::{CommandLine, with_verb};
pub use options::uses::UseOptions;
pub use options::values::{MOST_WORKERS, RescalePlan, Rho, Switch, between, choose};
pub use options::{ENGINE_HEADING, TrainOptions};
pub use parties::{Column, ColumnValues, PartiesFile};
pub use parts::{PartEnd, PartRun, PartRuns};
pub use raddle::ModelDigest;
pub use raddle::command_line_support::{cpu_seconds, digest_of, peak_memory_bytes};
pub use raddle::files::{ModelFiles, ModelFolder, Out, VersionOf, is_place_of_a_file, write_atomic};
pub use report::combine::{combine, ended_as};
pub use report::picture::{Axis, Contents, Member, Picture, PictureKind, Scale, Series, Tick};
pub use report::summary::{Summary, Table};
pub use report::trace::Trace;
pub use report::{About, Data, Profile, Records, Report, Seconds, Timed, profile};
pub use run_folder::folder::{Earlier, RunFolder};
pub use run_folder::life::Life;
pub use run_folder::{Free, identity};
pub use say::say;
pub use screen::Screen;
pub use session::{CutShort, Session};
