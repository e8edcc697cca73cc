//! Sentences in many languages, split at Unicode's word boundaries; the fast path of ASCII gives the same
//! words as the general one.

use proptest::prelude::*;
use unicode_normalization::UnicodeNormalization as _;

use super::sieve::Sieve;
use super::{Tokenizer, TokensLeftOut, Words, unicode};

fn divided(rule: Tokenizer, text: &str) -> (Vec<String>, TokensLeftOut) {
    let mut words = Vec::new();
    let left_out = rule.tokens(text, |word| words.push(word.to_owned()));
    (words, left_out)
}

fn words(text: &str) -> Vec<String> {
    divided(Tokenizer::default(), text).0
}

fn of_letters(least: u32) -> Tokenizer {
    Tokenizer::new(Words::Unicode, Some(least))
}

fn between_blanks(text: &str) -> (Vec<String>, TokensLeftOut) {
    divided(Tokenizer::new(Words::Blanks, None), text)
}

/// Pairs (text, its words separated by `|`), of words of any length.
const SENTENCES: [(&str, &str); 24] = [
    // English: digits and apostrophes inside words, hyphens between them.
    (
        "The ship's log, x1 & covid19: a well-known no. 7 (e.g. U.S.A.) don’t",
        "the|ship's|log|x1|covid19|a|well|known|no|e.g|u.s.a|don’t",
    ),
    ("3.14 1,000 2020 1st v1.2 snake_case _emphasis_ key:value", "1st|v1.2|snake_case|emphasis|key|value"),
    ("I think, therefore I am.", "i|think|therefore|i|am"),
    // German, French, Turkish, Swedish.
    (
        "Die Straße der Donaudampfschifffahrtsgesellschaft heißt ÄRGER.",
        "die|straße|der|donaudampfschifffahrtsgesellschaft|heißt|ärger",
    ),
    ("L'élève préfère la fenêtre ; où ça ?", "l'élève|préfère|la|fenêtre|où|ça"),
    ("« Bonjour\u{202f}! » dit-elle à 10\u{202f}000 naïfs.", "bonjour|dit|elle|à|naïfs"),
    ("İstanbul'da ILIK", "i\u{307}stanbul'da|ilik"),
    // Greek, with its final sigma; Russian; Ukrainian with an apostrophe.
    ("Ο ΟΔΥΣΣΕΥΣ γύρισε σπίτι.", "ο|οδυσσευς|γύρισε|σπίτι"),
    ("Ёлка стоит в лесу, а не дома!", "ёлка|стоит|в|лесу|а|не|дома"),
    ("Здоров'я та м’яч", "здоров'я|та|м’яч"),
    // Hebrew, with quotes inside a word; Arabic, with vowel and direction marks; Persian with its joiner.
    ("צה\"ל ישב בבית שלי.", "צה\"ל|ישב|בבית|שלי"),
    ("\u{200f}اللغة العربيّة جميلة، وهي قديمة\u{200f}.", "اللغة|العربيّة|جميلة|وهي|قديمة"),
    ("می\u{200c}خواهم کتاب\u{200c} بخوانم", "می\u{200c}خواهم|کتاب|بخوانم"),
    // Hindi: marks are letters of their words. Tamil.
    ("हिन्दी पुस्तक अच्छी है। विद्यालय में", "हिन्दी|पुस्तक|अच्छी|है|विद्यालय|में"),
    ("தமிழ் மொழி", "தமிழ்|மொழி"),
    // Korean and Vietnamese have blanks.
    ("나는 학교에 갑니다. 물 한 잔", "나는|학교에|갑니다|물|한|잔"),
    ("Tôi yêu Hà Nội", "tôi|yêu|hà|nội"),
    // Chinese that was split before, with its punctuation, digits and Latin words.
    ("味道 不错 ， 环境 很好 。 我 在 2020年 用 AI", "味道|不错|环境|很好|我|在|2020年|用|ai"),
    ("不错，环境 T恤\u{3000}北京", "不错|环境|t恤|北京"),
    // Text that was not split: Annex 29 gives single ideographs and kana, but keeps katakana together.
    ("我喜欢北京，天气很好。", "我|喜|欢|北|京|天|气|很|好"),
    ("東京タワーに行きました", "東|京|タワー|に|行|き|ま|し|た"),
    ("東京 タワー に 行き まし た インターネット", "東京|タワー|に|行き|まし|た|インターネット"),
    // Thai, split at blanks and at zero-width spaces; Khmer.
    ("ฉัน รัก ภาษา ไทย กิน\u{200b}ข้าว", "ฉัน|รัก|ภาษา|ไทย|กิน|ข้าว"),
    ("ខ្ញុំ ស្រលាញ់ ភាសា ខ្មែរ", "ខ្ញុំ|ស្រលាញ់|ភាសា|ខ្មែរ"),
];

#[test]
fn sentences_have_the_words_of_their_language() {
    for (text, expected) in SENTENCES {
        let expected: Vec<&str> = expected.split('|').collect();
        assert_eq!(divided(of_letters(1), text).0, expected, "{text}");
        // Composed and decomposed letters, as macOS and PDF write them, give the same words.
        let decomposed: String = text.nfd().collect();
        assert_eq!(divided(of_letters(1), &decomposed).0, expected, "{text}, decomposed");
        // Words split into themselves, except those of unsplit text, which blanks in between would split.
        let again = expected.join(" ");
        assert_eq!(divided(of_letters(1), &again).0, expected, "{text}, once more");
    }
}

#[test]
fn one_letter_is_a_word_where_letters_are_syllables() {
    assert_eq!(words("I am a poet: 我 是 诗人, 물, か, x"), ["am", "poet", "我", "是", "诗人", "물", "か"]);
    assert_eq!(divided(of_letters(3), "am poet 诗人 विद्या").0, ["poet", "विद्या"]);
    assert_eq!(words("AI EU x1 的"), ["ai", "eu", "x1", "的"]);
}

#[test]
fn what_is_left_out_is_counted_by_reason() {
    let long = "a".repeat(51);
    let (kept, left_out) =
        divided(Tokenizer::default(), &format!("a b 7 3.14 word {long} 2,000 _ -- {}", "b".repeat(50)));
    assert_eq!(kept, ["word".to_owned(), "b".repeat(50)]);
    assert_eq!(left_out, TokensLeftOut { short: 2, long: 1, numbers: 3, ..TokensLeftOut::default() });
    let said = left_out.notes(&Tokenizer::default());
    assert_eq!(said, ["tokens left out: 2 of one letter, 1 of more than 50 letters, 3 numbers"]);
    let (_, left_out) = divided(of_letters(4), "the ship at sea");
    assert_eq!(left_out.notes(&of_letters(4)), ["tokens left out: 3 of fewer than 4 letters"]);
    assert!(TokensLeftOut::default().notes(&Tokenizer::default()).is_empty());
}

#[test]
fn blanks_alone_divide_what_is_cut_already() {
    let (kept, left_out) =
        between_blanks("New_York don't C++\t#tag ， 2020 的 ‐ Straße\u{3000}中华人民共和国");
    assert_eq!(kept, ["new_york", "don't", "c++", "#tag", "2020", "的", "straße", "中华人民共和国"]);
    assert_eq!(left_out.by_reason(&Tokenizer::default()), [("without a letter or digit".to_owned(), 2)]);
    let pairs = divided(Tokenizer::new(Words::Blanks, Some(2)), "我 不错 x ab").0;
    assert_eq!(pairs, ["不错", "ab"]);
}

#[test]
fn text_without_blanks_that_is_not_cut_is_named() {
    let named = |rule: Tokenizer, text: &str| {
        let notes = divided(rule, text).1.notes(&rule);
        notes.into_iter().filter(|note| note.contains("this text has no blanks")).collect::<Vec<_>>()
    };
    let blanks = Tokenizer::new(Words::Blanks, None);
    for text in [
        "我喜欢北京，天气很好。",
        "今天天气很好我们去公园",
        "ฉันรักภาษาไทยและชอบอ่านหนังสือ",
        "a long English text with 我喜欢学习自然语言处理",
    ] {
        let found = named(Tokenizer::default(), text);
        assert!(found.len() == 1 && found[0].contains("give --words blanks"), "{text}: {found:?}");
        assert!(named(blanks, text).len() == 1 && !named(blanks, text)[0].contains("--words"), "{text}");
    }
    let cut = "味道 不错 环境 很好 服务 周到 中华人民共和国";
    for text in [cut, "ฉัน รัก ภาษา ไทย", "インターネット プログラミング", "나는 학교에 갑니다", "English"]
    {
        assert!(named(Tokenizer::default(), text).is_empty() && named(blanks, text).is_empty(), "{text}");
    }
}

#[test]
fn the_rule_of_old_models_is_kept() {
    let (kept, left_out) = divided(
        Tokenizer::of_old_models(),
        "one\r\ntwo_three4five ÄÖÜ ab préfère don't 12 味道 aaaaaaaaaaaaaaaaaaaaa",
    );
    assert_eq!(kept, ["one", "two", "three", "five", "äöü", "préfère", "don"]);
    assert_eq!((left_out.short, left_out.long), (3, 1));
}

#[test]
fn rules_are_stored_and_newer_ones_are_known_as_such() {
    for rule in [Tokenizer::default(), of_letters(3), Tokenizer::of_old_models()] {
        let text = serde_json::to_string(&rule).expect("a rule");
        let read: Tokenizer = serde_json::from_str(&text).expect("what was written");
        assert!(read == rule && read.is_known(), "{text}");
    }
    let newer: Tokenizer =
        serde_json::from_str(r#"{"words": "unicode", "min_letters": null, "version": 9}"#).expect("a rule");
    assert!(!newer.is_known());
}

/// Returns the words by the general path alone.
fn long_way(text: &str) -> (Vec<String>, TokensLeftOut) {
    let mut words = Vec::new();
    let mut sieve = Sieve::new(Some(1), |word: &str| words.push(word.to_owned()));
    let pieces = text.split(char::is_whitespace).filter(|piece| !piece.is_empty());
    pieces.for_each(|piece| unicode::words_of(piece, &mut sieve));
    let left_out = sieve.left_out;
    (words, left_out)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn the_short_way_is_the_long_way(
        text in "[aZ19_.,;:'\" \\-\n]{0,24}|[ -~\t\r\n]{0,40}|[aZ1_.,': ÀéßÿŁžǅɏДёЖъѣҌԯ]{0,24}|[\u{c0}-\u{24f}\u{400}-\u{52f}'.]{0,16}"
    ) {
        prop_assert_eq!(divided(of_letters(1), &text), long_way(&text));
    }

    /// Words do not depend on text beyond a blank, on how letters are composed, or on being split again.
    #[test]
    fn words_are_those_of_the_pieces(text in "[aZ1_.':é\u{301}ßİΣσ\u{ad}\u{200d}’·א\"あ漢カー\u{e01}\u{e33}가ि]{1,10}", other in "[a漢é. ]{0,6}") {
        let (found, left_out) = divided(of_letters(1), &text);
        let (mut both, mut all) = divided(of_letters(1), &format!("{text} {other}"));
        let (rest, rest_out) = divided(of_letters(1), &other);
        prop_assert_eq!(both.split_off(found.len()), rest);
        prop_assert_eq!(&both, &found);
        let mut sum = left_out;
        sum += rest_out;
        prop_assert_eq!(std::mem::take(&mut all), sum);
        let decomposed: String = text.nfd().collect();
        prop_assert_eq!(&divided(of_letters(1), &decomposed).0, &found);
        for word in &found {
            prop_assert!(word.nfc().eq(word.chars()), "{word}: composed");
        }
    }
}

#[test]
fn rules_have_the_names_that_are_written_but_for_that_of_old_models() {
    for rule in [Words::Unicode, Words::Blanks] {
        assert_eq!(rule.to_string().parse(), Ok(rule));
    }
    assert_eq!((Words::Unicode.to_string(), Words::Blanks.to_string()), ("unicode".into(), "blanks".into()));
    for other in ["letters", "Unicode", "blank", ""] {
        let why = format!("`{other}` is no rule for words: choose unicode or blanks");
        assert_eq!(other.parse::<Words>(), Err(why));
    }
}
