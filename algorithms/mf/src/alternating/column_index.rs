//! [`ColumnIndex`]: for each row of a shard, the rows of the other side that its ratings name, in two bytes
//! per rating.

use std::ops::Range;

use crate::input::mmap_arrays::MmapArrays;

/// Number of rows of the other side on a page, which two bytes can index.
const PAGE: usize = 1 << 16;

/// For each row of a shard the rows of the other side that its ratings name.
///
/// The ratings of a row are stored page by page, within each in the order of the input. If rows have so few
/// ratings that the starts of the pages would take more than is saved, all ratings are on one page, with four
/// bytes each.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ColumnIndex {
    /// Number of pages in a row.
    pages: usize,
    /// Start of the ratings of each page of each row, and the end of the last.
    starts: Vec<u32>,
    /// Rows of the other side by their places on their pages; empty if there is only one page, without end.
    narrow: Vec<u16>,
    wide: Vec<u32>,
}

raddle::state!(ColumnIndex { pages, starts, narrow, wide });

impl ColumnIndex {
    /// Builds the index from `count` ratings, given as (row of the shard, row of the other side); also
    /// returns the position of each rating.
    pub(crate) fn new(
        [rows, others]: [usize; 2],
        count: usize,
        ratings: impl Iterator<Item = (usize, u32)> + Clone,
        mut lies: impl FnMut(usize),
    ) -> Self {
        let pages = others.div_ceil(PAGE).max(1);
        let is_narrow = (pages - 1) * rows * size_of::<u32>() <= count * size_of::<u16>();
        let pages = if is_narrow { pages } else { 1 };
        let slot = |(row, other): (usize, u32)| match pages {
            1 => row,
            _ => row * pages + other as usize / PAGE,
        };
        let mut starts = vec![0; rows * pages + 1];
        ratings.clone().for_each(|rating| starts[slot(rating) + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let (mut narrow, mut wide) = (vec![0; if is_narrow { count } else { 0 }], Vec::new());
        wide.resize(count - narrow.len(), 0);
        let mut next = starts.clone();
        for rating in ratings {
            let place = &mut next[slot(rating)];
            match is_narrow {
                true => narrow[*place as usize] = rating.1 as u16,
                false => wide[*place as usize] = rating.1,
            }
            lies(*place as usize);
            *place += 1;
        }
        Self { pages, starts, narrow, wide }
    }

    /// Returns the arrays of the index as bytes, which [`ColumnIndex::of`] reads.
    pub(super) fn arrays(&self) -> [&[u8]; 4] {
        let pages = std::slice::from_ref(&self.pages);
        [
            bytemuck::cast_slice(pages),
            bytemuck::cast_slice(&self.starts),
            bytemuck::cast_slice(&self.narrow),
            bytemuck::cast_slice(&self.wide),
        ]
    }

    /// Reads the first four arrays.
    pub(super) fn of(arrays: &MmapArrays) -> Self {
        Self {
            pages: arrays.array::<usize>(0).first().copied().unwrap_or_default(),
            starts: arrays.array(1).to_vec(),
            narrow: arrays.array(2).to_vec(),
            wide: arrays.array(3).to_vec(),
        }
    }

    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1) / self.pages.max(1)
    }

    /// Returns the positions of the ratings of a row.
    pub(crate) fn range(&self, row: usize) -> Range<usize> {
        self.starts[row * self.pages] as usize..self.starts[(row + 1) * self.pages] as usize
    }

    /// Returns the number of ratings.
    pub(crate) fn count(&self) -> usize {
        self.narrow.len() + self.wide.len()
    }

    /// Returns all ratings by position.
    pub(crate) fn ratings(&self) -> impl Iterator<Item = (usize, u32)> + Clone {
        let pages = self.pages.max(1);
        let ranges = self.starts.windows(2).enumerate();
        ranges.flat_map(move |(slot, ends)| {
            let first = (slot % pages * PAGE) as u32;
            let name = move |place: usize| match self.narrow.get(place) {
                Some(&named) => first | u32::from(named),
                None => self.wide[place],
            };
            (ends[0] as usize..ends[1] as usize).map(move |place| (slot / pages, name(place)))
        })
    }

    /// Returns the rows of the other side that a row's ratings name, decoded into `scratch` if they are
    /// stored in two bytes.
    pub(crate) fn read<'a>(&'a self, row: usize, scratch: &'a mut Vec<u32>) -> &'a [u32] {
        if self.narrow.is_empty() {
            return &self.wide[self.range(row)];
        }
        scratch.clear();
        for page in 0..self.pages {
            let from = &self.starts[row * self.pages + page..];
            let named = &self.narrow[from[0] as usize..from[1] as usize];
            scratch.extend(named.iter().map(|&place| (page * PAGE) as u32 | u32::from(place)));
        }
        scratch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stores ratings and reads them back, each with its number.
    fn read_back(
        rows: usize,
        others: usize,
        ratings: &[(usize, u32)],
    ) -> (ColumnIndex, Vec<(usize, u32, usize)>) {
        let (mut number, mut lies) = (0, vec![usize::MAX; ratings.len()]);
        let named = ColumnIndex::new([rows, others], ratings.len(), ratings.iter().copied(), |place| {
            lies[place] = number;
            number += 1;
        });
        let mut scratch = Vec::new();
        let mut all = Vec::new();
        for row in 0..named.len() {
            let others = named.read(row, &mut scratch).to_vec();
            all.extend(named.range(row).zip(others).map(|(place, other)| (row, other, lies[place])));
        }
        (named, all)
    }

    #[test]
    fn every_rating_is_read_back_on_few_pages_and_on_many() {
        for (others, is_narrow) in [(500, true), (65_536, true), (150_000, true), (3_000_000, false)] {
            let ratings: Vec<(usize, u32)> =
                (0..2000).map(|i| ((i * 7) % 40, (i * 104_729 % others) as u32)).collect();
            let (named, mut all) = read_back(41, others, &ratings);
            let rows: Vec<_> = all.iter().map(|&(row, other, _)| (row, other)).collect();
            assert_eq!((named.count(), named.ratings().collect::<Vec<_>>()), (2000, rows), "{others}");
            assert_eq!((named.len(), named.wide.is_empty()), (41, is_narrow), "{others}");
            assert!(named.range(40).is_empty());
            all.sort_by_key(|&(.., number)| number);
            let expected: Vec<_> = (0..).zip(&ratings).map(|(i, &(row, other))| (row, other, i)).collect();
            assert_eq!(all, expected, "{others}");
        }
    }

    #[test]
    fn a_row_keeps_the_order_of_the_input_on_each_page() {
        let ratings = [(0, 70_000), (0, 3), (1, 2), (0, 65_536), (0, 1)];
        let (named, all) = read_back(2, 70_001, &ratings);
        let of_first: Vec<u32> = all.iter().filter(|rating| rating.0 == 0).map(|rating| rating.1).collect();
        assert_eq!((of_first, named.range(1)), (vec![3, 1, 70_000, 65_536], 4..5));
    }

    #[test]
    fn nothing_has_no_rows() {
        assert_eq!(ColumnIndex::default().len(), 0);
        assert_eq!(read_back(3, 0, &[]).0.range(2), 0..0);
    }
}
