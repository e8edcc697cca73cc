//! [`Replay`]: the state of a pool, restored from its journal.

use std::collections::{BTreeMap, VecDeque};

use super::event::{Event, EventKind};
use super::settings::Settings;
use super::state::Pool;
use crate::policy::names::Unknown;

/// Events that jobs have reported, by counted cost, and that are not applied yet.
#[derive(Debug, Default)]
pub(super) struct Pending(BTreeMap<String, VecDeque<EventKind>>);

impl Pending {
    pub(super) fn tell(&mut self, what: EventKind) {
        if let Some(job) = what.job() {
            self.0.entry(job.to_owned()).or_default().push_back(what);
        }
    }

    /// The earliest pending event of a job.
    pub(super) fn first(&self, job: &str) -> Option<&EventKind> {
        self.0.get(job)?.front()
    }

    pub(super) fn has_boundary(&self, job: &str) -> bool {
        matches!(self.first(job), Some(EventKind::Boundary(_)))
    }

    pub(super) fn has_end(&self, job: &str) -> bool {
        self.0.get(job).and_then(VecDeque::back).is_some_and(|what| matches!(what, EventKind::Ended { .. }))
    }

    /// Removes the reported event that `event` was made of.
    pub(super) fn follow(&mut self, event: &Event) {
        match &event.what {
            EventKind::Boundary(_) | EventKind::Ended { .. } => {
                let told = event.what.job().and_then(|job| self.0.get_mut(job));
                told.and_then(VecDeque::pop_front);
            }
            // The next event of a cancelled job is its end.
            EventKind::Cancelled { job } => {
                let told = self.0.get_mut(job);
                told.into_iter().for_each(|told| told.retain(|what| !matches!(what, EventKind::Boundary(_))));
            }
            _ => {}
        }
    }
}

/// The state of a pool, restored line by line from its journal.
pub struct Replay {
    /// State of the pool.
    pub pool: Pool,
    pub(super) told: Pending,
}

impl Replay {
    /// A pool without any events.
    ///
    /// # Errors
    /// No policy has the name.
    pub fn new(settings: Settings) -> Result<Self, Unknown> {
        Ok(Self { pool: Pool::new(settings)?, told: Pending::default() })
    }

    /// Applies an event. Its actions were carried out then, or follow when the pool is resumed.
    pub fn event(&mut self, event: &Event) {
        self.pool.apply(event);
        self.told.follow(event);
    }

    /// Adds an event that a job has reported and that is not applied yet.
    pub fn told(&mut self, what: EventKind) {
        self.told.tell(what);
    }
}
