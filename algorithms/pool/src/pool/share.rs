//! [`share_out`]: the actions that give jobs the shares a policy decided on, as far as workers are free.

use super::event::Action;
use super::fit::{Fit, Phase};
use super::settings::Settings;

/// Gives jobs their shares. The workers of a job change only at its own boundary, so a share that another job
/// still holds is waited for.
pub(super) fn share_out(settings: &Settings, now: f64, fits: &mut [Fit]) -> Vec<Action> {
    let held: u32 = fits.iter().map(Fit::workers).sum();
    let mut free = settings.workers.saturating_sub(held);
    let mut actions = Vec::new();
    let order = by_arrival(fits);
    for &at in &order {
        let fit = &mut fits[at];
        let workers = fit.share.min(free);
        if fit.phase == Phase::Held && workers >= fit.request.least.max(1) {
            free -= workers;
            fit.run(now, workers);
            actions.push(Action::GoOn { job: fit.name().into(), workers });
        }
    }
    let blocked = start(settings, now, fits, &order, &mut free, &mut actions);
    pause(now, fits, &order, blocked, &mut actions);
    shrink(now, fits, &order, free, &mut actions);
    actions
}

/// Jobs that have arrived and are not over, in order of arrival.
fn by_arrival(fits: &[Fit]) -> Vec<usize> {
    let mut order: Vec<usize> =
        (0..fits.len()).filter(|&at| fits[at].id.is_some() && !fits[at].is_over()).collect();
    order.sort_by_key(|&at| fits[at].id);
    order
}

/// Starts jobs that have no process, and returns the number of those that do not start because too many
/// processes are alive.
fn start(
    settings: &Settings,
    now: f64,
    fits: &mut [Fit],
    order: &[usize],
    free: &mut u32,
    actions: &mut Vec<Action>,
) -> usize {
    let mut alive = fits.iter().filter(|fit| fit.is_alive()).count();
    let mut blocked = 0;
    for &at in order {
        let fit = &mut fits[at];
        if fit.phase != Phase::Queued || fit.share == 0 {
            continue;
        }
        if alive >= settings.alive as usize {
            blocked += 1;
            continue;
        }
        let workers = fit.share.min(*free);
        // A job that cannot grow later waits for its whole share.
        let least = if fit.request.elastic { fit.request.least.max(1) } else { fit.share };
        if workers >= least {
            *free -= workers;
            alive += 1;
            fit.run(now, workers);
            actions.push(Action::Start { job: fit.name().into(), workers });
        }
    }
    blocked
}

/// Pauses jobs without a share, the last to arrive first, so that the `blocked` ones may start.
fn pause(now: f64, fits: &mut [Fit], order: &[usize], blocked: usize, actions: &mut Vec<Action>) {
    let leaving = |fit: &&Fit| matches!(fit.phase, Phase::Pausing { .. } | Phase::Cancelling { .. });
    let missing = blocked.saturating_sub(fits.iter().filter(leaving).count());
    let idle = |fit: &Fit| fit.phase == Phase::Held && fit.share == 0;
    let paused: Vec<usize> =
        order.iter().rev().copied().filter(|&at| idle(&fits[at])).take(missing).collect();
    for at in paused {
        (fits[at].phase, fits[at].since) = (Phase::Pausing { workers: 0 }, now);
        actions.push(Action::Pause { job: fits[at].name().into() });
    }
}

/// Lets jobs without a share continue with their minimum of workers, if no other job is to have the free
/// ones.
fn shrink(now: f64, fits: &mut [Fit], order: &[usize], free: u32, actions: &mut Vec<Action>) {
    let wanted: u32 = order.iter().map(|&at| fits[at].share.saturating_sub(fits[at].workers())).sum();
    let mut idle = free.saturating_sub(wanted);
    for &at in order {
        let fit = &mut fits[at];
        let workers = fit.request.least.max(1);
        if fit.phase == Phase::Held && fit.share == 0 && workers <= idle {
            idle -= workers;
            fit.run(now, workers);
            actions.push(Action::GoOn { job: fit.name().into(), workers });
        }
    }
}
