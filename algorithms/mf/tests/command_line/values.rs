//! Values of ratings: beyond single precision, missing, negative, counted.

use std::fs;
use std::path::Path;

use raddle_common::testing::pairs;
use serde_json::{Value, json};

use super::program::{ends, json as read, report, scratch};

/// Writes `user item value` of 30 users and 20 items near this level: whole numbers, so that those of a high
/// level are the low ones plus a constant.
fn ratings(folder: &Path, name: &str, level: f64) {
    let mut text = String::from("u,i,r\n");
    for user in 0..30_usize {
        for at in 0..9_usize {
            let item = (user * 3 + at * 2 + at / 5) % 20;
            let value = (user % 7) as f64 + 2.0 * (item % 5) as f64 + ((user * item) % 3) as f64 - 8.0;
            let value = level + value;
            text += &format!("u{user},i{item},{value}\n");
        }
    }
    fs::write(folder.join(name), text).unwrap();
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// Predictions by pair.
fn predicted(folder: &Path, run: &str, data: &str) -> Vec<f64> {
    let lines = ends(folder, &format!("predict {run} {data}"), 0).out;
    lines.lines().map(|line| line.rsplit('\t').next().unwrap().parse().unwrap()).collect()
}

#[test]
fn ratings_a_billion_higher_have_the_same_model_a_billion_higher() {
    let folder = scratch();
    let folder = folder.path();
    ratings(folder, "low.csv", 0.0);
    ratings(folder, "high.csv", 1e9);
    fs::write(folder.join("none.txt"), "").unwrap();
    for options in [
        "--epochs 6",
        "--epochs 6 --solver als",
        "--epochs 6 --solver ccd --validation none",
        "--epochs 6 --no-biases",
        "--epochs 6 --test split --ranking 5 --relevant RELEVANT",
        "--epochs 6 --test DATA --validation DATA",
        "--epochs 6 --cache kept",
        "--epochs 6 --changes none.txt",
    ] {
        let with = |name: &str, level: f64| {
            let options = options.replace("RELEVANT", &level.to_string()).replace("DATA", name);
            let found =
                report(folder, &format!("fit {name} --rank 2 --seed 5 {options} --out {level} --force"));
            (found, predicted(folder, &level.to_string(), name))
        };
        let ((low, below), (high, above)) = (with("low.csv", 0.0), with("high.csv", 1e9));
        // The offset is their level: everything but the mean has the same bits.
        for part in ["user_factors", "item_factors", "user_bias", "item_bias"] {
            let bytes = |level: &str| fs::read(folder.join(format!("{level}/{part}.npy"))).unwrap();
            assert!(bytes("0") == bytes("1000000000"), "{options}: {part}");
        }
        for (a, b) in pairs(&below, &above) {
            assert!((b - 1e9 - a).abs() < 1e-6, "{options}: {a} {b}");
        }
        let [below, above] = [&low, &high].map(|report| number(&report["metric"]["value"]));
        assert!((below - above).abs() < 1e-6, "{options}: {below} {above}");
        let notes = high["notes"].to_string();
        assert!(notes.contains("single precision does not tell them apart"), "{options}: {notes}");
        assert!(!low["notes"].to_string().contains("single precision"), "{options}");
        for name in ["test_rmse", "mean_rmse", "biases_rmse", "mean_test_rmse"] {
            if let Some(expected) = low["results"][name].as_f64() {
                let found = number(&high["results"][name]);
                assert!((found - expected).abs() < 1e-6, "{options} {name}: {found} {expected}");
            }
        }
    }
    // Lists distinguish items, too, and folding in uses the offset.
    let said = ends(folder, "recommend 1000000000 --users u3 --top 4", 0).out;
    let scores: Vec<f64> =
        said.lines().map(|line| line.rsplit('\t').next().unwrap().parse().unwrap()).collect();
    assert!(
        scores.is_sorted_by(|a, b| a > b) && scores.iter().all(|score| (score - 1e9).abs() < 30.0),
        "{said}"
    );
    fs::write(folder.join("new.csv"), "u,i,r\nnew,i1,1000000012\nnew,i2,1000000014\n").unwrap();
    ends(folder, "fold-in 1000000000 new.csv --out wider", 0);
    fs::write(folder.join("pairs.csv"), "u,i\nnew,i1\nnew,i7\n").unwrap();
    let found = predicted(folder, "wider", "pairs.csv");
    assert!(found.iter().all(|value| (5.0..25.0).contains(&(value - 1e9))), "{found:?}");
    // The example of four ratings, which are not all equal.
    fs::write(
        folder.join("four.csv"),
        "u,i,r\n1,1,1000000001\n1,2,1000000002\n2,1,1000000009\n2,2,1000000030\n",
    )
    .unwrap();
    let found = report(folder, "fit four.csv --rank 1 --epochs 1 --validation none --out four");
    assert_eq!(found["results"]["mean"], 1_000_000_010.5);
    assert!(!found["notes"].to_string().contains("all ratings are the same"), "{found}");
}

#[test]
fn a_fit_from_a_model_is_as_high_above_one_from_a_low_model_as_that_is() {
    let folder = scratch();
    let folder = folder.path();
    ratings(folder, "low.csv", 0.0);
    ratings(folder, "high.csv", 1e9);
    // Rows in addition to those of the model, some of which have no rating here.
    for name in ["low", "high"] {
        let text = fs::read_to_string(folder.join(format!("{name}.csv"))).unwrap();
        let some: String = text
            .lines()
            .filter(|line| !line.starts_with("u3,") && !line.contains(",i4,"))
            .map(|line| line.replace("u7,", "new,") + "\n")
            .collect();
        fs::write(folder.join(format!("{name}-some.csv")), some).unwrap();
        ends(folder, &format!("fit {name}.csv --rank 2 --epochs 4 --validation none --out {name}"), 0);
    }
    for options in ["--solver sgd", "--solver als", "--solver ccd", "--solver sgd --validation none"] {
        let fit = |name: &str, from: &str| {
            let line =
                format!("fit {name}-some.csv --rank 2 --epochs 1 {options} {from} --out on-{name} --force");
            ends(folder, &line, 0);
            predicted(folder, &format!("on-{name}"), &format!("{name}.csv"))
        };
        let plain = fit("low", "");
        let (below, above) = (fit("low", "--init low"), fit("high", "--init high"));
        // The start of a model shows in the result of one epoch.
        assert!(pairs(&plain, &below).any(|(plain, below)| (plain - below).abs() > 0.1), "{options}");
        for (below, above) in pairs(&below, &above) {
            assert!((above - 1e9 - below).abs() < 1e-4, "{options}: {below} {above}");
        }
    }
}

/// Generated ratings, used with a model that has an offset, count as the same ratings in a file.
#[test]
fn generated_ratings_are_in_the_units_of_the_model_that_they_meet() {
    let folder = scratch();
    let folder = folder.path();
    let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    ratings(folder, "high.csv", 1e9);
    // Users and items with the numbers of the generated ones.
    let numbered = text("high.csv").replace(['u', 'i', 'r'], "").replacen(",,\n", "", 1);
    fs::write(folder.join("high.csv"), numbered).unwrap();
    let spec = "synth:ratings:users=34,items=20,n=300,seed=4";
    let made = raddle_datasets::read_any_ratings(spec, &Default::default()).unwrap();
    let lines =
        made.triples.iter().map(|(user, item, value)| format!("{user}\t{item}\t{}\n", f64::from(value)));
    fs::write(folder.join("same.tsv"), lines.collect::<String>()).unwrap();
    for options in ["--validation DATA", "--test DATA --validation none"] {
        let fit = |data: &str| {
            let options = options.replace("DATA", data);
            report(folder, &format!("fit high.csv --rank 2 --epochs 3 {options} --out run --force"))
        };
        let (found, expected) = (fit(spec), fit("same.tsv"));
        for part in ["model_digest", "metric", "results"] {
            assert_eq!(found[part], expected[part], "{options}: {part}");
        }
        assert!(found["notes"].to_string().contains("single precision does not tell them apart"), "{found}");
    }
    fs::write(
        folder.join("pairs.tsv"),
        (0..34).map(|user| format!("{user}\t{}\n", user % 20)).collect::<String>(),
    )
    .unwrap();
    let folded = |data: &str| {
        let said = ends(folder, &format!("fold-in run {data} --out wider --force"), 0).out;
        assert!(said.contains("4 users"), "{said}");
        predicted(folder, "wider", "pairs.tsv")
    };
    assert_eq!(folded(spec), folded("same.tsv"));
    // Notes on an additional file are on how it was read.
    let predict = |data: &str| {
        let said = ends(folder, &format!("predict run {data} --out p.tsv"), 0).out;
        (said.lines().last().unwrap().to_owned(), fs::read_to_string(folder.join("p.tsv")).unwrap())
    };
    assert_eq!(predict(spec), predict("same.tsv"));
}

#[test]
fn cold_versions_of_ratings_beyond_single_precision_have_the_bytes_of_the_edited_file() {
    let folder = scratch();
    let folder = folder.path();
    let lines: Vec<String> = (0..120)
        .map(|at| format!("u{}\ti{}\t{}", at % 17, (at * 7) % 11, 4e9 + 0.37 * f64::from(at * at % 50)))
        .collect();
    fs::write(folder.join("base.tsv"), lines.join("\n")).unwrap();
    fs::write(folder.join("c"), "+ u3 i2 4000000002.5\n- u5\n+ new i1 3999999990.125\n").unwrap();
    let mut edited: Vec<String> = lines.into_iter().chain(["u3\ti2\t4000000002.5".into()]).collect();
    edited.retain(|line| !line.starts_with("u5\t"));
    edited.push("new\ti1\t3999999990.125".into());
    fs::write(folder.join("edited.tsv"), edited.join("\n")).unwrap();
    for options in ["", "--duplicates mean", "--duplicates sum", "--solver als"] {
        let fit = format!("--rank 2 --epochs 3 {options} --quiet --force");
        ends(folder, &format!("fit base.tsv {fit} --changes c --cold --save-data left.tsv --out cold"), 0);
        ends(folder, &format!("fit edited.tsv {fit} --out edited"), 0);
        ends(folder, &format!("fit left.tsv {fit} --out left"), 0);
        let digest = |run: &str| read(folder, &format!("{run}/report.json"))["model_digest"].clone();
        assert_eq!(digest("cold"), digest("edited"), "{options}");
        assert_eq!(digest("left"), digest("edited"), "{options}");
    }
}

#[test]
fn a_rating_without_a_value_is_refused_with_the_cure_or_left_out_and_said() {
    let folder = scratch();
    let folder = folder.path();
    fs::write(folder.join("r.csv"), "u,i,r\na,x,3\na,y,\nb,x,2\nb,y,4\nc,,1\n").unwrap();
    let fit = "fit r.csv --rank 1 --epochs 2 --validation none";
    let refused = ends(folder, fit, 2).err;
    assert!(refused.contains("r.csv:3: there is no rating in column 3: --missing drop"), "{refused}");
    let plain = report(folder, &format!("{fit} --missing drop --out run"));
    assert_eq!(
        plain["records"],
        json!({"read": 5, "used": 3, "left_out": {"missing rating": 1, "missing id": 1}})
    );
    assert!(plain["notes"].to_string().contains("1 line without a rating left out (--missing)"), "{plain}");
    assert_eq!(report(folder, &format!("{fit} --missing drop --cache kept"))["records"], plain["records"]);
    fs::write(folder.join("c"), "+ b z 3\n").unwrap();
    let changed = report(folder, &format!("{fit} --missing drop --changes c --out on"));
    assert_eq!(changed["records"]["left_out"], json!({"missing rating": 1, "missing id": 1}));
    for line in ["predict run r.csv", "fold-in run r.csv", "recommend run --exclude r.csv --top 1"] {
        assert!(ends(folder, line, 2).err.contains("--missing drop"), "{line}");
        ends(folder, &format!("{line} --missing drop"), 0);
    }
}

#[test]
fn what_is_not_preferred_counts_against_an_item_and_is_no_hit() {
    let folder = scratch();
    let folder = folder.path();
    // Two groups of users and of items; each dislikes the items of the other.
    let lines = |disliked: &str| -> String {
        let mut text = String::from("u,i,c\n");
        for (user, item) in (0..20).flat_map(|user| (0..10).map(move |item| (user, item))) {
            match (user % 2 == item % 2, (user + item) % 3) {
                (true, 0 | 1) => text += &format!("u{user},i{item},2\n"),
                (false, 0) => text += &format!("u{user},i{item},{disliked}\n"),
                _ => {}
            }
        }
        text
    };
    fs::write(folder.join("r.csv"), lines("-4")).unwrap();
    let found = report(
        folder,
        "fit r.csv --implicit 5 --reg 0.05 --rank 2 --epochs 5 --test split --ranking 5 --out run",
    );
    assert!(found["notes"].to_string().contains("fitted by --solver als"), "{found}");
    assert_eq!(
        report(
            folder,
            "fit r.csv --implicit 5 --reg 0.05 --rank 2 --epochs 5 --test split --ranking 5 --cache kept"
        )["results"],
        found["results"]
    );
    // Disliked items are scored below unknown ones.
    fs::write(folder.join("pairs.csv"), "u,i\nu0,i3\nu0,i1\nu0,i0\n").unwrap();
    let scores = predicted(folder, "run", "pairs.csv");
    assert!(scores[0] < 0.3 && scores[2] > 0.5, "{scores:?}");
    // Solvers that are named are used as asked.
    let named = report(
        folder,
        "fit r.csv --implicit 5 --reg 0.05 --solver als --rank 2 --epochs 5 --test split --ranking 5 --out named",
    );
    assert_eq!(named["model_digest"], found["model_digest"]);
    assert!(!named["notes"].to_string().contains("fitted by --solver als"));
    // A value of 0 counts like an absent pair.
    fs::write(folder.join("zero.csv"), lines("0")).unwrap();
    fs::write(
        folder.join("none.csv"),
        lines("0")
            .lines()
            .filter(|line| !line.ends_with(",0"))
            .map(|line| format!("{line}\n"))
            .collect::<String>(),
    )
    .unwrap();
    let digest = |data: &str| {
        report(folder, &format!("fit {data} --implicit --rank 2 --epochs 3 --validation none"))["results"]
            .clone()
    };
    assert_eq!(digest("zero.csv"), digest("none.csv"));
    // Changes and folding in take them, too.
    fs::write(folder.join("c"), "+ u0 i0 -3\n").unwrap();
    ends(folder, "fit r.csv --implicit --rank 2 --epochs 2 --changes c --out on", 0);
    fs::write(folder.join("new.csv"), "u,i,c\nnew,i0,2\nnew,i1,-5\n").unwrap();
    ends(folder, "fold-in run new.csv", 0);
}

#[test]
fn clicks_that_come_again_add_up_and_that_is_said() {
    let folder = scratch();
    let folder = folder.path();
    let clicks = "user,item\na,x\na,x\na,x\na,y\nb,x\nb,y\nb,y\nc,y\n";
    fs::write(folder.join("clicks.csv"), clicks).unwrap();
    fs::write(folder.join("counts.csv"), "user,item,count\na,x,3\na,y,1\nb,x,1\nb,y,2\nc,y,1\n").unwrap();
    let fit = |data: &str, more: &str| {
        report(folder, &format!("fit {data} --implicit --rank 1 --epochs 3 --validation none {more}"))
    };
    let found = fit("clicks.csv", "--out run");
    assert_eq!(found["model_digest"], fit("counts.csv", "")["model_digest"]);
    assert_eq!(found["model_digest"], fit("clicks.csv", "--cache kept")["model_digest"]);
    // A column whose name says that it has times has no ratings.
    let timed: String =
        clicks.lines().skip(1).zip(978_300_760..).map(|(line, at)| format!("{line},{at}\n")).collect();
    for name in ["timestamp", "time", "date", "ts"] {
        fs::write(folder.join("timed.csv"), format!("user,item,{name}\n{timed}")).unwrap();
        assert_eq!(found["model_digest"], fit("timed.csv", "")["model_digest"], "{name}");
    }
    let notes = found["notes"].to_string();
    assert!(
        notes.contains("3 repeated ratings added to the first of their pair, as there are no ratings"),
        "{notes}"
    );
    assert_eq!(found["records"]["left_out"], json!({"merged with others of their pair": 3}));
    assert_ne!(found["model_digest"], fit("clicks.csv", "--duplicates last")["model_digest"]);
    // One click more, and one less.
    fs::write(folder.join("c"), "+ c y\n- a x\n").unwrap();
    fs::write(folder.join("edited.csv"), "user,item\na,x\na,x\na,y\nb,x\nb,y\nb,y\nc,y\nc,y\n").unwrap();
    let cold = fit("clicks.csv", "--changes c --cold --out cold");
    assert_eq!(cold["model_digest"], fit("edited.csv", "")["model_digest"]);
    // Without --implicit a note says that they are clicks.
    for data in ["clicks.csv", "timed.csv"] {
        let said = ends(folder, &format!("fit {data} --rank 1 --epochs 1 --validation none"), 0).out;
        assert!(said.contains("there are pairs without ratings: for clicks, fit --implicit"), "{said}");
    }
}
