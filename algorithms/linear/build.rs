//! The build script of the programs, which have it in common.

include!("../common/sources.rs");
