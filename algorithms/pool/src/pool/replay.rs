//! [`Replay`]: a pool as it was, from what was kept of it.

use std::collections::BTreeMap;

use super::event::{Event, What};
use super::settings::Settings;
use super::state::Pool;
use crate::policy::names::Unknown;

/// A pool as it was, from what was kept of it, line by line.
pub struct Replay {
    /// The pool.
    pub pool: Pool,
    /// What jobs had told, by counted cost, before their turn had come; by their names.
    pub told: BTreeMap<String, What>,
}

impl Replay {
    /// A pool of which nothing was kept yet.
    ///
    /// # Errors
    /// No policy has the name.
    pub fn new(settings: Settings) -> Result<Self, Unknown> {
        Ok(Self { pool: Pool::new(settings)?, told: BTreeMap::new() })
    }

    /// Takes in an event. What followed from it was done then, or follows when the pool is carried on.
    pub fn event(&mut self, event: &Event) {
        self.pool.apply(event);
        match &event.what {
            What::Boundary(_) | What::Ended { .. } => {
                event.what.job().map(|job| self.told.remove(job));
            }
            // Its end is what comes now.
            What::Cancelled { job } => {
                self.told.retain(|name, what| name != job || !matches!(what, What::Boundary(_)));
            }
            _ => {}
        }
    }

    /// Takes in what a job told.
    pub fn told(&mut self, what: What) {
        if let Some(job) = what.job() {
            self.told.insert(job.to_owned(), what);
        }
    }
}
