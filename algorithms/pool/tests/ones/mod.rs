//! ONES on the published workloads, and its operators.

mod operators;
mod variants;
