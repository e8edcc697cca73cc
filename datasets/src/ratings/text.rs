//! Reads lines of `user item rating`: CSV and TSV, MovieLens `::`, LIBMF's text.

mod block;
mod headed;
mod rows;

pub(super) use self::block::rating;
pub(super) use self::rows::{Missing, RatingRows, RatingSide, Taken};

use self::block::{Block, block};
use self::rows::Headings;
use super::ids::IdForm;
use super::layout::{Layout, Wanted};
use super::options::RatingsOptions;
use crate::bytes::blocks::Blocks;
use crate::bytes::parallel;
use crate::bytes::source::Source;
use crate::dialect::{Beginning, DATA, HEADER, Purpose, Separator};
use crate::error::ReadError;

/// The lines of a text after its header, and how to read them.
pub(super) struct Lines {
    pub(super) layout: Layout,
    /// Bytes and lines before the first rating.
    before: (usize, usize),
    /// How columns are taken until a cell contradicts that.
    pub(super) taken: Taken,
    pub(super) notes: Vec<String>,
}

impl Lines {
    /// Determines the layout of a text from options and its first lines.
    pub(super) fn of(source: &Source, options: &RatingsOptions) -> Result<Self, ReadError> {
        let taken = |pairs_only: bool, is_headed: bool| Taken {
            users: IdForm::Whole,
            items: IdForm::Whole,
            precision: options.precision(pairs_only),
            drops_missing: options.drops_missing,
            is_headed,
        };
        if let Some((layout, note)) = headed::layout(source, options)? {
            let taken = taken(layout.value.is_none(), true);
            return Self { layout, before: (0, 0), taken, notes: vec![note] }.with_times(source, options);
        }
        let mut beginning = Beginning::of(source, &options.dialect, Purpose::Ratings)?;
        let (columns, times) = (options.columns.as_deref(), options.times);
        let (layout, note) = Layout::of(&beginning, Wanted { columns, dialect: options.dialect, times })
            .map_err(|message| ReadError::at(&source.path, beginning.before.1 + 1, message))?;
        let mut notes = Vec::new();
        match layout.header {
            _ if options.dialect.header.is_some() => {}
            true if beginning.is_named => {}
            true => notes.push(HEADER.into()),
            // Lines separated by `::` never have a header.
            false if layout.separator != Separator::Colons => notes.push(DATA.into()),
            false => {}
        }
        notes.append(&mut beginning.notes);
        notes.extend(note);
        notes.extend(columns.is_none().then(|| layout.said(&beginning)));
        let before = if layout.header { beginning.behind } else { beginning.before };
        let taken = taken(layout.value.is_none(), false);
        Self { layout, before, taken, notes }.with_times(source, options)
    }

    /// Checks that there are times if they are requested.
    fn with_times(self, source: &Source, options: &RatingsOptions) -> Result<Self, ReadError> {
        if self.layout.time.is_none() && options.times {
            let why = "there is no column of times: name it as the fourth of --columns user,item,rating,time";
            return Err(ReadError::file(&source.path, why));
        }
        Ok(self)
    }

    fn blocks<'a>(&self, source: &'a Source) -> Blocks<'a> {
        let blocks = source.blocks();
        let blocks = match self.layout.quoting() {
            Some(quoting) => blocks.quoted(quoting),
            None => blocks,
        };
        blocks.skip(self.before.0)
    }

    /// Returns `true` if a column is known to hold times that are not requested.
    pub(super) fn is_dated(&self) -> bool {
        self.layout.dated && self.layout.time.is_none()
    }

    /// Returns `true` if times are read.
    pub(super) fn has_times(&self) -> bool {
        self.layout.time.is_some()
    }

    pub(super) fn pairs_only(&self) -> bool {
        self.layout.value.is_none()
    }

    /// Passes the content of the lines on in their order, a few blocks at a time. If a column was taken for
    /// whole numbers and has another cell, stops and returns that column.
    pub(super) fn each(
        &self,
        source: &Source,
        taken: Taken,
        threads: usize,
        mut take: impl FnMut(RatingRows) -> Result<(), ReadError>,
    ) -> Result<Option<RatingSide>, ReadError> {
        let (parse, mut not_whole) = (|text: &[u8]| block(text, &self.layout, taken), None);
        let mut headings = Headings::default();
        parallel::parse_each(source, self.blocks(source), self.before.1 + 1, threads, parse, |block| {
            match block {
                Block::Read(mut rows) => {
                    headings.close(&mut rows);
                    take(rows)?;
                }
                Block::NotWhole(side) => not_whole = Some(side),
            }
            Ok(not_whole.is_none())
        })?;
        Ok(not_whole)
    }
}

/// Refuses more ratings than a run can have.
pub(super) fn check_count(source: &Source, count: usize) -> Result<(), ReadError> {
    let refuse = |why: &str| Err(ReadError::file(&source.path, why));
    if count == 0 {
        return refuse("there are no ratings: expected `user item rating` a line");
    }
    if u32::try_from(count).is_err() {
        return refuse("more than 4294967295 ratings: split the file");
    }
    Ok(())
}
