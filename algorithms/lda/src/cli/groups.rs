//! The groups of documents that `lda topics --by` compares: the values of a column, or bins of its numbers.

use std::collections::{BTreeMap, BTreeSet};

use raddle_cli::{Error, count, number};
use raddle_datasets::Corpus;

/// Most values of a column of numbers that are groups of their own.
const MOST_NUMBERS: usize = 40;

/// Most groups: more are not compared, but read one by one.
const MOST_GROUPS: usize = 1_000;

/// Groups of documents, in the order of their values.
pub(super) struct Groups {
    pub(super) names: Vec<String>,
    /// Documents of each group.
    pub(super) members: Vec<Vec<u32>>,
    /// `true` if the values are numbers.
    pub(super) are_numbers: bool,
    /// Sentences on documents that are in no group.
    pub(super) notes: Vec<String>,
}

impl Groups {
    /// Groups the documents of a corpus by the column `by`. Documents without a word or a value are left out.
    pub(super) fn new(corpus: &Corpus, by: &str, bins: Option<usize>) -> Result<Self, Error> {
        let values: Vec<&str> =
            corpus.groups.iter().flat_map(|values| values.iter()).map(str::trim).collect();
        let all: Vec<u32> = (0..values.len() as u32).collect();
        let (with_words, wordless): (Vec<u32>, Vec<u32>) =
            all.into_iter().partition(|&document| corpus.length(document as usize) > 0);
        let (used, empty): (Vec<u32>, Vec<u32>) =
            with_words.into_iter().partition(|&document| !values[document as usize].is_empty());
        let text = |document: u32| values[document as usize];
        let numbers: Option<Vec<(f64, u32)>> = used
            .iter()
            .map(|&document| Some((text(document).parse().ok().filter(|v: &f64| v.is_finite())?, document)))
            .collect();
        let distinct = used.iter().map(|&document| text(document)).collect::<BTreeSet<_>>().len();
        let refuse = |why: String| Err(Error::usage(format!("--by {by}: {why}")));
        let grouped: Vec<(String, Vec<u32>)> = match (numbers, bins) {
            (Some(numbers), Some(bins)) => binned(numbers, bins),
            (None, Some(_)) => return refuse("--bins is for numbers, and not all of its values are".into()),
            (Some(numbers), None) if distinct > MOST_NUMBERS => {
                let (values, documents) = (distinct, numbers.len());
                return refuse(format!(
                    "it has {values} numbers in {documents} documents: put them in bins, as with --bins 10"
                ));
            }
            (_, None) if distinct == used.len() && distinct > 1 => {
                return refuse(
                    "every document has a value of its own: name a column that documents share".into(),
                );
            }
            (Some(numbers), None) => by_value(numbers),
            (None, None) => {
                let mut groups: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
                used.iter().for_each(|&document| groups.entry(text(document)).or_default().push(document));
                groups.into_iter().map(|(name, members)| (name.to_owned(), members)).collect()
            }
        };
        match grouped.len() {
            0 | 1 => return refuse("it has one value: there is nothing to compare".into()),
            2..=MOST_GROUPS => {}
            many => return refuse(format!("it has {many} values, and at most {MOST_GROUPS} are compared")),
        }
        let left_out = [(wordless, "without a word of the model"), (empty, "without a value")];
        let notes = left_out
            .into_iter()
            .filter(|(documents, _)| !documents.is_empty())
            .map(|(documents, why)| format!("left out: {} {why}", count(documents.len() as u64, "document")));
        let notes = notes.collect();
        let are_numbers = used.iter().all(|&document| text(document).parse::<f64>().is_ok());
        let (names, members) = grouped.into_iter().unzip();
        Ok(Self { names, members, are_numbers, notes })
    }
}

/// Groups numbers by their value, ascending.
fn by_value(mut numbers: Vec<(f64, u32)>) -> Vec<(String, Vec<u32>)> {
    numbers.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let groups = numbers.chunk_by(|a, b| a.0 == b.0);
    groups.map(|some| (number(some[0].0), some.iter().map(|&(_, document)| document).collect())).collect()
}

/// Puts numbers in about so many bins with about as many documents each; equal numbers are in one bin.
fn binned(mut numbers: Vec<(f64, u32)>, bins: usize) -> Vec<(String, Vec<u32>)> {
    numbers.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let all = numbers.len();
    let mut found: BTreeMap<usize, Vec<(f64, u32)>> = BTreeMap::new();
    let mut start = 0;
    for same in numbers.chunk_by(|a, b| a.0 == b.0) {
        found.entry((2 * start + same.len()) * bins / (2 * all)).or_default().extend(same);
        start += same.len();
    }
    let bin = |some: Vec<(f64, u32)>| {
        let (first, last) = (some[0].0, some[some.len() - 1].0);
        let name =
            if first == last { number(first) } else { format!("{} to {}", number(first), number(last)) };
        (name, some.into_iter().map(|(_, document)| document).collect())
    };
    found.into_values().map(bin).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_have_about_equal_numbers_of_documents_and_equal_numbers_stay_together() {
        let years = [1990, 1991, 1991, 1991, 1992, 1995, 1999, 2001, 2001, 2010];
        let numbers: Vec<(f64, u32)> = years.iter().map(|&year| f64::from(year)).zip(0..).collect();
        let named = |bins| -> Vec<(String, usize)> {
            binned(numbers.clone(), bins).into_iter().map(|(name, members)| (name, members.len())).collect()
        };
        assert_eq!(named(2), [("1990 to 1992".into(), 5), ("1995 to 2010".into(), 5)]);
        let three = named(3);
        assert_eq!(three.iter().map(|(_, size)| size).sum::<usize>(), 10);
        assert!(three.iter().all(|(_, size)| (3..=4).contains(size)), "{three:?}");
        assert_eq!(named(100).len(), 7);
        assert_eq!(by_value(numbers.clone())[1], ("1991".into(), vec![1, 2, 3]));
    }
}
