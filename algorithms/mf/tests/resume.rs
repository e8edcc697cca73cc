//! A resumed run comes to the model of the run that was never interrupted: whether it was finished, killed or
//! limited before, on any number of workers. A checkpoint of any other run is refused.

use std::path::Path;

use raddle::EngineError;
use raddle::random::Stream;
use raddle_common::testing::Checkpoint;
use raddle_mf::{Fit, Mf, MfError, Problem};

use crate::combinations::{all_combinations, in_turn};
use crate::common::{How, bits, few, fit, problem, ways};

/// Resumes from a checkpoint on the number of workers of this turn, which must give the same fit.
fn comes_back(turn: usize, whole: &Fit, mf: &Mf, problem: &Problem, file: &Path, name: &str) {
    let learned = bits(whole);
    assert!(learned.iter().any(|&value| value != 0), "{name}");
    for workers in in_turn([1, 2, 3, 5], turn) {
        let how = How { resume: Some(file.into()), threads: Some(workers), ..How::workers(workers) };
        let resumed = fit(mf, problem, how);
        assert_eq!(bits(&resumed), learned, "{name}, {workers} workers");
        assert_eq!(
            (resumed.best.map(f64::to_bits), resumed.best_epoch, resumed.length, resumed.report.epochs),
            (whole.best.map(f64::to_bits), whole.best_epoch, whole.length, whole.report.epochs),
            "{name}, {workers} workers"
        );
    }
    // The input may be freed meanwhile.
    for workers in in_turn([3, 5, 1, 2], turn) {
        let mut how = How { resume: Some(file.into()), ..How::workers(workers) };
        let own = few().validate_on_share(0.1, 7).unwrap();
        assert_eq!(bits(&mf.fit_owned(own, &mut how).unwrap()), learned, "{name}, {workers} workers");
    }
}

#[test]
fn a_finished_run_that_is_resumed_keeps_its_model() {
    let problem = problem();
    let folder = tempfile::tempdir().unwrap();
    for (turn, (name, mf)) in ways().into_iter().enumerate() {
        let file = folder.path().join(name);
        let whole = fit(&mf, &problem, How { checkpoint: Some(file.clone()), ..How::workers(2) });
        comes_back(turn, &whole, &mf, &problem, &file, name);
    }
}

#[test]
fn a_run_that_was_cut_goes_on_to_the_model_of_the_whole_run() {
    let problem = problem();
    let folder = tempfile::tempdir().unwrap();
    for (turn, (name, mf)) in ways().into_iter().enumerate() {
        let file = folder.path().join(name);
        let whole = fit(&mf, &problem, How::workers(1));
        // Interrupted at once, then again after one epoch, and after two.
        let mut resume = None;
        for epochs in [0, 1, 2] {
            let how = How { epochs: Some(epochs), checkpoint: Some(file.clone()), resume, ..How::workers(2) };
            let cut = fit(&mf, &problem, how);
            assert_eq!(cut.report.epochs, epochs, "{name}");
            // No further epoch runs: the model stays as it was when interrupted.
            let how = How { epochs: Some(epochs), resume: Some(file.clone()), ..How::workers(3) };
            assert_eq!(bits(&fit(&mf, &problem, how)), bits(&cut), "{name}, cut after {epochs}");
            resume = Some(file.clone());
        }
        comes_back(turn + 1, &whole, &mf, &problem, &file, name);
    }
}

#[test]
fn a_run_that_reached_its_target_goes_on_to_a_tighter_one_as_if_begun_with_it() {
    let problem = problem();
    let folder = tempfile::tempdir().unwrap();
    let measured = ways().into_iter().filter(|(name, _)| !name.contains("implicit"));
    for (turn, (name, mf)) in measured.enumerate() {
        let file = folder.path().join(name);
        let log = fit(&mf, &problem, How::workers(1)).log;
        let (loose, tight) = (log[0], log.iter().copied().fold(f64::INFINITY, f64::min));
        assert!(tight < loose, "{name}: {log:?}");
        let early = mf.clone().target(loose);
        let early = fit(&early, &problem, How { checkpoint: Some(file.clone()), ..How::workers(2) });
        assert_eq!((early.report.ending, early.report.epochs), (raddle::Ending::Target, 1), "{name}");
        let mf = mf.target(tight);
        let whole = fit(&mf, &problem, How::workers(1));
        assert!(whole.report.ending == raddle::Ending::Target && whole.report.epochs > 1, "{name}");
        comes_back(turn + 2, &whole, &mf, &problem, &file, name);
    }
}

#[test]
fn a_checkpoint_with_the_right_hash_and_wrong_content_is_refused_or_runs() {
    let problem = problem();
    let folder = tempfile::tempdir().unwrap();
    let (mut refused, mut ran, mut tried) = (0, 0, 0);
    for (kind, (name, mf)) in (0..).zip(ways()) {
        let file = folder.path().join(name);
        fit(&mf, &problem, How { epochs: Some(2), checkpoint: Some(file.clone()), ..How::workers(1) });
        let whole = Checkpoint::last(&file);
        for number in 0..if all_combinations() { 60 } else { 20 } {
            tried += 1;
            let mut stream = Stream::new(&[kind, number]);
            whole.forge(stream.below(whole.length()), |bytes, _| mutate(bytes, &mut stream));
            let how = How { resume: Some(file.clone()), threads: Some(1), ..How::workers(1) };
            match mf.fit_on(&problem, &mut how.clone()) {
                Ok(_) => ran += 1,
                Err(MfError::Engine(EngineError::Checkpoint { .. })) => refused += 1,
                Err(why) => panic!("{name}, mutation {number}: {why}"),
            }
        }
    }
    assert!(20 * refused > tried && 20 * ran > tried, "{refused} refused, {ran} ran of {tried}");
}

/// Changes some bytes of a part of a checkpoint.
fn mutate(bytes: &mut [u8], stream: &mut Stream) {
    for _ in 0..=stream.below(3) {
        let at = stream.below(bytes.len() - 8);
        match stream.below(4) {
            0 => bytes[at] ^= 1 << stream.below(8),
            1 => bytes[at] = stream.below(256) as u8,
            2 => bytes[at..at + 8].copy_from_slice(&(stream.below(1 << 20) as u64).to_le_bytes()),
            _ => bytes[at..at + 4].copy_from_slice(&f32::NAN.to_le_bytes()),
        }
    }
}

#[test]
fn the_number_that_is_reported_is_that_of_the_model() {
    let problem = problem();
    let held_out = problem.measured().unwrap();
    let mut kept = 0;
    for (name, mf) in ways().into_iter().filter(|(name, _)| !name.contains("implicit")) {
        for epochs in 1..20 {
            let found = fit(&mf, &problem, How { epochs: Some(epochs), ..How::workers(1) });
            let (error, said) = (found.model.errors(held_out).0, found.report.metric.value);
            assert!((error / said - 1.0).abs() < 1e-5, "{name}, {epochs} epochs: {error}, said {said}");
            assert_eq!(found.best, Some(said), "{name}");
            kept += u32::from(found.best_epoch != found.report.epochs);
        }
    }
    assert!(kept >= 3, "{kept} models are not of the last epoch");
}
