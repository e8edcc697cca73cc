//! Runs over parties: each in a folder of its own, with rows that stay there.

mod canary;
mod impostors;
mod kills;
mod refused;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use raddle_common::testing::pairs;

use crate::commands::{command, ends, next, run};
use crate::launched::{Launched, coordinator, report};

const NAMES: [&str; 3] = ["east", "north", "south"];
const FOUR: [&str; 4] = ["east", "north", "south", "west"];
const FIT: &str = "linear fit --y sick --loss logistic --C 10 --tol 1e-8 --out run";

/// Rows of a party: as many as it has, all of one kind that differs from the others'.
fn rows(party: usize, count: usize) -> String {
    let mut state = party as u64;
    let mut unit = || next(&mut state) as f64 / 2_f64.powi(64);
    (0..count).fold(String::new(), |mut text, _| {
        let (age, pulse) = (100.0 * unit(), 50.0 + 10.0 * party as f64 + 30.0 * unit());
        let smokes = if unit() < 0.3 { "yes" } else { "no" };
        let sick = if age + 40.0 * unit() > 80.0 { "ill" } else { "well" };
        let _ = writeln!(text, "{age:.6},{pulse:.6},{smokes},{sick}");
        text
    })
}

/// A folder with a file of parties, keys, and the rows of the parties.
struct Parties {
    folder: tempfile::TempDir,
}

const HEAD: &str = "age,pulse,smokes,sick\n";

impl Parties {
    fn new() -> Self {
        Self::of(&NAMES)
    }

    fn of(names: &[&str]) -> Self {
        let of = Self { folder: tempfile::tempdir().unwrap() };
        let mut lines = BTreeMap::new();
        for name in names.iter().chain(&["coordinator"]) {
            let said = ends(of.path(), &format!("raddle key {name}.key"), 0).out;
            let key = said.split('"').nth(1).unwrap_or_else(|| panic!("{said}")).to_owned();
            lines.insert(*name, key);
        }
        let keys: String = names.iter().map(|name| format!("{name} = \"{}\"\n", lines[name])).collect();
        let file = format!(
            "coordinator = \"{}\"\nclasses = [\"well\", \"ill\"]\n[parties]\n{keys}[columns]\nage = [0, 120]\n\
             pulse = [20, 300]\nsmokes = [\"no\", \"yes\"]\n",
            lines["coordinator"]
        );
        fs::write(of.path().join("parties.toml"), file).unwrap();
        for (party, name) in names.iter().enumerate() {
            fs::create_dir(of.path().join(name)).unwrap();
            of.give(name, &rows(party, 40 + 30 * party));
        }
        fs::create_dir(of.path().join("hub")).unwrap();
        of
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Gives a party these rows.
    fn give(&self, name: &str, rows: &str) {
        fs::write(self.path().join(name).join("own.csv"), format!("{HEAD}{rows}")).unwrap();
    }

    /// The rows of a party.
    fn rows(&self, name: &str) -> String {
        let text = fs::read_to_string(self.path().join(name).join("own.csv")).unwrap();
        text.strip_prefix(HEAD).unwrap().to_owned()
    }

    /// Fits the rows of these parties in one place; returns the folder of the fit.
    fn pooled(&self, names: &[&str]) -> PathBuf {
        let folder = self.path().join(format!("pooled-{}", names.join("-")));
        fs::create_dir_all(&folder).unwrap();
        let rows: String = names.iter().rev().map(|name| self.rows(name)).collect();
        fs::write(folder.join("all.csv"), format!("{HEAD}{rows}")).unwrap();
        let line = format!("{} --workers 1 --force", FIT.replace("fit", "fit all.csv"));
        let mut fit = command(&folder, &line);
        let ran = fit.env("RADDLE_PARTIES", self.path().join("parties.toml")).output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        folder.join("run")
    }

    /// Starts the coordinator.
    fn launch(&self, options: &str, line: &str) -> Launched {
        let launch = "raddle launch --parties ../parties.toml --key ../coordinator.key";
        Launched::begin(&self.path().join("hub"), &format!("{launch} {options} -- {line}"))
    }

    /// A line of a party that joins.
    fn line(&self, name: &str, options: &str) -> String {
        let at = coordinator(&self.path().join("hub/run"));
        format!(
            "raddle join {at} --parties ../parties.toml --as {name} --key ../{name}.key --data own.csv {options}"
        )
    }

    /// The digest of what a party is asked for.
    fn digest(&self, name: &str, options: &str) -> String {
        let asked = run(&self.path().join(name), &self.line(name, options));
        let word = asked.err.split_whitespace().skip_while(|word| *word != "--accept").nth(1);
        word.unwrap_or_else(|| panic!("{}{}", asked.out, asked.err)).to_owned()
    }

    /// Joins as a party, which agrees to what it is asked for.
    fn join(&self, name: &str, options: &str) -> Launched {
        let accept = self.digest(name, options);
        Launched::begin(&self.path().join(name), &self.line(name, &format!("{options} --accept {accept}")))
    }
}

fn end(launched: Launched) -> (Option<i32>, String) {
    launched.end_within(Duration::from_secs(120)).expect("it hangs")
}

/// Checks that each party has the model of the rows in one place, its own dual values and its own error.
fn check_models(of: &Parties, names: &[&str]) {
    let pooled = of.pooled(names);
    let same = |name: &str, file: &str| {
        let (one, other) = (of.path().join(name).join("run").join(file), pooled.join(file));
        assert_eq!(fs::read(one).unwrap(), fs::read(other).unwrap(), "{name}: {file}");
    };
    for name in names {
        same(name, "coef.tsv");
        let (own, all) = (report(&of.path().join(name).join("run")), report(&pooled));
        for entry in ["gaps", "objective", "intercepts", "class_rows", "means", "rows_of_all"] {
            assert_eq!(own["results"][entry], all["results"][entry], "{name}: {entry}");
        }
        assert_eq!(own["model_digest"], all["model_digest"]);
        let count = of.rows(name).lines().count() as u64;
        assert_eq!(own["data"]["sizes"]["rows"], count, "{name}");
        // Behind a header of lines of 64 bytes.
        let dual = fs::metadata(of.path().join(name).join("run/dual.npy")).unwrap().len();
        assert!(
            dual > 8 * count && (dual - 8 * count).is_multiple_of(64),
            "{name}: {dual} bytes for {count} rows"
        );
    }
}

#[test]
fn three_parties_have_the_model_of_their_rows_in_one_place() {
    let of = Parties::new();
    let launcher = of.launch("", FIT);
    let options = ["--workers 1", "--workers 2", "--workers 4"];
    let joined: Vec<Launched> =
        NAMES.iter().zip(options).map(|(name, options)| of.join(name, options)).collect();
    for (name, party) in pairs(NAMES, joined) {
        let (code, said) = end(party);
        assert_eq!(code, Some(0), "{name}: {said}");
    }
    let (code, said) = end(launcher);
    assert_eq!(code, Some(0), "{said}");
    check_models(&of, &NAMES);
    // The errors are those of the parties' own rows.
    let wrong = |name: &str| {
        let error = report(&of.path().join(name).join("run"))["results"]["training_error"].as_f64().unwrap();
        error * of.rows(name).lines().count() as f64
    };
    let pooled = report(&of.pooled(&NAMES));
    let all: f64 = pooled["results"]["training_error"].as_f64().unwrap() * 210.0;
    assert!((NAMES.map(wrong).iter().sum::<f64>() - all).abs() < 1e-6);
    let crossed = &report(&of.path().join("north/run"))["results"]["crossed"];
    assert!(crossed["bytes"].as_u64().unwrap() > 8 * crossed["sums"].as_u64().unwrap(), "{crossed}");
    // Nothing of the rows or the model is in the coordinator's folder.
    let left: Vec<_> =
        fs::read_dir(of.path().join("hub/run")).unwrap().flatten().map(|one| one.file_name()).collect();
    assert!(
        !left.iter().any(|name| ["coef.tsv", "dual.npy", "model.json"].iter().any(|other| name == other)),
        "{left:?}"
    );
}
