//! [`assign_streams`]: the four streams of a slice.

use std::cmp::Reverse;

use super::tokens::{Ends, Slice, Visit};

/// Number of streams; a constant, because the order of draws is part of the definition of a fit.
pub const STREAMS: usize = 4;

/// Visits of at most this number of tokens are short.
const SHORT: u32 = 64;

/// Assigns a slice's visits to [`STREAMS`] streams of nearly equal numbers of tokens. Each long visit, the
/// longest first, goes to the stream with the fewest tokens so far. Short visits are assigned in fours of
/// nearly the same length, one to each stream, so that their ends coincide, and a core predicts them.
/// `is_full` says whether a word of the block has a full row; such words are kept together for the same
/// reason. The slice then has the visits of the first stream, followed by those of the second, and so on.
/// Only for slices whose tokens have no topics yet.
pub fn assign_streams(slice: &mut Slice, is_full: impl Fn(usize) -> bool) {
    let Slice { visits, documents, streams, .. } = slice;
    let start = |at: usize| at.checked_sub(1).map_or(0, |before| visits[before].end);
    let length = |at: usize| visits[at].end - start(at);
    let mut order: Vec<usize> = (0..visits.len()).collect();
    order.sort_by_key(|&at| (Reverse(length(at)), Reverse(is_full(visits[at].word as usize))));
    let (long, short) = order.split_at(order.partition_point(|&at| length(at) > SHORT));
    let (mut assigned, mut loads) = ([const { Vec::new() }; STREAMS], [0u64; STREAMS]);
    for &at in long {
        let stream = (0..STREAMS).min_by_key(|&stream| loads[stream]).unwrap_or(0);
        assigned[stream].push(at);
        loads[stream] += u64::from(length(at));
    }
    let lengths = assigned.each_ref().map(Vec::len);
    for (number, &at) in short.iter().enumerate() {
        assigned[number % STREAMS].push(at);
    }
    let (mut moved, mut tokens) = (Vec::with_capacity(visits.len()), Vec::with_capacity(documents.len()));
    streams.clear();
    for (some, long) in assigned.iter().zip(lengths) {
        let first = moved.len();
        for &at in some {
            let Visit { word, end } = visits[at];
            tokens.extend_from_slice(&documents[start(at) as usize..end as usize]);
            moved.push(Visit { word, end: tokens.len() as u32 });
        }
        streams.push(Ends { long: (first + long) as u32, end: moved.len() as u32 });
    }
    (*visits, *documents) = (moved, tokens);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_visit_is_in_one_stream_and_streams_are_even() {
        let lengths = (0..500u32).map(|word| 1 + (word * 7919 % 101) * u32::from(word % 3 == 0));
        let (mut slice, mut visits) = (Slice::default(), Vec::new());
        for (word, length) in (0..).zip(lengths) {
            slice.documents.extend((0..length).map(|at| (word * 31 + at) as u16));
            visits.push((word, slice.documents[slice.documents.len() - length as usize..].to_vec()));
            slice.visits.push(Visit { word, end: slice.documents.len() as u32 });
        }
        slice.topics = vec![0; slice.documents.len()];
        assign_streams(&mut slice, |word| word % 2 == 0);
        assert_eq!(slice.streams.len(), STREAMS);
        let (mut start, mut first, mut tokens, mut found) = (0, 0, Vec::new(), Vec::new());
        for Ends { long, end } in &slice.streams {
            let (before, mut last) = (start, u32::MAX);
            for (at, visit) in (first..).zip(&slice.visits[first as usize..*end as usize]) {
                let part = slice.documents[start as usize..visit.end as usize].to_vec();
                let length = part.len() as u32;
                assert!(length <= last && (length > SHORT) == (at < *long), "visit {at}");
                found.push((visit.word, part));
                (start, last) = (visit.end, length);
            }
            tokens.push(start - before);
            first = *end;
        }
        assert!(
            tokens
                .iter()
                .max()
                .zip(tokens.iter().min())
                .is_some_and(|(most, least)| most - least < 2 * SHORT)
        );
        found.sort();
        assert_eq!(found, visits);
    }
}
