//! Commands with options by chance: those of the help, with values that they take, or that no option takes.

use std::path::Path;
use std::sync::OnceLock;

use super::Case;
use super::dice::{Dice, TOKENS};
use super::inputs::Inputs;
use crate::commands::run;

/// Arguments of the verbs, and `true` for those that train.
const VERBS: [(&str, &[&str], bool); 11] = [
    ("lasso fit", &["data.csv", "cities.csv", "classes.csv", "data.svm", "synth:sparse:n=9,p=7"], true),
    ("lasso path", &["data.csv", "data.mtx"], true),
    ("lasso cv", &["data.csv", "classes.csv"], true),
    (
        "lasso predict",
        &["lasso.run data.csv", "lasso.path data.csv", "lasso.text cities.csv", "mf.run data.csv"],
        false,
    ),
    ("mf fit", &["ratings.tsv", "names.csv", "synth:ratings:users=9,items=7,n=40", "data.mtx"], true),
    ("mf cv", &["ratings.tsv", "names.csv"], true),
    ("mf predict", &["mf.run ratings.tsv", "mf.names names.csv", "lasso.run data.csv"], false),
    ("mf recommend", &["mf.run", "mf.clicks", "mf.names", "lda.run"], false),
    ("mf similar", &["mf.run 1", "mf.clicks 1", "mf.names b", "lda.run 1"], false),
    ("mf fold-in", &["mf.run ratings.tsv", "mf.names names.csv"], false),
    ("lda fit", &["notes.txt", "docword.txt", "posts.csv"], true),
];
const MORE_VERBS: [(&str, &[&str], bool); 6] = [
    ("lda cv", &["notes.txt", "docword.txt"], true),
    ("lda infer", &["lda.run notes.txt", "lda.run docword.txt"], false),
    ("lda topics", &["lda.run"], false),
    ("linear fit", &["classes.csv", "cities.csv", "data.csv", "data.svm"], true),
    ("linear cv", &["classes.csv", "data.csv"], true),
    ("linear predict", &["linear.run classes.csv", "linear.classes cities.csv", "lasso.run data.csv"], false),
];

/// Values that an option of this name takes, or nearly takes.
const VALUES: [(&str, &[&str]); 33] = [
    ("--solver", &["sgd", "als", "ccd"]),
    ("--schedule", &["auto", "working-set", "priority", "shuffled", "cyclic", "rotation", "delayed"]),
    ("--loss", &["squared", "squared-hinge", "logistic", "hinge", "multinomial"]),
    ("--C", &["0.1:10", "0.1,1", "1e-100", "1e100", "100"]),
    ("--measure", &["accuracy", "f1", "auc", "log-loss", "mae"]),
    ("--class-weights", &["balanced", "1=2", "a=0.5,b=3"]),
    ("--y", &["y", "a", "-1", "3", "y.txt"]),
    ("--mode", &["dense-std", "sparse-raw"]),
    ("--missing", &["refuse", "mean", "drop"]),
    ("--columns", &["a,b", "x*", "1,2,3", "user,item", "user,item,rating,time"]),
    ("--drop", &["a", "id,city", "*"]),
    ("--categorical", &["a", "x,city", "y"]),
    ("--duplicates", &["mean", "sum", "last", "refuse", "first"]),
    ("--validation", &["none", "0.2", "0.9", "last:0.2", "ratings.tsv", "notes.txt", "last:1"]),
    ("--test", &["none", "split", "last:0.5", "ratings.tsv", "notes.txt"]),
    ("--format", &["csv", "libsvm", "npy", "npz", "matrix-market", "docword", "text", "tsv", "parquet"]),
    ("--encoding", &["utf-8", "latin1", "windows-1252", "utf-16le"]),
    ("--rho", &["off", "0.1", "1"]),
    ("--guard", &["on", "off"]),
    ("--progressive", &["on", "off"]),
    ("--sync", &["round", "token", "epoch"]),
    ("--rescale", &["1:2,2:1", "0:3", "1:65536", "2:1,1:2"]),
    ("--init", &["lasso.run", "linear.run", "mf.run", "mf.clicks", "lda.run", "data.csv"]),
    ("--vocab", &["vocab.txt", "notes.txt"]),
    ("--word-priors", &["priors.tsv", "vocab.txt"]),
    ("--stop-words", &["english", "stop.txt"]),
    ("--text", &["body", "url", "1"]),
    ("--id", &["url", "body"]),
    ("--users", &["0,1", "users.txt", "u1"]),
    ("--only", &["0,1", "users.txt", "i1"]),
    ("--without", &["0,1", "users.txt"]),
    ("--exclude", &["ratings.tsv", "names.csv"]),
    ("--resume", &["lasso.run", "mf.run", "lda.run", "nowhere"]),
];

/// Values of options that must not be left to chance: files that are written stay in the folder, runs end.
const KEPT_IN: [(&str, &[&str]); 3] = [
    ("--out", &["new", "lasso.run", "mf.run", "data.csv", "deep/new"]),
    ("--time-limit", &["0", "0.1", "-1", "nan", "abc", "", "1e-320", "0.3"]),
    ("--cache", &["cached"]),
];

/// An option of a help text, and `true` if it takes a value.
type Known = (String, bool);

/// The options of each verb, by its help.
fn known() -> &'static [Vec<Known>] {
    static KNOWN: OnceLock<Vec<Vec<Known>>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let verbs = VERBS.iter().chain(&MORE_VERBS);
        verbs.map(|(verb, ..)| options_of(&run(Path::new("."), &format!("{verb} --help")).out)).collect()
    })
}

fn options_of(help: &str) -> Vec<Known> {
    let option = |line: &str| {
        let line = line.trim_start();
        let line = line.split_once(", --").map_or(line.to_owned(), |(_, long)| format!("--{long}"));
        let mut words = line.strip_prefix("--")?.split_whitespace();
        let name = words.next()?;
        Some((format!("--{name}"), words.next().is_some_and(|word| word.starts_with('<'))))
    };
    let options: Vec<Known> = help.lines().filter_map(option).collect();
    assert!(options.len() > 5, "a help with options: {help}");
    options
}

fn value(name: &str, dice: &mut Dice) -> String {
    let list = |list: &[(&str, &'static [&'static str])]| {
        list.iter().find(|(option, _)| *option == name).map(|(_, values)| *values)
    };
    if let Some(values) = list(&KEPT_IN) {
        return dice.of(values).to_owned();
    }
    match list(&VALUES) {
        Some(values) if dice.roll(4) > 0 => dice.of(values).to_owned(),
        _ if dice.roll(2) == 0 => dice.of(&["3", "0.3", "5", "2", "0.01", "1"]).to_owned(),
        _ if dice.roll(4) == 0 => format!("{},{}", dice.of(&TOKENS), dice.of(&TOKENS)),
        _ => dice.of(&TOKENS).to_owned(),
    }
}

/// A verb with up to four options.
pub(crate) fn case(_: &Inputs, folder: &Path, dice: &mut Dice) -> Case {
    let known = known();
    let number = dice.roll(known.len());
    let (verb, data, trains) = *VERBS.iter().chain(&MORE_VERBS).nth(number).unwrap();
    let mut words: Vec<String> = verb.split(' ').chain(dice.of(data).split(' ')).map(str::to_owned).collect();
    let (mut is_limited, mut has_epochs) = (false, false);
    for _ in 0..1 + dice.roll(4) {
        let other = if dice.roll(25) == 0 { dice.roll(known.len()) } else { number };
        let (name, takes) = &known[other][dice.roll(known[other].len())];
        if words.iter().any(|word| word.starts_with(name.as_str())) && dice.roll(20) > 0 {
            continue;
        }
        is_limited |= name == "--time-limit";
        has_epochs |= name == "--epochs";
        match takes {
            true => words.push(format!("{name}={}", value(name, dice))),
            false => words.push(name.clone()),
        }
    }
    if trains && !is_limited {
        words.push("--time-limit=0.3".into());
    }
    if trains && !has_epochs && dice.roll(2) == 0 {
        words.push("--epochs=3".into());
    }
    Case { folder: folder.into(), words, stdin: None }
}
