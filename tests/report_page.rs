//! Results of the programs are explained on the page about the files of a run, by the names that they write
//! (for `lda` its own tests do that).

use serde_json::Value;

use crate::commands::ends;

#[path = "../src/cli/session/page.rs"]
mod page;

#[test]
fn every_result_of_a_program_is_on_the_page() {
    let small = "synth:ratings:users=60,items=40,n=900,rank=2";
    let lines = [
        "lasso fit diabetes",
        "lasso fit diabetes --test 0.2",
        "lasso path diabetes --points 3",
        "lasso cv diabetes --points 5 --folds 3",
        "lasso cv diabetes --points 5 --folds 3 --l1-ratio 0.5,1",
        "linear fit diabetes",
        "linear fit three.csv --y kind --loss logistic",
        "linear cv diabetes --folds 3 --points 3",
        &format!("mf fit {small} --rank 2 --test split --ranking 3"),
        "mf fit synth:ratings:users=120,items=60,n=2400,rank=2,signal=0.2,noise=0.2 --rank 2 --solver als \
         --implicit",
        "mf fit timed.csv --columns user,item,rating,time --rank 2 --test last:0.2 --validation last:0.2",
        &format!("mf cv {small} --ranks 2 --folds 2"),
    ];
    let folder = tempfile::tempdir().unwrap();
    let timed = (0..60).map(|at| format!("{},{},{},{at}\n", at % 7, at * 3 % 5, 1 + at % 4));
    let timed = format!("user,item,rating,time\n{}", timed.collect::<String>());
    std::fs::write(folder.path().join("timed.csv"), timed).unwrap();
    let three = (0..30).map(|at| format!("{at},{},{}\n", ["red", "blue"][at % 2], ["a", "b", "c"][at % 3]));
    let three = format!("size,colour,kind\n{}", three.collect::<String>());
    std::fs::write(folder.path().join("three.csv"), three).unwrap();
    for line in lines {
        let program = line.split(' ').next().unwrap();
        let page = page::fields(&format!("`results` of `{program}`"));
        let report: Value =
            serde_json::from_str(&ends(folder.path(), &format!("{line} --json --quiet"), 0).out).unwrap();
        let mut seen = std::collections::BTreeSet::new();
        page::collect("", &report["results"], &page, &mut seen);
        assert!(seen.len() >= 2, "{line}");
        let unexplained: Vec<_> = seen.difference(&page).collect();
        assert!(unexplained.is_empty(), "{line}: {unexplained:?} are not on the page");
        // Long lists of numbers lie in files.
        let lists = report["results"].as_object().unwrap().iter();
        let long = lists.filter(|(_, value)| {
            value.as_array().is_some_and(|list| list.len() > 20 && list.iter().all(Value::is_number))
        });
        assert_eq!(long.map(|(name, _)| name).collect::<Vec<_>>(), [""; 0], "{line}");
    }
}
