//! [`Places`]: the workers that one thread carries.
//!
//! A thread usually carries one worker. If there are more workers than cores it carries several, and messages
//! between them never leave the thread, so that surplus workers cost no switches between threads.

use crate::program::Program;
use crate::run::message::Message;
use crate::run::place::{Outbox, Place};

/// Neighbouring workers, at least one, that take turns on one thread.
pub(crate) struct Places<P: Program> {
    first: u32,
    places: Vec<Place<P>>,
    /// The worker whose turn it is, counted from the last one if `reversed`.
    turn: usize,
    reversed: bool,
    /// `true` once the hub was woken because a place gave its work up.
    told: bool,
}

impl<P: Program> Places<P> {
    /// Makes the places of the workers from `first` on.
    pub(crate) fn new(first: u32, places: Vec<Place<P>>, reversed: bool) -> Self {
        Self { first, places, turn: 0, reversed, told: false }
    }

    pub(crate) fn first(&self) -> &Place<P> {
        &self.places[0]
    }

    /// Iterates over the places, with the numbers of their workers.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (u32, &mut Place<P>)> {
        (self.first..).zip(&mut self.places)
    }

    /// Receives a message to one of these workers.
    pub(crate) fn receive(&mut self, to: u32, message: Message<P>) {
        if let Some(place) = to.checked_sub(self.first).and_then(|at| self.places.get_mut(at as usize)) {
            place.receive(message);
        }
    }

    /// Does one piece of work, of the worker that has waited longest. Returns `true` if there was any;
    /// messages to other threads are put into `out`.
    ///
    /// # Errors
    /// If a snapshot cannot be read back.
    pub(crate) fn run(&mut self, out: &mut Outbox<P>) -> Result<bool, String> {
        for _ in 0..self.places.len() {
            let turn = self.turn;
            self.turn = (turn + 1) % self.places.len();
            let at = if self.reversed { self.places.len() - 1 - turn } else { turn };
            if !self.places[at].left && self.places[at].run(out)? {
                self.deliver(out);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Delivers the messages that stay on this thread.
    fn deliver(&mut self, out: &mut Outbox<P>) {
        let here = self.first..self.first + self.places.len() as u32;
        for (to, message) in out.extract_if(.., |(to, _)| here.contains(to)) {
            self.places[(to - self.first) as usize].receive(message);
        }
    }

    /// `true` if there is no current work, and none waits.
    pub(crate) fn are_idle(&self) -> bool {
        self.places.iter().all(Place::is_idle)
    }

    /// `true` if a place gave its work up since the last call.
    pub(crate) fn gave_up(&mut self) -> bool {
        let gave_up = self.places.iter().any(Place::gave_up);
        gave_up && !std::mem::replace(&mut self.told, true)
    }

    /// `true` if all have left the generation.
    pub(crate) fn have_left(&self) -> bool {
        self.places.iter().all(|place| place.left)
    }
}
