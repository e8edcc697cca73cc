//! Word boundaries of any text, and pieces between blanks.

use std::borrow::Cow;

use unicode_normalization::char::is_combining_mark;
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};
use unicode_segmentation::UnicodeSegmentation as _;

use super::scripts::{Piece, is_blank, is_connector, is_syllabic, is_unseen};
use super::sieve::{Shape, Sieve};
use super::simple;

/// Offers the tokens of a text to the sieve.
pub(super) fn words(text: &str, sieve: &mut Sieve<impl FnMut(&str)>) {
    for piece in text.split(|letter: char| letter.is_ascii_whitespace()).filter(|piece| !piece.is_empty()) {
        match simple::is_simple(piece) {
            true => simple::words(piece, sieve),
            false => piece
                .split(is_blank)
                .filter(|piece| !piece.is_empty())
                .for_each(|piece| words_of(piece, sieve)),
        }
    }
}

/// Offers the words of a piece between blanks to the sieve.
pub(super) fn words_of(piece: &str, sieve: &mut Sieve<impl FnMut(&str)>) {
    let text = plain(piece);
    let about = Piece::of(&text);
    sieve.measure(about);
    let mut start = None;
    for (at, segment) in text.split_word_bound_indices() {
        let is_token = segment.chars().any(char::is_alphanumeric);
        match (is_token, about.is_cut()) {
            (true, true) => start = start.or(Some(at)),
            (true, false) => token(segment, sieve),
            (false, _) => {
                if let Some(start) = start.take() {
                    token(&text[start..at], sieve);
                }
            }
        }
    }
    if let Some(start) = start {
        token(&text[start..], sieve);
    }
}

/// Offers the text between two boundaries to the sieve.
fn token(segment: &str, sieve: &mut Sieve<impl FnMut(&str)>) {
    // A colon separates words, as in ICU: only Swedish and Finnish use it inside words.
    for word in segment.split([':', '\u{fe55}', '\u{ff1a}']) {
        let word = word.trim_matches(is_connector);
        let mut shape = Shape::default();
        for letter in word.chars() {
            shape.letters += usize::from(counts(letter));
            shape.has_letter |= letter.is_alphabetic();
            shape.is_syllabic |= is_syllabic(letter);
        }
        if shape.letters > 0 {
            sieve.word.clear();
            sieve.word.push_str(word);
            sieve.offer(shape);
        }
    }
}

/// Offers the pieces between blanks to the sieve.
pub(super) fn pieces(text: &str, sieve: &mut Sieve<impl FnMut(&str)>) {
    for piece in text.split(is_blank).filter(|piece| !piece.is_empty()) {
        if piece.is_ascii() {
            sieve.lower_ascii(piece);
        } else {
            sieve.word.clear();
            sieve.word.push_str(&plain(piece));
            sieve.measure(Piece::of(&sieve.word));
        }
        let is_word = sieve.word.contains(char::is_alphanumeric);
        sieve.offer_piece(if is_word {
            sieve.word.chars().filter(|&letter| counts(letter)).count()
        } else {
            0
        });
    }
}

/// Returns `true` if a character counts as a letter of its word.
fn counts(letter: char) -> bool {
    letter.is_alphanumeric() || (!letter.is_ascii() && is_combining_mark(letter))
}

/// Returns a text in lower case, composed, and without invisible characters.
pub(crate) fn plain(text: &str) -> String {
    let text: Cow<'_, str> = match text.contains(is_unseen) {
        true => text.chars().filter(|&letter| !is_unseen(letter)).collect::<String>().into(),
        false => text.into(),
    };
    let lower = text.to_lowercase();
    match is_nfc_quick(lower.chars()) {
        IsNormalized::Yes => lower,
        _ => lower.nfc().collect(),
    }
}
