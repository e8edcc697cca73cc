//! Word priors: a file of `topic word weight` lines that seeds topics.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use raddle::cli::Error;
use raddle_datasets::Corpus;

/// Reads the file: topics count from 1; words are words of the vocabulary, or numbers from 1 where there is none. Empty
/// lines and those that begin with `#` say nothing.
pub(crate) fn read(path: &Path, corpus: &Corpus, topics: usize) -> Result<Vec<(u32, u32, f32)>, Error> {
    let text = fs::read_to_string(path).map_err(|why| Error::input(format!("{}: {why}", path.display())))?;
    let numbers: HashMap<&str, u32> =
        corpus.vocabulary.iter().flat_map(|words| words.iter().zip(0..)).collect();
    let mut priors = Vec::new();
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
        let word = match corpus.vocabulary {
            Some(_) => {
                numbers.get(word).copied().ok_or_else(|| refuse(format!("`{word}` is not in the vocabulary")))
            }
            None => match word.parse::<u32>() {
                Ok(word) if (1..=corpus.words() as u32).contains(&word) => Ok(word - 1),
                _ => Err(refuse(format!("the word `{word}` is not a number from 1 to {}", corpus.words()))),
            },
        }?;
        let weight = weight.parse().ok().filter(|weight: &f32| weight.is_finite() && *weight > 0.0);
        priors.push((
            word,
            topic - 1,
            weight.ok_or_else(|| refuse("the weight is not a number above 0".into()))?,
        ));
    }
    Ok(priors)
}
