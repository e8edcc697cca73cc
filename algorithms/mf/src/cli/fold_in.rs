//! `mf fold-in`.

use std::path::PathBuf;

use clap::Args;
use raddle::cli::{Earlier, Error, ExitStatus, RunFolder, count, say};
use raddle_datasets::{Ids, Triples};
use raddle_mf::{FoldIn, Recommender, Seen};

use super::data::{self, Reading};
use super::files::{self, Saved};
use super::runner::refuse;

/// The options of `mf fold-in`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, mut_arg("data", |arg| arg.help(format!("Ratings of new users or items: {}", data::known()))))]
pub(crate) struct Options {
    /// The folder of a fitted model, as --out wrote it.
    model: PathBuf,
    /// The ratings.
    data: String,
    /// The data's format, where it is not recognised.
    #[arg(long, value_name = "NAME")]
    format: Option<String>,
    #[command(flatten)]
    reading: Reading,
    /// The weight of |p|^2; that of the model unless given.
    #[arg(long, value_name = "X")]
    reg: Option<f64>,
    /// Items to recommend to each new user.
    #[arg(long, value_name = "N", default_value_t = 5)]
    top: usize,
    /// Write the model with the new rows to this folder.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Let --out replace a run that is in its folder.
    #[arg(long, requires = "out")]
    force: bool,
}

const EXAMPLES: &str = "Examples, which work as they stand:
  mf fit synth:ratings:users=400,items=200,n=20000 --out run
  mf fold-in run synth:ratings:users=500,items=200,n=25000 --out wider

Users and items that the model has stay as they are. New users are solved from their ratings of the model's items, then
new items from the ratings of all users. Rows are added behind those of the model.";

/// Solves the rows of new users, then of new items, and recommends to the former.
pub(crate) fn fold_in(options: &Options) -> Result<ExitStatus, Error> {
    let mut saved = files::read(&options.model)?;
    let earlier = if options.force { Earlier::Replaced } else { Earlier::Refused };
    let hold = |path| RunFolder::hold(path, earlier);
    let mut folder = options.out.as_deref().map_or_else(|| Ok(RunFolder::none()), hold)?;
    let ratings = options.reading.read(Some(&options.data), options.format.as_deref(), 1)?;
    let about = &saved.about;
    let reg = options.reg.unwrap_or(about.reg);
    if !(reg >= 0.0 && reg.is_finite()) {
        return Err(Error::usage(format!("--reg is {reg}: it must be a number of 0 or more")));
    }
    let how = FoldIn { reg, plain: about.plain_reg, biases: about.biases, implicit: about.implicit };
    let old = (saved.users.len(), saved.items.len());

    let (known_users, new_users) = rows(&saved.users, &ratings.users);
    let (known_items, new_items) = rows(&saved.items, &ratings.items);
    let pick = |user: &[Option<u32>], item: &[Option<u32>]| -> Triples {
        let place = |(u, i, value): (u32, u32, f32)| Some((user[u as usize]?, item[i as usize]?, value));
        ratings.triples.iter().filter_map(place).collect()
    };
    let of_users = pick(&new_users, &known_items);
    let fresh_users = extend(&mut saved.users, &ratings.users, &new_users);
    how.users(&mut saved.model, &of_users, fresh_users).map_err(refuse)?;
    // New users are behind the old ones now.
    let all_users: Vec<Option<u32>> = known_users
        .iter()
        .zip(&new_users)
        .map(|(known, new)| known.or(new.map(|row| row + old.0 as u32)))
        .collect();
    let of_items = pick(&all_users, &new_items);
    let fresh_items = extend(&mut saved.items, &ratings.items, &new_items);
    how.items(&mut saved.model, &of_items, fresh_items).map_err(refuse)?;

    let Saved { about, model, users, items } = &mut saved;
    (about.users, about.items) = ((&*users).into(), (&*items).into());
    files::write_to(|name, write| folder.write(name, write), model, about)?;
    folder.commit("mf", env!("CARGO_PKG_VERSION"))?;
    let mut text = format!(
        "folded in {} and {}: the model has {} and {}",
        count(fresh_users as u64, "user"),
        count(fresh_items as u64, "item"),
        count(users.len() as u64, "user"),
        count(items.len() as u64, "item")
    );
    let all_items: Vec<Option<u32>> = known_items
        .iter()
        .zip(&new_items)
        .map(|(known, new)| known.or(new.map(|row| row + old.1 as u32)))
        .collect();
    let seen = Seen::new(&pick(&all_users, &all_items), users.len());
    let recommender = Recommender::new(model).without(&seen);
    let new: Vec<u32> = (old.0 as u32..users.len() as u32).collect();
    recommender.each(&new, options.top, |user, best| {
        for (item, score) in best {
            text += &format!("\n{}\t{}\t{score}", users.name(user as usize), items.name(*item as usize));
        }
    });
    say(&text)?;
    Ok(ExitStatus::Done)
}

/// For each row of the data: the model's row, and else a number among the new ones.
fn rows(model: &Ids, data: &Ids) -> (Vec<Option<u32>>, Vec<Option<u32>>) {
    let known = model.index().rows_of(data);
    let mut next = 0;
    let new = known.iter().map(|row| {
        row.is_none().then(|| {
            next += 1;
            next - 1
        })
    });
    let new = new.collect();
    (known, new)
}

/// Adds the ids of new rows behind those of the model; returns how many there are.
fn extend(ids: &mut Ids, data: &Ids, new: &[Option<u32>]) -> usize {
    let fresh: Vec<String> =
        (0..new.len()).filter(|&row| new[row].is_some()).map(|row| data.name(row)).collect();
    if fresh.is_empty() {
        return 0;
    }
    let before = ids.len();
    let follows = fresh.iter().enumerate().all(|(at, id)| *id == (before + at).to_string());
    let names = |ids: &Ids| (0..before).map(|row| ids.name(row)).chain(fresh.iter().cloned()).collect();
    let wider = match &*ids {
        Ids::Dense(count) if follows => Ids::Dense(*count + fresh.len() as u32),
        ids => Ids::Names(names(ids)),
    };
    *ids = wider;
    fresh.len()
}
