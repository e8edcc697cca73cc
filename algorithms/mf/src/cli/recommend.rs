//! `mf recommend`.

use std::fmt::{Display, Formatter};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use raddle::cli::{
    Error, ExitStatus, MOST_WORKERS, UseOptions, between, count, number, refuse_without_effect, write_atomic,
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
    /// The users by id, those with a comma in double quotes, or a file with one id a line. Default: all.
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
    #[arg(short, long, value_name = "N", allow_negative_numbers = true, value_parser = between::<1, MOST_WORKERS>)]
    workers: Option<usize>,
    /// Write to this file. Default: stdout.
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    uses: UseOptions,
}

const EXAMPLES: &str = "Examples, which work as they stand:
  mf fit synth:ratings:users=500,items=200,n=20000 --out run
  mf recommend run --top 5 --users 0,1,2 --exclude synth:ratings:users=500,items=200,n=20000

A line is `user item score`, divided by tabs, the best item of a user first.
Some thousand users go at a time: what is held of their items does not grow
with their number. A user that the model does not have, or of whom it has learned
nothing, gets the items that please on the whole: those of the highest biases, or,
where items have none (--implicit, --no-biases), those of the mean user.
An id with a comma stands in double quotes: --users '\"Lee, Ann\",7'.";

/// Items that are held at a time, of all users together.
const HELD: usize = 1 << 20;

/// Users at a time, at most.
const BATCH: usize = 4096;

/// Writes the best items of users.
pub(crate) fn recommend(options: &Options) -> Result<ExitStatus, Error> {
    #[allow(clippy::disallowed_methods, reason = "nothing is trained: results are the same on any number")]
    let workers =
        options.workers.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let saved = files::read(&options.model)?;
    if options.top == 0 {
        return Err(Error::usage("--top is 0: there must be at least 1"));
    }
    if !saved.model.ranks_items() {
        return Err(Error::input(nothing_to_rank_by(&options.model, saved.model.mean)));
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
    let unlearned = rows.iter().filter(|&&row| row != u32::MAX && !saved.model.knows_user(row)).count();
    for note in told_of(&saved, unknown, unlearned) {
        options.uses.note(&note);
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
                &serde_json::json!({
                    "notes": notes,
                    "users": users.len(), "unknown_users": unknown, "unlearned_users": unlearned
                }),
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

/// Why a model cannot recommend.
pub(super) fn nothing_to_rank_by(folder: &Path, mean: f64) -> String {
    format!(
        "{}: the model has learned nothing that items could be ranked by, it predicts {} for every pair: fit it on \
         more ratings, or, if they are clicks, with --solver als --implicit",
        folder.display(),
        number(mean)
    )
}

/// Note on users that get what pleases on the whole.
pub(super) fn told_of(saved: &Saved, unknown: usize, unlearned: usize) -> Vec<String> {
    let what = match saved.model.stand_in().is_mean_user() {
        true => "the items that please on the whole, by the scores of the mean user",
        false => "the items that please on the whole, by the mean and the biases of the items",
    };
    let groups = [
        (unknown, "that the model does not have"),
        (unlearned, "of whom nothing was learned, as none of their ratings was trained on"),
    ];
    let of = |(number, why): (usize, &str)| {
        (number > 0).then(|| format!("{} {why}: {what}", count(number as u64, "user")))
    };
    groups.into_iter().filter_map(of).collect()
}

/// Ratings that users have given already, where there is a file of them, and notes on how it was read.
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
    let batch = (HELD / top.min(saved.items.len()).max(1)).clamp(1, BATCH);
    for (users, rows) in users.chunks(batch).zip(rows.chunks(batch)) {
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
    match allowed.is_empty() {
        true => Err(Error::usage("--only and --without leave no item to recommend")),
        false => Ok(Some(allowed)),
    }
}

/// Ids in a list divided by commas, where one with a comma stands in double quotes; or in a file, one a line.
pub(super) fn ids(option: &str, given: &str) -> Result<Vec<String>, Error> {
    let ids: Vec<String> = if Path::new(given).is_file() {
        let text = raddle_datasets::read_text(Path::new(given))
            .map_err(|why| Error::input(format!("{option} {why}")))?;
        text.lines().map(|id| id.trim().to_owned()).filter(|id| !id.is_empty()).collect()
    } else {
        listed(given).map_err(|why| Error::usage(format!("{option} {given}: {why}")))?
    };
    match ids.is_empty() {
        true => {
            Err(Error::usage(format!("{option} `{given}`: there is no id in it: name one, or leave it out")))
        }
        false => Ok(ids),
    }
}

/// The ids of a list. Two double quotes within quotes are one.
fn listed(list: &str) -> Result<Vec<String>, &'static str> {
    let (mut ids, mut rest) = (Vec::new(), list);
    loop {
        rest = rest.trim_start();
        let id = match rest.strip_prefix('"') {
            Some(quoted) => {
                let mut id = String::new();
                let mut left = quoted;
                rest = loop {
                    let (part, behind) = left.split_once('"').ok_or("a double quote is not closed")?;
                    id += part;
                    match behind.strip_prefix('"') {
                        Some(behind) => (id, left) = (id + "\"", behind),
                        None => break behind.trim_start(),
                    }
                };
                if !(rest.is_empty() || rest.starts_with(',')) {
                    return Err("write a comma behind a closing double quote");
                }
                id
            }
            None => {
                let (id, behind) = rest.split_at(rest.find(',').unwrap_or(rest.len()));
                rest = behind;
                id.trim_end().to_owned()
            }
        };
        if !id.is_empty() {
            ids.push(id);
        }
        match rest.strip_prefix(',') {
            Some(behind) => rest = behind,
            None => return Ok(ids),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_listed_or_in_a_file() {
        assert_eq!(ids("--users", "a, b,,c").unwrap(), ["a", "b", "c"]);
        let quoted = "\"Lee, Ann\" ,7, \"a \"\"b\"\"\",it's \"so\"";
        assert_eq!(ids("--users", quoted).unwrap(), ["Lee, Ann", "7", "a \"b\"", "it's \"so\""]);
        for (wrong, why) in [
            ("", "there is no id in it"),
            (" , ,", "there is no id in it"),
            ("\"a", "a double quote is not closed"),
            ("\"a\"b,c", "write a comma behind"),
        ] {
            assert!(ids("--users", wrong).unwrap_err().to_string().contains(why), "{wrong}");
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ids");
        std::fs::write(&path, "x\n\ny\n").unwrap();
        assert_eq!(ids("--users", path.to_str().unwrap()).unwrap(), ["x", "y"]);
    }
}
