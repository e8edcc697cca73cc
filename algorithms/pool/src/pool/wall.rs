//! [`by_wall`]: a pool by the time that passes.

use super::event::{Event, What};
use super::fit::Fit;
use super::request::Request;
use super::runs::{Carried, Keep, Runs, Told, act};
use super::state::Pool;

/// Carries a pool on until all is over, or it was interrupted and all jobs are paused. One that had jobs before is told first that it
/// was [reopened](What::Reopened): the processes of earlier are gone by then. Then it is told what was `submitted`.
///
/// # Errors
/// If an event cannot be kept.
pub fn by_wall<K: Keep>(
    pool: &mut Pool,
    submitted: Vec<Request>,
    runs: &mut dyn Runs,
    keep: &mut K,
) -> Result<Carried, K::Error> {
    let was_open = pool.is_stopping() || pool.fits().iter().any(Fit::is_alive);
    let reopened = Some(What::Reopened).filter(|_| was_open);
    let submitted = (!submitted.is_empty()).then_some(What::Submitted(submitted));
    for what in reopened.into_iter().chain(submitted) {
        step(pool, Told { at: runs.now(), what }, runs, keep)?;
    }
    while !pool.is_over() {
        let wakes = pool.wakes();
        if wakes.is_none() && !pool.fits().iter().any(Fit::is_awaited) {
            return Ok(Carried::Stalled);
        }
        let told = runs.next(wakes);
        step(pool, told, runs, keep)?;
    }
    Ok(if pool.is_stopping() { Carried::Interrupted } else { Carried::Over })
}

/// Takes in what was told, and does what follows.
fn step<K: Keep>(pool: &mut Pool, told: Told, runs: &mut dyn Runs, keep: &mut K) -> Result<(), K::Error> {
    let event = Event { at: told.at, what: told.what };
    keep.event(&event)?;
    let actions = pool.apply(&event);
    actions.iter().for_each(|action| act(runs, pool, action));
    keep.shown(pool, &event, &actions);
    Ok(())
}
