//! Mistakes that are refused, or end a run with an error that says where they are.

use super::*;

#[test]
fn a_schedule_that_names_what_it_may_not_is_refused_by_name() {
    let relate = |owners| Next::Relate(Candidates { phase: (), variables: vec![1, 5], owners });
    for (next, expected) in [
        (round(&[(3, &[0])]), "the schedule names shard 3, but there are 3, counted from 0"),
        (round(&[(u32::MAX, &[])]), "the schedule names shard 4294967295, but there are 3"),
        (round(&[(0, &[0]), (0, &[1])]), "the schedule names shard 0 twice in one round"),
        (round(&[(1, &[0])]), "the schedule hands variable 0 to shard 1, but shard 0 owns it"),
        (round(&[(0, &[0]), (1, &[4, 3])]), "the schedule hands variable 3 to shard 1, but shard 0 owns it"),
        (round(&[(0, &[1, 2, 1])]), "the schedule names variable 1 twice in one round"),
        (round(&[(2, &[11, 12])]), "the schedule names variable 12, but there are 12, counted from 0"),
        (relate(vec![(7, vec![0])]), "the schedule relates variables of shard 7, but there are 3"),
        (relate(vec![(0, vec![2])]), "the schedule relates candidate 2, but names 2, counted from 0"),
    ] {
        for text in said(move || engine("", fixed(next.clone(), ""))) {
            assert!(text.starts_with("a worker ended the run: ") && text.contains(expected), "{text}");
        }
    }
    // The next round may name the same again, and where nobody owns a variable any shard may update it.
    let anywhere =
        || Fixed { named: Some(Variables::anywhere(vec![1; 12], 3)), ..fixed(round(&[(1, &[0])]), "") };
    assert!(said(move || engine("", anywhere())).iter().all(|text| text == "nothing"));
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

#[test]
fn a_panic_in_any_verb_says_where_it_was() {
    for (verb, within) in [
        ("update", "update of shard "),
        ("gather", "gather of shard "),
        ("relate", "relate, epoch 0, round "),
        ("aggregate", "aggregate, epoch 0, round 0"),
        ("commit", "commit of worker "),
        ("commit_shard", "commit_shard of shard "),
        ("deltas", "deltas, epoch 0, round 0"),
        ("evaluate", "evaluate of shard "),
        ("conclude", "conclude, epoch 0"),
    ] {
        for text in said(move || engine(verb, priority())) {
            let expected = format!("a worker ended the run: {within}");
            assert!(
                text.starts_with(&expected) && text.contains(" panicked at tests/mistakes.rs:"),
                "{text}"
            );
            assert!(text.ends_with(&format!("the trap in {verb}")), "{text}");
        }
    }
    for verb in ["update_block", "fold"] {
        for text in said(move || with(verb, Visibility::AtBoundary, Rotation::new(3, 2))) {
            assert!(text.contains(" of shard ") && text.contains(", epoch 0, round "), "{text}");
            assert!(text.ends_with(&format!("the trap in {verb}")), "{text}");
        }
    }
    for method in ["begin_epoch", "next_round", "decide", "learn"] {
        let relate =
            Next::Relate(Candidates { phase: (), variables: vec![0, 1], owners: vec![(0, vec![0, 1])] });
        for text in said(move || engine("", fixed(relate.clone(), method))) {
            assert!(
                text.starts_with(&format!("a worker ended the run: the schedule's {method}, epoch 0")),
                "{text}"
            );
        }
    }
    for method in ["reduce_parallelism", "save", "load"] {
        // The guard returns to the boundary before.
        for text in said(move || engine("worse", fixed(round(&[(0, &[0])]), method))) {
            assert!(
                text.contains("the schedule") && text.ends_with(&format!("the trap in {method}")),
                "{text}"
            );
        }
    }
    for verb in ["save_state", "load_state"] {
        let program = move || {
            let program = Sums { mistake: verb, visibility: Visibility::EachRound, behind: Mutex::default() };
            struct Worse(Sums);
            impl Program for Worse {
                raddle::program!(
                    Shard = (Value, u64), Block = Value, Pinned = Value, Replica = Replica, Partial = Moves;
                    update
                );
                fn aggregate(&self, at: Aggregate<'_, Self>) -> Moves {
                    self.0.aggregate(Aggregate { round: at.round, pinned: at.pinned, partials: at.partials })
                }
                fn commit(&self, change: &Moves, replica: &mut Replica) {
                    self.0.commit(change, replica);
                }
                fn evaluate(&self, _: Evaluate<'_, Self>) -> Moves {
                    Vec::new()
                }
                fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<Moves> {
                    let metric = Metric::new("nothing", 1.0, "nothing");
                    Verdict { objective: Some(at.boundary.epoch as f64), ..Verdict::new(metric) }
                }
                fn save_state(&self, shard: &(Value, u64), out: &mut Learned<Writer>) {
                    self.0.save_state(shard, out);
                }
                fn load_state(
                    &self,
                    shard: &mut (Value, u64),
                    from: &mut Learned<Reader<'_>>,
                ) -> Result<(), StateError> {
                    self.0.load_state(shard, from)
                }
            }

            impl Update for Worse {
                fn update(&self, at: TaskOf<'_, Self>) -> Moves {
                    self.0.update(TaskOf { task: at.task, shard: at.shard, replica: at.replica })
                }
            }
            let Parts { shards, blocks, pinned, replica } = parts("");
            Engine::new(Worse(program), cyclic(), Parts { shards, blocks, pinned, replica }).epochs(3)
        };
        for workers in [1, 3] {
            let error = within_a_minute(move || program().workers(workers).run().err().unwrap()).to_string();
            assert!(error.starts_with(&format!("a worker ended the run: {verb} of shard ")), "{error}");
        }
    }
}

#[test]
fn a_panic_while_a_checkpoint_is_written_or_read_is_an_error_that_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.checkpoint");
    for (mistake, within) in [
        ("save_state", "save_state of shard 0"),
        ("save shard", "save_state of shard 0"),
        ("save block", "save of block 0"),
        ("save pinned", "save_pinned"),
    ] {
        let error = engine(mistake, cyclic()).checkpoint(1, &file).run().err().unwrap().to_string();
        assert!(
            error.contains(within) && error.contains(" panicked at tests/mistakes.rs:"),
            "{mistake}: {error}"
        );
        assert!(!raddle::has_checkpoint(&file));
    }
    engine("", cyclic()).checkpoint(1, &file).run().unwrap();
    let error = engine("load_state", cyclic()).resume(&file).run().err().unwrap().to_string();
    assert!(error.starts_with(&format!("checkpoint {}", file.join("3.").display())), "{error}");
    assert!(error.contains("load_state of shard 0 panicked at tests/mistakes.rs:"), "{error}");
    for (fails, within) in [
        ("load block", "load of block 0"),
        ("load pinned", "load_pinned"),
        ("load shard", "load_state of shard 0"),
    ] {
        engine(fails, cyclic()).checkpoint(1, &file).run().unwrap();
        let error = engine("", cyclic()).resume(&file).run().err().unwrap().to_string();
        assert!(
            error.contains(within) && error.ends_with("a value is not loaded; resume with the same"),
            "{error}"
        );
    }
    for (method, within) in [("save", "the schedule's save_state"), ("load", "the schedule's load_state")] {
        let schedule = move || fixed(round(&[(0, &[0])]), method);
        let written = engine("", schedule()).checkpoint(1, &file).run().err();
        let error = written.or_else(|| engine("", schedule()).resume(&file).run().err()).unwrap().to_string();
        assert!(error.contains(within) && error.contains(&format!("the trap in {method}")), "{error}");
        engine("", fixed(round(&[(0, &[0])]), "")).checkpoint(1, &file).run().unwrap();
    }
}

#[test]
fn settings_of_zero_and_variables_that_do_not_fit_are_refused_before_anything_runs() {
    let refused = |engine: Engine<Sums>| match engine.run() {
        Err(EngineError::Setting(why)) => why,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("it ran"),
    };
    let ranges = |starts: &[u32]| Cyclic::new(Variables::in_ranges(vec![1; 12], starts.to_vec()), 4);
    let settings = |parallelism| PrioritySettings { parallelism, ..PrioritySettings::new(1, 1) };
    let none = Parts { shards: Vec::new(), ..parts("") };
    let sums = Sums { mistake: "", visibility: Visibility::EachRound, behind: Mutex::default() };
    let choices: Vec<Box<dyn Schedule>> = vec![Box::new(cyclic()), Box::new(Cyclic::new(variables(), 0))];
    for (engine, expected) in [
        (engine("", Cyclic::new(variables(), 0)), "a parallelism of 0"),
        (engine("", Shuffled::new(variables(), 0, 1)), "a parallelism of 0"),
        (engine("", Priority::new(variables(), settings(0))), "a parallelism of 0"),
        (engine("", Automatic::new(variables(), choices)), "a parallelism of 0"),
        (engine("", Rotation::new(4, 2)), "the schedule was made for 4 shards, but there are 3"),
        (engine("", Rotation::new(3, 1)), "the schedule was made for 1 blocks, but there are 2"),
        (engine("", EachShard::new(2)), "the schedule was made for 2 shards, but there are 3"),
        (engine("", ranges(&[0, 6, 12])), "the variables belong to 2 shards, but there are 3"),
        (engine("", ranges(&[0, 4, 8, 10, 12])), "the variables belong to 4 shards, but there are 3"),
        (engine("", ranges(&[1, 4, 8, 12])), "must begin with 0, not fall, and end with 12: [1, 4, 8, 12]"),
        (engine("", ranges(&[0, 8, 4, 12])), "must begin with 0, not fall, and end with 12"),
        (engine("", ranges(&[0, 4, 8, 13])), "must begin with 0, not fall, and end with 12"),
        (engine("", ranges(&[])), "must begin with 0, not fall, and end with 12"),
        (
            engine("", Cyclic::new(Variables::anywhere(vec![1; 12], 4), 4)),
            "the variables belong to 4 shards, but there are 3",
        ),
        (Engine::new(sums, EachShard::new(0), none), "a run needs at least 1 shard"),
        (engine("", cyclic()).workers(0), "a run needs at least 1 worker"),
        (engine("", cyclic()).threads(0), "a run needs at least 1 thread"),
        (engine("", cyclic()).checkpoint(0, "nowhere"), "a checkpoint every 0 epochs"),
        (engine("", cyclic()).time_limit(f64::NAN), "a time limit of NaN seconds"),
    ] {
        let why = refused(engine);
        assert!(why.contains(expected), "{why}");
    }
}
