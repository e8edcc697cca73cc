//! Tests of ONES on the published workloads, and of the parts of its variants.

mod operators;
mod variants;
