//! [`Tokenizer`]: the rule that splits texts into words, and [`Words`], its kind.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The kind of a rule that splits text into words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Words {
    /// Word boundaries of Unicode's Annex 29, with the details in [`Tokenizer`].
    #[default]
    Unicode,
    /// Pieces between blanks, for text that was split into words before.
    Blanks,
    /// Runs of 3 to 20 letters: the rule of old models, whose files name none.
    Letters,
}

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unicode => "unicode",
            Self::Blanks => "blanks",
            Self::Letters => "letters",
        })
    }
}

impl FromStr for Words {
    type Err = String;

    /// Parses `unicode` or `blanks`; `letters` is not available for new texts.
    fn from_str(name: &str) -> Result<Self, String> {
        let of = [Self::Unicode, Self::Blanks].into_iter().find(|words| words.to_string() == name);
        of.ok_or_else(|| format!("`{name}` is no rule for words: choose unicode or blanks"))
    }
}

/// Version of the rules for new texts.
const VERSION: u32 = 1;

/// The rule that splits texts into words. A text's words do not depend on other texts.
///
/// Words are in lower case, composed (NFC), and without invisible characters (soft hyphens, direction marks).
/// In limits on letters, marks and digits count as letters.
///
/// - [`Words::Unicode`]: word boundaries of Unicode's Annex 29; a colon separates words, as in ICU, and
///   connectors (`_`) at the ends of a word are dropped. A word has a letter (numbers are left out), at least
///   [`Tokenizer::min_letters`] and at most 50. In scripts without blanks between words, a short piece
///   between blanks (up to 5 characters of Han and kana, up to 10 letters of Thai, Lao, Khmer and Burmese) is
///   taken for one word, as text that was split before has it.
/// - [`Words::Blanks`]: each piece between blanks that has a letter or a digit is a word, with its
///   punctuation.
///
/// ```
/// use raddle_datasets::Tokenizer;
/// let words = |text: &str| {
///     let mut words = Vec::new();
///     Tokenizer::default().tokens(text, |word| words.push(word.to_owned()));
///     words
/// };
/// let text = "The ship's Logbook, No. 7: Ärger at sea!";
/// assert_eq!(words(text), ["the", "ship's", "logbook", "no", "ärger", "at", "sea"]);
/// assert_eq!(words("味道 不错 covid19"), ["味道", "不错", "covid19"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokenizer {
    pub(super) words: Words,
    pub(super) min_letters: Option<u32>,
    version: u32,
}

impl Default for Tokenizer {
    fn default() -> Self {
        Self::new(Words::Unicode, None)
    }
}

impl Tokenizer {
    /// Makes a rule. Without `min_letters`, a word by Unicode's boundaries has 2 letters or more, but 1 is
    /// enough if it is of Han, kana, Hangul, Thai, Lao, Khmer or Burmese; a word between blanks has 1 or
    /// more.
    pub fn new(words: Words, min_letters: Option<u32>) -> Self {
        Self { words, min_letters, version: VERSION }
    }

    /// Returns the rule of old models, whose files name none: runs of 3 to 20 letters.
    pub fn of_old_models() -> Self {
        Self::new(Words::Letters, None)
    }

    /// Returns the kind of the rule.
    pub fn words(&self) -> Words {
        self.words
    }

    /// Returns the minimum of letters in a word, if one was given.
    pub fn min_letters(&self) -> Option<u32> {
        self.min_letters
    }

    /// Returns `true` if this version of the library implements the rule: one read from a file may be newer.
    pub fn is_known(&self) -> bool {
        self.version == VERSION
    }
}

impl fmt::Display for Tokenizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.min_letters {
            None => write!(f, "{}", self.words),
            Some(least) => write!(f, "{}, {least} letters or more", self.words),
        }
    }
}
