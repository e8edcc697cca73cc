//! [`Compiled`]: what is compiled for a program once.

/// Pointers to functions, kept where an engine is built: so they are compiled for its program in the crate
/// that builds it, and not again in each crate that runs it, alone or with other processes.
pub(super) trait Compiled: Sized {
    type Functions: Copy;

    const FUNCTIONS: Self::Functions;
}
