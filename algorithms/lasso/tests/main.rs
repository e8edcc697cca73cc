//! Tests of `lasso`, in one program: the engine is linked once.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails where a test would")]

mod by_parts;
mod certificate;
mod checkpoint;
mod command_line;
mod common;
mod cross_validation;
mod digests;
mod dual;
mod explained;
mod extremes;
mod given_lambdas;
mod large_sets;
#[path = "../../../tests/leaving/mod.rs"]
mod leaving;
mod logistic;
mod multinomial;
mod observed_folds;
mod poisson;
mod real;
mod replay;
mod row_changes;
mod schedules;
mod splits;
#[path = "../../../tests/stopping/mod.rs"]
mod stopping;
mod stops;
mod terms;
