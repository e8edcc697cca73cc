//! Specifications that are not valid: each message has the cure.

use raddle_pool_sim::slots::{Spec, arrivals_of, parse};

#[test]
fn specifications_name_the_setting_and_what_it_takes() {
    let spec = parse("synth:slots:lo=0.2,load=2,seed=7,seeds=3,nodes=5,slots=9,jobs=4").unwrap();
    assert_eq!((spec.lo, spec.load, spec.seed, spec.seeds), (0.2, 2.0, 7, 3));
    assert_eq!((spec.nodes, spec.slots, spec.jobs), (5, 9, 4));
    assert_eq!(parse("synth:slots").unwrap(), Spec::default());
    assert_eq!(parse("synth:slots:tiny").unwrap(), Spec::tiny());
    for (spec, said) in [
        ("synth:jobs:n=5", "synth:slots:lo=0.5"),
        ("synth:slots:machines=5", "no setting is called machines: there are nodes, slots"),
        ("synth:slots:nodes=0", "nodes=0: give a whole number from 1 to 200"),
        ("synth:slots:nodes=5000", "nodes=5000: give a whole number from 1 to 200"),
        ("synth:slots:lo=0.95", "lo=0.95: give a number above 0, at most 0.9"),
        ("synth:slots:load=nan", "load=nan: give a number above 0"),
        ("synth:slots:seed=x", "seed=x: give a whole number"),
        ("synth:slots:slots", "slots=: give a whole number from 1 to 1000"),
        ("synth:slots:tiny=2", "tiny=2: give no value"),
        ("synth:slots:tiny,nodes=3", "tiny has 2 machines"),
        ("synth:slots:arrivals=", "arrivals=: give `uniform` or the path of a table"),
    ] {
        let error = parse(spec).unwrap_err().to_string();
        assert!(error.contains(said), "{spec}: {error}");
    }
}

#[test]
fn tables_of_arrivals_are_refused_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    for (text, said) in [
        ("time\n2017-10-09 07:01:55\n", "a.csv:1: no column `timestamp`"),
        ("timestamp\n2017-10-09 07:01:55\nyesterday\n", "a.csv:3: no time here"),
        ("timestamp\n", "a.csv:1: no arrivals"),
    ] {
        std::fs::write(&path, text).unwrap();
        let error = arrivals_of(&path).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
    let error = arrivals_of(&folder.path().join("none.csv")).unwrap_err().to_string();
    assert!(error.contains("none.csv"), "{error}");
}
