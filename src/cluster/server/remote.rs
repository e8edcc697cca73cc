//! [`Remote`]: events from a launcher, and from threads that serve connections, to the coordinator.

use std::sync::mpsc;

use crate::cluster::coordinator::Event;
use crate::cluster::net::socket::Socket;
use crate::cluster::protocol::AdminRequest;

/// News for a coordinator.
pub(super) enum Input {
    /// A process has connected, in the attempt of this number.
    Member(u64, u32, Socket),
    /// An admin client has connected, as the party of this number if the run has parties.
    AdminClient(u32, Socket),
    /// An event, with the number of the attempt that it concerns; `None` for any.
    Event(Option<u64>, Event),
}

/// Handle by which a launcher sends events to the coordinator.
#[derive(Clone)]
pub struct Remote(pub(super) mpsc::Sender<Input>, pub(super) u64);

impl Remote {
    /// Reports that a process has ended: its status, and a description such as `was killed by signal 9`;
    /// `crashed` if it was killed or ended in disorder.
    pub fn exited(&self, of: u32, code: i32, crashed: bool, how: String) {
        self.send(Event::Exited { of, code, crashed, how });
    }

    /// Ends the run after the epoch under way.
    pub fn stop(&self) {
        self.send_to(None, Event::Stop);
    }

    /// Asks for a checkpoint of the next boundary.
    pub fn checkpoint(&self) {
        self.send_to(None, Event::CheckpointAsked);
    }

    /// Adds a line to the screen and to the status.
    #[doc(hidden)]
    pub fn note(&self, text: String) {
        self.send_to(None, Event::Noted(text));
    }

    /// Reports that so few processes of other machines will come that the run cannot begin: before it has
    /// begun it ends with this status and reason.
    #[doc(hidden)]
    pub fn not_coming(&self, code: i32, why: String) {
        self.send_to(None, Event::NotComing { code, why });
    }

    /// Reports why the process of a machine is not there, or `None` once it is.
    #[doc(hidden)]
    pub fn absent(&self, host: &str, why: Option<String>) {
        self.send_to(None, Event::Absent { host: host.to_owned(), why });
    }

    /// Passes on a request of an admin client, which may come in a later attempt than it connected in.
    pub(super) fn ask(&self, admin: u64, request: AdminRequest) {
        self.send_to(None, Event::Asked { admin, request });
    }

    /// Reports that an admin client which held the run, or asked to, is gone.
    pub(super) fn admin_gone(&self, admin: u64) {
        self.send_to(None, Event::AdminGone { admin });
    }

    /// Sends an event of the current attempt.
    pub(super) fn send(&self, event: Event) {
        self.send_to(Some(self.1), event);
    }

    fn send_to(&self, attempt: Option<u64>, event: Event) {
        // The coordinator may have ended.
        let _ = self.0.send(Input::Event(attempt, event));
    }
}
