//! Splits a text into words by the rule of a [`Tokenizer`].

use super::rule::{Tokenizer, Words};
use super::sieve::{Sieve, TokensLeftOut};
use super::{simple, unicode};

impl Tokenizer {
    /// Calls `take` with the words of a text in their order; returns how many tokens are not words.
    pub fn tokens(&self, text: &str, take: impl FnMut(&str)) -> TokensLeftOut {
        let mut sieve = Sieve::new(self.min_letters.map(|least| least as usize), take);
        match self.words {
            Words::Unicode if text.is_ascii() => simple::words(text, &mut sieve),
            Words::Unicode => unicode::words(text, &mut sieve),
            Words::Blanks => unicode::pieces(text, &mut sieve),
            Words::Letters => letters(text, &mut sieve),
        }
        sieve.left_out
    }
}

/// Splits into the longest runs of letters.
fn letters(text: &str, sieve: &mut Sieve<impl FnMut(&str)>) {
    for word in text.split(|letter: char| !letter.is_alphabetic()).filter(|word| !word.is_empty()) {
        match word.is_ascii() {
            true => sieve.lower_ascii(word),
            false => {
                sieve.word.clear();
                sieve.word.extend(word.chars().flat_map(char::to_lowercase));
            }
        }
        match sieve.word.chars().count() {
            0..3 => sieve.left_out.short += 1,
            3..=20 => sieve.give(),
            _ => sieve.left_out.long += 1,
        }
    }
}
