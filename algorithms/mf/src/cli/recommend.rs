//! `mf recommend`.

use std::fmt::{Display, Formatter};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use raddle::cli::{
    Error, ExitStatus, MOST_WORKERS, UseOptions, between, count, refuse_without_effect, write_atomic,
};
use raddle_mf::{Recommender, Seen};
use serde::Serialize;

use super::data::{self, Reading};
use super::files::{self, Saved};

/// The options of `mf recommend`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The folder of a fitted model, as --out wrote it.
    model: PathBuf,
    /// Number of items for each user.
    #[arg(long, value_name = "N", default_value_t = 10, allow_negative_numbers = true)]
    top: usize,
    /// The users by id, or a file with one id a line. Default: all.
    #[arg(long, value_name = "ID,...|FILE")]
    users: Option<String>,
    /// Leave out what users have rated in this data: a file, or what `fit` reads.
    #[arg(long, value_name = "DATA")]
    exclude: Option<String>,
    /// Recommend these items only, by id, or a file with one id a line.
    #[arg(long, value_name = "ID,...|FILE")]
    only: Option<String>,
    /// Never recommend these items, by id, or a file with one id a line.
    #[arg(long, value_name = "ID,...|FILE")]
    without: Option<String>,
    /// Format of --exclude. Default: recognised by its content.
    #[arg(long, value_name = "NAME")]
    format: Option<String>,
    #[command(flatten)]
    reading: Reading,
    /// Number of worker threads. Default: the number of cores.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = between::<1, MOST_WORKERS>)]
    workers: Option<usize>,
    /// Write to this file. Default: stdout.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    uses: UseOptions,
}

const EXAMPLES: &str = "Examples, which work as they stand:
  mf fit synth:ratings:users=500,items=200,n=20000 --out run
  mf recommend run --top 5 --users 0,1,2 --exclude synth:ratings:users=500,items=200,n=20000

A line is `user item score`, divided by tabs, the best item of a user first.
Some thousand users go at a time: what is held of their items does not grow
with their number. A user that the model does not have gets the items that
please on the whole.";

/// Users at a time: what is held is this times the items for each.
const BATCH: usize = 4096;

/// Writes the best items of users.
pub(crate) fn recommend(options: &Options) -> Result<ExitStatus, Error> {
    let workers =
        options.workers.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let saved = files::read(&options.model)?;
    if options.top == 0 {
        return Err(Error::usage("--top is 0: there must be at least 1"));
    }
    let (seen, notes) = seen(options, &saved)?;
    let mut recommender = Recommender::new(&saved.model);
    if let Some(seen) = &seen {
        recommender = recommender.without(seen);
    }
    if let Some(allowed) = allowed(options, &saved)? {
        recommender = recommender.only(&allowed);
    }
    let users = match &options.users {
        Some(given) => ids("--users", given)?,
        None => (0..saved.users.len()).map(|row| saved.users.name(row)).collect(),
    };
    let index = saved.users.index();
    let rows: Vec<u32> = users.iter().map(|user| index.row(user).unwrap_or(u32::MAX)).collect();
    let unknown = rows.iter().filter(|&&row| row == u32::MAX).count();
    if unknown > 0 {
        let unknown = count(unknown as u64, "user");
        options
            .uses
            .note(&format!("{unknown} that the model does not have: the items that please on the whole"));
    }
    let write = |out: &mut dyn Write, json: bool| {
        let form = if json { object } else { lines };
        list(&recommender, &saved, (&users, &rows), (options.top, workers), form, out)
    };
    match &options.out {
        Some(file) => {
            write_atomic(file, |out| write(out, false))?;
            let said = format!("recommendations for {}", count(users.len() as u64, "user"));
            options.uses.say(
                &said,
                &serde_json::json!({ "notes": notes, "users": users.len(), "unknown_users": unknown }),
            )?;
        }
        None => {
            let mut out = BufWriter::new(io::stdout().lock());
            let written = match options.uses.json {
                false => write(&mut out, false),
                true => write!(out, "{{\"notes\":{},\"recommendations\":[", serde_json::json!(notes))
                    .and_then(|()| write(&mut out, true))
                    .and_then(|()| writeln!(out, "]}}")),
            };
            let written = written.and_then(|()| out.flush());
            // A reader that has enough, such as `head`, is no failure.
            if let Err(why) = written
                && why.kind() != io::ErrorKind::BrokenPipe
            {
                return Err(Error::failed(format!("cannot write to stdout: {why}")));
            }
        }
    }
    Ok(ExitStatus::Done)
}

/// What users have rated already, where there is a file of it, and what is said of how that was read.
fn seen(options: &Options, saved: &Saved) -> Result<(Option<Seen>, Vec<String>), Error> {
    let Options { exclude, format, reading, .. } = options;
    let Some(source) = exclude else {
        refuse_without_effect(&reading.given(format.as_deref()), "without --exclude")?;
        return Ok((None, Vec::new()));
    };
    reading.refuse_idle(&[Some(source)], format.as_deref())?;
    let ratings = reading.read(Some(source), format.as_deref(), 1)?;
    let notes: Vec<String> = reading.notes(&ratings).lines().map(str::to_owned).collect();
    notes.iter().for_each(|note| options.uses.note(note));
    let triples = data::in_rows_of(&ratings, &saved.users, &saved.items);
    Ok((Some(Seen::new(&triples, saved.users.len())), notes))
}

/// How the items of a user are written; whether it is the first one.
type Form = fn(&mut dyn Write, bool, &Listed<'_>) -> io::Result<()>;

/// Streams the recommendations, user by user.
fn list(
    recommender: &Recommender<'_>,
    saved: &Saved,
    (users, rows): (&[String], &[u32]),
    (top, workers): (usize, usize),
    form: Form,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut is_first = true;
    for (users, rows) in users.chunks(BATCH).zip(rows.chunks(BATCH)) {
        let chosen = recommender.all(rows, top, workers).map_err(io::Error::other)?;
        for (user, best) in users.iter().zip(chosen) {
            form(out, is_first, &Listed::of(user, &best, saved))?;
            is_first = false;
        }
    }
    Ok(())
}

/// The best items of a user, the best first.
#[derive(Serialize)]
pub(super) struct Listed<'a> {
    user: &'a str,
    items: Vec<Item>,
}

#[derive(Serialize)]
struct Item {
    item: String,
    score: f32,
}

impl<'a> Listed<'a> {
    pub(super) fn of(user: &'a str, best: &[(u32, f32)], saved: &Saved) -> Self {
        let item = |&(item, score): &(u32, f32)| Item { item: saved.items.name(item as usize), score };
        Self { user, items: best.iter().map(item).collect() }
    }
}

/// A line for each item, after a line end.
impl Display for Listed<'_> {
    fn fmt(&self, to: &mut Formatter<'_>) -> std::fmt::Result {
        let Self { user, items } = self;
        items.iter().try_for_each(|Item { item, score }| write!(to, "\n{user}\t{item}\t{score}"))
    }
}

/// A line for each item.
fn lines(out: &mut dyn Write, _: bool, Listed { user, items }: &Listed<'_>) -> io::Result<()> {
    items.iter().try_for_each(|Item { item, score }| writeln!(out, "{user}\t{item}\t{score}"))
}

/// An object for the user.
fn object(out: &mut dyn Write, is_first: bool, listed: &Listed<'_>) -> io::Result<()> {
    if !is_first {
        write!(out, ",")?;
    }
    Ok(serde_json::to_writer(out, listed)?)
}

/// The items that may be recommended, if that is limited.
fn allowed(options: &Options, saved: &Saved) -> Result<Option<Vec<u32>>, Error> {
    let rows = |option: &str, given: &str| {
        let index = saved.items.index();
        let row = |id: String| {
            index.row(&id).ok_or_else(|| Error::input(format!("{option}: the model has no item `{id}`")))
        };
        ids(option, given)?.into_iter().map(row).collect::<Result<Vec<u32>, Error>>()
    };
    let mut allowed: Vec<u32> = match &options.only {
        Some(given) => rows("--only", given)?,
        None if options.without.is_none() => return Ok(None),
        None => (0..saved.items.len() as u32).collect(),
    };
    if let Some(given) = &options.without {
        let without: std::collections::HashSet<u32> = rows("--without", given)?.into_iter().collect();
        allowed.retain(|item| !without.contains(item));
    }
    Ok(Some(allowed))
}

/// Ids in a list divided by commas, or in a file, one a line.
pub(super) fn ids(option: &str, given: &str) -> Result<Vec<String>, Error> {
    if !Path::new(given).is_file() {
        return Ok(given.split(',').map(|id| id.trim().to_owned()).filter(|id| !id.is_empty()).collect());
    }
    let text =
        std::fs::read_to_string(given).map_err(|why| Error::input(format!("{option} {given}: {why}")))?;
    Ok(text.split(['\n', '\r']).map(|id| id.trim().to_owned()).filter(|id| !id.is_empty()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_listed_or_in_a_file() {
        assert_eq!(ids("--users", "a, b,,c").unwrap(), ["a", "b", "c"]);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ids");
        std::fs::write(&path, "x\n\ny\n").unwrap();
        assert_eq!(ids("--users", path.to_str().unwrap()).unwrap(), ["x", "y"]);
    }
}
