//! Settings of parts that are refused, with the reason.

use super::*;

fn said(problem: &Problem, settings: &InParts) -> String {
    settings.fit(problem).unwrap_err().to_string()
}

#[test]
fn shares_and_parts_that_do_not_match_are_refused() {
    let problem = clouds(20);
    let parts = |plan: &str| InParts::new(Linear::params(), plan.parse().unwrap());
    for (settings, why) in [
        (parts("4").shares(vec![1.0; 3]), "shares: there are 3 for 4 parts: give one for each"),
        (parts("0:4,3:2").shares(vec![1.0; 4]), "shares: parts are 0:4,3:2: give one number of parts"),
        (parts("auto").shares(vec![1.0; 16]), "shares: parts are auto"),
        (parts("21"), "parts: it is 21, which takes 21 pieces: there are 20 different rows"),
        (parts("0:4,1:7"), "parts: it is 0:4,1:7, which takes 28 pieces: there are 20 different rows"),
        (
            InParts::new(Linear::params(), PartPlan::constant(0)),
            "parts: a number of parts is 0: give 1 or more",
        ),
        (InParts::new(Linear::params(), PartPlan::Given(Vec::new())), "parts: it has no entry for epoch 0"),
        (parts("2").sigma(Sigma::Fixed(f64::NAN)), "sigma: it is NaN"),
        (parts("2").sigma(Sigma::Fixed(0.0)), "sigma: it is 0"),
    ] {
        let said = said(&problem, &settings);
        assert!(said.starts_with(why), "{said}");
    }
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let said = said(&problem, &parts("2").shares(vec![1.0, bad]));
        assert!(said.starts_with("shares: one is "), "{said}");
    }
}

#[test]
fn parts_of_several_classes_are_refused() {
    let x = Matrix::Sparse(Csc::new_csc((6, 1), vec![0, 6], (0..6).collect(), vec![1.0; 6]));
    let problem = Problem::new(&x, &[1.0, 2.0, 3.0, 1.0, 2.0, 3.0], 1.0).unwrap();
    let said = said(&problem, &InParts::new(Linear::params(), PartPlan::constant(2)));
    assert_eq!(said, "parts: the response has 3 classes, and parts need two");
}

#[test]
fn a_checkpoint_of_another_plan_of_parts_is_refused() {
    let problem = clouds(100);
    let folder = tempfile::tempdir().unwrap();
    let engine = |plan: &str| {
        let settings = InParts::new(Linear::params().tolerance(1e-13), plan.parse().unwrap());
        settings.engine(&problem).unwrap().identity("the same").epochs(4)
    };
    engine("0:16,2:4").checkpoint(1, folder.path()).run().unwrap();
    for other in ["16", "4", "auto", "0:16,3:4"] {
        let Err(error) = engine(other).resume(folder.path()).run() else { panic!("{other} went on") };
        let said = error.to_string();
        assert!(said.contains("0:16,2:4 parts") && said.contains(&format!("{other} parts")), "{said}");
    }
    engine("0:16,2:4").epochs(6).resume(folder.path()).run().unwrap();
}
