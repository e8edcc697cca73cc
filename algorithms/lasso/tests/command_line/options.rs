//! The options of training: the effects of each, and those that no option may have.

use std::fs;

use raddle_datasets::embedded;
use serde_json::Value;

use super::program::{diabetes_csv, ends, epochs, json, names, report, scratch};

#[test]
fn what_only_places_the_work_never_changes_the_model() {
    let folder = scratch();
    for schedule in ["working-set", "priority", "shuffled", "cyclic"] {
        let fit = |options: &str| {
            let line =
                format!("synth:groups:n=50,p=200,s=10,r=0.5 --tol 1e-3 --schedule {schedule} {options}");
            report(folder.path(), &line)["model_digest"].as_str().unwrap().to_owned()
        };
        let plain = fit("--workers 1");
        for options in
            ["", "--workers 3", "--workers 2 --rescale 1:3,2:1", "--shards 7 --workers 2", "--epochs 5000"]
        {
            assert_eq!(fit(options), plain, "{schedule} {options}");
        }
    }
}

#[test]
fn schedules_have_their_options() {
    let folder = scratch();
    let fit = |options: &str| {
        let line = format!("synth:groups:n=50,p=200,s=10,r=0.5 --tol 1e-3 {options}");
        report(folder.path(), &line)["model_digest"].as_str().unwrap().to_owned()
    };
    assert_eq!(fit("--schedule auto"), fit("--schedule working-set"));
    assert_ne!(fit("--schedule shuffled --parallelism 2"), fit("--schedule shuffled --parallelism 3"));
    assert_ne!(fit("--schedule shuffled --seed 1"), fit("--schedule shuffled --seed 2"));
    assert_ne!(
        fit("--schedule priority --rho off --parallelism 16"),
        fit("--schedule priority --parallelism 16")
    );
    let few = fit("--schedule priority --parallelism 16 --candidates 16");
    assert_eq!(few, fit("--schedule priority --parallelism 16"));
    assert_ne!(few, fit("--schedule priority --parallelism 16 --candidates 48"));
    let stale = "--schedule shuffled --parallelism 8 --staleness 2";
    assert_ne!(fit(stale), fit("--schedule shuffled --parallelism 8"));
    assert_eq!(fit(stale), fit(&format!("{stale} --workers 3")));
}

#[test]
fn explaining_shows_what_a_schedule_rejects() {
    let folder = scratch();
    let line = "synth:groups:n=50,p=200,s=10 --schedule priority --tol 1e-2";
    let plain = ends(folder.path(), line, 0);
    let explained = ends(folder.path(), &format!("{line} --explain"), 0);
    assert!(explained.err.lines().count() > plain.err.lines().count());
    assert!(explained.err.contains("reject"), "{}", explained.err);
    // Apart from seconds, the result is the same.
    assert_eq!(plain.out.split("done:").next(), explained.out.split("done:").next());
}

#[test]
fn responses_and_formats_are_chosen_by_name_number_or_file() {
    let folder = scratch();
    diabetes_csv(folder.path(), "d.csv");
    let reference = report(folder.path(), "diabetes")["model_digest"].clone();
    for options in
        ["d.csv --y progression", "d.csv --y 11", "d.csv --y -1", "d.csv --y progression --format csv"]
    {
        assert_eq!(report(folder.path(), options)["model_digest"], reference, "{options}");
    }
    let table = embedded::diabetes();
    let y: String = table.y.iter().map(|value| format!("{value}\n")).collect();
    fs::write(folder.path().join("y.csv"), y).unwrap();
    let x = table.x.to_dense();
    let rows =
        x.rows().into_iter().map(|row| row.iter().map(f64::to_string).collect::<Vec<_>>().join(",") + "\n");
    fs::write(folder.path().join("x.csv"), rows.collect::<String>()).unwrap();
    assert_eq!(report(folder.path(), "x.csv --y y.csv")["model_digest"], reference);
    // libsvm brings its own response.
    let svm = |(row, y): (ndarray::ArrayView1<'_, f64>, &f64)| {
        let entries = row.iter().zip(1..).map(|(value, j)| format!(" {j}:{value}")).collect::<String>();
        format!("{y}{entries}\n")
    };
    fs::write(folder.path().join("d.svm"), x.rows().into_iter().zip(&table.y).map(svm).collect::<String>())
        .unwrap();
    assert_eq!(report(folder.path(), "d.svm")["model_digest"], reference);
}

#[test]
fn warm_starts_go_on_from_a_model() {
    let folder = scratch();
    let data = "synth:groups:n=60,p=300,s=20";
    ends(folder.path(), &format!("{data} --ratio 20 --out near"), 0);
    let same = report(folder.path(), &format!("{data} --ratio 20 --tol 1.1e-6 --init near --out again"));
    assert_eq!(same["epochs"], 0);
    assert_eq!(
        json(&folder.path().join("again"), "model.json")["lambda_max"].as_f64().map(|value| value > 0.0),
        Some(true)
    );
    let warm = report(folder.path(), &format!("{data} --ratio 22 --init near"));
    let cold = report(folder.path(), &format!("{data} --ratio 22"));
    let number = |report: &Value, key: &str| report[key].as_f64().unwrap();
    assert!(number(&warm, "epochs") <= number(&cold, "epochs"));
    assert!((number(&warm, "objective") / number(&cold, "objective") - 1.0).abs() < 2e-6);
    assert_eq!(warm["results"]["lambda_max"], cold["results"]["lambda_max"]);
    // A model of other data.
    let refused = ends(folder.path(), "diabetes --init near", 2);
    assert!(refused.err.contains("the coefficients to start from name column"), "{}", refused.err);
}

#[test]
fn a_run_that_was_stopped_goes_on_to_the_same_model() {
    let folder = scratch();
    for (schedule, stop) in [("working-set", 1), ("priority", 2), ("shuffled", 3), ("cyclic", 3)] {
        let line = format!("synth:groups:n=50,p=200,s=10,r=0.5 --ratio 10 --tol 1e-3 --schedule {schedule}");
        ends(folder.path(), &format!("{line} --out whole --force"), 0);
        let stopped =
            ends(folder.path(), &format!("{line} --epochs {stop} --checkpoint-every 1 --out run --force"), 3);
        assert!(stopped.out.contains("limit of epochs"), "{}", stopped.out);
        let other = ends(folder.path(), &format!("{line} --seed 9 --resume run"), 2);
        assert!(
            other.err.contains("--seed 9: the run in run was begun with --seed 42, the default"),
            "{}",
            other.err
        );
        ends(folder.path(), &format!("{line} --workers 3 --resume run"), 0);
        let (whole, run) = (folder.path().join("whole"), folder.path().join("run"));
        for file in ["coef.tsv", "model.json"] {
            assert!(
                fs::read(whole.join(file)).unwrap() == fs::read(run.join(file)).unwrap(),
                "{schedule}: {file}"
            );
        }
        assert_eq!(epochs(&run), epochs(&whole), "{schedule}");
        assert_eq!(json(&run, "report.json")["model_digest"], json(&whole, "report.json")["model_digest"]);
    }
}

#[test]
fn another_start_is_another_run() {
    let folder = scratch();
    let line = "synth:groups:n=50,p=200,s=10,r=0.5 --ratio 50 --tol 1e-4 --schedule cyclic";
    for (ratio, name) in [(5, "near"), (3, "far")] {
        ends(folder.path(), &format!("{line} --ratio {ratio} --out {name}").replace("--ratio 50 ", ""), 0);
    }
    ends(folder.path(), &format!("{line} --init near --epochs 2 --checkpoint-every 1 --out run"), 3);
    let refused = ends(folder.path(), &format!("{line} --init far --resume run"), 2);
    assert!(refused.err.contains("--init far: the run in run was begun with --init near"), "{}", refused.err);
    ends(folder.path(), &format!("{line} --init near --resume run"), 0);
}

#[test]
fn a_cache_gives_the_same_model_without_the_text_being_parsed() {
    let folder = scratch();
    let rows: String = (0..40).map(|i| format!("{},{},{}\n", i % 7, (i * i) % 11, i % 5)).collect();
    fs::write(folder.path().join("data.csv"), format!("a,b,y\n{rows}")).unwrap();
    let plain = report(folder.path(), "fit data.csv --y y");
    let first = report(folder.path(), "fit data.csv --y y --cache kept");
    let kept = names(&folder.path().join("kept"));
    assert_eq!(kept.len(), 1, "{kept:?}");
    let again = report(folder.path(), "fit data.csv --y y --cache kept");
    for ran in [&first, &again] {
        assert_eq!(ran["model_digest"], plain["model_digest"]);
        assert_eq!(ran["data"], plain["data"]);
    }
}

#[test]
fn options_without_effect_are_refused() {
    let folder = scratch();
    for (line, names) in [
        ("--parallelism 4", "--parallelism has no effect"),
        ("--rho 0.5 --staleness 1", "--rho and --staleness have no effect"),
        ("--guard off", "--guard has no effect"),
        ("--candidates 70", "--candidates has no effect"),
        ("--schedule working-set --rho off", "--rho has no effect"),
        ("--schedule cyclic --rho 0.5", "--rho has no effect with --schedule cyclic"),
        ("--schedule shuffled --candidates 70", "--candidates has no effect"),
        ("path diabetes --parallelism 4", "--parallelism has no effect"),
        ("cv diabetes --staleness 2", "--staleness has no effect"),
    ] {
        let refused = ends(folder.path(), line, 2);
        assert!(refused.err.contains(names) && refused.out.is_empty(), "{line}: {}", refused.err);
    }
    ends(folder.path(), "--schedule priority --rho 0.5 --candidates 70 --tol 1e-2", 0);
}

#[test]
fn options_mean_something_or_are_refused_by_name() {
    let folder = scratch();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("h.csv", "a,b,price\n1,3,5\n2,1,4\n3,2,9\n4,4,8\n5,1,7\n");
    write("p.txt", "5\n4\n9\n8\n7\n");
    write("h.svm", "1 1:2\n3 2:1\n2 1:1 2:2\n5 1:4\n8 2:3\n");
    write("nan", "a nan 1\n");
    write("nan2", "a -1 NaN\n");
    let role = "is the response already, and cannot be both";
    for (line, said) in [
        ("fit h.csv --y price --weights price", role),
        ("path h.csv --y price --weights 3", role),
        ("cv h.csv --y 3 --folds 2 --offset price", role),
        ("fit h.csv --y p.txt --weights p.txt", role),
        ("fit h.svm --weights p.txt --offset p.txt", "is named by another option already"),
        ("fit h.csv --y price --weights a --offset a", "--offset: the column `a` is --weights already"),
        ("fit h.csv --y price --columns a,b --drop a", "`a` is named by --columns and by --drop"),
        ("fit h.csv --y price --categorical b --drop b", "`b` is named by --categorical and by --drop"),
        ("fit h.csv --y price --bounds nan", "NaN bounds nothing: give numbers"),
        ("fit h.csv --y price --bounds nan2", "NaN bounds nothing: give numbers"),
        ("cv h.csv --y price --folds 6", "5 rows cannot be cut into 6 folds"),
        ("fit h.csv --y price --lambda 1e-320", "--lambda is 1e-320"),
    ] {
        let ran = ends(folder.path(), line, 2);
        assert!(ran.err.contains(said), "{line}: {}", ran.err);
        assert!(ran.err.len() < 400, "{line}: {}", ran.err);
    }
    // Without a penalty every lambda is the same, and no note mentions columns that do not vary.
    for verb in ["fit", "path --points 3"] {
        let ran = ends(folder.path(), &format!("{verb} h.csv --y price --unpenalized *"), 0);
        assert!(ran.out.contains("lambda_max is 0: no column with a penalty varies"), "{}", ran.out);
        assert!(!ran.out.contains("no column varies with the response"), "{}", ran.out);
    }
    ends(folder.path(), "fit h.csv --y price --weights a --out run", 0);
    let ran = ends(folder.path(), "predict run h.csv --y price --weights price", 2);
    assert!(ran.err.contains(role), "{}", ran.err);
}

#[test]
fn codes_are_the_same_numbers_however_they_are_written() {
    let folder = scratch();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let rows = |one: &str, two: &str| {
        let row = |at: usize| format!("{},{},{}\n", [one, two, "3"][at % 3], at, at * at % 7);
        (0..12).map(row).collect::<String>()
    };
    write("train.csv", &format!("code,x,y\n{}", rows("1", "2")));
    write("new.csv", &format!("code,x,y\n{}", rows("1.0", "2.00")));
    ends(folder.path(), "fit train.csv --categorical code --ratio 100 --out run", 0);
    let (old, new) =
        (ends(folder.path(), "predict run train.csv", 0), ends(folder.path(), "predict run new.csv", 0));
    assert_eq!(old.out, new.out);
    assert!(!new.err.contains("never seen"), "{}", new.err);
}
