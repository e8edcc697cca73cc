//! [`Sieve`]: decides which tokens are words, and [`TokensLeftOut`]: counts those that are not.

use std::ops::AddAssign;

use super::rule::{Tokenizer, Words};
use super::scripts::Piece;

/// Limit on the letters of a word by Unicode's boundaries: German compounds have fewer, lines of base64 have
/// more.
pub(super) const LONGEST: usize = 50;

/// Numbers of tokens that are not words, by reason, and of letters that show whether a text was split into
/// words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokensLeftOut {
    /// Tokens with too few letters.
    pub short: u64,
    /// Tokens with too many letters.
    pub long: u64,
    /// Tokens that consist of digits.
    pub numbers: u64,
    /// Tokens without a letter or digit; counted only for pieces between blanks.
    pub marks: u64,
    /// Letters of scripts without blanks between words.
    pub unspaced: u64,
    /// Letters of such scripts in pieces too long for words.
    pub uncut: u64,
}

impl AddAssign for TokensLeftOut {
    fn add_assign(&mut self, other: Self) {
        self.short += other.short;
        self.long += other.long;
        self.numbers += other.numbers;
        self.marks += other.marks;
        self.unspaced += other.unspaced;
        self.uncut += other.uncut;
    }
}

impl TokensLeftOut {
    /// Returns (reason, tokens) for each reason with tokens.
    pub fn by_reason(&self, tokenizer: &Tokenizer) -> Vec<(String, u64)> {
        let (least, most) = match (tokenizer.words(), tokenizer.min_letters()) {
            (Words::Letters, _) => (3, 20),
            (_, least) => (least.unwrap_or(2), LONGEST),
        };
        let short = match least {
            2 => "of one letter".to_owned(),
            least => format!("of fewer than {least} letters"),
        };
        let all = [
            (short, self.short),
            (format!("of more than {most} letters"), self.long),
            ("numbers".into(), self.numbers),
            ("without a letter or digit".into(), self.marks),
        ];
        all.into_iter().filter(|&(_, tokens)| tokens > 0).collect()
    }

    /// Returns notes for users.
    pub fn notes(&self, tokenizer: &Tokenizer) -> Vec<String> {
        let told = |(reason, tokens): &(String, u64)| match (tokens, reason.as_str()) {
            (1, "numbers") => "1 number".to_owned(),
            _ => format!("{tokens} {reason}"),
        };
        let reasons: Vec<String> = self.by_reason(tokenizer).iter().map(told).collect();
        let mut notes = Vec::new();
        if !reasons.is_empty() {
            notes.push(format!("tokens left out: {}", reasons.join(", ")));
        }
        // Text that was split before has a few longer words, too.
        if self.uncut > 0 && 2 * self.uncut >= self.unspaced {
            let (stand, cure) = match tokenizer.words() {
                Words::Unicode => (
                    "single characters stand for its words",
                    "cut it into words first, and give --words blanks",
                ),
                _ => ("whole clauses stand for its words", "cut it into words first"),
            };
            notes.push(format!(
                "{} letters of a script without blanks between words (Chinese, Japanese, Thai, ..) stand in \
                 pieces too long for words: this text has no blanks, and {stand}; {cure}",
                self.uncut
            ));
        }
        notes
    }
}

/// The contents of a token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shape {
    /// Number of letters, marks and digits.
    pub(super) letters: usize,
    /// `true` if one of them is a letter.
    pub(super) has_letter: bool,
    /// `true` if one is of a script whose single characters are words or syllables.
    pub(super) is_syllabic: bool,
}

/// Passes the tokens that are words on to `take`.
pub(super) struct Sieve<T> {
    least: Option<usize>,
    take: T,
    /// The token in progress, in lower case and composed.
    pub(super) word: String,
    pub(super) left_out: TokensLeftOut,
}

impl<T: FnMut(&str)> Sieve<T> {
    pub(super) fn new(least: Option<usize>, take: T) -> Self {
        Self { least, take, word: String::new(), left_out: TokensLeftOut::default() }
    }

    /// Handles a word of ASCII in lower case.
    #[inline]
    pub(super) fn lower_ascii(&mut self, word: &str) {
        self.word.clear();
        self.word.push_str(word);
        self.word.make_ascii_lowercase();
    }

    /// Passes the token on.
    #[inline]
    pub(super) fn give(&mut self) {
        (self.take)(&self.word);
    }

    /// Passes the token on if it is a word by Unicode's boundaries.
    #[inline]
    pub(super) fn offer(&mut self, shape: Shape) {
        let Shape { letters, has_letter, is_syllabic } = shape;
        let least = self.least.unwrap_or(if is_syllabic { 1 } else { 2 });
        if !has_letter {
            self.left_out.numbers += 1;
        } else if letters < least {
            self.left_out.short += 1;
        } else if letters > LONGEST {
            self.left_out.long += 1;
        } else {
            self.give();
        }
    }

    /// Counts the letters of scripts without blanks in a piece between blanks.
    pub(super) fn measure(&mut self, piece: Piece) {
        self.left_out.unspaced += piece.letters;
        self.left_out.uncut += if piece.is_long() { piece.letters } else { 0 };
    }

    /// Passes the token on if it is a word between blanks.
    pub(super) fn offer_piece(&mut self, letters: usize) {
        match letters {
            0 => self.left_out.marks += 1,
            few if few < self.least.unwrap_or(1) => self.left_out.short += 1,
            _ => self.give(),
        }
    }
}
