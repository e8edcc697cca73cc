//! A model is never worse than the mean of the ratings, or says that nothing was learned; and the measures
//! printed are those of the files.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::Path;

use raddle_common::testing::pairs;
use raddle_datasets::registry;
use serde_json::Value;

use super::program::{array, ends, json, report, scratch};

/// (user, item, rating).
type Rating = (u32, u32, f64);

/// A small generator of its own: uniform in [0, 1).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, bound: u32) -> u32 {
        (self.roll() * f64::from(bound)) as u32
    }

    /// Nearly normal.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.roll()).sum::<f64>() - 6.0
    }
}

/// Ratings of `count` pairs, each once.
fn drawn(
    seed: u64,
    (users, items): (u32, u32),
    count: usize,
    rate: impl Fn(&mut Dice, u32, u32) -> f64,
) -> Vec<Rating> {
    let (mut dice, mut seen, mut all) = (Dice(seed), HashSet::new(), Vec::new());
    while all.len() < count {
        let (user, item) = (dice.below(users), dice.below(items));
        if seen.insert((user, item)) {
            let value = rate(&mut dice, user, item);
            all.push((user, item, value));
        }
    }
    all
}

/// Returns a number that depends only on the row.
fn of_row(side: u64, row: u32) -> f64 {
    let mut dice = Dice(side << 32 | u64::from(row));
    for _ in 0..3 {
        dice.roll();
    }
    dice.normal()
}

/// Ratings of +1 and -1 by the sign of a product of rank 1, three per user: like those of real people who
/// press a thumb up or down.
fn binary() -> Vec<Rating> {
    drawn(7, (1500, 300), 4696, |_, user, item| (of_row(1, user) * of_row(2, item)).signum())
}

/// Ten stars, where users differ far more than items, and most have few ratings.
fn books() -> Vec<Rating> {
    let mut dice = Dice(3);
    let (mut seen, mut all) = (HashSet::new(), Vec::new());
    while all.len() < 9000 {
        let (user, item) = ((2000.0 * dice.roll().powf(2.5)) as u32, (3000.0 * dice.roll().powf(1.5)) as u32);
        if seen.insert((user, item)) {
            let value = 6.0 + 3.0 * of_row(3, user) + of_row(4, item) + 2.0 * dice.normal();
            all.push((user, item, value.round().clamp(1.0, 10.0)));
        }
    }
    all
}

fn public(name: &str) -> Option<Vec<Rating>> {
    let ratings = registry::real_ratings(name)?;
    let all: Vec<Rating> =
        ratings.triples.iter().map(|(user, item, value)| (user, item, f64::from(value))).collect();
    Some(all.into_iter().take(30_000).collect())
}

/// Twelve sets, two of them public, which are replaced by generated ones where they are not present.
fn sets() -> Vec<(&'static str, Vec<Rating>)> {
    let mut sets = vec![
        ("binary", binary()),
        ("books", books()),
        ("low rank", drawn(1, (200, 100), 6000, |_, u, i| 3.5 + of_row(5, u) * of_row(6, i))),
        (
            "few a user",
            drawn(2, (800, 500), 1700, |dice, u, i| 3.0 + of_row(7, u) * of_row(8, i) + 0.3 * dice.normal()),
        ),
        (
            "biases",
            drawn(3, (150, 90), 3000, |dice, u, i| 3.0 + of_row(9, u) + of_row(10, i) + 0.5 * dice.normal()),
        ),
        ("noise", drawn(4, (300, 200), 3000, |dice, _, _| 3.0 + dice.normal())),
        ("noise of two values", drawn(5, (900, 300), 3000, |dice, _, _| dice.roll().round())),
        ("all equal", drawn(6, (60, 40), 800, |_, _, _| 4.0)),
        ("one user", (0..60).map(|item| (0, item, f64::from(item % 5))).collect()),
        ("one item", (0..60).map(|user| (user, 0, f64::from(user % 5))).collect()),
    ];
    let public = ["ml-latest-small", "douban-3k"].map(|name| (name, public(name)));
    sets.extend(public.into_iter().filter_map(|(name, ratings)| Some((name, ratings?))));
    sets
}

fn lines(ratings: &[Rating]) -> String {
    ratings.iter().map(|(user, item, value)| format!("{user},{item},{value}\n")).collect()
}

/// Every tenth rating to validate on, every tenth to test on, where user and item have others: three files.
fn split(folder: &Path, ratings: &[Rating]) -> [Vec<Rating>; 3] {
    let of = |rest: usize| ratings.iter().copied().enumerate().filter(move |(at, _)| at % 10 == rest);
    let train: Vec<Rating> =
        ratings.iter().copied().enumerate().filter(|(at, _)| at % 10 > 1).map(|(_, rating)| rating).collect();
    let users: HashSet<u32> = train.iter().map(|rating| rating.0).collect();
    let items: HashSet<u32> = train.iter().map(|rating| rating.1).collect();
    let warm = |rest: usize| -> Vec<Rating> {
        let is_warm = |rating: &Rating| users.contains(&rating.0) && items.contains(&rating.1);
        of(rest).map(|(_, rating)| rating).filter(is_warm).collect()
    };
    let all = [train, warm(0), warm(1)];
    for (name, ratings) in ["train.csv", "held.csv", "test.csv"].iter().zip(&all) {
        fs::write(folder.join(name), lines(ratings)).unwrap();
    }
    all
}

/// The naive errors of the mean, and of mean and damped biases, items first.
fn naive(train: &[Rating], on: &[Rating]) -> [f64; 2] {
    let mean = train.iter().map(|rating| rating.2).sum::<f64>() / train.len() as f64;
    let damped = |left: Vec<(u32, f64)>| -> HashMap<u32, f64> {
        let mut sums: HashMap<u32, (f64, f64)> = HashMap::new();
        for (row, left) in left {
            let sum = sums.entry(row).or_default();
            *sum = (sum.0 + left, sum.1 + 1.0);
        }
        sums.into_iter().map(|(row, (sum, count))| (row, sum / (count + 3.0))).collect()
    };
    let items = damped(train.iter().map(|rating| (rating.1, rating.2 - mean)).collect());
    let users = damped(train.iter().map(|rating| (rating.0, rating.2 - mean - items[&rating.1])).collect());
    let rmse = |predict: &dyn Fn(&Rating) -> f64| {
        let squares = on.iter().map(|rating| (rating.2 - predict(rating)).powi(2)).sum::<f64>();
        (squares / on.len() as f64).sqrt()
    };
    [rmse(&|_| mean), rmse(&|rating| mean + items[&rating.1] + users[&rating.0])]
}

fn number(of: &Value) -> f64 {
    of.as_f64().unwrap_or(f64::NAN)
}

/// Checks a fit if nothing can be held out.
fn check_alone(folder: &Path, what: &str, solver: &str) {
    let said =
        ends(folder, &format!("fit train.csv --rank 4 --solver {solver} --quiet --out run --force"), 0).out;
    let found = json(&folder.join("run"), "report.json");
    let predicted = ends(folder, "predict run train.csv --json", 0).out;
    let predicted: Value = serde_json::from_str(&predicted).unwrap();
    let (own, mean) = (number(&predicted["rmse"]), number(&found["results"]["mean_rmse"]));
    assert!(own <= mean * 1.000_001, "{what}, {solver}: {own} {mean}: {said}");
}

#[test]
fn no_solver_is_worse_than_the_mean_of_the_ratings() {
    let mut held_against = 0;
    for (what, ratings) in sets() {
        let folder = scratch();
        let folder = folder.path();
        let [train, held, test] = split(folder, &ratings);
        for solver in ["sgd", "als", "ccd"] {
            if held.is_empty() {
                check_alone(folder, what, solver);
                continue;
            }
            let line =
                "fit train.csv --validation held.csv --test test.csv --rank 4 --quiet --out run --force";
            let said = ends(folder, &format!("{line} --solver {solver}"), 0).out;
            let found = json(&folder.join("run"), "report.json");
            let (results, own) = (&found["results"], number(&found["metric"]["value"]));
            // The baselines printed are those of a naive oracle.
            for (on, names) in
                [(&held, ["mean_rmse", "biases_rmse"]), (&test, ["mean_test_rmse", "biases_test_rmse"])]
            {
                for (name, wanted) in pairs(names, naive(&train, on)) {
                    let found = number(&results[name]);
                    assert!(
                        (found - wanted).abs() <= 1e-6 * wanted.max(1e-3),
                        "{what}, {name}: {found} {wanted}"
                    );
                }
            }
            let mean = number(&results["mean_rmse"]);
            assert!(own <= mean, "{what}, {solver}: {own} {mean}");
            let beside = format!("the mean alone has rmse {}", raddle_cli::number(mean));
            assert!(said.contains(&beside), "{said}");
            let learned = results["learned"].as_str().unwrap();
            assert_eq!(learned != "factors", own == mean || own == number(&results["biases_rmse"]), "{said}");
            let is_told = said.contains("nothing was learned beyond the mean");
            let tested = number(&results["test_rmse"]);
            assert!(is_told || tested < number(&results["mean_test_rmse"]), "{what}, {solver}: {said}");
            assert!(learned == "factors" || is_told, "{said}");
            // Files written agree with the figures printed.
            let again = ends(folder, "predict run held.csv --json", 0).out;
            let again: Value = serde_json::from_str(&again).unwrap();
            assert!((number(&again["rmse"]) - own).abs() <= 1e-4 * own.max(1e-3), "{what}, {solver}");
            held_against += 1;
        }
    }
    assert!(held_against >= 24, "{held_against}");
}

#[test]
fn the_search_goes_on_while_the_error_falls() {
    let folder = scratch();
    split(folder.path(), &binary());
    let line = "fit train.csv --validation held.csv --test test.csv --rank 8";
    for solver in ["sgd", "als"] {
        let found = report(folder.path(), &format!("{line} --solver {solver}"));
        let results = &found["results"];
        // By gradient steps, worse than the mean everywhere for dozens of epochs; then far better.
        assert!(number(&results["mean_test_rmse"]) > 0.99 && number(&results["test_rmse"]) < 0.75, "{found}");
        assert_eq!(results["learned"], "factors");
        assert!(solver != "sgd" || found["epochs"].as_u64() > Some(150), "{found}");
    }
}

#[test]
fn a_model_without_factors_is_made_again_and_started_from() {
    let folder = scratch();
    let folder = folder.path();
    // Biases, and nothing else.
    let rate = |dice: &mut Dice, user, item| 3.0 + 0.4 * (of_row(9, user) + of_row(10, item)) + dice.normal();
    split(folder, &drawn(11, (300, 200), 2500, rate));
    let line =
        "fit train.csv --validation held.csv --rank 8 --solver ccd --reg 0.0001 --bias-reg 0.0001 --epochs 5";
    let learned = |run: &str| json(&folder.join(run), "model.json")["learned"].as_str().unwrap().to_owned();
    ends(folder, &format!("{line} --out run"), 0);
    assert_eq!(learned("run"), "biases");
    let factors = array(&folder.join("run"), "item_factors.npy").1;
    assert!(!factors.is_empty() && factors.iter().all(|&value| value == 0.0));
    assert!(array(&folder.join("run"), "item_bias.npy").1.iter().any(|&value| value != 0.0));
    // The same on all ratings, by --refit and by a cross-validation.
    ends(folder, &format!("{line} --refit --out refit"), 0);
    assert_eq!(learned("refit"), "biases");
    let all = "cv train.csv --rank 8 --solver ccd --reg 0.0001 --bias-reg 0.0001 --epochs 5 --folds 3";
    let said = ends(folder, &format!("{all} --out cv"), 0).out;
    assert_eq!(learned("cv"), "biases");
    assert!(said.contains("nothing was learned beyond the mean on most folds"), "{said}");
    // Factors that start at 0 would stay there.
    for solver in ["sgd", "als", "ccd"] {
        ends(
            folder,
            &format!("fit train.csv --rank 8 --solver {solver} --init run --epochs 4 --out {solver}"),
            0,
        );
        let factors = array(&folder.join(solver), "item_factors.npy").1;
        assert!(factors.iter().any(|&value| value != 0.0), "{solver}");
    }
    // Bytes are equal on any number of workers, and after a stop.
    let digest = |run: &str| json(&folder.join(run), "report.json")["model_digest"].clone();
    ends(folder, &format!("{line} --workers 3 --rescale 2:1 --out three"), 0);
    ends(folder, &format!("{line} --time-limit 0 --checkpoint-every 1 --out stopped"), 3);
    ends(folder, "fit --resume stopped", 0);
    for run in ["three", "stopped"] {
        assert_eq!(digest(run), digest("run"), "{run}");
    }
}

#[test]
fn ratings_that_are_all_alike_point_to_implicit_feedback() {
    let folder = scratch();
    let pairs: String = (0..60).map(|at| format!("{},{}\n", at % 12, at * 7 % 11)).collect();
    fs::write(folder.path().join("pairs.csv"), &pairs).unwrap();
    fs::write(folder.path().join("fives.csv"), pairs.replace('\n', ",5\n")).unwrap();
    for (file, said) in
        [("pairs.csv", "there are pairs without ratings"), ("fives.csv", "all ratings are the same")]
    {
        for options in ["", "--validation none", "--solver als", "--solver ccd --validation none"] {
            let ran = ends(folder.path(), &format!("fit {file} --rank 2 {options}"), 0);
            assert!(ran.out.contains(said) && ran.out.contains("fit --implicit"), "{}", ran.out);
            assert!(ran.out.contains("nothing was learned beyond the mean"), "{options}: {}", ran.out);
            assert!(ran.out.contains("no recommendations"), "{options}: {}", ran.out);
        }
        let ran =
            ends(folder.path(), &format!("fit {file} --rank 2 --solver als --implicit --out {file}.run"), 0);
        assert!(!ran.out.contains(said), "{}", ran.out);
    }
    ends(folder.path(), "fit fives.csv --rank 2 --out flat", 0);
    let refused = ends(folder.path(), "recommend flat", 2).err;
    assert!(
        refused.contains("flat: the model has learned nothing that items could be ranked by, it predicts 5"),
        "{refused}"
    );
    fs::write(folder.path().join("new.csv"), "new,3,5\n").unwrap();
    assert!(ends(folder.path(), "fold-in flat new.csv", 0).out.contains("no recommendations"));
}

/// Everybody clicks on `hit`, each on one thing of its own besides.
const CLICKS: &str = "user,item\na,rare1\na,hit\nb,rare2\nb,hit\nc,rare3\nc,hit\nd,hit\n";

#[test]
fn a_user_of_whom_nothing_was_learned_gets_what_pleases_on_the_whole() {
    let folder = scratch();
    let folder = folder.path();
    fs::write(folder.join("clicks.csv"), CLICKS).unwrap();
    let rated = CLICKS
        .replace("hit\n", "hit,5\n")
        .replace("1\n", "1,1\n")
        .replace("2\n", "2,2\n")
        .replace("3\n", "3,1\n");
    fs::write(folder.join("rated.csv"), rated.replace("item\n", "item,rating\n")).unwrap();
    fs::write(folder.join("pairs.csv"), "user,item\nnobody,rare1\nnobody,hit\nnobody,rare2\n").unwrap();
    fs::write(folder.join("new.csv"), "user,item,rating\nnew,unheard,1\n").unwrap();
    for (solver, data, by) in [
        ("--solver als --implicit", "clicks.csv", "by the scores of the mean user"),
        ("--solver als --no-biases", "rated.csv", "by the scores of the mean user"),
        ("--solver ccd --no-biases", "rated.csv", "by the scores of the mean user"),
        ("--solver sgd --no-biases --epochs 60", "rated.csv", "by the scores of the mean user"),
        ("--solver sgd", "rated.csv", "by the mean and the biases of the items"),
        ("--solver als", "rated.csv", "by the mean and the biases of the items"),
        ("--solver ccd", "rated.csv", "by the mean and the biases of the items"),
    ] {
        let epochs = if solver.contains("--epochs") { "" } else { "--epochs 8" };
        let line = format!("fit {data} {solver} {epochs} --rank 2 --validation none --out run --force");
        ends(folder, &line, 0);
        let ran = ends(folder, "recommend run --users nobody", 0);
        let first = ran.out.lines().next().unwrap();
        assert!(first.starts_with("nobody\thit\t"), "{solver}: {}", ran.out);
        assert!(
            ran.err.contains("1 user that the model does not have") && ran.err.contains(by),
            "{}",
            ran.err
        );
        let scores: BTreeMap<String, f64> = ends(folder, "predict run pairs.csv", 0)
            .out
            .lines()
            .map(|line| line.split('\t').collect::<Vec<_>>())
            .map(|cells| (cells[1].to_owned(), cells[2].parse().unwrap()))
            .collect();
        assert!(scores["hit"] > scores["rare1"] && scores["hit"] > scores["rare2"], "{solver}: {scores:?}");
        if solver != "--solver sgd" {
            // Nothing that the new user turned to is in the model.
            let ran = ends(folder, "fold-in run new.csv --top 1", 0);
            assert!(ran.out.contains("\nnew\thit\t"), "{solver}: {}", ran.out);
            assert!(ran.out.contains("1 user of whom nothing was learned"), "{solver}: {}", ran.out);
        }
    }
}

#[test]
fn a_user_whose_only_click_is_held_out_is_one_of_them() {
    let folder = scratch();
    let folder = folder.path();
    fs::write(folder.join("clicks.csv"), CLICKS.to_owned() + "late,rare1\n").unwrap();
    // In time: the last click is held out, and its user has no other.
    let timed: String =
        CLICKS.lines().skip(1).zip(1..).map(|(line, at)| format!("{line},1,{at}\n")).collect();
    fs::write(folder.join("timed.csv"), format!("user,item,count,time\n{timed}late,rare1,1,99\n")).unwrap();
    ends(
        folder,
        "fit timed.csv --solver als --implicit --rank 2 --epochs 8 --validation none --test last:0.1 --out \
         run",
        2,
    );
    fs::write(
        folder.join("timed.csv"),
        format!("user,item,count,time\n{timed}late,rare1,1,99\na,rare3,1,99\n"),
    )
    .unwrap();
    ends(
        folder,
        "fit timed.csv --solver als --implicit --rank 2 --epochs 8 --validation none --test last:0.1 --out \
         run",
        0,
    );
    let ran = ends(folder, "recommend run --users late,a", 0);
    assert!(ran.out.starts_with("late\thit\t"), "{}", ran.out);
    assert!(ran.err.contains("1 user of whom nothing was learned"), "{}", ran.err);
}

#[test]
fn the_progress_names_what_it_measures() {
    let folder = scratch();
    fs::write(folder.path().join("clicks.csv"), CLICKS).unwrap();
    for (options, name) in [
        ("clicks.csv --implicit --solver als --validation none", "relative-change"),
        ("clicks.csv --solver ccd --validation none", "relative-change"),
        ("clicks.csv --solver sgd --validation none", "rmse"),
        ("synth:ratings:users=60,items=40,n=1200 --solver als", "rmse"),
        ("synth:ratings:users=60,items=40,n=1200,signal=0.1,noise=0.1 --solver als --implicit", "ndcg@10"),
    ] {
        let ran = ends(folder.path(), &format!("fit {options} --rank 2 --epochs 3 --out run --force"), 0);
        let trace = fs::read_to_string(folder.path().join("run/trace.jsonl")).unwrap();
        let last: Value = serde_json::from_str(trace.lines().last().unwrap()).unwrap();
        assert_eq!(last["metric"]["name"], name);
        // Before the first epoch there may be nothing to measure, nor while a setting is on trial.
        let is_shown = |line: &&str| {
            line.starts_with("epoch ") && line.split_whitespace().nth(2).is_some_and(|word| word != "updates")
        };
        let shown: Vec<&str> = ran.err.lines().filter(is_shown).collect();
        assert!(
            !shown.is_empty() && shown.iter().all(|line| line.contains(&format!("  {name} "))),
            "{}",
            ran.err
        );
    }
}

#[test]
fn precision_is_hits_over_the_length_of_the_list_and_a_hit_is_what_relevant_says() {
    let folder = scratch();
    let folder = folder.path();
    let ratings = drawn(21, (60, 50), 1500, |dice, u, i| {
        (3.0 + of_row(5, u) * of_row(6, i) + 0.3 * dice.normal()).round()
    });
    let [train, _, test] = split(folder, &ratings);
    let line = "fit train.csv --validation none --test test.csv --rank 4 --epochs 6 --ranking 10";
    for (options, least) in [("", f64::NEG_INFINITY), ("--relevant 4", 4.0), ("--relevant 3.5", 3.5)] {
        let said = ends(folder, &format!("{line} {options} --out run --force"), 0).out;
        let ranking = json(&folder.join("run"), "report.json")["results"]["ranking"].clone();
        let lists = ends(folder, "recommend run --top 10 --exclude train.csv --quiet", 0).out;
        let mut listed: HashMap<u32, Vec<u32>> = HashMap::new();
        for cells in lists.lines().map(|line| line.split('\t').collect::<Vec<_>>()) {
            listed.entry(cells[0].parse().unwrap()).or_default().push(cells[1].parse().unwrap());
        }
        let mut wanted: HashMap<u32, Vec<u32>> = HashMap::new();
        for rating in test.iter().filter(|rating| rating.2 >= least) {
            wanted.entry(rating.0).or_default().push(rating.1);
        }
        let hits = |(user, items): (&u32, &Vec<u32>)| {
            listed[user].iter().filter(|item| items.contains(item)).count()
        };
        let (mut precision, mut recall) = (0.0, 0.0);
        for (user, items) in &wanted {
            precision += hits((user, items)) as f64 / 10.0 / wanted.len() as f64;
            recall += hits((user, items)) as f64 / items.len() as f64 / wanted.len() as f64;
        }
        assert!(
            (number(&ranking["precision"]) - precision).abs() < 1e-9 && precision > 0.01,
            "{ranking} {precision}"
        );
        assert!((number(&ranking["recall"]) - recall).abs() < 1e-9, "{ranking} {recall}");
        assert_eq!(ranking["users"], wanted.len());
        let rule = match least.is_finite() {
            true => format!("a hit is a test rating of {least} or more"),
            false => "a hit is any test rating, whatever its value".to_owned(),
        };
        assert!(said.contains(&rule), "{said}");
        assert!(train.len() > 1000 && ranking["relevant"].as_f64().is_some() == least.is_finite());
    }
}

#[test]
fn the_last_of_a_pair_is_the_last_of_time_in_memory_and_by_parts() {
    let folder = scratch();
    let text = "user,item,rating,time\na,x,5,2024-01-05\na,x,1,2020-01-01\nb,x,3,2019-01-01\n";
    fs::write(folder.path().join("twice.csv"), text).unwrap();
    for keep in ["", "--cache kept", "--changes none.txt --out run"] {
        fs::write(folder.path().join("none.txt"), "").unwrap();
        for (rule, mean) in [("last", 4.0), ("first", 2.0), ("mean", 3.0)] {
            let line = format!(
                "fit twice.csv --duplicates {rule} --validation none --epochs 1 --rank 1 {keep} --force"
            );
            let line = if keep.contains("--out") { line } else { line.replace("--force", "") };
            let found = report(folder.path(), &line);
            assert_eq!(found["results"]["mean"], mean, "{line}");
        }
    }
}
