//! Generated tables have the bits that an independent implementation (numpy) gave.

use raddle_common::testing::pairs;
use raddle_datasets::generate::table;
use raddle_datasets::{Matrix, Table};
use sha2::{Digest, Sha256};

/// SHA-256 of X: dense, the columns' values; sparse, column starts (u64), row numbers (u32), values.
fn digest(table: &Table) -> String {
    let mut hash = Sha256::new();
    let mut values = |values: &[f64]| values.iter().for_each(|x| hash.update(x.to_le_bytes()));
    match &table.x {
        Matrix::Dense(x) => values(x.as_slice_memory_order().unwrap()),
        Matrix::Sparse(x) => {
            x.indptr().raw_storage().iter().for_each(|&start| hash.update((start as u64).to_le_bytes()));
            x.indices().iter().for_each(|row| hash.update(row.to_le_bytes()));
            x.data().iter().for_each(|x| hash.update(x.to_le_bytes()));
        }
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn every_kind_agrees_with_numpy() {
    for (spec, x, y) in [
        (
            "synth:strads:n=40,p=60,k=5,c=0.4,s=8,snr=5,seed=3",
            "b8aa39d33a872c6587cf343b62e93b25aa82f11fcc4366435ff3b1b55f9ba04a",
            [1.436325137139207, 1.8685246678388303, 0.8872040812468908],
        ),
        (
            "synth:ar1:n=30,p=20,rho=0.9,s=4,snr=5,seed=1",
            "3a26f15e8ef6e8bf09155952b9964138e49684b3fbe6e074704dc73ecde1e8f9",
            [-2.3239651376532513, -1.6610701525136862, 2.559374272449859],
        ),
        (
            "synth:groups:n=25,p=47,g=10,r=0.8,s=6,snr=3,seed=7",
            "b411928889f78b320fcef75b0c4d4f71ac3e867b01fe8ddc0ed7e41eb50a5da4",
            [-0.5841316097979103, -7.198330692055359, 3.6849272590005717],
        ),
        (
            "synth:strads:n=10,p=50,s=4",
            "9dc555200453b6b25049dea5dca9a16bdab383bef2e84efaf3c4a690c3901fce",
            [-2.670821523459737, -1.472489204865794, -2.4488650430239396],
        ),
        (
            "synth:groups:n=25,p=47,s=6",
            "69b80e1da9c2052e3baeda4e9382eecc46a161a2a6d796943d5901209150b82c",
            [0.7837056045799846, 5.94106428100962, -1.3595161986677318],
        ),
    ] {
        let table = table(spec).unwrap();
        assert_eq!(digest(&table), x, "{spec}");
        let ends = [table.y[0], table.y[1], table.y[table.y.len() - 1]];
        for (ours, theirs) in pairs(&ends, y) {
            assert!((ours - theirs).abs() < 1e-12, "{spec}: {ours} {theirs}");
        }
    }
}

#[test]
fn a_bad_specification_is_explained() {
    for (spec, why) in [
        ("synth:ar2:n=1", "`ar2` is no kind"),
        ("synth:ar1", "expected synth:KIND"),
        ("synth:ar1:n=5,p=5,s=1", "`rho` is missing"),
        ("synth:groups:n=5,p=5", "`s` is missing"),
        (
            "synth:groups:n=5,p=5,s=1,rho=0.5",
            "`rho` is no parameter here: known are n, p, s, snr, seed, g, r",
        ),
        ("synth:groups:n=5,n=6,p=5,s=1", "`n` is given twice"),
        ("synth:groups:n=5,p=x,s=1", "`x` is not a number"),
        ("synth:groups:n=0,p=5,s=1", "n=0: choose a number from 1"),
        ("synth:groups:n=5,p=NaN,s=1", "p=NaN: choose a number from 1"),
        ("synth:groups:n=5,p=2.5,s=1", "p=2.5: choose a whole number"),
        ("synth:groups:n=5,p=5,s=1,r=1.5", "r=1.5: choose a number from 0 to 1"),
        ("synth:groups:n=4e9,p=4e9,s=1", "tebibyte"),
        ("synth:groups:n", "write name=value"),
    ] {
        let error = table(spec).unwrap_err().to_string();
        assert!(error.starts_with(spec) && error.contains(why), "{error}");
    }
}
