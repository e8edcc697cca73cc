//! A package of tests only: see `main.rs` next to this file, and `README.md`.
