//! [`Replay`]: a pool as it was, from what was kept of it.

use std::collections::{BTreeMap, VecDeque};

use super::event::{Event, What};
use super::settings::Settings;
use super::state::Pool;
use crate::policy::names::Unknown;

/// Happenings that jobs have told, by counted cost, before their turn has come.
#[derive(Debug, Default)]
pub(super) struct Pending(BTreeMap<String, VecDeque<What>>);

impl Pending {
    pub(super) fn tell(&mut self, what: What) {
        if let Some(job) = what.job() {
            self.0.entry(job.to_owned()).or_default().push_back(what);
        }
    }

    /// What a job told first.
    pub(super) fn first(&self, job: &str) -> Option<&What> {
        self.0.get(job)?.front()
    }

    pub(super) fn has_boundary(&self, job: &str) -> bool {
        matches!(self.first(job), Some(What::Boundary(_)))
    }

    pub(super) fn has_end(&self, job: &str) -> bool {
        self.0.get(job).and_then(VecDeque::back).is_some_and(|what| matches!(what, What::Ended { .. }))
    }

    /// Forgets what an event is made of.
    pub(super) fn follow(&mut self, event: &Event) {
        match &event.what {
            What::Boundary(_) | What::Ended { .. } => {
                let told = event.what.job().and_then(|job| self.0.get_mut(job));
                told.and_then(VecDeque::pop_front);
            }
            // Its end is what comes now.
            What::Cancelled { job } => {
                let told = self.0.get_mut(job);
                told.into_iter().for_each(|told| told.retain(|what| !matches!(what, What::Boundary(_))));
            }
            _ => {}
        }
    }
}

/// A pool as it was, from what was kept of it, line by line.
pub struct Replay {
    /// The pool.
    pub pool: Pool,
    pub(super) told: Pending,
}

impl Replay {
    /// A pool of which nothing was kept yet.
    ///
    /// # Errors
    /// No policy has the name.
    pub fn new(settings: Settings) -> Result<Self, Unknown> {
        Ok(Self { pool: Pool::new(settings)?, told: Pending::default() })
    }

    /// Takes in an event. What followed from it was done then, or follows when the pool is carried on.
    pub fn event(&mut self, event: &Event) {
        self.pool.apply(event);
        self.told.follow(event);
    }

    /// Takes in what a job told before its turn had come.
    pub fn told(&mut self, what: What) {
        self.told.tell(what);
    }
}
