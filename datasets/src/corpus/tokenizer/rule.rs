//! [`Tokenizer`]: the rule by which texts are divided, and [`Words`], which it is about.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Divider of the words of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Words {
    /// Word boundaries of Unicode's Annex 29, as [`Tokenizer`] says.
    #[default]
    Unicode,
    /// Blanks alone: the text is cut into words already.
    Blanks,
    /// Whatever is no letter; words have 3 to 20 letters. The rule of models that name none.
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

    /// `unicode` or `blanks`; `letters` is not for new texts.
    fn from_str(name: &str) -> Result<Self, String> {
        let of = [Self::Unicode, Self::Blanks].into_iter().find(|words| words.to_string() == name);
        of.ok_or_else(|| format!("`{name}` divides no words: choose unicode or blanks"))
    }
}

/// The version of the rules that new texts are divided by.
const VERSION: u32 = 1;

/// The rule by which texts are divided into words. The same text has the same words whatever is beside it.
///
/// Words are in lower case, composed (NFC), and without characters that nobody sees (soft hyphens, marks of
/// direction). Letters, marks and digits are counted as letters.
///
/// - [`Words::Unicode`]: word boundaries of Unicode's Annex 29, where a colon divides, as in ICU, and
///   connectors (`_`) at the ends of a word do not count. A word has a letter (numbers are left out), at
///   least [`Tokenizer::min_letters`] and at most
///   50. A piece between blanks with a few characters of a script that has no blanks between words (up to 5 of Han
///       and kana, up to 10 letters of Thai, Lao, Khmer and Burmese) is a word as it was cut; a longer one
///       was not cut.
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
/// assert_eq!(words("The ship's Logbook, No. 7: Ärger at sea!"), ["the", "ship's", "logbook", "no", "ärger", "at", "sea"]);
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
    /// A rule. Without `min_letters` a word by Unicode's boundaries has 2 letters or more, but 1 where it has
    /// a letter of Han, kana, Hangul, Thai, Lao, Khmer or Burmese; one between blanks has 1 or more.
    pub fn new(words: Words, min_letters: Option<u32>) -> Self {
        Self { words, min_letters, version: VERSION }
    }

    /// The rule of models that name none: runs of 3 to 20 letters.
    pub fn of_old_models() -> Self {
        Self::new(Words::Letters, None)
    }

    /// Divider of words.
    pub fn words(&self) -> Words {
        self.words
    }

    /// The fewest letters of a word, where they were given.
    pub fn min_letters(&self) -> Option<u32> {
        self.min_letters
    }

    /// `true` if this version of the library has the rule: one that is read from a file may be newer.
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
