//! The models of `mf` are those of `tests/digests.tsv`, bit for bit.

#[path = "../../../tests/digests/mod.rs"]
mod rows;

#[test]
fn models_keep_their_bits() {
    rows::check("mf", env!("CARGO_BIN_EXE_mf"));
}
