//! A package of tests alone: see `main.rs` beside this file, and `README.md`.
