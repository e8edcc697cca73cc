//! Refusal of invalid checkpoints.

use raddle::state::StateError;

/// Returns an error that names `what` unless `fits` is true.
pub(crate) fn ensure(fits: bool, what: &'static str) -> Result<(), StateError> {
    if fits { Ok(()) } else { Err(StateError::new(what)) }
}
