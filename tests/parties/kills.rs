//! A party is lost: killed, or stopped.

use super::*;
use crate::commands::{number, pause};
use crate::launched::{signal, slow};

/// A run that is slow enough to be disturbed, by its launcher and its parties.
pub(super) fn slow_run(of: &Parties, names: &[&str], options: &str) -> (Launched, Vec<Launched>) {
    let line = format!("{FIT} --slowdown slow");
    names.iter().for_each(|name| slow(&of.path().join(name), 300));
    let launcher = of.launch(&format!("{options} --deadline 2"), &line);
    (launcher, names.iter().map(|name| of.join(name, "--deadline 20")).collect())
}

/// The process of a party, as the system numbers it.
fn process(party: &Launched) -> String {
    loop {
        match party.processes().pop() {
            Some(process) => return process,
            None => pause(),
        }
    }
}

/// Loses party `who` at an epoch, by this signal. A process that is stopped is there again once it is lost.
fn lose(launcher: &mut Launched, parties: &mut [Launched], (who, epoch): (usize, u64), how: &str) {
    parties[0].await_epoch(epoch);
    let process = process(&parties[who]);
    signal(&process, how);
    if how == "-STOP" {
        launcher.await_line("has sent nothing");
        signal(&process, "-CONT");
    }
}

fn disturbed(options: &str, at: (usize, u64), how: &str) {
    let is_without = options.contains("without");
    let names = if is_without { &FOUR[..] } else { &NAMES };
    let of = Parties::of(names);
    let (mut launcher, mut parties) = slow_run(&of, names, options);
    lose(&mut launcher, &mut parties, at, how);
    let is_there = |party: usize| !is_without || party != at.0;
    for (party, joined) in parties.into_iter().enumerate() {
        let (code, said) = end(joined);
        assert_eq!(code == Some(0), is_there(party), "{how} {} at {}: {said}", names[at.0], at.1);
    }
    let (code, said) = end(launcher);
    assert_eq!(code, Some(0), "{said}");
    let there: Vec<&str> =
        (0..names.len()).filter(|&party| is_there(party)).map(|party| names[party]).collect();
    check_models(&of, &there);
    let own = report(&of.path().join(there[0]).join("run"));
    assert_eq!(own["results"]["parties"], serde_json::json!(there));
}

#[test]
fn a_run_that_waits_for_a_lost_party_ends_with_the_same_bytes() {
    let mut state = 7;
    for round in 0..number("RADDLE_PARTY_KILLS", 4) {
        let (who, epoch) = (next(&mut state) as usize % 3, next(&mut state) % 6);
        disturbed("", (who, epoch), if round % 4 == 3 { "-STOP" } else { "-KILL" });
    }
}

#[test]
fn a_run_that_goes_on_without_a_party_is_that_of_the_others() {
    let mut state = 11;
    for round in 0..number("RADDLE_PARTY_KILLS", 2) {
        let (who, epoch) = (next(&mut state) as usize % 4, next(&mut state) % 6);
        disturbed("--on-leave without", (who, epoch), if round % 2 == 1 { "-STOP" } else { "-KILL" });
    }
}

#[test]
fn a_run_of_two_parties_that_are_left_ends() {
    let of = Parties::new();
    // Two parties would be left.
    let (mut launcher, mut parties) = slow_run(&of, &NAMES, "--on-leave without");
    lose(&mut launcher, &mut parties, (2, 1), "-KILL");
    let (code, said) = end(launcher);
    assert!(code == Some(3) && said.contains("2 parties are left"), "{code:?}: {said}");
}
