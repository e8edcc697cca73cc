//! Ratings with times: the latest are held out, by one cut for all users.

use std::fs;

use super::program::{ends, report, scratch};

/// `user,item,rating,when`, with days for times; user 0 rates first, user 9 last.
fn ratings(folder: &std::path::Path) {
    let mut text = String::from("user,item,rating,when\n");
    for at in 0..600_u32 {
        let (user, item) = (at % 10, at * 7 % 61);
        text += &format!("{user},{item},{},2024-01-{:02}\n", 1 + (user + item) % 5, 1 + at / 60);
    }
    fs::write(folder.join("r.csv"), text).unwrap();
}

#[test]
fn the_latest_ratings_are_held_out_and_ties_go_together() {
    let folder = scratch();
    ratings(folder.path());
    let columns = "--columns user,item,rating,when --rank 2 --epochs 3 --duplicates last";
    // Ten days of sixty ratings: a share of a twentieth is one day, as the ratings of a day stay together.
    let train = |options: &str| {
        let report = report(folder.path(), &format!("fit r.csv {columns} {options}"));
        report["data"]["sizes"]["ratings"].as_u64().unwrap()
    };
    let all = train("--validation none");
    assert_eq!(all, train("--test last:0.1 --validation last:0.05"), "the report counts what was read");
    ends(folder.path(), &format!("fit r.csv {columns} --test last:0.1 --validation last:0.05 --out run"), 0);
    let said = fs::read_to_string(folder.path().join("run/report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert!(report["results"]["test_rmse"].as_f64().is_some(), "{said}");
}

#[test]
fn what_is_held_out_is_never_older_and_what_is_cold_is_counted() {
    let folder = scratch();
    // Some users return, some have only a few ratings; two ratings have the same time.
    let rating = |at: u32| (if at.is_multiple_of(3) { 100 + at / 5 } else { at % 10 }, at * 7 % 53, at / 2);
    let mut text = String::from("user,item,rating,when\n");
    for at in 0..200 {
        let (user, item, when) = rating(at);
        text += &format!("{user},{item},{},{when}\n", 1 + at % 5);
    }
    fs::write(folder.path().join("r.csv"), text).unwrap();
    let line = "fit r.csv --columns user,item,rating,when --rank 2 --epochs 2";
    for (test, validation) in [("last:0.1", "none"), ("last:0.113", "last:0.27"), ("last:0.3", "last:0.01")] {
        // The oracle: times from the last backwards, until enough ratings are held out.
        let mut left: Vec<(u32, u32, u32)> = (0..200).map(rating).collect();
        let mut hold = |share: &str| {
            let Ok(share) = share.trim_start_matches("last:").parse::<f64>() else { return (0, 0) };
            let least = (left.len() as f64 * share).ceil() as usize;
            let mut out = Vec::new();
            while out.len() < least {
                let newest = left.iter().map(|rating| rating.2).max().unwrap();
                let (more, rest) = left.iter().partition::<Vec<_>, _>(|rating| rating.2 == newest);
                out.extend(more);
                left = rest;
            }
            let is_cold = |out: &&(u32, u32, u32)| {
                !left.iter().any(|rating| rating.0 == out.0) || !left.iter().any(|rating| rating.1 == out.1)
            };
            (out.len(), out.iter().filter(is_cold).count())
        };
        let tested = hold(test);
        let validated = hold(validation);
        let options = format!("{line} --test {test} --validation {validation}");
        let found = report(folder.path(), &options);
        let said = ends(folder.path(), &options, 0).out;
        assert!(said.contains(&format!("{} ratings to train on", left.len())), "{said}");
        assert_eq!(found["results"]["test_cold"], tested.1, "{options}");
        let on = tested.0 - tested.1;
        assert!(said.contains(&format!(" on {on} rating")), "{on}: {said}");
        let cold =
            format!("test: {} ratings left out, as no rating to train on has their user or item", tested.1);
        assert!(tested.1 > 3 && said.contains(&cold), "{said}");
        match validation {
            "none" => assert!(found["results"].get("validation_cold").is_none()),
            _ => assert_eq!(found["results"]["validation_cold"], validated.1, "{options}"),
        }
    }
}

#[test]
fn a_half_life_weighs_clicks_as_a_file_that_was_weighed_by_hand() {
    let folder = scratch();
    let folder = folder.path();
    // The latest click is of day 40; one day in three clicks come again.
    let clicks: Vec<(u32, u32, u32)> =
        (0..400).map(|at: u32| (at % 10, at * 7 % 31, if at == 399 { 40 } else { at * 13 % 40 })).collect();
    let mut dated = String::from("user,item,count,timestamp\n");
    let mut weighed = String::from("user,item,count\n");
    for (user, item, day) in &clicks {
        dated += &format!("{user},{item},1,{}\n", f64::from(*day) * 86_400.0);
        weighed += &format!("{user},{item},{}\n", 0.5_f64.powf(f64::from(40 - day) / 10.0));
    }
    fs::write(folder.join("dated.csv"), dated).unwrap();
    fs::write(folder.join("weighed.csv"), weighed).unwrap();
    let rest = "--implicit 3 --reg 0.1 --rank 2 --epochs 3 --duplicates sum";
    for rest in [rest.to_owned(), format!("{rest} --validation none")] {
        let digest = |line: &str| report(folder, line)["model_digest"].clone();
        let by_hand = digest(&format!("fit weighed.csv {rest}"));
        let age = "--half-life 10";
        let by_age = digest(&format!("fit dated.csv {rest} {age}"));
        assert_eq!(by_age, by_hand);
        // Ratings to be weighed are not read by parts.
        assert_eq!(digest(&format!("fit dated.csv {rest} {age} --cache kept")), by_hand);
        assert_ne!(digest(&format!("fit dated.csv {rest} --half-life 5")), by_hand);
    }
}

#[test]
fn a_count_alone_weighs_as_a_count_that_is_less_by_what_a_pair_weighs_anyway() {
    let folder = scratch();
    let folder = folder.path();
    let counts = |less: f64| -> String {
        let line = |at: u32| format!("{},{},{}\n", at % 10, at * 7 % 31, f64::from(1 + at % 3) - less);
        String::from("user,item,count\n") + &(0..300).map(line).collect::<String>()
    };
    fs::write(folder.join("counts.csv"), counts(0.0)).unwrap();
    // 1 + 4 (r - 1/4) = 4 r.
    fs::write(folder.join("less.csv"), counts(0.25)).unwrap();
    let rest = "--implicit 4 --reg 0.1 --rank 2 --epochs 3 --validation none --duplicates last";
    let fit = |line: &str| report(folder, &format!("fit {line} {rest}"))["model_digest"].clone();
    let alone = fit("counts.csv --count-alone --out alone");
    assert_eq!(alone, fit("less.csv"));
    assert_ne!(alone, fit("counts.csv"));
    let about = fs::read_to_string(folder.join("alone/model.json")).unwrap();
    assert!(about.contains("\"count_alone\":true"), "{about}");
}

#[test]
fn times_that_are_not_there_say_what_to_do() {
    let folder = scratch();
    ratings(folder.path());
    fs::write(folder.path().join("none.csv"), "1,2,3\n2,3,4\n").unwrap();
    fs::write(folder.path().join("odd.csv"), "1,2,3,2024-01-01\n2,3,4,soon\n").unwrap();
    fs::write(folder.path().join("one.csv"), "1,2,3,7\n2,2,4,7\n1,3,4,7\n").unwrap();
    for (line, said) in [
        (
            "fit none.csv --test last:0.1",
            "none.csv: there is no column of times: name it as the fourth of --columns",
        ),
        (
            "fit odd.csv --test last:0.1",
            "odd.csv:2: the time `soon` is neither a number of seconds nor a date",
        ),
        ("fit one.csv --test last:0.1", "--test last:0.1: all ratings have one time"),
        ("fit r.csv --test last:2", "--test last:2: give a share above 0 and below 1"),
        ("fit r.csv --validation last:x", "--validation last:x: give a share above 0 and below 1"),
        ("--test last:0.1", "--test last:0.1: the ratings have no times"),
        ("--implicit --half-life 30", "--half-life 30: the ratings have no times"),
        ("fit none.csv --implicit --half-life 30", "none.csv: there is no column of times"),
        ("cv none.csv --implicit --half-life 30", "none.csv: there is no column of times"),
        ("fit r.csv --half-life 30", "--half-life has no effect without --implicit"),
        ("fit r.csv --count-alone", "--count-alone has no effect without --implicit"),
        ("fit r.csv --implicit --half-life 0", "--half-life is 0: give a number of days above 0"),
        ("fit r.csv --implicit --half-life nan", "--half-life is NaN: give a number of days above 0"),
        (
            "fit r.csv --implicit --half-life 3 --changes none.csv --out x",
            "--half-life has no effect with --changes",
        ),
    ] {
        let err = ends(folder.path(), line, 2).err;
        assert!(err.contains(said), "{line}: {err}");
    }
}
