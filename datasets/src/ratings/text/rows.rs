//! [`RatingRows`]: the content of a block of lines.

use super::headed::Heading;
use crate::bytes::encoding::utf8;
use crate::ratings::ids::{Column, IdForm, whole_id};
use crate::ratings::precision::Precision;
use crate::ratings::time::{self, Clock};
use crate::ratings::values::Values;

/// How the columns of a text are taken.
#[derive(Clone, Copy)]
pub(in crate::ratings) struct Taken {
    pub(in crate::ratings) users: IdForm,
    pub(in crate::ratings) items: IdForm,
    pub(in crate::ratings) precision: Precision,
    /// `true` if lines without a rating or an id are left out.
    pub(in crate::ratings) drops_missing: bool,
    /// `true` if lines such as `7:` name the item of those below them.
    pub(in crate::ratings) is_headed: bool,
}

impl Taken {
    /// Takes a column as text from now on.
    pub(in crate::ratings) fn give_up(&mut self, side: RatingSide) {
        match side {
            RatingSide::Users => self.users = IdForm::Text,
            RatingSide::Items => self.items = IdForm::Text,
        }
    }

    pub(super) fn columns(self, capacity: usize) -> (Column, Column) {
        (Column::new(self.users, capacity), Column::new(self.items, capacity))
    }
}

#[derive(Clone, Copy)]
pub(in crate::ratings) enum RatingSide {
    Users,
    Items,
}

impl RatingSide {
    fn name(self) -> &'static str {
        match self {
            Self::Users => "user",
            Self::Items => "item",
        }
    }
}

/// Numbers of lines that were left out, by reason.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::ratings) struct Missing {
    pub(in crate::ratings) ratings: usize,
    pub(in crate::ratings) ids: usize,
}

impl Missing {
    pub(in crate::ratings) fn add(&mut self, other: Self) {
        self.ratings += other.ratings;
        self.ids += other.ids;
    }

    /// Adds the numbers to the record counts.
    pub(in crate::ratings) fn count(self, records: &mut crate::records::RecordCounts) {
        records.read += (self.ratings + self.ids) as u64;
        records.leave_out("missing rating", self.ratings);
        records.leave_out("missing id", self.ids);
    }
}

/// Ids, values and times of a block of lines.
pub(in crate::ratings) struct RatingRows {
    pub(in crate::ratings) users: Column,
    pub(in crate::ratings) items: Column,
    pub(in crate::ratings) values: Values,
    pub(in crate::ratings) times: Vec<f64>,
    pub(in crate::ratings) clock: Option<Clock>,
    pub(in crate::ratings) missing: Missing,
    pub(super) heading: Heading,
}

impl RatingRows {
    pub(super) fn new(taken: Taken, capacity: usize) -> Self {
        let (users, items) = taken.columns(capacity);
        Self {
            users,
            items,
            values: Values::new(taken.precision, capacity),
            times: Vec::new(),
            clock: None,
            missing: Missing::default(),
            heading: Heading::new(taken.items),
        }
    }

    /// Adds both ids, or returns the column whose id is not a whole number although it was taken for one.
    /// Without an item, that of the heading is added.
    #[inline(always)]
    pub(super) fn ids(&mut self, user: &[u8], item: Option<&[u8]>) -> Result<Option<RatingSide>, String> {
        let of = |side: RatingSide| move |why: String| format!("the {}: {why}", side.name());
        if !self.users.push(user).map_err(of(RatingSide::Users))? {
            return Ok(Some(RatingSide::Users));
        }
        let is_whole = match item {
            Some(item) => self.items.push(item).map_err(of(RatingSide::Items))?,
            None => {
                self.heading.name(&mut self.items);
                true
            }
        };
        Ok((!is_whole).then_some(RatingSide::Items))
    }

    pub(super) fn time(&mut self, cell: &[u8]) -> Result<(), String> {
        let (time, clock) = time::parse(cell)?;
        if *self.clock.get_or_insert(clock) != clock {
            return Err(time::MIXED.into());
        }
        self.times.push(time);
        Ok(())
    }
}

/// The last heading of the earlier blocks.
#[derive(Default)]
pub(super) struct Headings(Option<Column>);

impl Headings {
    /// Adds the item of the next block's first lines.
    pub(super) fn close(&mut self, rows: &mut RatingRows) {
        let open = std::mem::take(&mut rows.heading.open);
        match (&self.0, &mut rows.items) {
            (Some(Column::Integers(id)), Column::Integers(items)) if id.len() == 1 => {
                items[..open].fill(id[0])
            }
            (Some(Column::Names(id)), Column::Names(items)) if id.len() == 1 => {
                items[..open].fill(id[0].clone())
            }
            // The first line of the text is a heading.
            _ => {}
        }
        match &rows.heading.id {
            Column::Integers(id) if !id.is_empty() => self.0 = Some(Column::Integers(id.clone())),
            Column::Names(id) if !id.is_empty() => self.0 = Some(Column::Names(id.clone())),
            _ => {}
        }
    }
}

impl Column {
    pub(super) fn new(form: IdForm, capacity: usize) -> Self {
        match form {
            IdForm::Whole => Self::Integers(Vec::with_capacity(capacity)),
            IdForm::Text => Self::Names(Vec::with_capacity(capacity)),
        }
    }

    /// Adds an id; returns `false` if it is not a whole number although it was taken for one.
    #[inline(always)]
    pub(super) fn push(&mut self, cell: &[u8]) -> Result<bool, String> {
        if cell.is_empty() {
            return Err("there is none: give it an id, or leave such lines out by --missing drop".into());
        }
        match self {
            Self::Integers(ids) => match whole_id(cell) {
                Some(id) => ids.push(id),
                None => return Ok(false),
            },
            Self::Names(ids) => ids.push(utf8(cell)?.to_owned()),
        }
        Ok(true)
    }
}
