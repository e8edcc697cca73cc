//! Properties of characters that matter for words: scripts without blanks, syllables, connectors, and
//! invisible characters.

/// Scripts without blanks between words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unspaced {
    /// Thai, Lao, Burmese, Khmer, Tai Le, New Tai Lue, Tai Tham, Tai Viet.
    Thai,
    /// Iteration marks, hiragana, bopomofo, Han.
    Han,
    /// Katakana, which Annex 29 keeps together.
    Katakana,
}

fn unspaced(letter: char) -> Option<Unspaced> {
    let script = match u32::from(letter) {
        ..0xE00 => None,
        0xE00..=0xEFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x1950..=0x19DF | 0x1A20..=0x1AAF => {
            Some(Unspaced::Thai)
        }
        0xA9E0..=0xA9FF | 0xAA60..=0xAADF => Some(Unspaced::Thai),
        0x30A1..=0x30FF | 0x31F0..=0x31FF | 0xFF66..=0xFF9F => Some(Unspaced::Katakana),
        0x3005..=0x3007 | 0x3021..=0x3029 | 0x3041..=0x309F | 0x3105..=0x312F | 0x31A0..=0x31BF => {
            Some(Unspaced::Han)
        }
        0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x1AFF0..=0x1B16F | 0x20000..=0x3FFFF => {
            Some(Unspaced::Han)
        }
        _ => None,
    };
    script.filter(|_| letter.is_alphabetic())
}

/// Letters of scripts without blanks between words in a piece between blanks.
#[derive(Clone, Copy, Default)]
pub(super) struct Piece {
    /// Number of such letters; 0 if all are katakana.
    pub(super) letters: u64,
    /// Weight: 2 for each letter of Han and kana, 1 for each of the others.
    weight: usize,
}

/// Largest weight of a piece that may be one word: 5 letters of Han and kana, 10 of Thai.
const CUT: usize = 10;

impl Piece {
    pub(super) fn of(text: &str) -> Self {
        let (mut piece, mut needs_cutting) = (Self::default(), false);
        for script in text.chars().filter_map(unspaced) {
            piece.letters += 1;
            piece.weight += if script == Unspaced::Thai { 1 } else { 2 };
            needs_cutting |= script != Unspaced::Katakana;
        }
        if needs_cutting { piece } else { Self::default() }
    }

    /// Returns `true` if the piece is taken for one word of text that was split before.
    pub(super) fn is_cut(self) -> bool {
        (1..=CUT).contains(&self.weight)
    }

    /// Returns `true` if the piece is longer than one word.
    pub(super) fn is_long(self) -> bool {
        self.weight > CUT
    }
}

/// Returns `true` if this letter alone may be a word, as syllables and ideographs may: letters of scripts
/// without blanks, and Hangul.
pub(super) fn is_syllabic(letter: char) -> bool {
    matches!(u32::from(letter), 0x1100..=0x11FF | 0x3130..=0x318F | 0xA960..=0xA97F | 0xAC00..=0xD7FF)
        || unspaced(letter).is_some()
}

/// Returns `true` if a character separates words as blanks do: white space, and the zero-width space of Thai
/// and Khmer.
pub(super) fn is_blank(letter: char) -> bool {
    letter.is_whitespace() || letter == '\u{200b}'
}

/// Returns `true` for invisible characters that separate nothing: soft hyphens, direction marks, byte order
/// marks.
pub(super) fn is_unseen(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Returns `true` for characters that join words and are dropped at their ends: connectors such as `_`, and
/// the zero-width joiners.
pub(super) fn is_connector(letter: char) -> bool {
    matches!(
        letter,
        '_' | '\u{200c}'
            | '\u{200d}'
            | '\u{203f}'
            | '\u{2040}'
            | '\u{2054}'
            | '\u{fe33}'
            | '\u{fe34}'
            | '\u{fe4d}'..='\u{fe4f}' | '\u{ff3f}'
    )
}
