//! `mf predict`.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use clap::Args;
use raddle::cli::{Error, ExitStatus, count, say, write_atomic};
use raddle_datasets::Ids;

use super::data::{self, Reading};
use super::files;

/// The options of `mf predict`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, mut_arg("data", |arg| arg.help(format!("The pairs, with ratings or without: {}", data::known()))))]
pub(crate) struct Options {
    /// The folder of a fitted model, as --out wrote it.
    model: PathBuf,
    /// The pairs.
    data: String,
    /// The data's format, where it is not recognised.
    #[arg(long, value_name = "NAME")]
    format: Option<String>,
    #[command(flatten)]
    reading: Reading,
    /// Write a line for each pair to this file, `user item prediction` divided by tabs, rather than to stdout.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

const EXAMPLES: &str = "Examples, which work as they stand:
  mf fit synth:ratings:users=500,items=200,n=20000 --out run
  mf predict run synth:ratings:users=500,items=200,n=20000

A user or item that the model does not have counts nothing: the prediction is the mean with the bias that is known.";

/// Predicts each pair. Where there are ratings, the error against them is said: on stdout if the predictions go to a
/// file, else on stderr.
pub(crate) fn predict(options: &Options) -> Result<ExitStatus, Error> {
    let saved = files::read(&options.model)?;
    let ratings = options.reading.read(Some(&options.data), options.format.as_deref(), 1)?;
    let rows = |mine: &Ids, theirs: &Ids| mine.index().rows_of(theirs);
    let (users, items) = (rows(&saved.users, &ratings.users), rows(&saved.items, &ratings.items));
    let (mut squares, mut sizes, mut unknown) = (0.0, 0.0, 0_u64);
    // Lines are written as they are found: memory does not grow with them.
    let mut lines = |out: &mut dyn Write| {
        for (user, item, value) in ratings.triples.iter() {
            let (u, i) = (users[user as usize], items[item as usize]);
            unknown += u64::from(u.is_none() || i.is_none());
            let prediction = saved.model.predict(u.unwrap_or(u32::MAX), i.unwrap_or(u32::MAX));
            let error = f64::from(value) - prediction;
            (squares, sizes) = (squares + error * error, sizes + error.abs());
            let (user, item) = (ratings.users.name(user as usize), ratings.items.name(item as usize));
            writeln!(out, "{user}\t{item}\t{prediction}")?;
        }
        out.flush()
    };
    match &options.out {
        Some(file) => {
            write_atomic(file, |out| lines(out))?;
        }
        None => {
            // A reader that has enough, such as `head`, is no failure.
            if let Err(why) = lines(&mut BufWriter::new(io::stdout().lock()))
                && why.kind() != io::ErrorKind::BrokenPipe
            {
                return Err(Error::failed(format!("cannot write to stdout: {why}")));
            }
        }
    }
    let number = ratings.triples.len();
    let mut said = count(number as u64, "prediction");
    if !ratings.pairs_only {
        let number = number as f64;
        said += &format!(", rmse {:.6}, mae {:.6}", (squares / number).sqrt(), sizes / number);
    }
    if unknown > 0 {
        said += &format!("; {} of a user or item that the model does not have", count(unknown, "pair"));
    }
    match &options.out {
        Some(_) => say(&said)?,
        None => {
            // Nobody is left to tell if stderr is closed.
            let _ = writeln!(io::stderr(), "{said}");
        }
    }
    Ok(ExitStatus::Done)
}
