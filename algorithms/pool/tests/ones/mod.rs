//! Operators of ONES.

mod operators;
