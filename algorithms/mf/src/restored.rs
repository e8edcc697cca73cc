//! Refusing what a checkpoint gave back.

use raddle::state::StateError;

/// `what` is refused unless it fits.
pub(crate) fn ensure(fits: bool, what: &'static str) -> Result<(), StateError> {
    if fits { Ok(()) } else { Err(StateError::new(what)) }
}
