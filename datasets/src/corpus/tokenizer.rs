//! [`tokens`]: the words of plain text, by rules that fit in a sentence.

/// Letters of the shortest and the longest word that is kept.
const LETTERS: std::ops::RangeInclusive<usize> = 3..=20;

/// The words of a text: longest runs of letters (as Unicode has them), in lower case, of 3 to 20 letters. All else
/// separates words.
///
/// ```
/// use raddle_datasets::tokens;
/// let mut words = Vec::new();
/// tokens("The ship's Logbook, No. 7: Ärger at sea!", |word| words.push(word.to_owned()));
/// assert_eq!(words, ["the", "ship", "logbook", "ärger", "sea"]);
/// ```
pub fn tokens(text: &str, mut take: impl FnMut(&str)) {
    let mut lower = String::new();
    {
        let words = text.split(|letter: char| !letter.is_alphabetic());
        for word in words.filter(|word| !word.is_empty()) {
            lower.clear();
            match word.is_ascii() {
                true => {
                    lower.push_str(word);
                    lower.make_ascii_lowercase();
                }
                false => lower.extend(word.chars().flat_map(char::to_lowercase)),
            }
            if LETTERS.contains(&lower.chars().count()) {
                take(&lower);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        tokens(text, |word| words.push(word.to_owned()));
        words
    }

    #[test]
    fn what_is_no_letter_separates() {
        assert_eq!(words("one\r\ntwo_three4five"), ["one", "two", "three", "five"]);
        assert!(words("").is_empty() && words("a bc 12345").is_empty());
    }

    #[test]
    fn long_runs_are_left_out() {
        assert_eq!(
            words("ab abc aaaaaaaaaaaaaaaaaaaa aaaaaaaaaaaaaaaaaaaaa ÄÖÜ"),
            ["abc", "aaaaaaaaaaaaaaaaaaaa", "äöü"]
        );
    }
}
