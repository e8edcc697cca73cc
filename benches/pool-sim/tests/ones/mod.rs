//! ONES on the published workloads, and what its forms beside that of the pool are made of.

mod random;
mod variants;
