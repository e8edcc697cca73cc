//! Notes: lines on the launcher's screen and in the status.

use std::collections::VecDeque;

use super::{Action, Coordinator, MemberState};

/// Number of notes that the status shows.
const SHOWN: usize = 8;
/// Limit of different notes about refused connections, so that strangers do not fill the screen.
const TURNED_AWAY: usize = 8;

/// The last notes, and all about refused connections.
#[derive(Debug, Default)]
pub(super) struct Notes {
    last: VecDeque<String>,
    turned_away: Vec<String>,
    /// Number of refused connections.
    refused: u64,
}

impl Notes {
    pub(super) fn last(&self) -> Vec<String> {
        self.last.iter().cloned().collect()
    }

    /// Number of refused connections.
    pub(super) fn refused(&self) -> u64 {
        self.refused
    }
}

impl Coordinator {
    /// Adds a line to the screen and to the status.
    pub(super) fn note(&mut self, text: String) {
        self.add_to_status(text.clone());
        self.out.push(Action::Note(text));
    }

    /// Adds a note, unless it is one of the last already.
    pub(super) fn note_once(&mut self, text: String) {
        if !self.notes.last.contains(&text) {
            self.note(text);
        }
    }

    /// Adds a note only to the status, as a process prints it itself. A repeated note is listed once.
    pub(super) fn add_to_status(&mut self, text: String) {
        self.notes.last.retain(|before| *before != text);
        self.notes.last.push_back(text);
        if self.notes.last.len() > SHOWN {
            self.notes.last.pop_front();
        }
    }

    /// Notes a refused connection. A process that was granted to join loses its grant.
    pub(super) fn turned_away(&mut self, of: Option<u32>, why: String) {
        let has_place = |of: &u32| {
            self.members
                .get(of)
                .is_some_and(|member| !member.spawned_here && member.state == MemberState::Preparing)
        };
        if let Some(of) = of.filter(has_place) {
            self.members.remove(&of);
        }
        self.notes.refused += 1;
        let told = &mut self.notes.turned_away;
        if !told.contains(&why) && told.len() < TURNED_AWAY {
            told.push(why.clone());
            self.note(why);
        }
    }
}
