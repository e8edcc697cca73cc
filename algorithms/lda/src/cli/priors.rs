//! Word priors: a file with lines `topic word weight`, which seed topics.

use std::collections::HashMap;
use std::path::Path;

use raddle_cli::Error;
use raddle_datasets::Corpus;

/// A prior (word, topic, weight); numbers are from 0.
type Priors = Vec<(u32, u32, f32)>;

/// Reads the file. Topics count from 1; words are words of the vocabulary, or numbers from 1 if there is
/// none. Empty lines and those that start with `#` are skipped. Words that the corpus lacks are left out; a
/// note lists them.
pub(crate) fn read(path: &Path, corpus: &Corpus, topics: usize) -> Result<(Priors, Option<String>), Error> {
    let text = raddle_datasets::read_text(path).map_err(|why| Error::input(why.to_string()))?;
    let numbers: HashMap<&str, u32> =
        corpus.vocabulary.iter().flat_map(|words| words.iter().zip(0..)).collect();
    let (mut priors, mut lacking) = (Vec::new(), Vec::new());
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let refuse = |why: String| Error::input(format!("{}:{number}: {why}", path.display()));
        let fields: Vec<&str> = line.split_whitespace().collect();
        let &[topic, word, weight] = fields.as_slice() else {
            return Err(refuse("expected `topic word weight`".into()));
        };
        let topic: u32 =
            topic.parse().ok().filter(|topic| (1..=topics as u32).contains(topic)).ok_or_else(|| {
                refuse(format!("the topic `{topic}` is not a whole number from 1 to {topics}"))
            })?;
        let weight = weight.parse().ok().filter(|weight: &f32| weight.is_finite() && *weight > 0.0);
        let weight = weight.ok_or_else(|| refuse("the weight is not a number above 0".into()))?;
        let known = match corpus.vocabulary {
            Some(_) => numbers.get(word).copied(),
            None => match word.parse::<u32>() {
                Ok(word) if (1..=corpus.words() as u32).contains(&word) => Some(word - 1),
                _ => {
                    let words = corpus.words();
                    return Err(refuse(format!("the word `{word}` is not a number from 1 to {words}")));
                }
            },
        };
        match known {
            Some(word) => priors.push((word, topic - 1, weight)),
            None => lacking.push(format!("`{word}` (line {number})")),
        }
    }
    if priors.is_empty() {
        let why = "it seeds no word of the corpus: give lines of `topic word weight` with words that the corpus has";
        return Err(Error::input(format!("{}: {why}", path.display())));
    }
    Ok((priors, left_out(path, &lacking)))
}

/// Returns a note on the words of the file that the corpus lacks.
fn left_out(path: &Path, lacking: &[String]) -> Option<String> {
    let more = match lacking.len() {
        0 => return None,
        1..=NAMED => String::new(),
        count => format!(" and {} more", count - NAMED),
    };
    let names = lacking.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    Some(format!("{}: not in the corpus and left out: {names}{more}", path.display()))
}

/// Limit on the words that the note lists.
const NAMED: usize = 5;
