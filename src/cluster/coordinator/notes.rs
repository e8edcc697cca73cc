//! Notes, each worth a line: on the launcher's screen, and in the status.

use std::collections::VecDeque;

use super::{Action, Coordinator, MemberState};

/// Notes that the status shows.
const SHOWN: usize = 8;
/// Different lines about those who are turned away: strangers do not fill a screen.
const TURNED_AWAY: usize = 8;

/// A note.
#[derive(Debug, Default)]
pub(super) struct Notes {
    last: VecDeque<String>,
    turned_away: Vec<String>,
}

impl Notes {
    pub(super) fn last(&self) -> Vec<String> {
        self.last.iter().cloned().collect()
    }
}

impl Coordinator {
    /// Something is worth a line on the screen, and in the status.
    pub(super) fn note(&mut self, text: String) {
        self.remember(text.clone());
        self.out.push(Action::Note(text));
    }

    /// Adds a note, unless it is one of the last already.
    pub(super) fn note_once(&mut self, text: String) {
        if !self.notes.last.contains(&text) {
            self.note(text);
        }
    }

    /// Adds a note that a process says on the screen. What is said again stands once.
    pub(super) fn remember(&mut self, text: String) {
        self.notes.last.retain(|before| *before != text);
        self.notes.last.push_back(text);
        if self.notes.last.len() > SHOWN {
            self.notes.last.pop_front();
        }
    }

    /// Somebody was not let in. One that was given a place has none any more.
    pub(super) fn turned_away(&mut self, of: Option<u32>, why: String) {
        let has_place = |of: &u32| {
            self.members
                .get(of)
                .is_some_and(|member| !member.spawned_here && member.state == MemberState::Preparing)
        };
        if let Some(of) = of.filter(has_place) {
            self.members.remove(&of);
        }
        let told = &mut self.notes.turned_away;
        if !told.contains(&why) && told.len() < TURNED_AWAY {
            told.push(why.clone());
            self.note(why);
        }
    }
}
