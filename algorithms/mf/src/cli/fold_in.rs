//! `mf fold-in`.

use std::path::PathBuf;

use clap::Args;
use raddle_cli::{Earlier, Error, ExitStatus, Records, RunFolder, UseOptions, count};
use raddle_datasets::{Ratings, Triples};
use raddle_mf::files::{About, Saved, SeenFile};
use raddle_mf::{FoldIn, Query, Recommender, Seen};
use serde::Serialize;

use super::data;
use super::ids::JoinedIds;
use super::lists::{Kind, Listed};
use super::runner::refuse;
use super::usage::{ModelAndData, notes_on_unlearned, refuse_empty_lists};

/// The options of `mf fold-in`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, mut_arg("data", |arg| arg.help(data::known("New ratings"))))]
pub(crate) struct Options {
    /// Regularisation of new users and items. Default: that of the model.
    #[arg(long, value_name = "X")]
    reg: Option<f64>,
    /// Number of items to recommend to each new user.
    #[arg(long, value_name = "N", default_value_t = 5)]
    top: usize,
    /// Write the model to this folder, with the new users and items. Default: nothing is written.
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace the model in the folder of --out.
    #[arg(long, requires = "out")]
    force: bool,
    #[command(flatten)]
    uses: UseOptions,
    #[command(flatten)]
    given: ModelAndData,
}

const EXAMPLES: &str = "Examples:
  mf fit synth:ratings:users=400,items=200,n=20000 --out run
  mf fold-in run synth:ratings:users=500,items=200,n=25000 --out wider

The model's users and items stay as they are. The factors of new users are solved from their ratings of the model's \
items, then the factors of new items from the ratings of all users. New users and items come after those of the \
model. Each new user is recommended items that the user has not rated in DATA.";

/// Solves the rows of new users, then of new items, and recommends items to the new users.
pub(crate) fn fold_in(options: &Options) -> Result<ExitStatus, Error> {
    let Options { given, uses, .. } = options;
    let mut saved = Saved::open(&given.model)?;
    let earlier = if options.force { Earlier::Replaced } else { Earlier::Refused };
    let hold = |path| RunFolder::hold(path, earlier);
    let mut folder = options.out.as_deref().map_or_else(|| Ok(RunFolder::none()), hold)?;
    refuse_empty_lists(options.top)?;
    let ratings = given.read(&given.options(&saved)?)?;
    let reg = options.reg.unwrap_or(saved.about.reg);
    if !(reg >= 0.0 && reg.is_finite()) {
        return Err(Error::usage(format!("--reg is {reg}: it must be a number of 0 or more")));
    }
    let offset = saved.about.offset;
    saved.model.mean -= offset;
    let widened = widen(&mut saved, &ratings, reg)?;
    let less = saved.model.mean;
    if offset != 0.0 {
        saved.model.mean += offset;
    }
    saved.about.write(&saved.model, &mut folder)?;
    if let Some(kept) = saved.seen.take() {
        let seen = kept.with(&widened.seen);
        SeenFile::new(&seen, saved.about.items.len()).map_err(Error::failed)?.write(&mut folder)?;
    }
    folder.commit("mf", env!("CARGO_PKG_VERSION"))?;

    let query = Query::best(options.top).without_seen(&widened.seen);
    let (mut lists, users) = (Vec::new(), saved.about.users.len() as u32);
    let new: Vec<u32> = (widened.old_users..users).collect();
    let unlearned = new.iter().filter(|&&user| !saved.model.knows_user(user)).count();
    let mut said = given.reading.notes(&ratings);
    let listed = match saved.model.ranks_items() {
        true => {
            let why = notes_on_unlearned(&saved.model, 0, unlearned);
            why.into_iter().for_each(|note| said += &format!("{note}\n"));
            &new[..]
        }
        false => {
            said += "no recommendations: the model ranks no item above another\n";
            &[]
        }
    };
    saved.model.mean = less;
    Recommender::new(&saved.model).each(listed, &query, |user, best| {
        lists.push((saved.about.users.name(user as usize), best.to_vec()));
    });
    let kind = Kind { who: "user", what: "item", ids: &saved.about.items, offset };
    let recommendations = lists.iter().map(|(user, best)| Listed::of(kind, user, best.clone())).collect();
    let (new_users, new_items) = (widened.new_users, widened.new_items);
    let records = Records::new(ratings.records.read, ratings.records.left_out.clone());
    let notes = said.lines().map(str::to_owned).collect();
    let items = saved.about.items.len();
    let found = Found { records, notes, new_users, new_items, users, items, recommendations };
    uses.say(&format!("{said}{}", found.text()), &found)?;
    Ok(ExitStatus::Done)
}

/// Numbers of users and items of a model before and after.
struct Widened {
    old_users: u32,
    new_users: usize,
    new_items: usize,
    /// Items of the data that each user has rated.
    seen: Seen,
}

/// Adds the data's new rows after those of the model.
fn widen(saved: &mut Saved, ratings: &Ratings, reg: f64) -> Result<Widened, Error> {
    let how = FoldIn { reg, ..saved.about.fold_in() };
    let Saved { about: About { users, items, .. }, model, .. } = saved;
    let (old_users, old_items) = (users.len() as u32, items.len() as u32);
    let (of_users, of_items) = (JoinedIds::new(users, &ratings.users), JoinedIds::new(items, &ratings.items));
    let place = |(user, item, value): (u32, u32, f32)| {
        (of_users.rows[user as usize], of_items.rows[item as usize], value)
    };
    let all: Triples = ratings.triples.iter().map(place).collect();
    let by_new_users = all.iter().filter(|&(user, item, _)| user >= old_users && item < old_items);
    let by_new_users = by_new_users.map(|(user, item, value)| (user - old_users, item, value)).collect();
    how.users(model, &by_new_users, of_users.new).map_err(refuse)?;
    // New users now come after the old ones.
    let of_new_items = all.iter().filter(|&(_, item, _)| item >= old_items);
    let of_new_items = of_new_items.map(|(user, item, value)| (user, item - old_items, value)).collect();
    how.items(model, &of_new_items, of_items.new).map_err(refuse)?;
    let (new_users, new_items) = (of_users.new, of_items.new);
    (*users, *items) = (of_users.ids, of_items.ids);
    Ok(Widened { old_users, new_users, new_items, seen: Seen::new(&all, users.len()) })
}

/// Output of `--json`.
#[derive(Serialize)]
struct Found<'a> {
    records: Records,
    notes: Vec<String>,
    new_users: usize,
    new_items: usize,
    users: u32,
    items: usize,
    recommendations: Vec<Listed<'a>>,
}

impl Found<'_> {
    fn text(&self) -> String {
        let Self { new_users, new_items, users, items, recommendations, .. } = self;
        let mut text = format!(
            "folded in {} and {}: the model has {} and {}",
            count(*new_users as u64, "user"),
            count(*new_items as u64, "item"),
            count(u64::from(*users), "user"),
            count(*items as u64, "item")
        );
        text.push('\n');
        recommendations.iter().for_each(|listed| text += &listed.to_string());
        text
    }
}
