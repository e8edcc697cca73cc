//! `mf recommend`.

use std::path::{Path, PathBuf};

use clap::Args;
use raddle_cli::{Error, ExitStatus, count, number, refuse_without_effect};
use raddle_datasets::RatingsOptions;
use raddle_mf::files::{About, Saved};
use raddle_mf::{Recommender, Seen};

use super::data::{self, Reading};
use super::filters::{self, Filters};
use super::lists::{Kind, Lists};
use super::usage::{ListOutput, notes_on_unlearned, refuse_empty_lists};

/// The options of `mf recommend`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_args(|arg| if arg.get_help_heading() == Some("Options of the data") { arg.help_heading("Options of \
    --exclude") } else { arg }))]
pub(crate) struct Options {
    /// Folder of a fitted model, written by --out.
    model: PathBuf,
    /// Number of items for each user.
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Recommend to these users. Give ids, or a file with one id per line. Default: all users.
    #[arg(long, value_name = "ID,...|FILE")]
    users: Option<String>,
    /// Also leave out the items that users have rated in these data: a file, or any source that `fit` reads.
    #[arg(long, value_name = "DATA")]
    exclude: Option<String>,
    /// Also list the items that users have rated in the data of the fit. Default: they are left out.
    #[arg(long)]
    with_seen: bool,
    /// Recommend only these items: ids, or a file with one id per line.
    #[arg(long, value_name = "ID,...|FILE")]
    only: Option<String>,
    /// Never recommend these items: ids, or a file with one id per line.
    #[arg(long, value_name = "ID,...|FILE")]
    without: Option<String>,
    /// Format of --exclude: text, csv, tsv, movielens, libmf or mtx. Default: recognised by its content.
    #[arg(long, value_name = "NAME")]
    format: Option<String>,
    #[command(flatten)]
    output: ListOutput,
    #[command(flatten)]
    reading: Reading,
}

const EXAMPLES: &str = "Examples:
  mf fit synth:ratings:users=500,items=200,n=20000 --out run
  mf recommend run --top 5 --users 0,1,2

Each line has a user, an item and a score, separated by tabs, with the best item of a user first. An id with a tab, \
a line break or a double quote is written in double quotes, as in CSV. On the command line, put an id with a comma \
in double quotes: --users '\"Lee, Ann\",7'.

Items that a user has rated in the data of the fit, other than its test data, are left out. After a fit with \
--no-seen the folder does not have them: give --exclude or --with-seen.

A user whom the model does not have, or about whom it has learned nothing, gets the generally popular items: those \
with the highest biases or, without biases (--implicit, --no-biases), those of the mean user. Users are processed a \
few thousand at a time, so memory does not grow.";

/// Writes the best items of users.
pub(crate) fn recommend(options: &Options) -> Result<ExitStatus, Error> {
    let mut saved = match options.with_seen {
        true => Saved::open_without_seen(&options.model),
        false => Saved::open(&options.model),
    }?;
    refuse_empty_lists(options.top)?;
    if !saved.model.ranks_items() {
        return Err(Error::input(nothing_to_rank_by(&options.model, saved.model.mean)));
    }
    let (seen, notes) = seen(options, &mut saved)?;
    let About { users: ids, items, offset, .. } = &saved.about;
    let filters = Filters::new(options.only.as_deref(), options.without.as_deref(), items, "item")?;
    let query = filters.query(options.top);
    let query = seen.as_ref().map_or(query, |seen| query.without_seen(seen));
    let users = match &options.users {
        Some(given) => filters::ids("--users", given)?,
        None => (0..ids.len()).map(|row| ids.name(row)).collect(),
    };
    let index = ids.index();
    let rows: Vec<u32> = users.iter().map(|user| index.row(user).unwrap_or(u32::MAX)).collect();
    let unknown = rows.iter().filter(|&&row| row == u32::MAX).count();
    let unlearned = rows.iter().filter(|&&row| row != u32::MAX && !saved.model.knows_user(row)).count();
    for note in notes_on_unlearned(&saved.model, unknown, unlearned) {
        options.output.uses.note(&note);
    }
    // Scores in single precision have the offset subtracted that ratings include.
    saved.model.mean -= offset;
    let (recommender, workers) = (Recommender::new(&saved.model), options.output.workers());
    let lists = Lists {
        kind: Kind { who: "user", what: "item", ids: items, offset: *offset },
        names: &users,
        rows: &rows,
        top: options.top,
        find: |rows: &[u32]| recommender.all(rows, &query, workers),
    };
    let said = format!("recommendations for {}", count(users.len() as u64, "user"));
    let found = serde_json::json!({
        "notes": notes, "users": users.len(), "unknown_users": unknown, "unlearned_users": unlearned
    });
    lists.write(&options.output, "recommendations", &said, &found)?;
    Ok(ExitStatus::Done)
}

/// Says why a model cannot recommend.
fn nothing_to_rank_by(folder: &Path, mean: f64) -> String {
    format!(
        "{}: the model has learned nothing that items could be ranked by, it predicts {} for every pair: fit \
         it on more ratings, or, if they are clicks, with --implicit",
        folder.display(),
        number(mean)
    )
}

/// Returns the ratings to leave out, from the folder and from a file if there is one, and notes on how the
/// file was read.
fn seen(options: &Options, saved: &mut Saved) -> Result<(Option<Seen>, Vec<String>), Error> {
    let Options { exclude, format, reading, .. } = options;
    let kept = saved.seen.take();
    let Some(source) = exclude else {
        refuse_without_effect(&reading.given(format.as_deref()), "without --exclude")?;
        return match kept.is_some() || options.with_seen {
            true => Ok((kept, Vec::new())),
            false => Err(Error::usage(format!(
                "{}: the folder does not say what users have rated, as --no-seen or an earlier version has \
                 written it: give --exclude DATA, the ratings to leave out, or --with-seen to list them, too",
                options.model.display()
            ))),
        };
    };
    reading.refuse_idle(&[Some(source)], format.as_deref())?;
    let as_they_are = RatingsOptions { offset: Some(0.0), ..reading.options(format.as_deref(), 1)? };
    let ratings = data::read(Some(source), &as_they_are)?;
    let notes: Vec<String> = reading.notes(&ratings).lines().map(str::to_owned).collect();
    notes.iter().for_each(|note| options.output.uses.note(note));
    let triples = data::in_rows_of(&ratings, &saved.about.users, &saved.about.items);
    let given = Seen::new(&triples, saved.about.users.len());
    let seen = match kept {
        Some(kept) => kept.with(&given),
        None => given,
    };
    Ok((Some(seen), notes))
}
