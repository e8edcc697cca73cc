//! Generated data as files, from which the readers read the same data.

use std::collections::BTreeSet;
use std::fs;

use raddle_datasets::{Options, RatingsOptions, read_any, read_any_ratings};

use crate::run::{ends, not_empty};

#[test]
fn a_table_is_read_back_bit_by_bit() {
    let data = tempfile::tempdir().unwrap();
    for (name, spec) in [
        ("groups", "synth:groups:n=25,p=47,g=10,r=0.8,s=6,snr=3,seed=7"),
        ("ar1", "synth:ar1:n=30,p=20,rho=0.9,s=4,snr=5,seed=1"),
        ("strads", "synth:strads:n=40,p=60,k=5,c=0.4,s=8,snr=5,seed=3"),
        ("narrow", "synth:strads:n=50,p=4,k=1,c=1,s=1,seed=3"),
    ] {
        let made = read_any(spec, &Options::default()).unwrap();
        for ending in ["csv", "tsv", "svm", "libsvm"] {
            let file = data.path().join(format!("{name}.{ending}"));
            let said = ends(data.path(), &format!("generate {spec} {}", file.display()), 0).out;
            assert!(said.contains(&format!("{} rows, {} columns", made.y.len(), made.x.cols())), "{said}");
            let read = read_any(file.to_str().unwrap(), &Options::default()).unwrap();
            let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&read.y), bits(&made.y), "{name}.{ending}");
            assert_eq!(read.x.to_dense(), made.x.to_dense(), "{name}.{ending}");
        }
    }
}

#[test]
fn ratings_are_read_back_pair_by_pair() {
    let data = tempfile::tempdir().unwrap();
    let spec = "synth:ratings:users=60,items=40,n=600,rank=3,seed=5";
    let triples = |source: &str| -> BTreeSet<(String, String, u32)> {
        let read = read_any_ratings(source, &RatingsOptions::default()).unwrap();
        let named = read.triples.iter().map(|(user, item, value)| {
            (read.users.name(user as usize), read.items.name(item as usize), value.to_bits())
        });
        named.collect()
    };
    for ending in ["csv", "tsv"] {
        let file = data.path().join(format!("ratings.{ending}"));
        ends(data.path(), &format!("generate {spec} {}", file.display()), 0);
        let (made, read) = (triples(spec), triples(file.to_str().unwrap()));
        assert_eq!(not_empty(&read).len(), 600);
        assert_eq!(read, made, "{ending}");
    }
}

#[test]
fn a_file_that_is_there_is_kept() {
    let data = tempfile::tempdir().unwrap();
    let file = data.path().join("groups.csv");
    fs::write(&file, "mine").unwrap();
    let ran = ends(data.path(), &format!("generate synth:groups:n=9,p=5,s=2 {}", file.display()), 2);
    assert!(ran.err.contains("it exists"), "{}", ran.err);
    assert_eq!(fs::read(&file).unwrap(), b"mine");
}
