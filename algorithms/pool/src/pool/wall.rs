//! [`by_wall`]: drives a pool by real time.

use super::event::{Event, EventKind};
use super::fit::Fit;
use super::request::Request;
use super::runs::{Carried, Keep, Runs, act};
use super::state::Pool;

/// Drives a pool until all jobs are over, or until it was interrupted and all jobs are paused. A pool that
/// had live jobs is [reopened](EventKind::Reopened) first: none of its processes may be alive. Then
/// `submitted` is submitted.
///
/// # Errors
/// If an event cannot be stored.
pub fn by_wall<K: Keep>(
    pool: &mut Pool,
    submitted: Vec<Request>,
    runs: &mut dyn Runs,
    keep: &mut K,
) -> Result<Carried, K::Error> {
    let was_open = pool.is_stopping() || pool.fits().iter().any(Fit::is_alive);
    let reopened = Some(EventKind::Reopened).filter(|_| was_open);
    let submitted = (!submitted.is_empty()).then_some(EventKind::Submitted(submitted));
    for what in reopened.into_iter().chain(submitted) {
        step(pool, Event { at: runs.now(), what }, runs, keep)?;
    }
    while !pool.is_over() {
        let wakes = pool.wakes();
        if wakes.is_none() && !pool.fits().iter().any(Fit::is_awaited) {
            return Ok(Carried::Stalled);
        }
        let event = runs.next(wakes);
        step(pool, event, runs, keep)?;
    }
    Ok(if pool.is_stopping() { Carried::Interrupted } else { Carried::Over })
}

/// Stores and applies an event, and carries out the resulting actions.
fn step<K: Keep>(pool: &mut Pool, event: Event, runs: &mut dyn Runs, keep: &mut K) -> Result<(), K::Error> {
    keep.event(&event)?;
    let actions = pool.apply(&event);
    actions.iter().for_each(|action| act(runs, pool, action));
    keep.shown(pool, &event, &actions);
    Ok(())
}
