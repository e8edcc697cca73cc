//! Schedules and programs that name a number that does not exist, one twice, or one that belongs to another.

use raddle::Visibility;
use raddle::schedule::{Assignment, Candidates, Next, Round, Variables};

use super::fixed::{Fixed, fixed, round};
use super::{engine, priority, said, with};

#[test]
fn a_schedule_that_names_what_it_may_not_is_refused_by_name() {
    let blocks = |tasks: &[(u32, u32)]| {
        let task = |&(shard, block)| Assignment { shard, block: Some(block), variables: Vec::new() };
        Next::Round(Round::new((), tasks.iter().map(task).collect()))
    };
    for (next, expected) in [
        (round(&[(3, &[0])]), "the schedule names shard 3, but there are 3, counted from 0"),
        (round(&[(u32::MAX, &[])]), "the schedule names shard 4294967295, but there are 3, counted from 0"),
        (round(&[(0, &[0]), (0, &[1])]), "the schedule names shard 0 twice in one round"),
        (round(&[(1, &[0])]), "the schedule hands variable 0 to shard 1, but shard 0 owns it"),
        (round(&[(0, &[0]), (1, &[4, 3])]), "the schedule hands variable 3 to shard 1, but shard 0 owns it"),
        (round(&[(0, &[1, 2, 1])]), "the schedule names variable 1 twice in one round"),
        (round(&[(2, &[11, 12])]), "the schedule names variable 12, but there are 12, counted from 0"),
        (blocks(&[(0, 2)]), "the schedule names block 2, but there are 2, counted from 0"),
        (blocks(&[(2, 0), (2, 1)]), "the schedule names shard 2 twice in one round"),
        (blocks(&[(1, 1), (2, 1)]), "the schedule names block 1 twice in one round"),
    ] {
        for visibility in [Visibility::AtBoundary, Visibility::EachRound] {
            for is_known in [false, true] {
                let schedule = Fixed { is_known, ..fixed(next.clone(), "") };
                for text in said(move || with("", visibility, schedule.clone())) {
                    assert_eq!(text, format!("a worker ended the run: {expected}"));
                }
            }
        }
    }
    // The next round may name the same again, and where variables have no owner any shard may update them.
    let anywhere =
        || Fixed { named: Some(Variables::anywhere(vec![1; 12], 3)), ..fixed(round(&[(1, &[0])]), "") };
    assert!(said(move || engine("", anywhere())).iter().all(|text| text == "nothing"));
}

#[test]
fn a_schedule_that_relates_what_is_not_there_is_refused_by_name() {
    let relate = |owners| Next::Relate(Candidates { phase: (), variables: vec![1, 5], owners });
    for (next, expected) in [
        (relate(vec![(7, vec![0])]), "relates variables of shard 7, but there are 3, counted from 0"),
        (relate(vec![(0, vec![2])]), "relates candidate 2, but names 2, counted from 0"),
    ] {
        for text in said(move || engine("", fixed(next.clone(), ""))) {
            assert_eq!(text, format!("a worker ended the run: the schedule {expected}"));
        }
    }
}

#[test]
fn a_program_that_names_what_is_not_there_is_refused_by_name() {
    for (mistake, expected) in [
        ("deltas beyond", "`deltas` names variable 12, but there are 12, counted from 0"),
        ("weights beyond", "the verdict's weights name variable 13, but there are 12, counted from 0"),
        ("one related too many", "`relate` was asked what ties "),
    ] {
        for text in said(move || engine(mistake, priority())) {
            assert!(text.starts_with("a worker ended the run: ") && text.contains(expected), "{text}");
        }
    }
}
