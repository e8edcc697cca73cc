//! Environment variables by which `raddle launch` and `raddle join` tell a process of its run what the
//! invitation does not.

use std::env;

use raddle::Cluster;
use raddle::command_line_support::FILE;

/// Number of workers of each process.
pub(crate) const WORKERS: &str = "RADDLE_WORKERS";
/// Variable that is set where the process belongs to a later attempt.
pub(crate) const AGAIN: &str = "RADDLE_AGAIN";
/// Variable that is set where the process is the only one of its run.
pub(crate) const ALONE: &str = "RADDLE_ALONE";
/// Variable that `raddle join` sets where the launcher has no process of its own and this one begins the run.
pub(crate) const BEGINS: &str = "RADDLE_BEGINS";

/// Path of the parties file, in each process of a run over parties.
pub(crate) const PARTIES: &str = "RADDLE_PARTIES";

/// `true` if this process makes the run's folder, and shows the progress of all processes: the launcher's
/// first process or, if it has none, the first one that joined.
pub(crate) fn begins(cluster: &Cluster) -> bool {
    cluster.index() == 0 || env::var_os(BEGINS).is_some()
}

/// `true` if this process replaces one of an earlier attempt that ended with a loss.
pub(crate) fn is_again() -> bool {
    env::var_os(AGAIN).is_some()
}

/// `true` if the launcher has started this process as the only one of its run.
pub(crate) fn is_alone() -> bool {
    env::var_os(ALONE).is_some()
}

/// `true` if this process is that of a party, with a folder of its own.
pub(crate) fn is_party() -> bool {
    env::var_os(PARTIES).is_some()
}

/// Returns the number of workers of each process, as set by the launcher; `None` if no launcher has started
/// this process.
pub(crate) fn workers() -> Option<usize> {
    env::var_os(FILE)?;
    env::var(WORKERS).ok()?.parse().ok()
}
