//! Decisions: the jobs of a [`Pool`] as its policy sees them, and the shares and promises that it gives them.

use super::fit::{End, Fit};
use super::state::Pool;
use crate::policy::{Allocation, Job, JobId, Promise, Unfit, promisable};

impl Pool {
    /// A job as policies see it. A profile of its own says more of its speed-up than other jobs do.
    pub(super) fn view(&self, fit: &Fit, id: JobId, is_deciding: bool) -> Job {
        let learnt = self.serial.get(&fit.program).filter(|_| fit.request.profile.is_none());
        fit.view(id, is_deciding, learnt.copied().unwrap_or(fit.serial))
    }

    /// Asks the policy for the shares of all jobs.
    pub(super) fn decide(&mut self, decider: Option<usize>) {
        let here = self.by_id.iter().enumerate().filter(|(_, at)| !self.fits[**at].is_over());
        let views: Vec<Job> =
            here.map(|(id, &at)| self.view(&self.fits[at], JobId(id as u32), decider == Some(at))).collect();
        if views.is_empty() {
            return;
        }
        let Allocation { placements, promises, .. } = self.policy.decide(self.now, &self.cluster, &views);
        // A policy cannot grant more workers than there are.
        let mut free = self.settings.workers;
        for view in &views {
            let fit = &mut self.fits[self.by_id[view.id.0 as usize]];
            let share = placements.get(&view.id).map_or(0, |placement| placement.workers());
            fit.share = share.min(fit.most()).min(free);
            free -= fit.share;
        }
        for (id, promise) in promises {
            let Some(&at) = self.by_id.get(id.0 as usize) else { continue };
            if self.fits[at].promise.is_some() {
                continue;
            }
            self.fits[at].promise = Some(promise);
            if let Promise::Refused(earliest) = promise {
                let unfit = views.iter().find(|view| view.id == id);
                let unfit = unfit.and_then(|view| promisable(self.now, &self.cluster, view).err());
                self.over(at, End::Refused { why: refusal(self.now, earliest, unfit) });
            }
        }
    }
}

/// Message of a refusal.
fn refusal(now: f64, earliest: Option<f64>, unfit: Option<Unfit>) -> String {
    match (unfit, earliest) {
        (Some(unfit), _) => unfit.to_string(),
        (None, Some(end)) => format!(
            "the earliest end that could be promised is {:.1} s from its arrival: give it a later deadline",
            end - now
        ),
        (None, None) => {
            "no end within the planned hours is worth its price: give it a larger value or a later deadline"
                .into()
        }
    }
}
