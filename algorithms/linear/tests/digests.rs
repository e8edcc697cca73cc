//! The models of `linear` are those of `tests/digests.tsv`, bit for bit.

#[path = "../../../tests/digests/mod.rs"]
mod rows;

#[test]
fn models_keep_their_bits() {
    rows::check("linear", env!("CARGO_BIN_EXE_linear"));
}
