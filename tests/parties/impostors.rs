//! Who is not the party that it says it is, or was asked for something else, is turned away; the run is
//! unharmed. Recorded handshakes and other builds are tests of the engine (`src/cluster/party_tests.rs`).

use std::os::unix::fs::PermissionsExt as _;

use super::*;

impl Parties {
    /// Returns what a party says that joins by this line and ends with this status, without joining.
    fn turned_away(&self, name: &str, line: &str, status: i32) -> String {
        ends(&self.path().join(name), line, status).err
    }
}

#[test]
fn impostors_are_turned_away_and_the_run_ends_as_without_them() {
    let of = Parties::new();
    let launcher = of.launch("", FIT);
    let line = of.line("north", "--accept x");
    // Another party's key, and a key that is in nobody's file.
    let said = of.turned_away("north", &line.replace("north.key", "south.key"), 2);
    assert!(said.contains("parties.toml: the private key is not that of north"), "{said}");
    let text = fs::read_to_string(of.path().join("parties.toml")).unwrap();
    let stranger = ends(of.path(), "raddle key other.key", 0).out;
    let stranger = stranger.split('"').nth(1).unwrap();
    let lines = text.lines().map(|line| match line.starts_with("north = ") {
        true => format!("north = \"{stranger}\"\n"),
        false => format!("{line}\n"),
    });
    fs::write(of.path().join("forged.toml"), lines.collect::<String>()).unwrap();
    let forged = line.replace("north.key", "other.key").replace("parties.toml", "forged.toml");
    let said = of.turned_away("north", &forged, 2);
    assert!(said.contains("the keys of the two ends do not fit"), "{said}");
    // The token of the run is for those who run the coordinator.
    let token = line.split(" --parties").next().unwrap().to_owned() + " --token-file ../hub/run/token";
    let said = of.turned_away("north", &token, 2);
    assert!(said.contains("the run has parties: join with --parties"), "{said}");
    // A name twice.
    let joined: Vec<Launched> = NAMES.iter().map(|name| of.join(name, "")).collect();
    let twice = of.line("east", &format!("--accept {}", of.digest("east", "")));
    if let Some(said) = while_running(&of, &twice) {
        assert!(said.contains("east takes part already: a party joins once"), "{said}");
    }
    for party in joined {
        let (code, said) = end(party);
        assert_eq!(code, Some(0), "{said}");
    }
    let (code, said) = end(launcher);
    assert_eq!(code, Some(0));
    assert!(said.contains("was turned away: its key is not that of north"), "{said}");
    check_models(&of, &NAMES);
}

/// Returns what is said to who joins as east; `None` if the run was over before.
fn while_running(of: &Parties, line: &str) -> Option<String> {
    let said = run(&of.path().join("east"), line).err;
    Some(said).filter(|said| !said.contains("no run answers"))
}

#[test]
fn a_party_joins_only_what_it_has_agreed_to() {
    let of = Parties::new();
    let launcher = of.launch("", FIT);
    let asked = run(&of.path().join("north"), &of.line("north", ""));
    for shown in [
        "take part as north",
        FIT,
        "column \"age\" from 0 to 120",
        "classes [\"well\", \"ill\"]",
        "under masks",
    ] {
        assert!(asked.out.contains(shown), "{}", asked.out);
    }
    let digest = of.digest("north", "");
    drop(launcher);
    fs::remove_file(of.path().join("hub/run/coordinator")).unwrap();
    // Another parameter is another offer.
    let launcher = of.launch("", &format!("{FIT} --sum exact --force"));
    let said = of.turned_away("north", &of.line("north", &format!("--accept {digest}")), 2);
    assert!(said.contains("the run offers something else"), "{said}");
    let asked = run(&of.path().join("north"), &of.line("north", ""));
    assert!(asked.out.contains("which the first party reads"), "{}", asked.out);
    drop(launcher);
}

#[test]
fn open_sums_give_the_same_model() {
    let of = Parties::new();
    let launcher = of.launch("", &format!("{FIT} --sum exact"));
    let joined: Vec<Launched> = NAMES.iter().map(|name| of.join(name, "")).collect();
    for party in joined {
        let (code, said) = end(party);
        assert_eq!(code, Some(0), "{said}");
    }
    assert_eq!(end(launcher).0, Some(0));
    check_models(&of, &NAMES);
}

#[test]
fn keys_that_others_can_read_and_too_few_parties_are_refused() {
    let of = Parties::new();
    let key = of.path().join("coordinator.key");
    assert_eq!(fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    let launch = format!("raddle launch --parties ../parties.toml -- {FIT}");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o640)).unwrap();
    let said = ends(&of.path().join("hub"), &launch, 2).err;
    assert!(
        said.contains("coordinator.key: others can read it, or write it (mode 640): chmod 600"),
        "{said}"
    );
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    let said = ends(&of.path().join("hub"), &launch.replace("launch", "launch --processes 2"), 2).err;
    assert!(said.contains("--parties: the rows are with the parties, and none are here"), "{said}");
    let said = ends(of.path(), "raddle key north.key", 2).err;
    assert!(said.contains("north.key: it exists already"), "{said}");
    let two = Parties::of(&NAMES[..2]);
    let said = ends(&two.path().join("hub"), &launch, 3).err;
    assert!(said.contains("names 2 parties, and a run takes 3 or more"), "{said}");
}
