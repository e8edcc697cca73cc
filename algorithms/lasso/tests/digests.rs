//! The models of `lasso` are those of `tests/digests.tsv`, bit for bit.

#[path = "../../../tests/digests/mod.rs"]
mod rows;

#[test]
fn models_keep_their_bits() {
    rows::check("lasso", env!("CARGO_BIN_EXE_lasso"));
}
