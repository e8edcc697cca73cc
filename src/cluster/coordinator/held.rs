//! Held runs: the holder, and the boundary at which the run waits for it.

use super::{Action, Coordinator, HoldState, Order, Place};
use crate::cluster::held_boundary::{HeldBoundary, HeldStatus};
use crate::cluster::protocol::{AdminRequest, AdminResponse};

impl HoldState {
    /// Makes the state of a run that this admin client held in the attempt before, if one did.
    pub(super) fn by(holder: Option<u64>) -> Self {
        Self { holder, ..Self::default() }
    }

    /// Handles the end of the connection of an admin client.
    pub(super) fn left_by(&mut self, admin: u64) {
        self.holder.take_if(|holder| *holder == admin);
    }
}

impl Coordinator {
    /// Handles the report that the first process is at a boundary: the holder decides, unless the run ends
    /// there. A repeated report counts once.
    pub(super) fn on_held_boundary(&mut self, mut boundary: HeldBoundary) {
        let place = (boundary.generation, boundary.epoch);
        if place <= self.held.last {
            return;
        }
        self.held.last = place;
        boundary.workers = self.plan.as_ref().map_or(1, |plan| plan.asked as usize);
        if self.stop_is_requested && !boundary.is_last {
            return self.release(place);
        }
        self.show(&boundary);
        self.held.at = Some(boundary).filter(|boundary| !boundary.is_last);
    }

    /// Handles a request of the holder; requests of other clients are refused.
    pub(super) fn on_holder(&mut self, admin: u64, request: &AdminRequest) {
        let answer = match *request {
            AdminRequest::Hold if !self.config.held => {
                AdminResponse::Refused("the run is not held: start it with raddle launch --held".into())
            }
            AdminRequest::Hold if self.held.holder.is_some() => {
                AdminResponse::Refused("the run has another holder, which must end first".into())
            }
            AdminRequest::Hold => {
                self.held.holder = Some(admin);
                self.out.push(Action::AdminResponse { admin, answer: AdminResponse::Holds });
                let at = self.held.at.clone();
                return at.iter().for_each(|at| self.show(at));
            }
            _ if self.held.holder != Some(admin) => {
                AdminResponse::Refused("only the holder of the run decides how it continues".into())
            }
            AdminRequest::GoOn { generation, epoch, workers } => {
                let place = (generation, epoch);
                if self.leave_boundary(place) {
                    let workers = u64::from(workers.max(1));
                    self.workers = Some(workers);
                    if self.plan.as_ref().is_some_and(|plan| plan.asked != workers) {
                        self.end_at_boundary();
                    }
                    self.release(place);
                }
                return;
            }
            AdminRequest::Pause { generation, epoch } => {
                if self.held.at.as_ref().is_some_and(|at| (at.generation, at.epoch) == (generation, epoch)) {
                    self.note("paused by its holder".into());
                    self.request_stop();
                }
                return;
            }
            AdminRequest::Status
            | AdminRequest::Offer
            | AdminRequest::Rescale { .. }
            | AdminRequest::Join { .. }
            | AdminRequest::Exited { .. } => return,
        };
        self.out.push(Action::AdminResponse { admin, answer });
    }

    /// Ends the run after the current epoch, or at the boundary at which it waits.
    pub(super) fn request_stop(&mut self) {
        self.stop_is_requested = true;
        self.stop();
        if let Some(at) = self.held.at.take() {
            self.release((at.generation, at.epoch));
        }
    }

    /// Returns the state of a held run; `None` if the run is not held.
    pub(super) fn held_status(&self) -> Option<HeldStatus> {
        let HoldState { holder, at, .. } = &self.held;
        self.config.held.then_some(HeldStatus { waits: at.is_some(), has_holder: holder.is_some() })
    }

    /// Lets the run leave this boundary; returns `true` if it was waiting there.
    fn leave_boundary(&mut self, place: Place) -> bool {
        self.held.at.take_if(|at| (at.generation, at.epoch) == place).is_some()
    }

    fn release(&mut self, (generation, epoch): Place) {
        if let Some(first) = self.first() {
            self.send(first, Order::GoOn { generation, epoch });
        }
    }

    fn show(&mut self, boundary: &HeldBoundary) {
        if let Some(admin) = self.held.holder {
            let answer = AdminResponse::Boundary(boundary.clone());
            self.out.push(Action::AdminResponse { admin, answer });
        }
    }
}
