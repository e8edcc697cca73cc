//! Refusals of a party, or of a run over parties, and who sees them.

use std::fs;

use super::*;

/// Runs a party whose own rows are at fault; returns what it says. The run is unharmed.
fn refused(of: &Parties, rows: &str) -> String {
    let own = of.rows("north");
    of.give("north", rows);
    let (code, said) = end(of.join("north", ""));
    assert_eq!(code, Some(2), "{said}");
    of.give("north", &own);
    said
}

#[test]
fn a_party_at_fault_sees_it_alone_and_the_run_goes_on_once_it_is_mended() {
    let of = Parties::new();
    let launcher = of.launch("", FIT);
    let (east, south) = (of.join("east", ""), of.join("south", ""));
    let own = of.rows("north");
    let said = refused(&of, &format!("{own}130.5,80,no,ill\n"));
    assert!(said.contains("age: row 71, column 1: the value 130.5 is beyond its bound 120"), "{said}");
    let said = refused(&of, &format!("{own}30,80,maybe,ill\n"));
    assert!(said.contains("smokes") && said.contains("not among those of the parties"), "{said}");
    let said = refused(&of, &format!("{own}30,80,no,dead\n"));
    assert!(said.contains("row 71: the class `dead` is not among those of the parties"), "{said}");
    let north = of.join("north", "");
    for party in [east, north, south] {
        let (code, said) = end(party);
        assert_eq!(code, Some(0), "{said}");
        assert!(!said.contains("130.5") && !said.contains("maybe") && !said.contains("dead"), "{said}");
    }
    let (code, said) = end(launcher);
    assert_eq!(code, Some(0));
    assert!(!said.contains("130.5") && !said.contains("dead"), "{said}");
    check_models(&of, &NAMES);
}

#[test]
fn other_bounds_are_named_with_the_column_and_the_party() {
    let of = Parties::new();
    let launcher = of.launch("", FIT);
    let text = fs::read_to_string(of.path().join("parties.toml")).unwrap();
    fs::write(of.path().join("other.toml"), text.replace("[0, 120]", "[0, 121]")).unwrap();
    let line = of.line("north", "").replace("parties.toml", "other.toml");
    let asked = run(&of.path().join("north"), &line);
    let digest = asked.err.split_whitespace().skip_while(|word| *word != "--accept").nth(1).unwrap();
    let refuse = || {
        let north = Launched::begin(&of.path().join("north"), &format!("{line} --accept {digest}"));
        let (code, said) = end(north);
        assert_eq!(code, Some(2), "{said}");
        let why = "its parties file has `with column_\"age\"_from_0_to_121`, the coordinator's has `with \
                   column_\"age\"_from_0_to_120`";
        assert!(said.contains("north (process 2) does not fit the run") && said.contains(why), "{said}");
    };
    // Whoever comes first: the file of the coordinator decides.
    refuse();
    let east = of.join("east", "");
    refuse();
    drop((launcher, east));
}

#[test]
fn too_few_rows_and_one_class_everywhere_end_the_run_by_name() {
    for (line, why) in [
        (format!("{FIT} --least-rows 300"), "least-rows: it is 300, and all parties together have 210 rows"),
        (FIT.to_owned(), "all rows that count are of the class"),
    ] {
        let of = Parties::new();
        if line == FIT {
            NAMES.iter().for_each(|name| of.give(name, &of.rows(name).replace("well", "ill")));
        }
        let launcher = of.launch("", &line);
        let joined: Vec<Launched> = NAMES.iter().map(|name| of.join(name, "")).collect();
        for party in joined {
            let (code, said) = end(party);
            assert!(code == Some(2) && said.contains(why), "{code:?}: {said}");
        }
        let (code, said) = end(launcher);
        assert_eq!(code, Some(2), "{said}");
    }
}

#[test]
fn programs_that_send_more_than_sums_are_no_program_of_parties() {
    let of = Parties::new();
    for (line, why) in [
        ("mf fit --rank 2 --out run", "mf: "),
        ("lda fit --topics 2 --out run", "lda: "),
        ("lasso fit --out run", "lasso: "),
    ] {
        let launch = "raddle launch --parties ../parties.toml --key ../coordinator.key --";
        let said = ends(&of.path().join("hub"), &format!("{launch} {line}"), 2).err;
        assert!(said.contains(why) && said.contains("sums") && said.lines().count() == 1, "{said}");
    }
}

#[test]
fn options_that_have_no_effect_over_parties_are_refused_by_name() {
    let of = Parties::new();
    for option in ["--checkpoint-every 1", "--parts 2", "--init run", "--scale", "--rescale 1:2"] {
        let line = format!("{} {option}", FIT.replace("fit", "fit own.csv"));
        let mut fit = command(&of.path().join("north"), &line);
        let ran = fit.env("RADDLE_PARTIES", of.path().join("parties.toml")).output().unwrap();
        let said = String::from_utf8_lossy(&ran.stderr);
        let name = option.split(' ').next().unwrap();
        assert_eq!(ran.status.code(), Some(2), "{said}");
        assert!(said.contains(&format!("{name} has no effect over parties")), "{said}");
    }
}
