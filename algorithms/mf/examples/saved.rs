//! Reads a model that the program has written, and predicts with it.
//!
//! `cargo run -p raddle-mf --example mf-saved` fits a model of its own; `cargo run -p raddle-mf --example
//! mf-saved -- RUN USER ITEM` reads the one in the folder RUN.

use std::path::Path;

use raddle_mf::files::Saved;
use raddle_mf::{Mf, Problem, Query, Recommender, Seen};

/// Prints the prediction for a pair, and the best items for the user.
fn ask(run: &Path, user: &str, item: &str) -> Result<(), Box<dyn std::error::Error>> {
    let Saved { about, model, seen } = Saved::open(run)?;
    let row = about.users.index().row(user).ok_or_else(|| format!("the model has no user {user}"))?;
    let column = about.items.index().row(item).ok_or_else(|| format!("the model has no item {item}"))?;
    let recommender = Recommender::new(model);
    println!("user {user}, item {item}: {:.3}", recommender.predict(row, column));
    // Lists leave out what the user has rated, if the folder knows it.
    let seen = seen.unwrap_or_default();
    for (item, score) in recommender.one(row, &Query::best(3).without_seen(&seen)) {
        println!("  {:>6}  {score:.3}", about.items.name(item as usize));
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [run, user, item] = &arguments[..] {
        return ask(Path::new(run), user, item);
    }
    let data = raddle_datasets::read_any_ratings(
        "synth:ratings:users=300,items=120,n=9000,rank=3",
        &Default::default(),
    )?;
    let seen = Seen::new(&data.triples, data.users.len());
    let fit = Mf::params().rank(8).epochs(10).fit(&Problem::new(
        data.users.len(),
        data.items.len(),
        data.triples,
    )?)?;
    let run = std::env::temp_dir().join(format!("mf-saved-{}", std::process::id()));
    fit.save(&run, (data.users, data.items), Some(&seen))?;
    let asked = ask(&run, "7", "11");
    std::fs::remove_dir_all(&run)?;
    asked
}
