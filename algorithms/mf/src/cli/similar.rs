//! `mf similar`.

use std::path::PathBuf;

use clap::Args;
use raddle_cli::{Error, ExitStatus, count};
use raddle_mf::files::Saved;
use raddle_mf::{Learned, Similar};

use super::filters::{Filters, rows};
use super::lists::{Kind, Lists};
use super::usage::{ListOutput, refuse_empty_lists};

/// The options of `mf similar`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Folder of a fitted model, written by --out.
    model: PathBuf,
    /// Items to find similar ones for. Give ids, or a file with one id per line.
    #[arg(value_name = "ITEM,...|FILE", required_unless_present = "users")]
    items: Option<String>,
    /// Find users similar to these instead. Give ids, or a file with one id per line.
    #[arg(long, value_name = "ID,...|FILE", conflicts_with = "items")]
    users: Option<String>,
    /// Length of each list. It includes the item itself.
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// List only these: ids, or a file with one id per line.
    #[arg(long, value_name = "ID,...|FILE")]
    only: Option<String>,
    /// Never list these: ids, or a file with one id per line.
    #[arg(long, value_name = "ID,...|FILE")]
    without: Option<String>,
    #[command(flatten)]
    output: ListOutput,
}

const EXAMPLES: &str = "Examples:
  mf fit synth:ratings:users=500,items=200,n=20000 --out run
  mf similar run 7 --top 5
  mf similar run --users 0,1

Each line has an item, another item and their similarity, separated by tabs. The list of an item starts with the \
item itself, then the most similar ones. Ids are quoted as in `mf recommend`. The similarity is the cosine of the \
factors of both, from -1 to 1; biases and mean do not count. The similarity is 0 if nothing was learned about one \
of the two. All of this holds for --users, too.";

/// Writes the items, or users, that are most similar to those asked about.
pub(crate) fn similar(options: &Options) -> Result<ExitStatus, Error> {
    let saved = Saved::open_without_seen(&options.model)?;
    refuse_empty_lists(options.top)?;
    let (option, given, what, ids) = match (&options.users, &options.items) {
        (Some(users), _) => ("--users", users, "user", &saved.about.users),
        (None, Some(items)) => ("ITEM", items, "item", &saved.about.items),
        (None, None) => return Err(Error::usage("name an ITEM, or --users")),
    };
    if saved.about.learned != Learned::Factors.name() {
        return Err(Error::input(format!(
            "{}: the model has no factors to compare by: fit it on more ratings, or, if they are clicks, \
             with --implicit",
            options.model.display()
        )));
    }
    let rows = rows(option, given, ids, what)?;
    let filters = Filters::new(options.only.as_deref(), options.without.as_deref(), ids, what)?;
    let query = filters.query(options.top);
    let model = &saved.model;
    let factors = |row: u32| if what == "user" { model.user(row) } else { model.item(row) };
    let is_unlearned = |row: &&u32| factors(**row).iter().all(|&value| value == 0.0);
    let unlearned = rows.iter().filter(is_unlearned).count();
    let mut notes = Vec::new();
    if unlearned > 0 {
        let some = count(unlearned as u64, what);
        notes.push(format!(
            "{some} of which no factors were learned: similar to nothing, all similarities are 0"
        ));
    }
    notes.iter().for_each(|note| options.output.uses.note(note));
    let similar = if what == "user" { Similar::users(model) } else { Similar::items(model) };
    let names: Vec<String> = rows.iter().map(|&row| ids.name(row as usize)).collect();
    let workers = options.output.workers();
    let lists = Lists {
        kind: Kind { who: what, what, ids, offset: 0.0 },
        names: &names,
        rows: &rows,
        top: options.top,
        find: |rows: &[u32]| similar.all(rows, &query, workers),
    };
    let said = format!("{}s similar to {}", what, count(rows.len() as u64, what));
    let found = serde_json::json!({ "notes": notes, "asked": rows.len(), "unlearned": unlearned });
    lists.write(&options.output, "similar", &said, &found)?;
    Ok(ExitStatus::Done)
}
